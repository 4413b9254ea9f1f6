/*
 * Flow: velocities, power and filters of signals that are known; the eigenvalues behind them; what
 * is refused. Simulated blood is measured by tests/golden/golden_flow.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/flow.h>

#include "base/random.h"
#include "flow/kernels/eigen_c128/eigen_c128.h"

#define PI 3.14159265358979323846

enum { N_Z = 12, N_X = 40, POINTS = N_Z * N_X };

/* An ensemble under test, its plan's output beside it. */
typedef struct scene {
    sac_flow_desc desc;
    float *iq;
    sac_array in, out;
    sac_flow *plan;
} scene;

static scene scene_of(int64_t n_frames)
{
    scene s = {.iq = calloc((size_t)(2 * n_frames * POINTS), sizeof(float))};
    const int64_t shape[] = {n_frames, N_Z, N_X};
    sac_error err = {0};
    assert_non_null(s.iq);
    assert_ok(sac_array_view(&s.in, s.iq, SAC_C64, 3, shape, &err), &err);
    sac_flow_desc_init(&s.desc);
    s.desc.n_frames = n_frames;
    s.desc.n_axes = 2;
    s.desc.shape[0] = N_Z;
    s.desc.shape[1] = N_X;
    s.desc.prf_hz = 4000;
    s.desc.fc_hz = 5e6;
    s.desc.c_m_s = 1500;
    s.desc.n_threads = 1;
    return s;
}

/* To be followed by end(). */
static const float *run(scene *s)
{
    sac_error err = {0};
    assert_ok(sac_flow_open(&s->plan, &s->desc, &err), &err);
    s->out = sac_flow_get_output_array(s->plan);
    s->out.data = calloc((size_t)sac_array_count(&s->out), sizeof(float));
    assert_non_null(s->out.data);
    assert_ok(sac_flow_run(s->plan, &s->out, &s->in, &err), &err);
    return s->out.data;
}

static void end_run(scene *s)
{
    free(s->out.data);
    sac_flow_close(&s->plan);
}

static void end(scene *s)
{
    end_run(s);
    free(s->iq);
}

static double normal(uint64_t seed, int64_t i)
{
    return sac_random_normal(seed, (uint64_t)i);
}

static void add(scene *s, int64_t frame, int64_t point, double size, double phase)
{
    float *to = s->iq + 2 * (frame * POINTS + point);
    to[0] += (float)(size * cos(phase));
    to[1] += (float)(size * sin(phase));
}

/* Point p moves at v: the echo of what comes nearer gains phase, by 4 pi fc v / (c prf) a frame. */
static void add_motion(scene *s, int64_t point, double size, double v)
{
    const double turn = 4 * PI * s->desc.fc_hz * v / (s->desc.c_m_s * s->desc.prf_hz);
    for (int64_t i = 0; i < s->desc.n_frames; i++)
        add(s, i, point, size, 0.7 * (double)point + turn * (double)i);
}

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

static void polynomial_takes_out_polynomials_alone(void **state)
{
    (void)state;
    scene s = scene_of(16);
    s.desc.kind = SAC_FLOW_POWER;
    s.desc.scale = SAC_FLOW_LINEAR;
    s.desc.filter = "polynomial:2";
    for (int64_t i = 0; i < 16; i++)
        for (int64_t p = 0; p < POINTS; p++)
            add(&s, i, p, 100 * (1 + 0.3 * (double)i - 0.05 * (double)(i * i)), 0.3 * (double)p);
    for (int64_t p = 0; p < POINTS / 2; p++)
        add_motion(&s, p, 1, 0.14); /* half of the Nyquist velocity: not slow */
    const float *power = run(&s);
    for (int64_t p = 0; p < POINTS; p++)
        assert_true(p < POINTS / 2 ? power[p] > 0.7F && power[p] < 1.01F : power[p] < 1e-7F);
    end(&s);
}

/* Tissue of `rank` components over all points, at 60 dB, and blood in the upper half. */
static void add_tissue(scene *s, int rank)
{
    for (int k = 0; k < rank; k++)
        for (int64_t p = 0; p < POINTS; p++) {
            const double size = 1000 * pow(0.3, k) * fabs(normal(9, p));
            const double phase = 6 * normal(80 + (uint64_t)k, p);
            for (int64_t i = 0; i < s->desc.n_frames; i++)
                add(s, i, p, size * cos(0.05 * k * (double)i + k), phase);
        }
    for (int64_t p = 0; p < POINTS / 2; p++)
        for (int64_t i = 0; i < s->desc.n_frames; i++)
            add(s, i, p, fabs(normal(11, i * POINTS + p)), 0.9 * (double)i + 2 * normal(12, p));
    for (int64_t i = 0; i < 2 * s->desc.n_frames * POINTS; i++)
        s->iq[i] += (float)(0.003 * normal(13, i));
}

static double mean(const float *a, int64_t first, int64_t last)
{
    double sum = 0;
    for (int64_t i = first; i < last; i++)
        sum += (double)a[i];
    return sum / (double)(last - first);
}

static void svd_takes_out_60_db_of_tissue(void **state)
{
    (void)state;
    scene s = scene_of(40);
    s.desc.kind = SAC_FLOW_POWER;
    s.desc.scale = SAC_FLOW_LINEAR;
    add_tissue(&s, 3);
    const float *power = run(&s);
    const double before = mean(power, POINTS / 2, POINTS);
    end_run(&s);
    s.desc.filter = "svd:3";
    power = run(&s);
    const double after = mean(power, POINTS / 2, POINTS), blood = mean(power, 0, POINTS / 2);
    assert_true(10 * log10(before / after) > 60);
    assert_true(blood > 0.5 && blood < 1.5); /* of 1 */
    int32_t low, high;
    const double *values = sac_flow_get_singular_values(s.plan, 0, &low, &high);
    assert_non_null(values);
    assert_true(low == 3 && high == 40 && values[2] > 5 * values[3]);
    end(&s);
}

static void svd_that_keeps_and_svd_that_takes_out_agree(void **state)
{
    (void)state;
    const char *const filters[] = {"svd:18", "svd:3:9", "svd:0:18", "svd:0"};
    double sums[4];
    for (int k = 0; k < 4; k++) {
        scene s = scene_of(20);
        s.desc.kind = SAC_FLOW_POWER;
        s.desc.scale = SAC_FLOW_LINEAR;
        s.desc.filter = filters[k];
        for (int64_t i = 0; i < 2 * 20 * POINTS; i++)
            s.iq[i] = (float)normal(3, i);
        sums[k] = mean(run(&s), 0, POINTS) * POINTS * 20;
        const double *values = sac_flow_get_singular_values(s.plan, 0, NULL, NULL);
        const int first[] = {18, 3, 0, 0}, last[] = {20, 9, 18, 20};
        for (int i = first[k]; i < last[k]; i++) /* the power of what is kept */
            sums[k] -= values[i] * values[i];
        assert_true(fabs(sums[k]) < 1e-5 * 20 * POINTS);
        end(&s);
    }
}

static void svd_auto_cuts_between_tissue_and_blood(void **state)
{
    (void)state;
    for (int rank = 2; rank <= 6; rank += 2) {
        scene s = scene_of(48);
        int32_t low;
        s.desc.filter = "svd:auto";
        add_tissue(&s, rank);
        (void)run(&s);
        assert_non_null(sac_flow_get_singular_values(s.plan, 0, &low, NULL));
        assert_in_range(low, rank - 1, rank + 1);
        end(&s);
    }
}

static void flow_does_not_depend_on_threads(void **state)
{
    (void)state;
    scene s = scene_of(40);
    s.desc.kind = SAC_FLOW_COLOR_POWER;
    s.desc.filter = "svd:auto";
    add_tissue(&s, 3);
    const size_t bytes = (size_t)2 * POINTS * sizeof(float);
    float *one = malloc(bytes);
    assert_non_null(one);
    memcpy(one, run(&s), bytes);
    end_run(&s);
    s.desc.n_threads = 3;
    assert_memory_equal(one, run(&s), bytes);
    free(one);
    end(&s);
}

static void svd_of_samples_that_are_no_numbers_is_none(void **state)
{
    (void)state;
    scene s = scene_of(8);
    add_tissue(&s, 1);
    s.iq[17] = NAN;
    const bool is_nan = isnan(run(&s)[0]);
    assert_true(!is_nan);
    end_run(&s);
    s.desc.filter = "svd:1";
    const float *v = run(&s);
    for (int64_t p = 0; p < POINTS; p++)
        assert_true(isnan(v[p]));
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
    d = s.desc, d.device.kind = SAC_DEVICE_CUDA;
    assert_refused(&d, SAC_E_UNSUPPORTED, "device: flow works on the CPU only");
    d = s.desc, d.n_frames = 2000;
    assert_refused(&d, SAC_E_INVALID, "ensemble: 2000 frames are too many");
    d = s.desc, d.n_frames = 3, d.filter = "svd:auto";
    assert_refused(&d, SAC_E_INVALID, "svd:auto expects ensembles of 4");
    free(s.iq);
}

static bool refuse(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx;
    return done < 2 || total != 4;
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

/* The residual of every vector, and how orthogonal they are. */
static void assert_decomposed(const double *g, int32_t n)
{
    double *values = malloc((size_t)n * sizeof *values);
    double *v = malloc((size_t)(2 * n * n) * sizeof *v), trace = 0, sum = 0;
    assert_true(values && v);
    sac_eigen_c128_ref(values, v, g, n);
    for (int32_t k = 0; k < n; k++) {
        const double *a = v + 2 * k * n;
        trace += g[2 * (k * n + k)];
        sum += values[k];
        assert_true(values[k] >= 0 && (k == 0 || values[k] <= values[k - 1]));
        for (int32_t i = 0; i < n; i++) {
            double re = -values[k] * a[i], im = -values[k] * a[n + i];
            for (int32_t j = 0; j < n; j++) {
                const double *at = g + 2 * (i <= j ? i * n + j : j * n + i);
                const double sign = i == j ? 0 : i < j ? 1 : -1;
                re += at[0] * a[j] - sign * at[1] * a[n + j];
                im += at[0] * a[n + j] + sign * at[1] * a[j];
            }
            assert_true(hypot(re, im) <= n * 0x1p-48 * values[0]);
        }
        for (int32_t l = 0; l <= k; l++) {
            const double *b = v + 2 * l * n;
            double re = 0, im = 0;
            for (int32_t j = 0; j < n; j++) {
                re += a[j] * b[j] + a[n + j] * b[n + j];
                im += a[j] * b[n + j] - a[n + j] * b[j];
            }
            assert_true(hypot(re - (k == l), im) < n * 0x1p-46);
        }
    }
    assert_true(fabs(trace - sum) <= n * 0x1p-48 * trace);
    free(values);
    free(v);
}

static void eigen_of_known_matrices_is_known(void **state)
{
    (void)state;
    double values[3], v[18];
    const double diagonal[] = {2, 0, 0, 0, 0, 0, 9, 9, 5, 0, 0, 0, 9, 9, 9, 9, 3, 0};
    sac_eigen_c128_ref(values, v, diagonal, 3); /* below the diagonal nothing is read */
    for (int k = 0; k < 3; k++)
        assert_true(fabs(values[k] - (k == 0 ? 5 : 4 - k)) < 1e-14);
    const double pair[] = {2, 0, 0, 1, 9, 9, 2, 0}; /* 2, i; -i, 2: eigenvalues 3 and 1 */
    sac_eigen_c128_ref(values, v, pair, 2);
    assert_true(fabs(values[0] - 3) < 1e-15 && fabs(values[1] - 1) < 1e-15);
    const double one[] = {4, 0};
    sac_eigen_c128_ref(values, v, one, 1);
    assert_true(values[0] == 4 && fabs(hypot(v[0], v[1]) - 1) < 1e-15);
    double second[72]; /* the discrete second derivative: 2 - 2 cos(k pi / 7) */
    memset(second, 0, sizeof second);
    for (int i = 0; i < 6; i++) {
        second[2 * (7 * i)] = 2;
        if (i < 5)
            second[2 * (7 * i + 1)] = -1;
    }
    double six[6], vectors[72];
    sac_eigen_c128_ref(six, vectors, second, 6);
    for (int k = 0; k < 6; k++)
        assert_true(fabs(six[k] - (2 - 2 * cos((6 - k) * PI / 7))) < 1e-14);
    assert_decomposed(second, 6);
}

/* Products of m random rows whose sizes fall by `step`. */
static void eigen_of_any_product_decomposes_it(void **state)
{
    (void)state;
    static const struct {
        int32_t n, m;
        double step;
    } cases[] = {{7, 7, 1}, {33, 40, 1}, {33, 11, 1}, {64, 64, 0.7}, {20, 0, 1}, {50, 50, 0.3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int32_t n = cases[c].n;
        double *g = calloc((size_t)(2 * n * n), sizeof *g), *x = calloc((size_t)(2 * n), sizeof *x);
        double scale = 1;
        for (int32_t k = 0; k < cases[c].m; k++, scale *= cases[c].step) {
            for (int32_t i = 0; i < 2 * n; i++)
                x[i] = scale * normal(c + 1, k * 2 * n + i);
            for (int32_t i = 0; i < n; i++)
                for (int32_t j = i; j < n; j++) {
                    g[2 * (i * n + j)] += x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
                    g[2 * (i * n + j) + 1] += x[2 * i] * x[2 * j + 1] - x[2 * i + 1] * x[2 * j];
                }
        }
        assert_decomposed(g, n);
        free(g);
        free(x);
    }
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

static void getters_of_no_plan_give_nothing(void **state)
{
    (void)state;
    int32_t low = 7, high = 7;
    sac_flow *none = NULL;
    sac_flow_close(NULL);
    sac_flow_close(&none);
    sac_flow_desc_init(NULL);
    assert_int_equal(sac_flow_get_output_array(NULL).n_dims, 0);
    assert_true(sac_flow_get_nyquist(NULL) == 0);
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
        cmocka_unit_test(polynomial_takes_out_polynomials_alone),
        cmocka_unit_test(svd_takes_out_60_db_of_tissue),
        cmocka_unit_test(svd_that_keeps_and_svd_that_takes_out_agree),
        cmocka_unit_test(svd_auto_cuts_between_tissue_and_blood),
        cmocka_unit_test(flow_does_not_depend_on_threads),
        cmocka_unit_test(svd_of_samples_that_are_no_numbers_is_none),
        cmocka_unit_test(flow_of_a_desc_that_is_none_is_refused),
        cmocka_unit_test(flow_run_of_a_wrong_array_names_it),
        cmocka_unit_test(eigen_of_known_matrices_is_known),
        cmocka_unit_test(eigen_of_any_product_decomposes_it),
        cmocka_unit_test(measure_of_a_parabola_finds_it),
        cmocka_unit_test(getters_of_no_plan_give_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
