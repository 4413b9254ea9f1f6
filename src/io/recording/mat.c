/*
 * Recordings in MAT v5 and v7.3 as MUST and PyMUST know them: RF or IQ, and the struct `param`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "io/recording/mat5.h"
#include "io/recording/mat_numbers.h"
#include "io/recording/parts.h"
#include "io/recording/verasonics.h"

/* Deflate, which both versions compress with, makes 1032 bytes of one at best. */
#define MAX_EXPANSION 1032

typedef struct mat_file {
    mat_t *mat;
    sac_draft *draft;
    matvar_t *param;   /* NULL: not there */
    matvar_t *samples; /* RF or IQ, or the cell array of them; their data not yet read */
    const char *samples_name;
    uint64_t max_count; /* how many numbers the file can hold */
    int32_t n_pieces;   /* cells, or 1 */
} mat_file;

/* How many numbers a variable says that it has; 0 where that cannot be in this file. */
static uint64_t count_of(const matvar_t *v, uint64_t max_count)
{
    uint64_t count = 1;
    for (int i = 0; i < v->rank && v->dims; i++) {
        if (v->dims[i] < 1 || v->dims[i] > max_count / count)
            return 0;
        count *= v->dims[i];
    }
    return v->rank > 0 && v->dims ? count : 0;
}

/* libmatio does not say whether it was memory that it lacked; the system does. */
static sac_status blame(const mat_file *f, const char *name, const char *what, sac_error *err)
{
    if (errno == ENOMEM)
        return sac_fail(err, SAC_E_NOMEM, "%s: %s: no memory to read it", f->draft->name, name);
    return sac_fail(err, SAC_E_FORMAT, "%s: %s: %s", f->draft->name, name, what);
}

static sac_status load(mat_file *f, matvar_t *v, const char *name, sac_error *err)
{
    errno = 0;
    if (!v->data && Mat_VarReadDataAll(f->mat, v) != 0)
        return blame(f, name, "cannot be read, the file is truncated or damaged", err);
    return v->data ? SAC_OK : blame(f, name, "has no data", err);
}

static bool is_number(const matvar_t *v)
{
    return !v->isComplex && v->class_type >= MAT_C_DOUBLE && v->class_type <= MAT_C_UINT64;
}

/* A field of `param`, whatever its case, as MUST has it; NULL where it is missing or empty. */
static matvar_t *field(const mat_file *f, const char *name)
{
    if (!f->param)
        return NULL;
    char *const *names = Mat_VarGetStructFieldnames(f->param);
    unsigned n = Mat_VarGetNumberOfFields(f->param);
    for (unsigned i = 0; names && i < n; i++) {
        if (!names[i] || strcasecmp(names[i], name) != 0)
            continue;
        matvar_t *v = Mat_VarGetStructFieldByIndex(f->param, i, 0);
        return v && count_of(v, SIZE_MAX) ? v : NULL; /* v7.3 may have one axis alone */
    }
    return NULL;
}

/* A sac_must_get_fn. */
static sac_status get_field(void *ctx, const char *name, uint64_t most, sac_array *value,
                            sac_error *err)
{
    mat_file *f = ctx;
    matvar_t *v = field(f, name);
    *value = (sac_array){0};
    if (!v)
        return SAC_OK;
    uint64_t count = count_of(v, f->max_count);
    if (!is_number(v) || !count || count > most || (v->rank > 2 && count > 1)) {
        value->n_dims = 2; /* of no type */
        return SAC_OK;
    }
    char path[64];
    snprintf(path, sizeof path, "param.%s", name);
    sac_status st = load(f, v, path, err);
    if (st != SAC_OK)
        return st;
    const int64_t rows = (int64_t)v->dims[0];
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(sac_mat_dtype(v));
    *value = (sac_array){.data = v->data,
                         .dtype = sac_mat_dtype(v),
                         .n_dims = 2,
                         .shape = {rows, (int64_t)count / rows},
                         .stride = {size, (ptrdiff_t)rows * size}};
    return SAC_OK;
}

static matvar_t *piece(const mat_file *f, int32_t i)
{
    sac_known(f->samples);
    return f->samples->class_type == MAT_C_CELL ? Mat_VarGetCell(f->samples, i) : f->samples;
}

/* Whether a piece is numbers of a type that we take, and of the same shape as the first. */
static sac_status check_piece(const mat_file *f, int32_t i, sac_error *err)
{
    const matvar_t *v = piece(f, i), *first = piece(f, 0);
    const char *name = f->draft->name;
    if (!v || v->class_type < MAT_C_DOUBLE || v->class_type > MAT_C_UINT64)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %s: expected numbers (integers, single or double), or a cell array of "
                        "them",
                        name, f->samples_name);
    if (v->rank < 2 || v->rank > 4 || !count_of(v, f->max_count))
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %s: is empty, has more than 4 axes, or cannot be in this file, which "
                        "is truncated or damaged",
                        name, f->samples_name);
    bool same = v->class_type == first->class_type && v->isComplex == first->isComplex &&
                v->rank == first->rank;
    for (int k = 0; same && k < v->rank; k++)
        same = v->dims[k] == first->dims[k];
    return same ? SAC_OK
                : sac_fail(err, SAC_E_FORMAT,
                           "%s: %s: cell %d differs from the first in type or shape", name,
                           f->samples_name, i + 1);
}

static sac_status find_samples(mat_file *f, sac_error *err)
{
    static const char *const names[] = {"RF", "IQ"};
    errno = 0;
    for (size_t i = 0; i < 2 && !f->samples && errno != ENOMEM; i++) {
        f->samples_name = names[i];
        f->samples = Mat_VarReadInfo(f->mat, names[i]);
    }
    const char *name = f->draft->name;
    if (!f->samples && errno == ENOMEM)
        return blame(f, "RF", "", err);
    if (!f->samples)
        return sac_fail(err, SAC_E_FORMAT, "%s: has neither a variable RF nor IQ", name);
    uint64_t n = 1;
    if (f->samples->class_type == MAT_C_CELL)
        n = count_of(f->samples, f->max_count);
    if (n < 1 || n > SAC_IO_MAX_LISTED)
        return sac_fail(err, SAC_E_FORMAT, "%s: %s: expected 1 to %d cells", name, f->samples_name,
                        SAC_IO_MAX_LISTED);
    f->n_pieces = (int32_t)n;
    sac_status st = SAC_OK;
    for (int32_t i = 0; i < f->n_pieces && st == SAC_OK; i++)
        st = check_piece(f, i, err);
    return st;
}

/*
 * The shape (n_frames, n_transmits, n_elements, n_samples). In memory Fortran's (n_samples,
 * n_elements, n_transmits, n_frames) is just that; with one transmit, and in cells, the third axis
 * is frames.
 */
static sac_status shape_of(int64_t shape[4], const mat_file *f, int64_t n_transmits, sac_error *err)
{
    const matvar_t *v = piece(f, 0);
    bool cells = f->samples->class_type == MAT_C_CELL;
    uint64_t third = v->rank > 2 ? v->dims[2] : 1, fourth = v->rank > 3 ? v->dims[3] : 1;
    bool frames_third = cells || n_transmits == 1;
    if (frames_third && fourth != 1)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %s: 4 axes of one transmit: expected (n_samples, n_elements, "
                        "n_frames)",
                        f->draft->name, f->samples_name);
    if (!frames_third && fourth == 1 && third != (uint64_t)n_transmits)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %s: %" PRIu64 " frames of one transmit, or one of as many transmits, "
                        "but %" PRId64 " transmits are described (--transmits describes them "
                        "otherwise)",
                        f->draft->name, f->samples_name, third, n_transmits);
    uint64_t transmits = cells ? (uint64_t)f->n_pieces : frames_third ? 1 : third;
    shape[0] = (int64_t)(frames_third ? third : fourth);
    shape[1] = (int64_t)transmits;
    shape[2] = (int64_t)v->dims[1];
    shape[3] = (int64_t)v->dims[0];
    return SAC_OK;
}

/* A piece's transmits that are wanted, in all frames that are. `spare` has room for one of a frame:
 * the others are looked at there; NULL: they are not. Whether all were whole numbers. */
static bool take_piece(const mat_file *f, matvar_t *v, int64_t p, int64_t each, void *spare)
{
    const sac_draft *draft = f->draft;
    sac_array *a = &draft->recording->samples, nowhere = *a;
    const size_t block = (size_t)(a->shape[2] * a->shape[3]);
    bool whole = true;
    nowhere.data = spare;
    for (int64_t i = 0; i < a->shape[0]; i++)
        for (int64_t t = 0; t < each; t++) {
            const int64_t at = p * each + t - draft->first_transmit;
            const size_t from = (size_t)((draft->first_frame + i) * each + t) * block;
            const size_t to = (size_t)(i * a->shape[1] + at) * block;
            if (a->data && at >= 0 && at < a->shape[1])
                whole = sac_mat_convert(a, to, v, from, block) && whole;
            else if (spare)
                whole = sac_mat_convert(&nowhere, 0, v, from, block) && whole;
        }
    return whole;
}

static sac_status take_pieces(mat_file *f, const int64_t shape[4], void *spare, sac_error *err)
{
    const sac_draft *draft = f->draft;
    sac_array *samples = &draft->recording->samples;
    const int64_t each = shape[1] / f->n_pieces; /* transmits of a piece: all, or 1 of a cell */
    bool whole = true;
    for (int32_t p = 0; p < f->n_pieces; p++) {
        const int64_t at = (p + 1) * each - draft->first_transmit; /* its end */
        if (!spare && (!samples->data || at <= 0 || at >= samples->shape[1] + each))
            continue;
        matvar_t *v = piece(f, p);
        sac_status st = load(f, v, f->samples_name, err);
        if (st != SAC_OK)
            return st;
        const mat_complex_split_t *parts = v->data;
        if (v->isComplex && (!parts->Re || !parts->Im))
            return sac_fail(err, SAC_E_FORMAT, "%s: %s: has no data", draft->name, f->samples_name);
        whole = take_piece(f, v, p, each, spare) && whole;
    }
    if (spare && whole)
        sac_mat_narrow(samples);
    return SAC_OK;
}

/* The type does not depend on which transmits are wanted: it is by the samples of all of them. */
static sac_status read_pieces(mat_file *f, const int64_t shape[4], sac_error *err)
{
    void *spare = NULL;
    const bool may_narrow =
        f->draft->recording->samples.dtype == SAC_F32 && piece(f, 0)->class_type != MAT_C_SINGLE;
    if (may_narrow && !(spare = sac_alloc((size_t)(shape[2] * shape[3]), sizeof(float))))
        return sac_fail(err, SAC_E_NOMEM, "%s: %s: no memory to read it", f->draft->name,
                        f->samples_name);
    const sac_status st = take_pieces(f, shape, spare, err);
    sac_free(spare);
    return st;
}

static sac_status read_all(mat_file *f, sac_error *err)
{
    sac_draft *draft = f->draft;
    errno = 0;
    f->param = Mat_VarReadInfo(f->mat, "param");
    if (!f->param && errno == ENOMEM)
        return blame(f, "param", "", err);
    if (f->param && (f->param->class_type != MAT_C_STRUCT || count_of(f->param, 1) != 1))
        return sac_fail(err, SAC_E_FORMAT, "%s: param: expected one struct", draft->name);
    sac_status st = find_samples(f, err);
    if (st != SAC_OK)
        return st;
    const matvar_t *v = piece(f, 0);
    bool complex = v->isComplex != 0;
    if (strcmp(f->samples_name, "IQ") == 0 && !complex)
        return sac_fail(err, SAC_E_FORMAT, "%s: IQ: expected complex samples", draft->name);
    int64_t n_elements = (int64_t)v->dims[1], shape[4];
    st = sac_must_param(draft, get_field, f, n_elements, f->samples_name, err);
    st = st ? st : sac_draft_resolve(draft, n_elements, err);
    sac_acquisition *a = &draft->recording->acquisition;
    st = st ? st : shape_of(shape, f, a->n_transmits, err);
    bool is_short =
        v->class_type == MAT_C_INT8 || v->class_type == MAT_C_UINT8 || v->class_type == MAT_C_INT16;
    sac_dtype dtype = complex ? SAC_C64 : is_short ? SAC_I16 : SAC_F32;
    st = st ? st : sac_draft_samples(draft, dtype, shape, f->max_count, err);
    st = st ? st : read_pieces(f, shape, err);
    if (st != SAC_OK)
        return st;
    sac_must_clock(draft);
    if (complex && draft->must)
        sac_must_rotate(draft);
    return SAC_OK;
}

sac_status sac_mat_read_recording(sac_draft *draft, bool v5, sac_error *err)
{
    if (sac_verasonics_is(draft->path, draft->file_bytes, v5))
        return sac_verasonics_read(draft, v5, err);
    sac_status st = v5 ? sac_mat5_check(draft->path, draft->name, err)
                       : sac_mat73_check(draft->path, draft->name, draft->file_bytes, err);
    if (st != SAC_OK)
        return st;
    mat_file f = {.draft = draft};
    f.max_count = draft->file_bytes > UINT64_MAX / MAX_EXPANSION
                      ? UINT64_MAX
                      : draft->file_bytes * MAX_EXPANSION;
    sac_hdf5_quiet(true);
    errno = 0;
    f.mat = Mat_Open(draft->path, MAT_ACC_RDONLY);
    st = f.mat ? read_all(&f, err)
               : blame(&f, "MAT v5 or v7.3",
                       "cannot be read: truncated, damaged, or of a version that this libmatio "
                       "lacks",
                       err);
    Mat_VarFree(f.param);
    Mat_VarFree(f.samples);
    Mat_Close(f.mat);
    sac_hdf5_quiet(false);
    return st;
}
