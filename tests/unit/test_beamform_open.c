/*
 * What sac_beamform refuses, and how it says so; the grid that it takes by itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <float.h>

#include <saccade/measure_ultrasound.h>
#include <saccade/simulate.h>

#include "refusal.h"
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
    d = good, d.grid.first_m[0] = -1.1e5;
    expect_refused(&d, SAC_E_INVALID, "grid: an end along x is farther than 100 km");
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
    d = good, d.band = "wide";
    expect_refused(&d, SAC_E_INVALID, "band: `wide`, and nothing is demodulated");
    static const char *const bands[] = {"", "0", "-1", "nan", "inf", "1 MHz", "0.01", "19.9"};
    for (size_t i = 0; i < sizeof bands / sizeof *bands; i++) {
        d = good, d.dtype = SAC_F32, d.band = bands[i];
        expect_refused(&d, SAC_E_INVALID, "band: expected ");
    }
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

/* What init leaves is neither silent nor refused, but for what only the caller knows. */
static void inits_leave_what_works(void **state)
{
    (void)state;
    sac_element element;
    sac_transmit transmit;
    sac_grid grid;
    sac_scatterer scatterer;
    sac_demodulation demodulation;
    sac_ultrasound_image image;
    sac_element_init(&element);
    assert_true(element.normal[2] == 1 && element.normal[0] == 0 && element.position_m[2] == 0);
    for (int kind = SAC_TRANSMIT_PLANE; kind <= SAC_TRANSMIT_ARRIVALS; kind++) {
        sac_transmit_init(&transmit, (sac_transmit_kind)kind);
        assert_true((int)transmit.kind == kind && transmit.weight == 1 && transmit.t0_s == 0);
        assert_true(!transmit.delays_s && !transmit.arrivals_s);
    }
    sac_grid_init(&grid);
    assert_true(grid.n[0] == 1 && grid.n[1] == 1 && grid.n[2] == 1 && grid.last_m[2] == 0);
    sac_scatterer_init(&scatterer);
    assert_true(scatterer.amplitude == 1 && scatterer.position_m[0] == 0);
    sac_demodulation_init(&demodulation);
    assert_int_equal(demodulation.decimation, 1);
    sac_ultrasound_image_init(&image);
    assert_true(image.grid.n[1] == 1 && image.output == SAC_OUTPUT_BMODE && !image.samples);
    sac_element_init(NULL);
    sac_transmit_init(NULL, SAC_TRANSMIT_PLANE);
    sac_grid_init(NULL);
    sac_scatterer_init(NULL);
    sac_demodulation_init(NULL);
    sac_ultrasound_image_init(NULL);
    sac_acquisition_init(NULL);
    sac_beamform_desc_init(NULL);
    sac_ultrasound_desc_init(NULL);
    sac_phantom_desc_init(NULL);
}

/* A zeroed transmit weighs 0: a blank picture, if it were taken. */
static void transmits_that_all_weigh_0_are_refused(void **state)
{
    (void)state;
    scene s;
    sac_error err = {0};
    linear_scene(&s, 16, 2);
    const sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 1e-3, 5);
    memset(s.transmits, 0, sizeof s.transmits);
    expect_refused(&desc, SAC_E_INVALID, "weights");
    s.transmits[0].weight = s.transmits[1].weight = 1e-60; /* 0 as the float that is worked with */
    expect_refused(&desc, SAC_E_INVALID, "weights");
    s.transmits[1].weight = -0.5;
    assert_ok(sac_acquisition_check(&s.acquisition, &err), &err);
    s.transmits[0].weight = 1e60;
    expect_refused(&desc, SAC_E_INVALID, "weight of transmit 0");
}

/* Every number of an acquisition and a desc, as no number. */
static void beamform_fields_that_are_no_numbers_are_refused_by_name(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    scene s;
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = scene_desc(&s, SAC_C64, target, 1e-3, 5);
    sac_acquisition *a = &s.acquisition;
    const struct {
        double *field;
        const char *name;
    } fields[] = {
        {&s.elements[5].position_m[0], "element 5"},
        {&s.elements[5].normal[1], "element 5"},
        {&s.elements[5].width_m, "element 5"},
        {&s.elements[5].height_m, "element 5"},
        {&s.transmits[1].azimuth_rad, "transmit 1"},
        {&s.transmits[1].elevation_rad, "transmit 1"},
        {&s.transmits[1].t0_s, "transmit 1"},
        {&s.transmits[1].weight, "transmit 1"},
        {&a->fs_hz, "fs"},
        {&a->fc_hz, "fc"},
        {&a->fd_hz, "fd"},
        {&a->bandwidth, "bandwidth"},
        {&a->c_m_s, "c:"},
        {&a->frame_rate_hz, "frame_rate"},
        {&d.grid.first_m[0], "grid"},
        {&d.grid.last_m[1], "grid"},
        {&d.f_number, "f-number"},
        {&d.dynamic_range_db, "dynamic-range"},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        for (int k = 0; k < 3; k++) {
            const double good = *fields[i].field;
            *fields[i].field = bad[k];
            expect_refused(&d, SAC_E_INVALID, fields[i].name);
            *fields[i].field = good;
        }
    for (double wrong = 1.54; wrong < 2e6; wrong *= 1e6) { /* km/s, mm/s */
        a->c_m_s = wrong;
        expect_refused(&d, SAC_E_INVALID, "c: expected 100 to 20000 m/s");
    }
    a->c_m_s = 1540;
    s.elements[5].width_m = -1e-3;
    expect_refused(&d, SAC_E_INVALID, "width");
    s.elements[5].width_m = 0;
    d.grid.first_m[0] = -DBL_MAX, d.grid.last_m[0] = DBL_MAX;
    expect_refused(&d, SAC_E_INVALID, "grid");
}

static void beamform_tables_that_are_no_numbers_are_refused_by_name(void **state)
{
    (void)state;
    static double delays[16], arrivals[25], points[3];
    scene s;
    sac_error err = {0};
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = scene_desc(&s, SAC_C64, target, 1e-3, 5);
    sac_transmit_init(&s.transmits[1], SAC_TRANSMIT_ARRIVALS);
    s.transmits[1].arrivals_s = arrivals;
    arrivals[24] = NAN;
    assert_ok(sac_acquisition_check(&s.acquisition, &err), &err); /* which knows no points */
    expect_refused(&d, SAC_E_INVALID, "transmit 1 at point 24");
    arrivals[24] = 0, arrivals[3] = INFINITY;
    expect_refused(&d, SAC_E_INVALID, "transmit 1 at point 3");
    sac_transmit_init(&s.transmits[1], SAC_TRANSMIT_DELAYS);
    s.transmits[1].delays_s = delays;
    delays[2] = -INFINITY;
    expect_refused(&d, SAC_E_INVALID, "delay of transmit 1");
    for (int e = 0; e < 16; e++)
        delays[e] = NAN;
    expect_refused(&d, SAC_E_INVALID, "fires no element");
    delays[7] = 0; /* NaN: the others do not fire */
    assert_ok(sac_acquisition_check(&s.acquisition, &err), &err);
    points[1] = NAN;
    d.points_m = points, d.n_points = 1;
    expect_refused(&d, SAC_E_INVALID, "point 0 is not finite");
    points[1] = 1.1e5;
    expect_refused(&d, SAC_E_INVALID, "point 0 is farther than 100 km");
}

static void beamform_null_is_refused(void **state)
{
    (void)state;
    scene s;
    sac_error err = {0};
    sac_grid grid;
    linear_scene(&s, 16, 1);
    const sac_beamform_desc d = scene_desc(&s, SAC_C64, target, 1e-3, 5);
    sac_beamform *plan = NULL;
    assert_failed(sac_beamform_open(NULL, &d, &err), SAC_E_INVALID, &err, "plan");
    assert_failed(sac_beamform_open(&plan, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_failed(sac_acquisition_check(NULL, &err), SAC_E_INVALID, &err, "acquisition");
    assert_failed(sac_grid_default(NULL, &s.acquisition, 9, &err), SAC_E_INVALID, &err, "grid");
    assert_failed(sac_grid_default(&grid, NULL, 9, &err), SAC_E_INVALID, &err, "acquisition");
    s.acquisition.elements = NULL;
    assert_failed(sac_acquisition_check(&s.acquisition, &err), SAC_E_INVALID, &err, "elements");
    linear_scene(&s, 16, 1);
    s.acquisition.transmits = NULL;
    assert_failed(sac_acquisition_check(&s.acquisition, &err), SAC_E_INVALID, &err, "transmits");
    linear_scene(&s, 16, 1);
    s.transmits[0].kind = SAC_TRANSMIT_ARRIVALS;
    assert_failed(sac_acquisition_check(&s.acquisition, &err), SAC_E_INVALID, &err, "arrivals");
    s.transmits[0].kind = SAC_TRANSMIT_DELAYS;
    assert_failed(sac_acquisition_check(&s.acquisition, &err), SAC_E_INVALID, &err, "transmit 0");
    sac_probe_linear(NULL, 4, 1e-3, 0, 0);
    sac_probe_matrix(NULL, 2, 2, 1e-3, 1e-3);
    assert_failed(sac_simulate_ultrasound(NULL, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_int_equal(sac_phantom_count(NULL), 0);
    sac_phantom_fill(NULL, NULL);
}

/* Outside of the points there is no given arrival. */
static void beamform_delays_of_no_point_are_nan(void **state)
{
    (void)state;
    static double arrivals[25];
    scene s;
    sac_error err = {0};
    double delays[16];
    linear_scene(&s, 16, 1);
    s.transmits[0].kind = SAC_TRANSMIT_ARRIVALS;
    s.transmits[0].arrivals_s = arrivals;
    const sac_beamform_desc d = scene_desc(&s, SAC_C64, target, 1e-3, 5);
    sac_beamform *plan = NULL;
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    sac_beamform_get_delays(plan, target, 24, delays, NULL);
    assert_true(isfinite(delays[0]));
    sac_beamform_get_delays(plan, target, 25, delays, NULL);
    assert_true(isnan(delays[0]));
    sac_beamform_get_delays(plan, target, -1, delays, NULL);
    assert_true(isnan(delays[0]));
    sac_beamform_close(&plan);
}

/* The n-th allocation refused, for every n: SAC_E_NOMEM, nothing left behind. */
static void beamform_without_memory_says_so(void **state)
{
    (void)state;
    static double delays[16], arrivals[5 * 81];
    scene s;
    sac_error err = {0};
    linear_scene(&s, 16, 3);
    s.transmits[1].kind = SAC_TRANSMIT_DELAYS, s.transmits[1].delays_s = delays;
    s.transmits[2].kind = SAC_TRANSMIT_ARRIVALS, s.transmits[2].arrivals_s = arrivals;
    for (int k = 0; k < 3; k++) {
        sac_beamform_desc d = scene_desc(&s, k ? SAC_I16 : SAC_C64, target, 1e-3, 5);
        d.output = k ? SAC_OUTPUT_GRAY : SAC_OUTPUT_IQ;
        d.n_threads = 2;
        if (k == 2) { /* RF band-passed, its envelope down z */
            d.demodulate = SAC_DEMODULATE_NO;
            d.band_pass = true;
            d.grid.n[2] = 81;
        }
        int n = 0;
        for (sac_status status = SAC_E_NOMEM; status; n++) {
            sac_beamform *plan = NULL;
            refuse_from(n);
            status = sac_beamform_open(&plan, &d, &err);
            sac_alloc_hook(NULL);
            assert_true(status == SAC_OK || (status == SAC_E_NOMEM && !plan));
            assert_true(status == SAC_OK || strstr(err.text, "memory"));
            sac_beamform_close(&plan);
        }
        assert_true(n > 8);
    }
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
        cmocka_unit_test(inits_leave_what_works),
        cmocka_unit_test(transmits_that_all_weigh_0_are_refused),
        cmocka_unit_test(beamform_fields_that_are_no_numbers_are_refused_by_name),
        cmocka_unit_test(beamform_tables_that_are_no_numbers_are_refused_by_name),
        cmocka_unit_test(beamform_null_is_refused),
        cmocka_unit_test(beamform_delays_of_no_point_are_nan),
        cmocka_unit_test(beamform_without_memory_says_so),
        cmocka_unit_test(beamform_without_that_gpu_is_refused),
        cmocka_unit_test(beamform_wrong_arrays_are_refused),
        cmocka_unit_test(grid_default_covers_the_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
