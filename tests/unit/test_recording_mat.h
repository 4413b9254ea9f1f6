/*
 * For the tests of recordings in MAT: files made by libmatio, as MUST and PyMUST write them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_TEST_RECORDING_MAT_H
#define SAC_TESTS_TEST_RECORDING_MAT_H

#include "test_recording.h"

#include <matio.h>

#define S 5 /* samples */
#define E 4 /* elements */

/* What a file is made of; NAN leaves a number out. */
typedef struct recipe {
    double fs, fc, c, t0, pitch, width, radius, prf, n_elements, bandwidth;
    const double *delays;
    size_t n_delays[2];
    const char *name; /* RF, IQ */
    enum matio_classes type;
    bool complex;
    int rank;
    size_t dims[4];
    int n_cells; /* 0: no cell array */
} recipe;

static const double equal_delays[E] = {2e-7, 2e-7, 2e-7, 2e-7};

static const recipe plain = {.fs = 20e6,
                             .fc = 5e6,
                             .c = 1500,
                             .t0 = 1e-5,
                             .pitch = 3e-4,
                             .width = 2.5e-4,
                             .radius = NAN,
                             .prf = NAN,
                             .n_elements = NAN,
                             .bandwidth = NAN,
                             .delays = equal_delays,
                             .n_delays = {1, E},
                             .name = "RF",
                             .type = MAT_C_INT16,
                             .rank = 3,
                             .dims = {S, E, 3}};

static const struct {
    enum mat_ft version;
    enum matio_compression compression;
} versions[] = {{MAT_FT_MAT5, MAT_COMPRESSION_NONE},
                {MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
                {MAT_FT_MAT73, MAT_COMPRESSION_NONE}};

#define N_VERSIONS (sizeof versions / sizeof versions[0])

static inline void add(matvar_t *param, const char *name, const double *values, size_t rows,
                       size_t columns)
{
    size_t dims[2] = {rows, columns};
    if (rows * columns == 1 && isnan(values[0]))
        return;
    Mat_VarAddStructField(param, name);
    matvar_t *v =
        Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, (void *)(uintptr_t)values, 0);
    Mat_VarSetStructFieldByName(param, name, 0, v);
}

static inline matvar_t *make_param(const recipe *r)
{
    size_t one[2] = {1, 1};
    matvar_t *param = Mat_VarCreateStruct("param", 2, one, NULL, 0);
    add(param, "fs", &r->fs, 1, 1);
    add(param, "fc", &r->fc, 1, 1);
    add(param, "c", &r->c, 1, 1);
    add(param, "t0", &r->t0, 1, 1);
    add(param, "pitch", &r->pitch, 1, 1);
    add(param, "width", &r->width, 1, 1);
    add(param, "radius", &r->radius, 1, 1);
    add(param, "PRF", &r->prf, 1, 1);
    add(param, "Nelements", &r->n_elements, 1, 1);
    add(param, "bandwidth", &r->bandwidth, 1, 1);
    if (r->delays)
        add(param, "TXdelay", r->delays, r->n_delays[0], r->n_delays[1]);
    return param;
}

/* Samples 0, 1, 2, ... from `first` on; imaginary parts are the negative of real ones. */
static inline matvar_t *make_numbers(const recipe *r, const char *name, int first)
{
    static double doubles[2][1000];
    static float singles[2][1000];
    static int16_t shorts[1000];
    for (int i = 0; i < 1000; i++) {
        double x = first + i + (r->type == MAT_C_INT16 ? 0 : 0.5);
        doubles[0][i] = x;
        doubles[1][i] = -x;
        singles[0][i] = (float)x;
        singles[1][i] = (float)-x;
        shorts[i] = (int16_t)x;
    }
    bool single = r->type == MAT_C_SINGLE;
    mat_complex_split_t parts = {single ? (void *)singles[0] : (void *)doubles[0],
                                 single ? (void *)singles[1] : (void *)doubles[1]};
    void *data = r->complex ? &parts : r->type == MAT_C_INT16 ? (void *)shorts : parts.Re;
    enum matio_types type = single                   ? MAT_T_SINGLE
                            : r->type == MAT_C_INT16 ? MAT_T_INT16
                                                     : MAT_T_DOUBLE;
    size_t dims[4];
    memcpy(dims, r->dims, sizeof dims);
    return Mat_VarCreate(name, r->type, type, r->rank, dims, data, r->complex ? MAT_F_COMPLEX : 0);
}

static inline matvar_t *make_samples(const recipe *r)
{
    if (!r->n_cells)
        return make_numbers(r, r->name, 0);
    size_t dims[2] = {1, (size_t)r->n_cells};
    matvar_t *cells = Mat_VarCreate(r->name, MAT_C_CELL, MAT_T_CELL, 2, dims, NULL, 0);
    for (int i = 0; i < r->n_cells; i++)
        Mat_VarSetCell(cells, i, make_numbers(r, NULL, 100 * i));
    return cells;
}

/* False where this libmatio does not write the version. */
static inline bool make_file(const recipe *r, size_t version)
{
    mat_t *mat = Mat_CreateVer("x.mat", NULL, versions[version].version);
    if (!mat)
        return false;
    matvar_t *other = make_numbers(&plain, "other", 0);
    matvar_t *param = make_param(r);
    matvar_t *samples = make_samples(r);
    assert_int_equal(Mat_VarWrite(mat, other, versions[version].compression), 0);
    assert_int_equal(Mat_VarWrite(mat, param, versions[version].compression), 0);
    assert_int_equal(Mat_VarWrite(mat, samples, versions[version].compression), 0);
    Mat_VarFree(other);
    Mat_VarFree(param);
    Mat_VarFree(samples);
    Mat_Close(mat);
    return true;
}

static inline sac_recording *make_and_read(const recipe *r, size_t version)
{
    if (!make_file(r, version))
        skip_test("this libmatio writes no MAT files of that version");
    return read_recording("x.mat", NULL);
}

static inline void assert_refused(const recipe *r, sac_status want, const char *word)
{
    for (size_t v = 0; v < N_VERSIONS; v++)
        if (make_file(r, v))
            assert_not_read("x.mat", NULL, want, word);
}

static inline void assert_shape(const sac_array *a, sac_dtype dtype, int64_t n_frames,
                                int64_t n_transmits)
{
    assert_int_equal(a->dtype, dtype);
    assert_int_equal(a->n_dims, 4);
    assert_int_equal(a->shape[0], n_frames);
    assert_int_equal(a->shape[1], n_transmits);
    assert_int_equal(a->shape[2], E);
    assert_int_equal(a->shape[3], S);
    assert_true(sac_array_is_contiguous(a));
}

#endif
