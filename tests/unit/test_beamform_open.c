/*
 * What sac_beamform refuses, and how it says so; the grid that it takes by itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include "ultrasound.h"

static const double target[3] = {1.7e-3, 0, 21e-3};

/* One field of a good desc spoiled: what open says. */
static void expect_refused(const sac_beamform_desc *desc, sac_status status, const char *word)
{
    sac_beamform *plan = (sac_beamform *)&plan;
    sac_error err = {0};
    assert_failed(sac_beamform_open(&plan, desc, &err), status, &err, word);
    assert_null(plan);
}

static void beamform_bad_descs_are_refused_by_name(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 16, 1);
    const sac_beamform_desc good = scene_desc(&s, SAC_C64, target, 1e-3, 5);
    sac_beamform_desc d = good;
    d.acquisition = NULL;
    expect_refused(&d, SAC_E_INVALID, "acquisition");
    d = good, d.dtype = SAC_U8;
    expect_refused(&d, SAC_E_SHAPE, "dtype");
    d = good, d.n_samples = 0;
    expect_refused(&d, SAC_E_SHAPE, "n_samples");
    d = good, d.n_frames = -1;
    expect_refused(&d, SAC_E_SHAPE, "n_frames");
    d = good, d.grid.n[1] = 0;
    expect_refused(&d, SAC_E_INVALID, "grid");
    d = good, d.grid.last_m[2] = NAN;
    expect_refused(&d, SAC_E_INVALID, "grid");
    d = good, d.grid.n[0] = d.grid.n[2] = 1000000;
    expect_refused(&d, SAC_E_INVALID, "grid");
    d = good, d.apodization = "hanning";
    expect_refused(&d, SAC_E_INVALID, "apodization");
    d = good, d.apodization = "tukey:2";
    expect_refused(&d, SAC_E_INVALID, "apodization");
    d = good, d.f_number = NAN;
    expect_refused(&d, SAC_E_INVALID, "f-number");
    d = good, d.variant = "das_iq_f32:nosuch";
    expect_refused(&d, SAC_E_INVALID, "variant");
    d = good, d.stream = &d;
    expect_refused(&d, SAC_E_INVALID, "stream");
    d = good, d.output = 4;
    expect_refused(&d, SAC_E_INVALID, "kind");
    d = good, d.band_pass = true;
    expect_refused(&d, SAC_E_INVALID, "band-pass");
    d = good, d.decimation = 3;
    expect_refused(&d, SAC_E_INVALID, "decimation");
    s.transmits[0].t0_s = NAN;
    expect_refused(&good, SAC_E_INVALID, "t0");
    s.transmits[0].t0_s = 0;
    s.acquisition.fs_hz = -1;
    expect_refused(&good, SAC_E_INVALID, "fs");
    d = good, d.dtype = SAC_F32;
    s.acquisition.fs_hz = 2 * s.acquisition.fc_hz;
    expect_refused(&d, SAC_E_INVALID, "fc: a pulse at ");
    s.acquisition.fs_hz = 20e6;
    s.elements[3].position_m[1] = INFINITY;
    expect_refused(&good, SAC_E_INVALID, "element 3");
}

/* Without that GPU, or without CUDA: one line, whatever the rest asks for. */
static void beamform_without_that_gpu_is_refused(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 16, 1);
    sac_beamform_desc d = scene_desc(&s, SAC_C64, target, 1e-3, 5);
    d.device = (sac_device){SAC_DEVICE_CUDA, 99};
#if SAC_CUDA
    expect_refused(&d, SAC_E_DEVICE, "cuda:99");
#else
    expect_refused(&d, SAC_E_UNSUPPORTED, "no CUDA");
#endif
    d.apodization = "hanning"; /* what is wrong on the CPU is wrong there */
    expect_refused(&d, SAC_E_INVALID, "apodization");
}

static void beamform_wrong_arrays_are_refused(void **state)
{
    (void)state;
    scene s;
    const double tau[1] = {21e-3 / 1540};
    linear_scene(&s, 16, 1);
    float complex *iq = echo_iq(&s, target, tau);
    sac_array in = channel_array(&s, SAC_C64, iq), bad;
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 1e-3, 5);
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, &desc, &err), &err);
    sac_array out = output_of(plan);
    bad = in, bad.shape[3]--;
    assert_int_equal(sac_beamform_run(plan, &out, &bad, NULL), SAC_E_SHAPE);
    bad = in, bad.dtype = SAC_F32;
    assert_int_equal(sac_beamform_run(plan, &out, &bad, NULL), SAC_E_SHAPE);
    bad = out, bad.shape[0] = 2;
    assert_int_equal(sac_beamform_run(plan, &bad, &in, NULL), SAC_E_SHAPE);
    bad = out, bad.device.kind = SAC_DEVICE_CUDA;
    assert_int_equal(sac_beamform_run(plan, &bad, &in, NULL), SAC_E_SHAPE);
    bad = out, bad.n_dims = 2;
    assert_int_equal(sac_beamform_run(plan, &bad, &in, NULL), SAC_E_SHAPE);
    sac_beamform_close(&plan);
    sac_beamform_close(&plan);
    sac_beamform_close(NULL);
    free(out.data);
    free(iq);
}

static void grid_default_covers_the_record(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 64, 1);
    sac_grid grid;
    sac_error err = {0};
    assert_ok(sac_grid_default(&grid, &s.acquisition, s.n_samples, &err), &err);
    double lambda = 1540 / 5e6;
    assert_true(fabs(grid.first_m[0] + 31.5 * 0.3e-3) < 1e-9);
    assert_true(fabs(grid.first_m[2] - 1540 * 1e-6) < 1e-9);
    assert_true(fabs(grid.last_m[2] - 1540 * 0.5 * (2e-6 + 1023 / 20e6)) < 1e-9);
    for (int i = 0; i < 3; i += 2)
        assert_true((grid.last_m[i] - grid.first_m[i]) / (double)(grid.n[i] - 1) <= lambda / 3);
    assert_int_equal(grid.n[1], 1);
    s.transmits[0].t0_s = -1;
    assert_failed(sac_grid_default(&grid, &s.acquisition, s.n_samples, &err), SAC_E_INVALID, &err,
                  "t0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beamform_bad_descs_are_refused_by_name),
        cmocka_unit_test(beamform_without_that_gpu_is_refused),
        cmocka_unit_test(beamform_wrong_arrays_are_refused),
        cmocka_unit_test(grid_default_covers_the_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
