/*
 * The simulated build against its own specification: counts, sizes, light, noise, repeatability.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/simulate_meltpool.h>

#include "meltpool/exact.h"
#include "refusal.h"

enum { SIZE = SAC_MELTPOOL_SIM_SIZE, PIXELS = SIZE * SIZE };

static uint8_t frame[PIXELS];

static sac_simulate_meltpool_desc a_desc(sac_meltpool_regime regime, int64_t n_frames,
                                         uint64_t seed)
{
    sac_simulate_meltpool_desc desc;
    sac_simulate_meltpool_desc_init(&desc);
    desc.regime = regime;
    desc.n_frames = n_frames;
    desc.seed = seed;
    return desc;
}

static sac_meltpool_sim *opened(const sac_simulate_meltpool_desc *desc)
{
    sac_error err = {0};
    sac_meltpool_sim *sim = NULL;
    assert_ok(sac_meltpool_sim_open(&sim, desc, &err), &err);
    return sim;
}

static int count(uint8_t least)
{
    int n = 0;
    for (int i = 0; i < PIXELS; i++)
        n += frame[i] >= least;
    return n;
}

static void assert_within(double value, double low, double high, const char *what)
{
    if (!(value >= low && value <= high))
        fail_msg("%s: expected %g to %g, got %g", what, low, high, value);
}

/* FNV-1a of what a simulation gives. */
static uint64_t hash(const sac_simulate_meltpool_desc *desc)
{
    sac_meltpool_sim *sim = opened(desc);
    sac_meltpool_signals signals;
    sac_meltpool_truth truth;
    uint64_t h = UINT64_C(14695981039346656037);
    while (sac_meltpool_sim_next(sim, frame, &signals, &truth)) {
        uint8_t bytes[PIXELS + sizeof signals + sizeof truth];
        memcpy(bytes, frame, PIXELS);
        memcpy(bytes + PIXELS, &signals, sizeof signals);
        memcpy(bytes + PIXELS + sizeof signals, &truth, sizeof truth);
        for (size_t i = 0; i < sizeof bytes; i++)
            h = (h ^ bytes[i]) * UINT64_C(1099511628211);
    }
    sac_meltpool_sim_close(&sim);
    return h;
}

/* The number was written down on x86-64; every machine of its byte order gives it. */
static void simulate_meltpool_same_seed_gives_these_bytes(void **state)
{
    (void)state;
    sac_simulate_meltpool_desc one = a_desc(SAC_MELTPOOL_MIXED, 400, 7);
    sac_simulate_meltpool_desc other = a_desc(SAC_MELTPOOL_MIXED, 400, 8);
    uint64_t h = hash(&one);
    if (h != UINT64_C(0x2de9a988f76c484a))
        fail_msg("the bytes' hash is 0x%016llx", (unsigned long long)h);
    assert_true(hash(&one) == h);
    assert_true(hash(&other) != h);
}

static void exact_functions_match_libm(void **state)
{
    (void)state;
    for (int i = -3000; i <= 3000; i++) {
        double x = 0.01 * i + 0.003;
        assert_true(fabs(sac_exact_exp(x) / exp(x) - 1) < 1e-14);
        assert_true(fabs(sac_exact_cos(x) - cos(x)) < 1e-14);
        assert_true(fabs(sac_exact_sin(x) - sin(x)) < 1e-14);
        double y = exp(x);
        assert_true(fabs(sac_exact_log(y) - x) < 1e-14 * (1 + fabs(x)));
        assert_true(fabs(sac_exact_pow(y, -0.52) / pow(y, -0.52) - 1) < 1e-13);
    }
    assert_true(sac_exact_exp(-1e6) == 0);
}

/* Layers of about 8,500 frames, about 10 % of them empty, and nothing of a pool in those. */
static void simulate_meltpool_layers_have_their_length_and_turns(void **state)
{
    (void)state;
    sac_simulate_meltpool_desc desc = a_desc(SAC_MELTPOOL_NOMINAL, 0, 3);
    desc.n_layers = 2;
    sac_meltpool_sim *sim = opened(&desc);
    assert_within((double)sac_meltpool_sim_get_frames(sim) / 2, 8200, 8800, "frames a layer");
    sac_meltpool_signals s;
    sac_meltpool_truth t;
    int64_t n = 0, empty = 0, pause = 0, longest = 0;
    double m[2][3], angle = -1, turned = -1;
    sac_meltpool_sim_calibration(m);
    refuse_from(0); /* memory: no frame takes any */
    for (; sac_meltpool_sim_next(sim, frame, &s, &t); n++) {
        assert_int_equal(s.counter, n);
        assert_int_equal(s.laser_on, t.regime != SAC_MELTPOOL_OFF);
        assert_true(fabs(m[0][0] * s.x + m[0][1] * s.y + m[0][2] - (double)t.x) < 0.01);
        assert_true(fabs(m[1][0] * s.x + m[1][1] * s.y + m[1][2] - (double)t.y) < 0.01);
        empty += !s.laser_on;
        pause = s.laser_on ? 0 : pause + 1;
        assert_true(pause <= 40);
        longest = pause > longest ? pause : longest;
        if (s.laser_on && t.layer == 1 && turned < 0)
            turned = (double)t.angle_rad - angle;
        if (t.layer == 0 && angle < 0)
            angle = (double)t.angle_rad;
        if (!s.laser_on && t.n_spatters == 0)
            assert_true(count(60) < 30); /* hot pixels, spatters that fade */
    }
    sac_alloc_hook(NULL);
    assert_int_equal(n, sac_meltpool_sim_get_frames(sim));
    assert_int_equal(t.layer, 1);
    assert_int_equal(longest, 40); /* 2 ms between layers */
    assert_within((double)empty / (double)n, 0.09, 0.12, "share of empty frames");
    /* The picture's y points down. */
    assert_true(fabs(remainder(turned + 67 * SAC_PI / 180, SAC_PI)) < 1e-5);
    sac_meltpool_sim_close(&sim);
}

typedef struct statistics {
    double spatters, area, saturated, sigma, noise, lof, keyhole;
    double light_low, light_high;
} statistics;

static statistics look(sac_meltpool_regime regime)
{
    enum { N = 8500 };
    sac_simulate_meltpool_desc desc = a_desc(regime, N, 5);
    sac_meltpool_sim *sim = opened(&desc);
    sac_meltpool_signals s;
    sac_meltpool_truth t;
    statistics sum = {.light_low = 99};
    double n = 0, squares = 0;
    while (sac_meltpool_sim_next(sim, frame, &s, &t)) {
        if (!s.laser_on)
            continue;
        assert_int_equal(t.regime, regime);
        n++;
        sum.spatters += t.n_spatters;
        sum.area += count(60);
        sum.saturated += count(255);
        double relative = (double)t.sigma_perp / (2 * (double)t.width_m / 113e-6);
        sum.sigma += relative;
        squares += relative * relative;
        sum.lof += (double)t.lof_density;
        sum.keyhole += (double)t.keyhole_density;
        sum.light_low = fmin(sum.light_low, (double)t.amplitude);
        sum.light_high = fmax(sum.light_high, (double)t.amplitude);
        double p = (double)t.power_w / 200; /* at 1 m/s */
        assert_within((double)t.width_m / (113e-6 * pow(p, 0.64) * pow(1.25, -0.32)), 1 - 1e-6,
                      1 + 1e-6, "width");
        assert_within((double)t.depth_m / (100e-6 * pow(p, 1.17) * pow(1.25, -0.52)), 1 - 1e-6,
                      1 + 1e-6, "depth");
        assert_within((double)t.sigma_perp, 1.5, 3, "sigma_perp");
        assert_within((double)t.sigma_par, 2.5, 5, "sigma_par");
        assert_within((double)t.tail, 2, 6, "tail");
    }
    sac_meltpool_sim_close(&sim);
    sum.sigma /= n;
    sum.noise = sqrt(squares / n - sum.sigma * sum.sigma);
    double *means[] = {&sum.spatters, &sum.area, &sum.saturated, &sum.lof, &sum.keyhole};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        *means[i] /= n;
    return sum;
}

/* 70, 170 and 500 spatters: their mean is known to 12, 8 and 5 %. */
static void simulate_meltpool_regimes_differ_as_specified(void **state)
{
    (void)state;
    statistics nominal = look(SAC_MELTPOOL_NOMINAL), lof = look(SAC_MELTPOOL_LOF);
    statistics keyhole = look(SAC_MELTPOOL_KEYHOLE);
    assert_within(nominal.spatters, 0.13, 0.27, "spatters, nominal");
    assert_within(lof.spatters, 0.38, 0.62, "spatters, lack of fusion");
    assert_within(keyhole.spatters, 1.27, 1.73, "spatters, keyhole");
    assert_true(nominal.lof == 0 && nominal.keyhole == 0);
    assert_within(lof.lof, 10, 30, "pores, lack of fusion");
    assert_true(lof.keyhole == 0 && keyhole.lof == 0);
    assert_within(keyhole.keyhole, 10, 30, "pores, keyhole");
    assert_within(nominal.sigma, 0.98, 1.02, "width of the picture over the fit");
    assert_within(nominal.noise, 0.015, 0.04, "its noise"); /* of area: 3 % and a swing of 5 % */
    assert_within(keyhole.noise, 0.06, 0.12, "its noise, keyhole");
    assert_true(lof.area < nominal.area && nominal.area < keyhole.area);
    assert_within(nominal.area, 100, 180, "pixels of at least 60");
    assert_within(nominal.saturated, 30, 60, "saturated pixels");
    assert_within(lof.light_low, 1.5, 1.6, "least light");
    assert_within(keyhole.light_high, 3.9, 4, "most light");
}

/* Far from the pool: 5.8 counts, a fixed pattern that is the same in each frame, noise of 1.8. */
static void simulate_meltpool_dark_pixels_have_offset_pattern_and_noise(void **state)
{
    (void)state;
    enum { N = 1000 };
    static double sum[PIXELS], squares[PIXELS];
    sac_simulate_meltpool_desc desc = a_desc(SAC_MELTPOOL_NOMINAL, N, 11);
    sac_meltpool_sim *sim = opened(&desc);
    sac_meltpool_signals s;
    memset(sum, 0, sizeof sum);
    memset(squares, 0, sizeof squares);
    while (sac_meltpool_sim_next(sim, frame, &s, NULL))
        for (int i = 0; i < PIXELS; i++) {
            sum[i] += frame[i];
            squares[i] += (double)frame[i] * frame[i];
        }
    sac_meltpool_sim_close(&sim);
    double mean = 0, pattern = 0, noise = 0;
    int n = 0, hot = 0;
    for (int i = 0; i < 16 * SIZE; i++) { /* rows above the part */
        double x = sum[i] / N, v = squares[i] / N - x * x;
        hot += x > 15;
        if (x > 15 || v > 10) /* hot, or seen a spatter */
            continue;
        n++;
        mean += x;
        pattern += x * x;
        noise += v;
    }
    mean /= n;
    assert_within(mean, 5.7, 5.9, "offset");
    assert_within(sqrt(pattern / n - mean * mean), 0.6, 0.8, "fixed pattern");
    assert_within(sqrt(noise / n), 1.75, 1.9, "noise"); /* 1.82 with the rounding's 1/12 */
    assert_true(hot <= 6);
}

static void simulate_meltpool_mixed_build_has_every_regime(void **state)
{
    (void)state;
    sac_simulate_meltpool_desc desc = a_desc(SAC_MELTPOOL_MIXED, 8000, 1);
    sac_meltpool_sim *sim = opened(&desc);
    sac_meltpool_signals s;
    sac_meltpool_truth t;
    double n[3] = {0}, pores[3][2] = {{0}};
    while (sac_meltpool_sim_next(sim, frame, &s, &t))
        if (s.laser_on) {
            assert_within(t.regime, 0, 2, "regime");
            n[t.regime]++;
            pores[t.regime][0] += (double)t.lof_density;
            pores[t.regime][1] += (double)t.keyhole_density;
        }
    sac_meltpool_sim_close(&sim);
    assert_true(n[0] > 0 && n[1] > 0 && n[2] > 0);
    assert_true(pores[SAC_MELTPOOL_LOF][0] / n[SAC_MELTPOOL_LOF] >
                5 * pores[SAC_MELTPOOL_NOMINAL][0] / n[SAC_MELTPOOL_NOMINAL]);
    assert_true(pores[SAC_MELTPOOL_KEYHOLE][1] / n[SAC_MELTPOOL_KEYHOLE] >
                5 * pores[SAC_MELTPOOL_NOMINAL][1] / n[SAC_MELTPOOL_NOMINAL]);
}

static void assert_refused(const sac_simulate_meltpool_desc *desc, const char *word)
{
    sac_error err = {0};
    sac_meltpool_sim *sim = NULL;
    sac_status came = sac_meltpool_sim_open(&sim, desc, &err);
    assert_failed(came, SAC_E_INVALID, &err, word);
    assert_null(sim);
}

static void simulate_meltpool_bad_desc_is_refused_by_name(void **state)
{
    (void)state;
    const sac_simulate_meltpool_desc good = a_desc(SAC_MELTPOOL_MIXED, 0, 1);
    sac_simulate_meltpool_desc desc = good;
    desc.struct_size = 1;
    assert_refused(&desc, "struct_size");
    desc = good;
    desc.regime = 4;
    assert_refused(&desc, "regime");
    desc.regime = -1;
    assert_refused(&desc, "regime");
    desc = good;
    desc.n_layers = 0;
    assert_refused(&desc, "layers");
    desc = good;
    desc.n_frames = -1;
    assert_refused(&desc, "frames");
    desc = good;
    desc.seed = UINT64_C(1) << 53;
    assert_refused(&desc, "seed");
    sac_error err = {0};
    sac_meltpool_sim *sim = NULL;
    refuse_from(0);
    sac_status came = sac_meltpool_sim_open(&sim, &good, &err);
    sac_alloc_hook(NULL);
    assert_failed(came, SAC_E_NOMEM, &err, "memory");
    sac_meltpool_sim_close(&sim);
    sac_meltpool_sim_close(NULL);
}

static void simulate_meltpool_without_an_argument_does_nothing(void **state)
{
    const sac_simulate_meltpool_desc desc = a_desc(SAC_MELTPOOL_MIXED, 0, 1);
    sac_meltpool_signals signals;
    sac_meltpool_sim *sim = NULL;
    sac_error err = {0};
    (void)state;
    sac_simulate_meltpool_desc_init(NULL);
    sac_meltpool_sim_calibration(NULL);
    assert_failed(sac_meltpool_sim_open(NULL, &desc, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_meltpool_sim_open(&sim, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_int_equal(sac_meltpool_sim_get_frames(NULL), 0);
    assert_false(sac_meltpool_sim_next(NULL, frame, &signals, NULL));
    assert_ok(sac_meltpool_sim_open(&sim, &desc, &err), &err);
    assert_false(sac_meltpool_sim_next(sim, NULL, &signals, NULL));
    assert_false(sac_meltpool_sim_next(sim, frame, NULL, NULL));
    assert_true(sac_meltpool_sim_next(sim, frame, &signals, NULL));
    assert_int_equal(signals.counter, 0);
    sac_meltpool_sim_close(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_functions_match_libm),
        cmocka_unit_test(simulate_meltpool_same_seed_gives_these_bytes),
        cmocka_unit_test(simulate_meltpool_layers_have_their_length_and_turns),
        cmocka_unit_test(simulate_meltpool_regimes_differ_as_specified),
        cmocka_unit_test(simulate_meltpool_dark_pixels_have_offset_pattern_and_noise),
        cmocka_unit_test(simulate_meltpool_mixed_build_has_every_regime),
        cmocka_unit_test(simulate_meltpool_bad_desc_is_refused_by_name),
        cmocka_unit_test(simulate_meltpool_without_an_argument_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
