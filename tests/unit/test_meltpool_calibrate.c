/*
 * Calibrations from recordings: a known one is found again whatever outliers there are, and what
 * tells none is refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include <saccade/meltpool_calibrate.h>

#include "base/alloc.h"
#include "meltpool_scene.h"

enum { LINES = 30, ON = 60, OFF = 5, N = LINES * (ON + OFF) };

static const double truth[2][3] = {{0.0041, -0.0012, 61.5}, {-0.0009, -0.0038, 40.25}};

static sac_meltpool_sight sights[N];

/* A raster of 6 mm, in micrometres, back and forth; pools are `lag` pixels behind the laser. */
static void scan(double lag)
{
    for (int i = 0; i < N; i++) {
        const int line = i / (ON + OFF), at = i % (ON + OFF), sign = line % 2 ? -1 : 1;
        sac_meltpool_sight *s = &sights[i];
        *s = (sac_meltpool_sight){
            .signals = {at < ON, i - 100, sign * (at * 100 - 3000), line * 200 - 3000}};
        s->flags = s->signals.laser_on ? 0 : SAC_MELTPOOL_EMPTY;
        const double length = hypot(truth[0][0], truth[1][0]);
        double *const seen[] = {&s->column, &s->row};
        for (int k = 0; k < 2 && !s->flags; k++)
            *seen[k] = truth[k][0] * s->signals.x + truth[k][1] * s->signals.y + truth[k][2] -
                       lag * sign * truth[k][0] / length;
    }
}

/* Every n-th of ten usable frames has its pool elsewhere. */
static void disturb(int of_ten)
{
    uint64_t state = 7;
    for (int i = 0; i < N; i++)
        if (!sights[i].flags && i % 10 < of_ten) {
            sights[i].column = (double)(sac_check_random(&state) % 96);
            sights[i].row = (double)(sac_check_random(&state) % 96);
        }
}

/* How far the fit puts the laser from where `m` does, in pixels, at most. */
static double error_of(const sac_meltpool_fit *fit, const double *m)
{
    double most = 0;
    for (int corner = 0; corner < 4; corner++)
        for (int k = 0; k < 2; k++) {
            const double x = corner & 1 ? 3000 : -3000, y = corner & 2 ? 3000 : -3000;
            const double *a = fit->calibration[k], *b = m + 3 * k;
            most = fmax(most, fabs((a[0] - b[0]) * x + (a[1] - b[1]) * y + a[2] - b[2]));
        }
    return most;
}

static sac_meltpool_fit must_fit(int64_t n)
{
    sac_meltpool_fit fit = {.struct_size = sizeof fit};
    sac_error err = {0};
    assert_ok(sac_meltpool_calibrate(&fit, sights, n, &err), &err);
    assert_int_equal(fit.frames, fit.used + fit.laser_off + fit.no_pool + fit.clipped +
                                     fit.turning + fit.outliers);
    assert_true(0 <= fit.median && fit.median <= fit.p95 && fit.p95 <= fit.max);
    return fit;
}

static void must_refuse(int64_t n, const char *word)
{
    sac_meltpool_fit fit = {.struct_size = sizeof fit, .lag = 5};
    sac_error err = {0};
    assert_failed(sac_meltpool_calibrate(&fit, sights, n, &err), SAC_E_INVALID, &err, word);
    assert_true(fit.lag == 5);
}

static void calibrate_finds_what_is_known(void **unused)
{
    (void)unused;
    for (int of_ten = 0; of_ten <= 4; of_ten += 2)
        for (double lag = 0; lag < 5; lag += 2) {
            scan(lag);
            disturb(of_ten);
            const sac_meltpool_fit fit = must_fit(N), again = must_fit(N);
            /* A pool that was put within a pixel of its place by chance is no outlier. */
            if (!(error_of(&fit, truth[0]) < (of_ten ? 0.01 : 1e-9)))
                fail_msg("%d of ten elsewhere, lag %g: off by %g pixels, lag %g", of_ten, lag,
                         error_of(&fit, truth[0]), fit.lag);
            assert_true(fit.has_lag && fabs(fit.lag - lag) < 0.01);
            assert_int_equal(fit.laser_off, LINES * OFF);
            assert_int_equal(fit.turning, LINES); /* the first frame of each line */
            assert_true((double)fit.outliers >=
                        (N - LINES * (OFF + 1)) * (of_ten - 0.2) / 10 - LINES);
            assert_memory_equal(&fit, &again, sizeof fit);
            assert_string_equal(sac_meltpool_fit_doubt(&fit), "");
        }
}

static void calibrate_counts_what_it_leaves_out(void **unused)
{
    (void)unused;
    scan(2);
    for (int i = 0; i < N; i += 50) /* among them frames with the laser off */
        sights[i].flags |= SAC_MELTPOOL_NO_POOL;
    int64_t n = 0;
    for (int i = 7; i < N; i += 50)
        if (!sights[i].flags) {
            sights[i].flags = SAC_MELTPOOL_CLIPPED;
            n++;
        }
    const sac_meltpool_fit fit = must_fit(N);
    assert_int_equal(fit.clipped, n);
    assert_int_equal(fit.laser_off, LINES * OFF);
    assert_int_equal(fit.outliers, 0);
    assert_true(error_of(&fit, truth[0]) < 1e-9);
}

/* The lag cannot be told from a shift: the pools' places are given, and a warning. */
static void calibrate_of_one_direction_has_no_lag(void **unused)
{
    (void)unused;
    scan(0);
    for (int i = 0; i < N; i++)
        if (sights[i].signals.x != 0 && (i / (ON + OFF)) % 2)
            sights[i].flags = SAC_MELTPOOL_NO_POOL;
    const sac_meltpool_fit fit = must_fit(N);
    assert_false(fit.has_lag);
    assert_int_equal(fit.turning, 0);
    assert_true(error_of(&fit, truth[0]) < 1e-9);
    assert_non_null(strstr(sac_meltpool_fit_doubt(&fit), "lag"));
}

/* Frames that are missing, and counters that wrap, say nothing wrong of directions. */
static void calibrate_takes_counters_as_they_are(void **unused)
{
    (void)unused;
    scan(3);
    for (int i = 0; i < N; i++)
        sights[i].signals.counter = (int32_t)((uint32_t)INT32_MAX - 500 + (uint32_t)i);
    sac_meltpool_fit fit = must_fit(N);
    assert_true(fit.has_lag && error_of(&fit, truth[0]) < 1e-9);
    for (int i = 0; i < N; i++)
        sights[i].signals.counter = 3 * i;
    fit = must_fit(N);
    assert_false(fit.has_lag);
    assert_true(error_of(&fit, truth[0]) < 1);
}

static void calibrate_refuses_what_tells_none(void **unused)
{
    (void)unused;
    sac_meltpool_fit fit = {.struct_size = sizeof fit};
    sac_error err = {0};
    scan(1);
    must_refuse(0, "at least 16 frames");
    must_refuse(15, "got 15 of 15");
    must_refuse(ON, "one line");
    must_refuse(-1, "n:");
    disturb(10);
    must_refuse(N, "does not move");
    scan(1);
    for (int i = 0; i < N; i++)
        sights[i].column = sights[i].row = 48 + 0.2 * (i % 2);
    must_refuse(N, "does not move");
    scan(1);
    for (int i = 0; i < N; i++)
        sights[i].row = sights[i].column;
    must_refuse(N, "pixels of a line");
    for (int i = 0; i < N; i++)
        sights[i].signals.x = sights[i].signals.y = 7;
    must_refuse(N, "one place");
    for (int i = 0; i < N; i++)
        sights[i].signals.x = 2 * i, sights[i].signals.y = -i;
    must_refuse(N, "one line");
    for (int i = 0; i < N; i++)
        sights[i].flags = i % 3 ? SAC_MELTPOOL_NO_POOL : SAC_MELTPOOL_EMPTY;
    must_refuse(N, "laser off 650, no pool 1300");
    assert_failed(sac_meltpool_calibrate(NULL, sights, N, &err), SAC_E_INVALID, &err, "fit");
    assert_failed(sac_meltpool_calibrate(&fit, NULL, N, &err), SAC_E_INVALID, &err, "sights");
    assert_string_equal(sac_meltpool_fit_doubt(NULL), "");
}

static void calibrate_doubts_what_fits_badly(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    scan(0);
    for (int i = 0; i < N; i++) {
        sights[i].column += (double)(sac_check_random(&state) % 1000) / 200 - 2.5;
        sights[i].row += (double)(sac_check_random(&state) % 1000) / 200 - 2.5;
    }
    sac_meltpool_fit fit = must_fit(N);
    assert_non_null(strstr(sac_meltpool_fit_doubt(&fit), "residual"));
    assert_true(error_of(&fit, truth[0]) < 0.5);
    scan(0);
    for (int i = 0; i < N; i++)
        sights[i].flags = i % 31 ? SAC_MELTPOOL_NO_POOL : sights[i].flags;
    fit = must_fit(N);
    assert_non_null(strstr(sac_meltpool_fit_doubt(&fit), "few frames"));
}

/* A layer of the simulator, with spatters, noise and a pool that lags. */
static void calibrate_of_a_simulated_layer_finds_its_calibration(void **unused)
{
    (void)unused;
    enum { FRAMES = 8000 };
    sac_meltpool_desc desc;
    sac_error err = {0};
    stream s = new_build(FRAMES, &desc);
    sac_meltpool_sight *seen = calloc(FRAMES, sizeof *seen);
    assert_non_null(seen);
    const sac_array frames = batch_array(&s, 0, FRAMES);
    assert_ok(sac_meltpool_see(seen, &frames, s.signals, 60, &err), &err);
    sac_meltpool_fit fit = {.struct_size = sizeof fit};
    assert_ok(sac_meltpool_calibrate(&fit, seen, FRAMES, &err), &err);
    if (!(error_of(&fit, desc.calibration[0]) < 0.05))
        fail_msg("off by %g pixels", error_of(&fit, desc.calibration[0]));
    assert_true(fit.has_lag && fit.lag > 0.5 && fit.lag < 3 && fit.median < 0.6);
    assert_string_equal(sac_meltpool_fit_doubt(&fit), "");
    free(seen);
    free_stream(&s);
}

static void put(stream *s, int i, int x, int y, int side, uint8_t value)
{
    for (int k = 0; k < side * side; k++)
        frame_of(s, i)[(y + k / side) * s->w + x + k % side] = value;
}

static void see_takes_the_component_with_the_most_light(void **unused)
{
    (void)unused;
    sac_error err = {0};
    sac_meltpool_sight seen[5];
    stream s = new_stream(5, 20, 30);
    put(&s, 0, 3, 4, 3, 100);   /* 900 */
    put(&s, 0, 20, 10, 2, 250); /* brighter, and smaller: 1000 */
    put(&s, 1, 3, 4, 2, 59);
    put(&s, 2, 3, 4, 2, 200);
    put(&s, 3, 26, 4, 4, 200);
    put(&s, 4, 3, 4, 2, 200); /* of equals the first */
    put(&s, 4, 10, 8, 2, 200);
    s.signals[2].laser_on = 0;
    const sac_array frames = batch_array(&s, 0, 5);
    memset(seen, 0x5A, sizeof seen);
    assert_ok(sac_meltpool_see(seen, &frames, s.signals, 60, &err), &err);
    const uint32_t flags[] = {0, SAC_MELTPOOL_NO_POOL, SAC_MELTPOOL_EMPTY, SAC_MELTPOOL_CLIPPED, 0};
    const double at[][2] = {{20.5, 10.5}, {0, 0}, {0, 0}, {27.5, 5.5}, {3.5, 4.5}};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(seen[i].flags, flags[i]);
        assert_true(seen[i].column == at[i][0] && seen[i].row == at[i][1]);
        assert_memory_equal(&seen[i].signals, &s.signals[i], sizeof seen[i].signals);
    }
    free_stream(&s);
}

static void see_refuses_what_it_cannot_take(void **unused)
{
    (void)unused;
    sac_error err = {0};
    sac_meltpool_sight seen[2];
    stream s = new_stream(2, 20, 30);
    const sac_array frames = batch_array(&s, 0, 2), one = frame_array(&s, 0);
    assert_failed(sac_meltpool_see(seen, NULL, s.signals, 60, &err), SAC_E_INVALID, &err, "frames");
    assert_failed(sac_meltpool_see(NULL, &frames, s.signals, 60, &err), SAC_E_INVALID, &err,
                  "sights");
    assert_failed(sac_meltpool_see(seen, &frames, NULL, 60, &err), SAC_E_INVALID, &err, "signals");
    assert_failed(sac_meltpool_see(seen, &frames, s.signals, 0, &err), SAC_E_INVALID, &err,
                  "threshold");
    assert_failed(sac_meltpool_see(seen, &one, s.signals, 60, &err), SAC_E_SHAPE, &err, "2 axes");
    free_stream(&s);
}

static int left;

static bool allow(size_t bytes)
{
    (void)bytes;
    return left-- > 0;
}

static void calibrate_without_memory_fails_cleanly(void **unused)
{
    (void)unused;
    sac_error err = {0};
    sac_meltpool_sight seen[1];
    sac_meltpool_fit fit = {.struct_size = sizeof fit};
    stream s = new_stream(1, 20, 30);
    put(&s, 0, 3, 4, 3, 100);
    const sac_array frames = batch_array(&s, 0, 1);
    scan(1);
    sac_alloc_hook(allow);
    for (int n = 0; n < 2; n++) {
        left = n;
        assert_int_equal(sac_meltpool_calibrate(&fit, sights, N, &err), SAC_E_NOMEM);
    }
    for (int n = 0; n < 4; n++) { /* labels; runs, components and sums of sac_label */
        left = n;
        assert_int_equal(sac_meltpool_see(seen, &frames, s.signals, 60, &err), SAC_E_NOMEM);
    }
    left = 4;
    assert_ok(sac_meltpool_see(seen, &frames, s.signals, 60, &err), &err);
    sac_alloc_hook(NULL);
    free_stream(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibrate_finds_what_is_known),
        cmocka_unit_test(calibrate_counts_what_it_leaves_out),
        cmocka_unit_test(calibrate_of_one_direction_has_no_lag),
        cmocka_unit_test(calibrate_takes_counters_as_they_are),
        cmocka_unit_test(calibrate_refuses_what_tells_none),
        cmocka_unit_test(calibrate_doubts_what_fits_badly),
        cmocka_unit_test(calibrate_of_a_simulated_layer_finds_its_calibration),
        cmocka_unit_test(see_takes_the_component_with_the_most_light),
        cmocka_unit_test(see_refuses_what_it_cannot_take),
        cmocka_unit_test(calibrate_without_memory_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
