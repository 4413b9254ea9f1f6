/*
 * Latency against throughput: where curves bend and what the planner picks, on curves that are made
 * up; and that measurements are whole. How fast anything is, is not asked.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>

#include <saccade/meltpool_curves.h>

#include "refusal.h"

enum { LOADS = 5, OF_BATCH = 1 + LOADS };

static const double shares[LOADS] = {0.1, 0.4, 0.7, 0.9, 1.1};

/* A way with a batch: flat up to the load of point `bends`, then ten times as slow with each. */
static void make_curve(sac_meltpool_point points[OF_BATCH], const char *name, int32_t batch,
                       double most_hz, double latency_ns, int bends)
{
    points[0] = (sac_meltpool_point){
        .batch = batch, .is_full = true, .kept_up = true, .done_hz = most_hz, .frames = 1000};
    snprintf(points[0].way.name, sizeof points[0].way.name, "%s", name);
    for (int i = 0; i < LOADS; i++) {
        sac_meltpool_point *p = &points[1 + i];
        const double ns = latency_ns * pow(10, i > bends ? i - bends : 0);
        *p = points[0];
        p->is_full = false;
        p->kept_up = shares[i] <= 1;
        p->load_hz = shares[i] * most_hz;
        p->latency = (sac_meltpool_times){ns, ns, 2 * ns, 3 * ns, 4 * ns};
    }
}

static void inflection_of_a_flat_curve_is_before_it_rises(void **state)
{
    sac_meltpool_point points[OF_BATCH];
    (void)state;
    for (int bends = 0; bends < LOADS - 1; bends++) {
        make_curve(points, "a", 4, 1e6, 1000, bends);
        assert_ptr_equal(sac_meltpool_inflection(points, OF_BATCH), &points[1 + bends]);
    }
    make_curve(points, "a", 4, 1e6, 1000, LOADS); /* flat to the end, but not kept up */
    assert_ptr_equal(sac_meltpool_inflection(points, OF_BATCH), &points[LOADS - 1]);
}

/* Full batches: what waits for a batch to fill waits less the more frames come. */
static void inflection_of_a_falling_curve_is_at_its_bottom(void **state)
{
    static const double us[LOADS] = {100, 30, 20, 21.9, 300};
    sac_meltpool_point points[OF_BATCH];
    (void)state;
    make_curve(points, "a", 4, 1e6, 1000, LOADS);
    for (int i = 0; i < LOADS; i++)
        points[1 + i].latency.p50_ns = 1e3 * us[i];
    assert_ptr_equal(sac_meltpool_inflection(points, OF_BATCH), &points[4]); /* within 10 % */
    points[4].latency.p50_ns = 22.1e3;
    assert_ptr_equal(sac_meltpool_inflection(points, OF_BATCH), &points[3]);
    points[4] = points[1]; /* any order */
    assert_ptr_equal(sac_meltpool_inflection(points, OF_BATCH), &points[3]);
}

static void inflection_where_none_kept_up_is_none(void **state)
{
    sac_meltpool_point points[OF_BATCH];
    (void)state;
    make_curve(points, "a", 1, 1e6, 1000, LOADS);
    for (int i = 1; i < OF_BATCH; i++)
        points[i].kept_up = false;
    assert_null(sac_meltpool_inflection(points, OF_BATCH));
    assert_null(sac_meltpool_inflection(points, 0));
}

/* Two mappings: quick but soon full, and slower but wide. */
enum { N_CURVES = 5, N_POINTS = N_CURVES * OF_BATCH };

static void make_curves(sac_meltpool_point points[N_POINTS])
{
    make_curve(points, "quick", 1, 100e3, 8000, 2);
    make_curve(points + OF_BATCH, "quick", 4, 300e3, 8100, 2);
    make_curve(points + 2 * OF_BATCH, "quick", 16, 310e3, 8000, 2);
    make_curve(points + 3 * OF_BATCH, "wide", 64, 5e6, 20000, 3);
    make_curve(points + 4 * OF_BATCH, "wide", 256, 6e6, 20000, 2);
}

static sac_meltpool_choice choose(double rate_hz, double budget_ns)
{
    sac_meltpool_point points[N_POINTS];
    sac_meltpool_choice choice;
    sac_error err = {0};
    make_curves(points);
    assert_ok(sac_meltpool_choose_from(&choice, points, N_POINTS, rate_hz, budget_ns, &err), &err);
    assert_true(choice.at.kept_up);
    return choice;
}

static void choose_takes_the_lowest_latency_that_sustains_the_rate(void **state)
{
    (void)state;
    /* As quick as batches of 1 and 16, the smallest that bends late. */
    sac_meltpool_choice c = choose(20e3, 0);
    assert_string_equal(c.at.way.name, "quick");
    assert_int_equal(c.at.batch, 4);
    assert_true(c.most_hz == 300e3 && c.inflection_hz == 0.7 * 300e3 && c.at.load_hz >= 20e3);
    /* 300e3 has no margin of 25 % above 245e3; 310e3 has, but is slow there. */
    c = choose(245e3, 0);
    assert_string_equal(c.at.way.name, "wide");
    assert_int_equal(c.at.batch, 64);
    assert_true(c.at.latency.p50_ns == 20000);
    /* And with 6e6 there is none above 4.8e6. */
    c = choose(4.7e6, 0);
    assert_int_equal(c.at.batch, 256);
}

static void choose_within_a_budget_takes_the_most_frames(void **state)
{
    (void)state;
    sac_meltpool_choice c = choose(0, 16e3); /* batch 4 is at 16.2 us */
    assert_int_equal(c.at.batch, 16);
    assert_true(c.at.load_hz == 0.7 * 310e3);
    c = choose(0, 40e3);
    assert_int_equal(c.at.batch, 64);
    assert_true(c.at.load_hz == 0.9 * 5e6);
    c = choose(20e3, 16.1e3); /* both: of batches of 1 and 16 */
    assert_int_equal(c.at.batch, 16);
}

static void choose_where_nothing_fits_says_what_comes_nearest(void **state)
{
    sac_meltpool_point points[N_POINTS];
    sac_meltpool_choice choice;
    sac_error err = {0};
    (void)state;
    make_curves(points);
    assert_failed(sac_meltpool_choose_from(&choice, points, N_POINTS, 5e6, 0, &err),
                  SAC_E_UNSUPPORTED, &err, "at most 6000000 frames/s");
    assert_non_null(strstr(err.text, "wide, batches of 256"));
    assert_failed(sac_meltpool_choose_from(&choice, points, N_POINTS, 20e3, 10e3, &err),
                  SAC_E_UNSUPPORTED, &err, "10 us");
    assert_non_null(strstr(err.text, "within 16 us"));
    assert_failed(sac_meltpool_choose_from(&choice, points, N_POINTS, 0, 15e3, &err),
                  SAC_E_UNSUPPORTED, &err, "within 16 us");
    assert_int_equal(choice.at.batch, 0);
    for (int i = 0; i < N_POINTS; i++)
        points[i].kept_up = false;
    assert_failed(sac_meltpool_choose_from(&choice, points, N_POINTS, 0, 15e3, &err),
                  SAC_E_UNSUPPORTED, &err, "kept up");
}

static void choose_refuses_what_is_no_wish(void **state)
{
    static const double wishes[][2] = {{0, 0}, {-1, 5}, {5, -1}, {NAN, 5}, {5, INFINITY}};
    sac_meltpool_point points[N_POINTS];
    sac_meltpool_choice choice;
    sac_error err = {0};
    (void)state;
    make_curves(points);
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++)
        assert_failed(
            sac_meltpool_choose_from(&choice, points, N_POINTS, wishes[i][0], wishes[i][1], &err),
            SAC_E_INVALID, &err, "above 0");
    assert_failed(sac_meltpool_choose_from(&choice, points, 0, 20e3, 0, &err), SAC_E_INVALID, &err,
                  "points");
}

static void choose_refuses_points_that_are_no_numbers(void **state)
{
    static const double values[] = {NAN, INFINITY, -1};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            sac_meltpool_point points[N_POINTS];
            sac_meltpool_choice choice;
            sac_error err = {0};
            make_curves(points);
            double *const fields[] = {&points[3].load_hz, &points[3].done_hz,
                                      &points[3].latency.p50_ns, &points[3].latency.p99_ns};
            *fields[k] = values[i];
            assert_failed(sac_meltpool_choose_from(&choice, points, N_POINTS, 20e3, 0, &err),
                          SAC_E_INVALID, &err, "points[3]");
        }
}

typedef struct seen {
    int n_throughput, n_full, n_waiting, n_bad;
    uint64_t done, total;
} seen;

static void look(void *ctx, const sac_meltpool_point *p)
{
    seen *s = ctx;
    const double parts = p->buffering.mean_ns + p->compute.mean_ns;
    s->n_throughput += p->load_hz <= 0;
    s->n_full += p->load_hz > 0 && p->is_full;
    s->n_waiting += p->load_hz > 0 && !p->is_full;
    s->n_bad += p->frames < p->batches || p->batches < 1 || !(p->done_hz > 0) ||
                p->frames > p->batches * p->batch || !(p->compute.p50_ns > 0) ||
                fabs(p->latency.mean_ns - parts) > 2e-3 * parts || p->way.name[0] == '\0' ||
                p->latency.max_ns < p->compute.max_ns;
    s->n_bad += p->is_full && p->frames != p->batches * p->batch;
}

static bool note(void *ctx, uint64_t done, uint64_t total)
{
    seen *s = ctx;
    s->done = done;
    s->total = total;
    return true;
}

static void curves_have_every_batch_and_load(void **state)
{
    sac_meltpool_curves_desc desc;
    sac_error err = {0};
    seen s = {0};
    (void)state;
    sac_meltpool_curves_desc_init(&desc);
    desc.batch_max = 5; /* 1, 2, 4 */
    desc.n_threads = 2;
    desc.seconds = 0.01;
    desc.progress = note;
    desc.progress_ctx = &s;
    assert_ok(sac_meltpool_curves_run(&desc, look, &s, &err), &err);
    assert_int_equal(s.n_throughput, 2 * 3);
    assert_int_equal(s.n_waiting % 9, 0);
    assert_int_equal(s.n_waiting, 2 * 2 * 9);
    assert_int_equal(s.n_full, 2 * 3 * 9);
    assert_int_equal(s.n_bad, 0);
    assert_true(s.done == s.total && s.total == 6 + 36 + 54);
}

static bool stop_at_once(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx;
    return done > total;
}

static void curves_that_are_cancelled_stop_and_say_so(void **state)
{
    sac_meltpool_curves_desc desc;
    sac_error err = {0};
    seen s = {0};
    (void)state;
    sac_meltpool_curves_desc_init(&desc);
    desc.batch_max = 1;
    desc.n_threads = 1;
    desc.seconds = 0.01;
    desc.progress = stop_at_once;
    assert_failed(sac_meltpool_curves_run(&desc, look, &s, &err), SAC_CANCELLED, &err, "cancelled");
    assert_int_equal(s.n_throughput, 1);
}

static void curves_refuse_what_is_out_of_range(void **state)
{
    sac_meltpool_curves_desc desc;
    sac_error err = {0};
    (void)state;
    sac_meltpool_curves_desc_init(&desc);
    desc.batch_max = 4097;
    assert_failed(sac_meltpool_curves_run(&desc, look, NULL, &err), SAC_E_INVALID, &err, "4097");
    desc.batch_max = 1;
    desc.seconds = 0;
    assert_failed(sac_meltpool_curves_run(&desc, look, NULL, &err), SAC_E_INVALID, &err, "seconds");
    desc.seconds = 1;
    desc.n_threads = -1;
    assert_failed(sac_meltpool_curves_run(&desc, look, NULL, &err), SAC_E_INVALID, &err, "threads");
    desc.struct_size = 3;
    assert_failed(sac_meltpool_curves_run(&desc, look, NULL, &err), SAC_E_INVALID, &err, "size");
}

static void curves_without_an_argument_are_refused_by_name(void **state)
{
    sac_meltpool_curves_desc curves;
    sac_meltpool_desc desc;
    sac_meltpool_point points[N_POINTS];
    sac_meltpool_choice choice;
    sac_error err = {0};
    (void)state;
    sac_meltpool_desc_init(&desc);
    sac_meltpool_curves_desc_init(&curves);
    sac_meltpool_curves_desc_init(NULL);
    make_curves(points);
    assert_failed(sac_meltpool_curves_run(NULL, look, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_failed(sac_meltpool_curves_run(&curves, NULL, NULL, &err), SAC_E_INVALID, &err, "point");
    assert_null(sac_meltpool_inflection(NULL, N_POINTS));
    assert_failed(sac_meltpool_choose_from(NULL, points, N_POINTS, 20e3, 0, &err), SAC_E_INVALID,
                  &err, "out");
    assert_failed(sac_meltpool_choose_from(&choice, NULL, N_POINTS, 20e3, 0, &err), SAC_E_INVALID,
                  &err, "points");
    assert_failed(sac_meltpool_choose(NULL, &desc, 100, 0, 1, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_meltpool_choose(&choice, NULL, 100, 0, 1, &err), SAC_E_INVALID, &err, "desc");
    for (int i = 0; i < 2; i++)
        assert_failed(sac_meltpool_choose(&choice, &desc, 100, 0, i ? NAN : INFINITY, &err),
                      SAC_E_INVALID, &err, "seconds");
}

/* Small frames and large ones, without and with what the machine can do. */
static void choose_measures_frames_of_any_size(void **state)
{
    static const int32_t sides[] = {40, 96, 150};
    (void)state;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        sac_meltpool_desc desc;
        sac_meltpool_choice choice;
        sac_error err = {0};
        sac_meltpool_desc_init(&desc);
        desc.w = desc.h = sides[i];
        desc.n_threads = 1;
        const sac_status status = sac_meltpool_choose(&choice, &desc, 100, 0, 0.01, &err);
        if (status == SAC_OK)
            assert_true(choice.at.batch >= 1 && choice.at.way.n_threads == 1 &&
                        choice.most_hz >= SAC_MELTPOOL_MARGIN * 100);
        else /* a machine that stood still meanwhile */
            assert_failed(status, SAC_E_UNSUPPORTED, &err, "sustained");
    }
}

static void choose_refuses_a_bad_plan(void **state)
{
    sac_meltpool_desc desc;
    sac_meltpool_choice choice;
    sac_error err = {0};
    (void)state;
    sac_meltpool_desc_init(&desc);
    desc.threshold = 257;
    assert_failed(sac_meltpool_choose(&choice, &desc, 100, 0, 0.01, &err), SAC_E_INVALID, &err,
                  "threshold");
    desc.threshold = 60;
    desc.w = 0;
    assert_failed(sac_meltpool_choose(&choice, &desc, 100, 0, 0.01, &err), SAC_E_INVALID, &err,
                  "w, h");
    desc.w = 96;
    assert_failed(sac_meltpool_choose(&choice, &desc, 1e12, 0, 0.01, &err), SAC_E_UNSUPPORTED, &err,
                  "1000000000000");
    assert_failed(sac_meltpool_choose(&choice, &desc, 100, 0, 0, &err), SAC_E_INVALID, &err,
                  "seconds");
    desc.variant = "nonesuch";
    assert_failed(sac_meltpool_choose(&choice, &desc, 100, 0, 0.01, &err), SAC_E_INVALID, &err,
                  "nonesuch");
}

static void choose_without_memory_fails_cleanly(void **state)
{
    enum { OF_OPENING = 16 }; /* the first allocations, of all that is opened */
    (void)state;
    for (int n = 0; n < OF_OPENING; n++) {
        sac_meltpool_desc desc;
        sac_meltpool_choice choice;
        sac_error err = {0};
        sac_meltpool_desc_init(&desc);
        desc.n_threads = 1;
        refuse_from(n);
        const sac_status status = sac_meltpool_choose(&choice, &desc, 100, 0, 0.001, &err);
        sac_alloc_hook(NULL);
        assert_failed(status, SAC_E_NOMEM, &err, "memory");
        assert_int_equal(choice.at.batch, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inflection_of_a_flat_curve_is_before_it_rises),
        cmocka_unit_test(inflection_of_a_falling_curve_is_at_its_bottom),
        cmocka_unit_test(inflection_where_none_kept_up_is_none),
        cmocka_unit_test(choose_takes_the_lowest_latency_that_sustains_the_rate),
        cmocka_unit_test(choose_within_a_budget_takes_the_most_frames),
        cmocka_unit_test(choose_where_nothing_fits_says_what_comes_nearest),
        cmocka_unit_test(choose_refuses_what_is_no_wish),
        cmocka_unit_test(choose_refuses_points_that_are_no_numbers),
        cmocka_unit_test(curves_without_an_argument_are_refused_by_name),
        cmocka_unit_test(curves_have_every_batch_and_load),
        cmocka_unit_test(curves_that_are_cancelled_stop_and_say_so),
        cmocka_unit_test(curves_refuse_what_is_out_of_range),
        cmocka_unit_test(choose_measures_frames_of_any_size),
        cmocka_unit_test(choose_refuses_a_bad_plan),
        cmocka_unit_test(choose_without_memory_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
