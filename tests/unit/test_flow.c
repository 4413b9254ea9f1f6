/*
 * Flow: velocities and power of signals that are known; what is refused. Filters are in
 * test_flow_filters.c and test_flow_eigen.c; simulated blood is in tests/golden/golden_flow.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow_scene.h"

static void color_of_a_steady_motion_is_its_velocity(void **state)
{
    (void)state;
    scene s = scene_of(8);
    const double nyquist = 1500 * 4000 / (4 * 5e6);
    for (int64_t p = 0; p < POINTS; p++)
        add_motion(&s, p, 1 + (double)p, nyquist * (1.9 * (double)p / POINTS - 0.95));
    const float *v = run(&s);
    assert_true(fabs(sac_flow_get_nyquist(s.plan) - nyquist) < 1e-12);
    for (int64_t p = 0; p < POINTS; p++)
        assert_true(fabs((double)v[p] - nyquist * (1.9 * (double)p / POINTS - 0.95)) < 1e-5);
    end_run(&s);
    s.desc.phase_sign = -1;
    v = run(&s);
    assert_true(fabs((double)v[0] - 0.95 * nyquist) < 1e-5);
    end(&s);
}

static void color_beyond_nyquist_comes_out_with_the_other_sign(void **state)
{
    (void)state;
    scene s = scene_of(6);
    const double nyquist = 1500 * 4000 / (4 * 5e6);
    for (int64_t p = 0; p < POINTS; p++)
        add_motion(&s, p, 1, 1.2 * nyquist);
    assert_true(fabs((double)run(&s)[5] + 0.8 * nyquist) < 1e-5);
    end_run(&s);
    s.desc.lag = 2; /* half the Nyquist velocity */
    const double half = nyquist / 2;
    assert_true(fabs((double)run(&s)[5] - (1.2 * nyquist - 2 * half)) < 1e-5);
    assert_true(fabs(sac_flow_get_nyquist(s.plan) - half) < 1e-12);
    end(&s);
}

static void power_is_in_db_of_its_maximum_or_linear(void **state)
{
    (void)state;
    scene s = scene_of(4);
    s.desc.kind = SAC_FLOW_POWER;
    for (int64_t p = 0; p < POINTS; p++)
        add_motion(&s, p, p == 3 ? 2 : p == 4 ? 0 : 0.2, 0);
    s.desc.prf_hz = 0; /* power needs none */
    const float *power = run(&s);
    assert_true(power[3] == 0 && power[4] == -30);
    assert_true(fabs((double)power[0] + 20) < 1e-4);
    end_run(&s);
    s.desc.scale = SAC_FLOW_LINEAR;
    power = run(&s);
    assert_true(fabs((double)power[3] - 4) < 1e-5 && fabs((double)power[0] - 0.04) < 1e-6);
    end(&s);
}

static void directional_tells_toward_from_away(void **state)
{
    (void)state;
    for (int n = 7; n <= 8; n++) {
        scene s = scene_of(n);
        const double nyquist = 1500 * 4000 / (4 * 5e6), bin = 2 * nyquist / n;
        s.desc.kind = SAC_FLOW_DIRECTIONAL;
        s.desc.scale = SAC_FLOW_LINEAR;
        add_motion(&s, 0, 1, 2 * bin);
        add_motion(&s, 1, 1, -bin);
        add_motion(&s, 2, 1, 0);
        add_motion(&s, 3, 2, bin);
        add_motion(&s, 3, 3, -2 * bin);
        const float *toward = run(&s), *away = toward + POINTS;
        assert_int_equal(s.out.n_dims, 4);
        assert_true(fabs((double)toward[0] - 1) < 1e-5 && fabs((double)away[0]) < 1e-5);
        assert_true(fabs((double)toward[1]) < 1e-5 && fabs((double)away[1] - 1) < 1e-5);
        assert_true(fabs((double)toward[2] - 0.5) < 1e-5 && fabs((double)away[2] - 0.5) < 1e-5);
        assert_true(fabs((double)toward[3] - 4) < 1e-4 && fabs((double)away[3] - 9) < 1e-4);
        end(&s);
    }
}

static void variance_of_one_velocity_is_0_and_of_noise_is_that_of_noise(void **state)
{
    (void)state;
    scene s = scene_of(64);
    s.desc.kind = SAC_FLOW_VARIANCE;
    for (int64_t p = 0; p < POINTS / 2; p++)
        add_motion(&s, p, 1, 0.1);
    for (int64_t i = 0; i < 64 * 2; i++)
        for (int64_t p = POINTS; p < 2 * POINTS; p++) /* the parts of the other half */
            s.iq[i / 2 * 2 * POINTS + p] = (float)normal(5, i * POINTS + p);
    const float *var = run(&s);
    const double whole = 2 * pow(sac_flow_get_nyquist(s.plan) / PI, 2);
    for (int64_t p = 0; p < POINTS / 2; p++)
        assert_true(var[p] >= 0 && (double)var[p] < 1e-6 * whole);
    for (int64_t p = POINTS / 2; p < POINTS; p++)
        assert_true((double)var[p] > 0.5 * whole && (double)var[p] <= whole);
    end(&s);
}

static void ensembles_slide_over_the_recording(void **state)
{
    (void)state;
    scene s = scene_of(11);
    for (int64_t i = 0; i < 11; i++)
        add(&s, i, 0, 1, 0.02 * (double)(i * i)); /* it gets faster */
    s.desc.ensemble = 4;
    s.desc.step = 2;
    const float *v = run(&s);
    assert_int_equal(s.out.shape[0], 4);
    for (int64_t e = 0; e < 4; e++) { /* the mean turn of frames 2 e to 2 e + 3 */
        const double turn = 0.02 * (double)(2 * (2 * e) + 3);
        assert_true(fabs((double)v[e * POINTS] - turn * sac_flow_get_nyquist(s.plan) / PI) < 1e-5);
    }
    end(&s);
}

static void average_is_over_the_points_around(void **state)
{
    (void)state;
    scene s = scene_of(2);
    s.desc.kind = SAC_FLOW_POWER;
    s.desc.scale = SAC_FLOW_LINEAR;
    s.desc.average[0] = 5;
    s.desc.average[1] = 3;
    add_motion(&s, 4 * N_X + 10, 15, 0);
    add_motion(&s, 0, 3, 0);
    const float *power = run(&s);
    for (int64_t p = 0; p < POINTS; p++) {
        const int64_t x = p % N_X, z = p / N_X;
        const bool near = llabs(x - 10) <= 2 && llabs(z - 4) <= 1;
        const double corner = x > 2 || z > 1 ? 0 : 9.0 / (double)((3 + x) * (2 + z));
        assert_true(fabs((double)power[p] - (near ? 15 : corner)) < 1e-4);
    }
    end(&s);
}

static void assert_refused(const sac_flow_desc *desc, sac_status wanted, const char *word)
{
    sac_flow *plan = NULL;
    sac_error err = {0};
    assert_failed(sac_flow_open(&plan, desc, &err), wanted, &err, word);
    assert_null(plan);
}

static void flow_of_a_desc_that_is_none_is_refused(void **state)
{
    (void)state;
    scene s = scene_of(8);
    static const char *const filters[] = {"svd",           "svd:8",  "svd:3:2",
                                          "svd:1:9",       "svd:x",  "polynomial:7",
                                          "polynomial:-1", "butter", ""};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        sac_flow_desc d = s.desc;
        d.filter = filters[i];
        assert_refused(&d, SAC_E_INVALID, "filter: expected none");
    }
    sac_flow_desc d = s.desc;
    d.prf_hz = 0;
    assert_refused(&d, SAC_E_INVALID, "prf: is missing");
    d = s.desc, d.fc_hz = 0;
    assert_refused(&d, SAC_E_INVALID, "fc: is missing");
    d = s.desc, d.ensemble = 9;
    assert_refused(&d, SAC_E_INVALID, "ensemble: expected 2 to the 8 frames, got 9");
    d = s.desc, d.lag = 8;
    assert_refused(&d, SAC_E_INVALID, "lag: ");
    d = s.desc, d.average[1] = 4;
    assert_refused(&d, SAC_E_INVALID, "average: expected odd");
    d = s.desc, d.n_frames = 1;
    assert_refused(&d, SAC_E_SHAPE, "n_frames: expected 2 or more, got 1");
    d = s.desc, d.n_axes = 4;
    assert_refused(&d, SAC_E_SHAPE, "n_axes: ");
    d = s.desc, d.shape[1] = INT64_MAX;
    assert_refused(&d, SAC_E_SHAPE, "shape: ");
    d = s.desc, d.phase_sign = 0;
    assert_refused(&d, SAC_E_INVALID, "phase_sign: ");
    d = s.desc, d.c_m_s = NAN;
    assert_refused(&d, SAC_E_INVALID, "c_m_s: ");
    d = s.desc, d.device.kind = (sac_device_kind)9;
    assert_refused(&d, SAC_E_INVALID, "device: no such kind");
    d = s.desc, d.device = (sac_device){SAC_DEVICE_CUDA, 99};
#if SAC_CUDA
    assert_refused(&d, SAC_E_DEVICE, "cuda:99");
#else
    assert_refused(&d, SAC_E_UNSUPPORTED, "no CUDA");
#endif
    d = s.desc, d.n_frames = 2000;
    assert_refused(&d, SAC_E_INVALID, "ensemble: 2000 frames are too many");
    d = s.desc, d.n_frames = 3, d.filter = "svd:auto";
    assert_refused(&d, SAC_E_INVALID, "svd:auto expects ensembles of 4");
    free(s.iq);
}

static bool refuse(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx;
    return done < 200 || total != 400;
}

static void flow_run_of_a_wrong_array_names_it(void **state)
{
    (void)state;
    scene s = scene_of(8);
    sac_error err = {0};
    s.desc.ensemble = 2;
    s.desc.progress = refuse;
    assert_ok(sac_flow_open(&s.plan, &s.desc, &err), &err);
    s.out = sac_flow_get_output_array(s.plan);
    s.out.data = calloc((size_t)sac_array_count(&s.out), sizeof(float));
    sac_array wrong = s.in;
    wrong.dtype = SAC_F32;
    assert_failed(sac_flow_run(s.plan, &s.out, &wrong, &err), SAC_E_SHAPE, &err,
                  "in: expected c64");
    assert_ok(sac_array_flip(&wrong, &s.in, 1, &err), &err);
    assert_failed(sac_flow_run(s.plan, &s.out, &wrong, &err), SAC_E_SHAPE, &err,
                  "in: expected contiguous");
    assert_failed(sac_flow_run(s.plan, &s.in, &s.in, &err), SAC_E_SHAPE, &err, "out: expected f32");
    assert_failed(sac_flow_run(NULL, &s.out, &s.in, &err), SAC_E_INVALID, &err, "plan: is NULL");
    assert_failed(sac_flow_run(s.plan, &s.out, &s.in, &err), SAC_CANCELLED, &err, "cancelled");
    end(&s);
}

static void measure_of_a_parabola_finds_it(void **state)
{
    (void)state;
    const sac_grid grid = {
        .first_m = {-5e-3, 0, 15e-3}, .last_m = {5e-3, 0, 25e-3}, .n = {51, 1, 101}};
    const sac_vessel vessel = {{1e-3, 0, 20e-3}, 2e-3, 0.4, -0.3};
    const int64_t shape[] = {101, 51};
    float *v = calloc(101 * 51, sizeof *v);
    sac_array velocity;
    sac_flow_measure m;
    sac_error err = {0};
    assert_ok(sac_array_view(&velocity, v, SAC_F32, 2, shape, &err), &err);
    for (int64_t k = 0; k < 101; k++)
        for (int64_t i = 0; i < 51; i++) {
            const double x = -5e-3 + 0.2e-3 * (double)i, z = 15e-3 + 0.1e-3 * (double)k;
            const double r = ((x - 1e-3) * sin(0.4) + (z - 20e-3) * cos(0.4)) / 2e-3;
            v[k * 51 + i] = (float)(-0.3 * 1.1 * sin(0.4) * (1 - r * r));
        }
    v[50 * 51 + 30] = NAN;
    assert_ok(sac_measure_flow(&m, &velocity, &grid, &vessel, &err), &err);
    assert_true(fabs(m.peak_error - 0.1) < 1e-5 && fabs(m.peak_m_s + 0.33) < 1e-5);
    assert_true(m.bias_m_s < 0 && m.deviation_m_s > 0 && m.n_points > 1000);
    for (int k = 0; k < SAC_FLOW_PROFILE; k++)
        assert_true(fabs(m.profile_m_s[k] - 1.1 * m.truth_m_s[k]) < 1e-6);
    const sac_vessel along_x = {{1e-3, 0, 20e-3}, 2e-3, 0, -0.3}; /* has no velocity along z */
    assert_ok(sac_measure_flow_across(&m, &velocity, &grid, &along_x, &err), &err);
    assert_ok(sac_measure_flow_across(&m, &velocity, &grid, &vessel, &err), &err);
    assert_true(fabs(m.peak_m_s * cos(0.4) / (0.33 * sin(0.4)) + 1) < 1e-5);
    sac_vessel wrong = vessel;
    wrong.angle_rad = 0;
    assert_failed(sac_measure_flow(&m, &velocity, &grid, &wrong, &err), SAC_E_INVALID, &err,
                  "across the beam");
    wrong = vessel, wrong.center_m[2] = 1;
    assert_failed(sac_measure_flow(&m, &velocity, &grid, &wrong, &err), SAC_E_INVALID, &err,
                  "0 points in it");
    wrong = vessel, wrong.radius_m = NAN;
    assert_failed(sac_measure_flow(&m, &velocity, &grid, &wrong, &err), SAC_E_INVALID, &err,
                  "a radius and a speed");
    assert_failed(sac_measure_flow(&m, NULL, &grid, &vessel, &err), SAC_E_INVALID, &err,
                  "velocity: is NULL");
    free(v);
}

/* Two depths a column; one with a frequency twice as strong as the other's. */
static void mean_frequency_of_images_is_that_of_their_phases(void **state)
{
    (void)state;
    static const double f_hz[] = {4.7e6, 5.6e6};
    const double step_m = 0.1e-3, turn = 4 * 3.14159265358979323846 * step_m / 1540;
    float iq[2 * 3 * 2 * 2];
    double came = 0;
    sac_array images, real;
    sac_error err = {0};
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < 12; i++) {
            const int x = i % 2, z = i / 2 % 3, frame = i / 6;
            const double angle = sign * (turn * f_hz[x] * z + 2.1 * x + frame);
            iq[2 * i] = (float)(x ? sqrt(2) * cos(angle) : cos(angle));
            iq[2 * i + 1] = (float)(x ? sqrt(2) * sin(angle) : sin(angle));
        }
        assert_ok(sac_array_view(&images, iq, SAC_C64, 4, (const int64_t[]){1, 2, 3, 2}, &err),
                  &err);
        assert_ok(sac_flow_mean_frequency(&came, &images, step_m, 5e6, 1540, sign, &err), &err);
        const double a = turn * (f_hz[1] - f_hz[0]); /* of one to two, by their turns */
        assert_true(fabs(came - f_hz[0] - atan2(2 * sin(a), 1 + 2 * cos(a)) / turn) < 1);
        assert_ok(sac_flow_mean_frequency(&came, &images, -step_m, 5e6, 1540, -sign, &err), &err);
        assert_true(fabs(came - f_hz[0] - atan2(2 * sin(a), 1 + 2 * cos(a)) / turn) < 1);
    }
    assert_failed(sac_flow_mean_frequency(&came, &images, 0, 5e6, 1540, 1, &err), SAC_E_INVALID,
                  &err, "step_m");
    assert_failed(sac_flow_mean_frequency(&came, NULL, step_m, 5e6, 1540, 1, &err), SAC_E_INVALID,
                  &err, "images: is NULL");
    assert_ok(sac_array_view(&real, iq, SAC_F32, 2, (const int64_t[]){3, 2}, &err), &err);
    assert_failed(sac_flow_mean_frequency(&came, &real, step_m, 5e6, 1540, 1, &err), SAC_E_SHAPE,
                  &err, "c64");
    memset(iq, 0, sizeof iq);
    assert_failed(sac_flow_mean_frequency(&came, &images, step_m, 5e6, 1540, 1, &err),
                  SAC_E_INVALID, &err, "no power");
}

static void getters_of_no_plan_give_nothing(void **state)
{
    (void)state;
    int32_t low = 7, high = 7;
    sac_flow *none = NULL;
    sac_flow_close(NULL);
    sac_flow_close(&none);
    sac_flow_desc_init(NULL);
    assert_int_equal(sac_flow_get_output_array(NULL).n_dims, 0);
    assert_true(sac_flow_get_nyquist(NULL) == 0 && sac_flow_get_condition(NULL) == 0);
    assert_null(sac_flow_get_singular_values(NULL, 0, &low, &high));
    assert_string_equal(sac_flow_get_variant(NULL), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(color_of_a_steady_motion_is_its_velocity),
        cmocka_unit_test(color_beyond_nyquist_comes_out_with_the_other_sign),
        cmocka_unit_test(power_is_in_db_of_its_maximum_or_linear),
        cmocka_unit_test(directional_tells_toward_from_away),
        cmocka_unit_test(variance_of_one_velocity_is_0_and_of_noise_is_that_of_noise),
        cmocka_unit_test(ensembles_slide_over_the_recording),
        cmocka_unit_test(average_is_over_the_points_around),
        cmocka_unit_test(flow_of_a_desc_that_is_none_is_refused),
        cmocka_unit_test(flow_run_of_a_wrong_array_names_it),
        cmocka_unit_test(measure_of_a_parabola_finds_it),
        cmocka_unit_test(mean_frequency_of_images_is_that_of_their_phases),
        cmocka_unit_test(getters_of_no_plan_give_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
