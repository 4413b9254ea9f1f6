/*
 * Recordings of samples in memory and MUST's `param`. That they are those of MAT files is tested
 * from Octave.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording.h"

#include <math.h>

enum { N = 4, SAMPLES = 8, FRAMES = 3, MOST = 12 };

/* MUST's param with one plane wave; tests change it. */
typedef struct param {
    sac_must_field fields[MOST];
    int32_t n;
    double fs, fc, pitch, t0, c, delays[2 * N];
    float prf;
} param;

static void add(param *p, const char *name, void *data, sac_dtype dtype, int64_t rows,
                int64_t columns)
{
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(dtype);
    p->fields[p->n].name = name;
    p->fields[p->n++].values = (sac_array){.data = data,
                                           .dtype = dtype,
                                           .n_dims = 2,
                                           .shape = {rows, columns},
                                           .stride = {size, (ptrdiff_t)rows * size}};
}

static void fill(param *p, int64_t n_transmits)
{
    *p = (param){.fs = 20e6, .fc = 5e6, .pitch = 3e-4, .t0 = 1e-6, .c = 1500, .prf = 900};
    add(p, "FS", &p->fs, SAC_F64, 1, 1); /* case does not matter */
    add(p, "fc", &p->fc, SAC_F64, 1, 1);
    add(p, "pitch", &p->pitch, SAC_F64, 1, 1);
    add(p, "t0", &p->t0, SAC_F64, 1, 1);
    add(p, "c", &p->c, SAC_F64, 1, 1);
    add(p, "PRF", &p->prf, SAC_F32, 1, 1);
    add(p, "TXdelay", p->delays, SAC_F64, n_transmits, N);
}

static sac_array view(void *data, sac_dtype dtype, int64_t n_frames, int64_t n_transmits)
{
    const int64_t shape[] = {n_frames, n_transmits, N, SAMPLES};
    sac_array samples;
    sac_error err = {0};
    assert_ok(sac_array_view(&samples, data, dtype, 4, shape, &err), &err);
    return samples;
}

static void must_fields_describe_the_acquisition(void **state)
{
    (void)state;
    static float rf[FRAMES * 2 * N * SAMPLES];
    sac_error err = {0};
    sac_recording *r = NULL;
    param p;
    fill(&p, 2);
    for (int e = 0; e < N; e++) { /* (2, N), columns first: a plane wave, one element */
        p.delays[2 * e] = 1e-8 * e;
        p.delays[2 * e + 1] = e == 2 ? 5e-7 : (double)NAN;
    }
    const sac_array samples = view(rf, SAC_F32, FRAMES, 2);
    assert_ok(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err), &err);
    const sac_acquisition *a = sac_recording_get_acquisition(r);
    assert_near(a->fs_hz, 20e6);
    assert_near(a->frame_rate_hz, 450);
    assert_int_equal(a->n_elements, N);
    assert_near(a->elements[3].position_m[0], 4.5e-4);
    assert_int_equal(a->n_transmits, 2);
    assert_int_equal(a->transmits[0].kind, SAC_TRANSMIT_PLANE);
    assert_near(a->transmits[0].azimuth_rad, asin(1e-8 / 3e-4 * 1500));
    assert_int_equal(a->transmits[1].kind, SAC_TRANSMIT_ELEMENT);
    assert_int_equal(a->transmits[1].element, 2);
    assert_near(a->transmits[1].t0_s, 1e-6 - 5e-7);
    assert_ptr_equal(sac_recording_get_array(r).data, rf); /* borrowed */
    sac_recording_close(&r);
    assert_null(r);
}

static void must_one_transmit_takes_the_next_axis_as_frames(void **state)
{
    (void)state;
    static int16_t rf[FRAMES * N * SAMPLES];
    sac_error err = {0};
    sac_recording *r = NULL;
    param p;
    fill(&p, 1);
    const sac_array samples = view(rf, SAC_I16, 1, FRAMES);
    assert_ok(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err), &err);
    const sac_array got = sac_recording_get_array(r);
    assert_int_equal(got.shape[0], FRAMES);
    assert_int_equal(got.shape[1], 1);
    assert_true(sac_array_is_contiguous(&got));
    sac_recording_close(&r);
}

static void must_iq_of_another_clock_is_copied(void **state)
{
    (void)state;
    static float iq[2 * 2 * N * SAMPLES];
    sac_error err = {0};
    sac_recording *r = NULL;
    param p;
    fill(&p, 2);
    iq[0] = 1;
    const sac_array samples = view(iq, SAC_C64, 1, 2);
    assert_ok(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err), &err);
    assert_ptr_equal(sac_recording_get_array(r).data, iq);
    sac_recording_close(&r);
    for (int i = 0; i < 2 * N; i++)
        p.delays[i] = 5e-8; /* a quarter of a period after 0 */
    assert_ok(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err), &err);
    const float *turned = sac_recording_get_array(r).data;
    assert_true(turned != iq);
    assert_true(fabs((double)turned[0]) < 1e-6 && fabs(fabs((double)turned[1]) - 1) < 1e-6);
    assert_true(iq[0] == 1 && iq[1] == 0);
    sac_recording_close(&r);
}

static void must_fields_that_change_the_image_are_refused(void **state)
{
    (void)state;
    static float rf[2 * N * SAMPLES];
    static const char *const names[] = {"passive", "rxangle"};
    const sac_array samples = view(rf, SAC_F32, 1, 2);
    sac_recording *r = NULL;
    for (size_t i = 0; i < 2; i++) {
        sac_error err = {0};
        param p;
        double zeros[2] = {0, 0};
        fill(&p, 2);
        add(&p, names[i], zeros, SAC_F64, 1, 2);
        assert_ok(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err), &err);
        sac_recording_close(&r);
        zeros[1] = 0.1;
        assert_int_equal(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err),
                         SAC_E_UNSUPPORTED);
        assert_non_null(strstr(err.text, "expected 0"));
        p.fields[p.n - 1].values.dtype = (sac_dtype)0; /* no numbers */
        assert_int_equal(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err),
                         SAC_E_UNSUPPORTED);
    }
}

/* In memory there are no options of the command. */
static void must_errors_name_fields(void **state)
{
    (void)state;
    static float rf[N * SAMPLES];
    const sac_array samples = view(rf, SAC_F32, 1, 1);
    static const char *const expected[] = {"param.FS", "param.fc", "param.pitch",  NULL,
                                           "param.c",  NULL,       "param.TXdelay"};
    for (int i = 0; i < 7; i++) {
        sac_error err = {0};
        sac_recording *r = NULL;
        param p;
        fill(&p, 1);
        p.fields[i].name = "other";
        if (!expected[i])
            continue;
        const sac_status st = sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err);
        const char *text = st == SAC_OK ? sac_recording_get_note(r) : err.text;
        assert_non_null(strcasestr(text, expected[i]));
        assert_null(strstr(text, "--"));
        sac_recording_close(&r);
    }
}

static void must_bad_arguments_are_named(void **state)
{
    (void)state;
    static float rf[2 * N * SAMPLES];
    sac_error err = {0};
    sac_recording *r = NULL;
    param p;
    fill(&p, 2);
    sac_array samples = view(rf, SAC_F32, 1, 2);
    assert_int_equal(sac_recording_from_must(NULL, &samples, p.fields, p.n, NULL, &err),
                     SAC_E_INVALID);
    assert_int_equal(sac_recording_from_must(&r, NULL, p.fields, p.n, NULL, &err), SAC_E_INVALID);
    assert_int_equal(sac_recording_from_must(&r, &samples, NULL, 1, NULL, &err), SAC_E_INVALID);
    assert_int_equal(sac_recording_from_must(&r, &samples, p.fields, 0, NULL, &err), SAC_E_INVALID);
    assert_non_null(strstr(err.text, "fs"));
    p.fields[1].values.dtype = (sac_dtype)0; /* fc is not a number */
    assert_int_equal(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err),
                     SAC_E_FORMAT);
    assert_non_null(strstr(err.text, "param.fc"));
    fill(&p, 2);
    p.fields[6].values.shape[1] = 3;
    assert_int_equal(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err),
                     SAC_E_FORMAT);
    assert_non_null(strstr(err.text, "TXdelay"));
    fill(&p, 2);
    p.fields[0].values.n_dims = 1;
    assert_int_equal(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err), SAC_E_SHAPE);
    fill(&p, 1);
    samples = view(rf, SAC_F32, 2, 1);
    samples.stride[2] *= -1;
    assert_int_equal(sac_recording_from_must(&r, &samples, p.fields, p.n, NULL, &err), SAC_E_SHAPE);
    assert_null(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(must_fields_describe_the_acquisition),
        cmocka_unit_test(must_one_transmit_takes_the_next_axis_as_frames),
        cmocka_unit_test(must_iq_of_another_clock_is_copied),
        cmocka_unit_test(must_bad_arguments_are_named),
        cmocka_unit_test(must_fields_that_change_the_image_are_refused),
        cmocka_unit_test(must_errors_name_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
