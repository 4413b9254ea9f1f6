/*
 * Flow's vectors: of motions that are known, and against the least squares of velocities along the
 * beam. Simulated blood is measured by tests/golden/golden_flow.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow_scene.h"

#include <string.h>

/* Three angles that see steady motions, point p as fast as it says; plain sums beside. */
static void vector_of_steady_motions_is_both_components(void **state)
{
    (void)state;
    enum { N = 6, K = 3 };
    static const double azimuth[K] = {-0.25, 0.02, 0.2};
    const int64_t shape[] = {N, K, N_Z, N_X};
    scene s = scene_of(N * K); /* images of all transmits, one after the other */
    sac_error err = {0};
    assert_ok(sac_array_view(&s.in, s.iq, SAC_C64, 4, shape, &err), &err);
    s.desc.n_frames = N;
    s.desc.kind = SAC_FLOW_VECTOR;
    s.desc.n_transmits = K;
    s.desc.azimuth_rad = azimuth;
    for (int64_t p = 0; p < POINTS; p++)
        for (int t = 0; t < K; t++) {
            const double x = 0.3 - 0.001 * (double)p, z = 0.1 * sin((double)p);
            const double seen = ((1 + cos(azimuth[t])) * z - sin(azimuth[t]) * x) / 2;
            const double turn = 4 * PI * s.desc.fc_hz * seen / (s.desc.c_m_s * s.desc.prf_hz);
            for (int64_t i = 0; i < N; i++)
                add(&s, i * K + t, p, 1 + t, 0.7 * (double)p + t + turn * (double)i);
        }
    const float *v = run(&s);
    assert_int_equal(s.out.n_dims, 4);
    assert_int_equal(s.out.shape[1], 2);
    for (int64_t p = 0; p < POINTS; p++) {
        assert_true(fabs((double)v[p] - (0.3 - 0.001 * (double)p)) < 1e-5);
        assert_true(fabs((double)v[POINTS + p] - 0.1 * sin((double)p)) < 1e-5);
    }
    assert_true(sac_flow_get_condition(s.plan) > 5 && sac_flow_get_condition(s.plan) < 12);
    end(&s);
}

/* Velocities that no vector explains, over ensembles and with a filter: the normal equations of
 * what color finds of each transmit alone. */
static void vector_is_the_least_squares_of_colors(void **state)
{
    (void)state;
    enum { N = 10, K = 4 };
    static const double azimuth[K] = {-0.3, -0.1, 0.05, 0.25};
    static const char *const filters[] = {NULL, "polynomial:1", "svd:2"};
    const int64_t shape[] = {N, K, N_Z, N_X};
    for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
        sac_error err = {0};
        scene all = scene_of(N * K);
        double v[K][2][POINTS], m[3] = {0};
        for (int64_t i = 0; i < 2 * N * K * POINTS; i++)
            all.iq[i] = (float)normal(17, i);
        for (int t = 0; t < K; t++) {
            scene one = scene_of(N);
            one.desc.ensemble = 5;
            one.desc.filter = filters[f];
            one.desc.average[0] = 3;
            for (int64_t i = 0; i < N; i++)
                memcpy(one.iq + 2 * i * POINTS, all.iq + 2 * (i * K + t) * POINTS,
                       2 * POINTS * sizeof(float));
            const float *color = run(&one);
            for (int64_t p = 0; p < 2 * POINTS; p++)
                v[t][p / POINTS][p % POINTS] = (double)color[p];
            const double x = -sin(azimuth[t]) / 2, z = (1 + cos(azimuth[t])) / 2;
            m[0] += x * x, m[1] += x * z, m[2] += z * z;
            end(&one);
        }
        assert_ok(sac_array_view(&all.in, all.iq, SAC_C64, 4, shape, &err), &err);
        all.desc.n_frames = N, all.desc.ensemble = 5, all.desc.average[0] = 3;
        all.desc.filter = filters[f];
        all.desc.kind = SAC_FLOW_VECTOR;
        all.desc.n_transmits = K, all.desc.azimuth_rad = azimuth;
        all.desc.n_threads = 2;
        const float *got = run(&all);
        const double det = m[0] * m[2] - m[1] * m[1];
        for (int64_t p = 0; p < 2 * POINTS; p++) {
            double a = 0, b = 0;
            for (int t = 0; t < K; t++) {
                a -= sin(azimuth[t]) / 2 * v[t][p / POINTS][p % POINTS];
                b += (1 + cos(azimuth[t])) / 2 * v[t][p / POINTS][p % POINTS];
            }
            const float *at = got + p / POINTS * 2 * POINTS + p % POINTS;
            assert_true(fabs((double)at[0] - (m[2] * a - m[1] * b) / det) < 1e-5);
            assert_true(fabs((double)at[POINTS] - (m[0] * b - m[1] * a) / det) < 1e-5);
        }
        assert_true(!filters[f] || f < 2 ||
                    sac_flow_get_singular_values(all.plan, 2 * K - 1, NULL, NULL));
        assert_null(sac_flow_get_singular_values(all.plan, 2 * K, NULL, NULL));
        end(&all);
    }
}

static void assert_refused(const sac_flow_desc *desc, sac_status wanted, const char *word)
{
    sac_flow *plan = NULL;
    sac_error err = {0};
    assert_failed(sac_flow_open(&plan, desc, &err), wanted, &err, word);
    assert_null(plan);
}

static void vector_of_angles_that_are_none_is_refused(void **state)
{
    (void)state;
    scene s = scene_of(8);
    double azimuth[] = {0.1, 0.1, 0.1};
    sac_flow_desc d = s.desc;
    d.n_transmits = 2;
    assert_refused(&d, SAC_E_INVALID, "n_transmits: is of vector alone");
    d.kind = SAC_FLOW_VECTOR;
    assert_refused(&d, SAC_E_INVALID, "azimuth_rad: is NULL");
    d.azimuth_rad = azimuth;
    assert_refused(&d, SAC_E_INVALID, "two angles that differ, and all 2 are 5.7");
    d.n_transmits = 1;
    assert_refused(&d, SAC_E_INVALID, "n_transmits: vectors need images of 2 to 1024");
    d.n_transmits = 3;
    azimuth[2] = NAN;
    assert_refused(&d, SAC_E_INVALID, "azimuth_rad: expected angles between");
    azimuth[2] = 1.6;
    assert_refused(&d, SAC_E_INVALID, "azimuth_rad: expected angles between");
    azimuth[2] = 0.2;
    d.prf_hz = 0;
    assert_refused(&d, SAC_E_INVALID, "prf: is missing");
    free(s.iq);
}

static void count_warnings(void *ctx, sac_log_level level, const char *line)
{
    *(int *)ctx += level == SAC_LOG_WARNING && strstr(line, "angles lie close together") != NULL;
}

static void vector_of_close_angles_is_warned_of(void **state)
{
    (void)state;
    scene s = scene_of(8);
    int n = 0;
    const sac_log log = {count_warnings, &n};
    double azimuth[] = {-0.2, 0.2};
    s.desc.kind = SAC_FLOW_VECTOR;
    s.desc.n_frames = 4;
    s.desc.n_transmits = 2;
    s.desc.azimuth_rad = azimuth;
    s.desc.log = &log;
    sac_error err = {0};
    for (int k = 0; k < 2; k++) {
        assert_ok(sac_flow_open(&s.plan, &s.desc, &err), &err);
        assert_int_equal(n, k);
        /* Both angles see z alike, and x with opposite signs. */
        const double expected = (1 + cos(azimuth[1])) / sin(azimuth[1]);
        assert_true(fabs(sac_flow_get_condition(s.plan) / expected - 1) < 1e-9);
        sac_flow_close(&s.plan);
        azimuth[0] = -0.05, azimuth[1] = 0.05;
    }
    free(s.iq);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_of_steady_motions_is_both_components),
        cmocka_unit_test(vector_is_the_least_squares_of_colors),
        cmocka_unit_test(vector_of_angles_that_are_none_is_refused),
        cmocka_unit_test(vector_of_close_angles_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
