/*
 * Recordings in MAT v5 and v7.3: what is read of those that MUST and PyMUST write.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording_mat.h"

#include "recording_ranges.h"

static const double pi = 3.14159265358979323846;

static void mat_plain_is_read(void **state)
{
    (void)state;
    recipe r = plain;
    r.prf = 5000;
    r.bandwidth = 70;
    r.n_elements = E;
    r.radius = INFINITY;
    for (size_t v = 0; v < N_VERSIONS; v++) {
        sac_recording *rec = make_and_read(&r, v);
        sac_array a = sac_recording_get_array(rec);
        assert_shape(&a, SAC_I16, 3, 1);
        for (int i = 0; i < S * E * 3; i++)
            assert_int_equal(((int16_t *)a.data)[i], i);
        const sac_acquisition *q = sac_recording_get_acquisition(rec);
        assert_true(q->fs_hz == 20e6 && q->fc_hz == 5e6 && q->c_m_s == 1500);
        assert_near(q->bandwidth, 0.7);
        assert_near(q->frame_rate_hz, 5000);
        assert_near(q->elements[0].position_m[0], -4.5e-4);
        assert_near(q->elements[0].width_m, 2.5e-4);
        assert_int_equal(q->transmits[0].kind, SAC_TRANSMIT_PLANE);
        assert_true(q->transmits[0].azimuth_rad == 0);
        assert_near(q->transmits[0].t0_s, 1e-5 - 2e-7); /* the wave leaves 0.2 us late */
        sac_recording_close(&rec);
    }
}

static void mat_numbers_become_what_holds_them(void **state)
{
    (void)state;
    recipe r = plain;
    for (size_t v = 0; v < N_VERSIONS; v++) {
        r.type = MAT_C_SINGLE;
        sac_recording *rec = make_and_read(&r, v);
        sac_array a = sac_recording_get_array(rec);
        assert_shape(&a, SAC_F32, 3, 1);
        assert_true(((float *)a.data)[7] == 7.5F);
        sac_recording_close(&rec);
        r.type = MAT_C_DOUBLE;
        rec = make_and_read(&r, v);
        a = sac_recording_get_array(rec);
        assert_shape(&a, SAC_F32, 3, 1);
        assert_true(((float *)a.data)[59] == 59.5F);
        sac_recording_close(&rec);
    }
}

/* Every class of integers, with numbers that fit int16 or do not. */
static const struct {
    enum matio_classes class;
    enum matio_types type;
    size_t bytes;
    double values[4];
    sac_dtype want;
} wholes[] = {
    {MAT_C_INT8, MAT_T_INT8, 1, {-128, -1, 0, 127}, SAC_I16},
    {MAT_C_UINT8, MAT_T_UINT8, 1, {0, 1, 200, 255}, SAC_I16},
    {MAT_C_INT16, MAT_T_INT16, 2, {-32768, -1, 0, 32767}, SAC_I16},
    {MAT_C_UINT16, MAT_T_UINT16, 2, {0, 1, 4095, 32767}, SAC_I16},
    {MAT_C_UINT16, MAT_T_UINT16, 2, {0, 1, 4095, 65535}, SAC_F32},
    {MAT_C_INT32, MAT_T_INT32, 4, {-32768, -1, 0, 32767}, SAC_I16},
    {MAT_C_INT32, MAT_T_INT32, 4, {-8388608, -1, 0, 8388607}, SAC_F32},
    {MAT_C_UINT32, MAT_T_UINT32, 4, {0, 1, 2, 16777216}, SAC_F32},
    {MAT_C_INT64, MAT_T_INT64, 8, {-32768, -1, 0, 32767}, SAC_I16},
    {MAT_C_INT64, MAT_T_INT64, 8, {-9e18, -1, 0, 8388607}, SAC_F32},
    {MAT_C_UINT64, MAT_T_UINT64, 8, {0, 1, 2, 32767}, SAC_I16},
    {MAT_C_UINT64, MAT_T_UINT64, 8, {0, 1, 2, 1.8e19}, SAC_F32},
};

static void put_whole(uint8_t *to, size_t bytes, double value)
{
    bool big = value >= 0x1p63;
    uint64_t bits = big ? (uint64_t)value : (uint64_t)(int64_t)value;
    memcpy(to, &bits, bytes); /* little-endian, two's complement */
}

static void write_wholes(size_t k, bool complex, size_t version)
{
    static uint8_t data[2][8 * S * E];
    for (size_t i = 0; i < (size_t)S * E; i++) {
        put_whole(data[0] + i * wholes[k].bytes, wholes[k].bytes, wholes[k].values[i % 4]);
        put_whole(data[1] + i * wholes[k].bytes, wholes[k].bytes, wholes[k].values[(i + 1) % 4]);
    }
    static const double at_once[E] = {0}; /* so that nothing is turned */
    recipe r = plain;
    r.delays = at_once;
    size_t dims[2] = {S, E};
    mat_complex_split_t parts = {data[0], data[1]};
    mat_t *mat = Mat_CreateVer("x.mat", NULL, versions[version].version);
    matvar_t *param = make_param(&r);
    matvar_t *rf =
        Mat_VarCreate("RF", wholes[k].class, wholes[k].type, 2, dims,
                      complex ? (void *)&parts : (void *)data[0], complex ? MAT_F_COMPLEX : 0);
    assert_true(mat && rf);
    assert_int_equal(Mat_VarWrite(mat, param, versions[version].compression), 0);
    assert_int_equal(Mat_VarWrite(mat, rf, versions[version].compression), 0);
    Mat_VarFree(param);
    Mat_VarFree(rf);
    Mat_Close(mat);
}

static void mat_integers_of_any_class_keep_their_values(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof wholes / sizeof *wholes; k++) {
        for (size_t v = 0; v < N_VERSIONS; v++) {
            write_wholes(k, false, v);
            sac_recording *r = read_recording("x.mat", NULL);
            sac_array a = sac_recording_get_array(r);
            assert_shape(&a, wholes[k].want, 1, 1);
            for (int i = 0; i < S * E; i++) {
                double got = a.dtype == SAC_I16 ? ((int16_t *)a.data)[i] : ((float *)a.data)[i];
                assert_true(got == (double)(float)wholes[k].values[i % 4]);
            }
            sac_recording_close(&r);
            if (versions[v].version == MAT_FT_MAT73)
                continue; /* libmatio 1.5.23 writes complex numbers of it as floats alone */
            write_wholes(k, true, v);
            r = read_recording("x.mat", NULL);
            a = sac_recording_get_array(r);
            assert_shape(&a, SAC_C64, 1, 1);
            for (int i = 0; i < S * E; i++) {
                assert_true(((float *)a.data)[2 * i] == (float)wholes[k].values[i % 4]);
                assert_true(((float *)a.data)[2 * i + 1] == (float)wholes[k].values[(i + 1) % 4]);
            }
            sac_recording_close(&r);
        }
    }
}

/* A plane wave of 10 degrees, as txdelay makes it: the first element to fire does at 0. */
static void fill_steered(double delays[E], double degrees)
{
    for (int e = 0; e < E; e++)
        delays[e] = (e - (degrees < 0 ? E - 1 : 0)) * 3e-4 * sin(degrees * pi / 180) / 1500;
}

static void mat_delays_become_transmits(void **state)
{
    (void)state;
    double delays[4 * E], rows[4][E] = {{0}, {0}, {NAN, NAN, 3e-7, NAN}, {0, 1e-7, NAN, 0}};
    fill_steered(rows[0], 10);
    fill_steered(rows[1], -7);
    for (int t = 0; t < 4; t++)
        for (int e = 0; e < E; e++)
            delays[e * 4 + t] = rows[t][e];
    recipe r = plain;
    r.delays = delays;
    r.n_delays[0] = 4;
    r.dims[2] = 4;
    for (size_t v = 0; v < N_VERSIONS; v++) {
        sac_recording *rec = make_and_read(&r, v);
        sac_array a = sac_recording_get_array(rec);
        assert_shape(&a, SAC_I16, 1, 4);
        const sac_transmit *t = sac_recording_get_acquisition(rec)->transmits;
        assert_int_equal(t[0].kind, SAC_TRANSMIT_PLANE);
        assert_true(fabs(t[0].azimuth_rad - 10 * pi / 180) < 1e-12);
        assert_true(fabs(t[0].t0_s - (1e-5 - rows[0][E - 1] / 2)) < 1e-18);
        assert_true(fabs(t[1].azimuth_rad + 7 * pi / 180) < 1e-12);
        assert_int_equal(t[2].kind, SAC_TRANSMIT_ELEMENT);
        assert_int_equal(t[2].element, 2);
        assert_near(t[2].t0_s, 1e-5 - 3e-7);
        assert_int_equal(t[3].kind, SAC_TRANSMIT_DELAYS);
        assert_near(t[3].t0_s, 1e-5);
        assert_near(t[3].delays_s[1], 1e-7);
        assert_true(isnan(t[3].delays_s[2]));
        sac_recording_close(&rec);
    }
}

static void mat_four_axes_are_transmits_then_frames(void **state)
{
    (void)state;
    double delays[2 * E] = {0};
    recipe r = plain;
    r.delays = delays;
    r.n_delays[0] = 2;
    r.rank = 4;
    r.dims[2] = 2;
    r.dims[3] = 3;
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.first_frame = 1;
    desc.n_frames = 1;
    for (size_t v = 0; v < N_VERSIONS; v++) {
        sac_recording *rec = make_and_read(&r, v);
        sac_array a = sac_recording_get_array(rec);
        assert_shape(&a, SAC_I16, 3, 2);
        assert_int_equal(((int16_t *)a.data)[2 * E * S + 3], 2 * E * S + 3);
        sac_recording_close(&rec);
        rec = read_recording("x.mat", &desc);
        a = sac_recording_get_array(rec);
        assert_shape(&a, SAC_I16, 1, 2);
        assert_int_equal(((int16_t *)a.data)[3], 2 * E * S + 3);
        sac_recording_close(&rec);
    }
}

static void mat_cells_are_transmits(void **state)
{
    (void)state;
    double delays[2 * E] = {0};
    recipe r = plain;
    r.delays = delays;
    r.n_delays[0] = 2;
    r.n_cells = 2;
    r.dims[2] = 2;
    for (size_t v = 0; v < N_VERSIONS; v++) {
        sac_recording *rec = make_and_read(&r, v);
        sac_array a = sac_recording_get_array(rec);
        assert_shape(&a, SAC_I16, 2, 2);
        for (int f = 0; f < 2; f++)
            for (int t = 0; t < 2; t++)
                for (int i = 0; i < E * S; i++)
                    assert_int_equal(((int16_t *)a.data)[(f * 2 + t) * E * S + i],
                                     100 * t + f * E * S + i);
        sac_recording_close(&rec);
    }
}

static void assert_ranges(sac_dtype want)
{
    sac_error err = {0};
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    sac_recording *whole = read_recording("x.mat", NULL);
    assert_int_equal(sac_recording_get_array(whole).dtype, want);
    for (int i = 0; i < 4; i++) {
        const char *what = range_differs("x.mat", &desc, whole, i / 2, i % 2, &err);
        if (what)
            fail_msg("%s", what);
    }
    sac_recording_close(&whole);
    desc.first_transmit = 1;
    desc.n_transmits = 2;
    assert_not_read("x.mat", &desc, SAC_E_INVALID, "transmits: 2 from number 1 on");
}

static void mat_transmits_are_those_asked_for(void **state)
{
    (void)state;
    static const double delays[2 * E] = {0, 3e-7, 0, 2e-7, 0, 1e-7, 0, 0};
    recipe r = plain;
    r.delays = delays;
    r.n_delays[0] = 2;
    r.rank = 4;
    r.dims[2] = 2;
    r.dims[3] = 3;
    for (size_t v = 0; v < N_VERSIONS; v++) {
        recipe iq = r, cells = r;
        if (!make_file(&r, v))
            continue;
        assert_ranges(SAC_I16);
        iq.name = "IQ";
        iq.complex = true;
        iq.type = MAT_C_SINGLE;
        make_file(&iq, v);
        assert_ranges(SAC_C64);
        cells.n_cells = 2;
        cells.rank = 3;
        make_file(&cells, v);
        assert_ranges(SAC_I16);
    }
}

/* Doubles become int16 where all are whole numbers: of a range, those of the others, too. */
static void mat_numbers_of_a_range_become_what_holds_all(void **state)
{
    (void)state;
    static const double delays[2 * E] = {0};
    double values[2 * E * S] = {0};
    size_t dims[3] = {S, E, 2};
    recipe r = plain;
    r.delays = delays;
    r.n_delays[0] = 2;
    for (int t = 0; t < 3; t++) { /* which transmit has a part: of two, so none in the end */
        memset(values, 0, sizeof values);
        if (t < 2)
            values[t * E * S + 7] = 0.5;
        mat_t *mat = Mat_CreateVer("x.mat", NULL, MAT_FT_MAT5);
        matvar_t *param = make_param(&r);
        matvar_t *rf = Mat_VarCreate("RF", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, values, 0);
        assert_int_equal(Mat_VarWrite(mat, param, MAT_COMPRESSION_NONE), 0);
        assert_int_equal(Mat_VarWrite(mat, rf, MAT_COMPRESSION_NONE), 0);
        Mat_VarFree(param);
        Mat_VarFree(rf);
        Mat_Close(mat);
        assert_ranges(t < 2 ? SAC_F32 : SAC_I16);
    }
}

static void mat_iq_is_on_the_clock_of_the_transmits(void **state)
{
    (void)state;
    recipe r = plain;
    r.name = "IQ";
    r.complex = true;
    for (int single = 0; single < 2; single++) {
        r.type = single ? MAT_C_SINGLE : MAT_C_DOUBLE;
        for (size_t v = 0; v < N_VERSIONS; v++) {
            sac_recording *rec = make_and_read(&r, v);
            sac_array a = sac_recording_get_array(rec);
            assert_shape(&a, SAC_C64, 3, 1);
            const sac_acquisition *q = sac_recording_get_acquisition(rec);
            assert_int_equal(q->phase_origin, SAC_PHASE_TRANSMIT);
            /* The wave starts 0.2 us late: one turn of 5 MHz, and none is to be seen. */
            assert_true(fabsf(((float *)a.data)[6] - 3.5F) < 1e-5F);
            assert_true(fabsf(((float *)a.data)[7] + 3.5F) < 1e-5F);
            sac_recording_close(&rec);
        }
    }
    static const double quarter[E] = {5e-8, 5e-8, 5e-8, 5e-8};
    r.delays = quarter;
    sac_recording *rec = make_and_read(&r, 0);
    const float *iq = sac_recording_get_array(rec).data;
    assert_true(fabsf(iq[6] - 3.5F) < 1e-5F && fabsf(iq[7] - 3.5F) < 1e-5F); /* (1 - j) j */
    sac_recording_close(&rec);
}

static void mat_convex_array_lies_on_an_arc(void **state)
{
    (void)state;
    recipe r = plain;
    r.radius = 1e-2;
    for (size_t v = 0; v < N_VERSIONS; v++) {
        sac_recording *rec = make_and_read(&r, v);
        const sac_acquisition *q = sac_recording_get_acquisition(rec);
        const sac_element *e = q->elements;
        double chord =
            hypot(e[1].position_m[0] - e[0].position_m[0], e[1].position_m[2] - e[0].position_m[2]);
        assert_true(fabs(chord - 3e-4) < 1e-12);
        assert_true(fabs(e[0].position_m[2]) < 1e-15 && e[1].position_m[2] > 0);
        assert_true(fabs(e[3].position_m[0] - 1e-2 * e[3].normal[0]) < 1e-12);
        assert_int_equal(q->transmits[0].kind, SAC_TRANSMIT_DELAYS);
        sac_recording_close(&rec);
    }
}

static void mat_defaults_are_those_of_must(void **state)
{
    (void)state;
    recipe r = plain;
    r.c = NAN;
    r.t0 = NAN;
    r.rank = 2;
    sac_recording *rec = make_and_read(&r, 0);
    const sac_acquisition *q = sac_recording_get_acquisition(rec);
    assert_true(q->c_m_s == 1540 && q->frame_rate_hz == 0 && q->bandwidth == 0);
    assert_non_null(strstr(sac_recording_get_note(rec), "1540 m/s"));
    assert_near(q->transmits[0].t0_s, -2e-7);
    sac_recording_close(&rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(mat_plain_is_read, empty_folder),
        cmocka_unit_test_setup(mat_numbers_become_what_holds_them, empty_folder),
        cmocka_unit_test_setup(mat_integers_of_any_class_keep_their_values, empty_folder),
        cmocka_unit_test_setup(mat_delays_become_transmits, empty_folder),
        cmocka_unit_test_setup(mat_four_axes_are_transmits_then_frames, empty_folder),
        cmocka_unit_test_setup(mat_cells_are_transmits, empty_folder),
        cmocka_unit_test_setup(mat_transmits_are_those_asked_for, empty_folder),
        cmocka_unit_test_setup(mat_numbers_of_a_range_become_what_holds_all, empty_folder),
        cmocka_unit_test_setup(mat_iq_is_on_the_clock_of_the_transmits, empty_folder),
        cmocka_unit_test_setup(mat_convex_array_lies_on_an_arc, empty_folder),
        cmocka_unit_test_setup(mat_defaults_are_those_of_must, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
