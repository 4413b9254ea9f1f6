/*
 * The histogram of times: bins without gaps, quantiles near the truth, merging, reading meanwhile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <saccade/histogram.h>

#include "base/alloc.h"

static sac_histogram *new_histogram(void)
{
    sac_histogram *h = NULL;
    sac_error err = {0};
    assert_ok(sac_histogram_open(&h, &err), &err);
    return h;
}

static void bins_follow_each_other_and_are_narrow(void **state)
{
    (void)state;
    sac_histogram *h = new_histogram();
    int64_t end = 0;
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++) {
        const sac_histogram_bin bin = sac_histogram_get_bin(h, i);
        assert_int_equal(bin.from_ns, end);
        assert_int_equal(bin.count, 0);
        const int64_t width = bin.to_ns - bin.from_ns;
        assert_true(width >= 1 && (width == 1 || 128 * width <= bin.from_ns));
        end = bin.to_ns;
    }
    assert_int_equal(end, INT64_C(1) << 36);
    sac_histogram_close(&h);
}

static void record_counts_a_time_in_its_bin(void **state)
{
    (void)state;
    sac_histogram *h = new_histogram();
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++) {
        const sac_histogram_bin bin = sac_histogram_get_bin(h, i);
        sac_histogram_record(h, bin.from_ns);
        sac_histogram_record(h, bin.to_ns - 1);
        if (sac_histogram_get_bin(h, i).count != 2)
            fail_msg("bin %d has %d of 2 times", i, (int)sac_histogram_get_bin(h, i).count);
    }
    sac_histogram_record(h, INT64_C(1) << 36);
    sac_histogram_record(h, INT64_MAX - 1);
    assert_int_equal(sac_histogram_get_bin(h, SAC_HISTOGRAM_BINS - 1).count, 4);
    assert_int_equal(sac_histogram_get_max(h), INT64_MAX - 1);
    sac_histogram_record(h, -5);
    sac_histogram_record(h, INT64_MIN);
    assert_int_equal(sac_histogram_get_bin(h, 0).count, 4);
    assert_int_equal(sac_histogram_get_count(h), 2 * SAC_HISTOGRAM_BINS + 4);
    sac_histogram_close(&h);
}

static void quantiles_of_nothing_are_0(void **state)
{
    (void)state;
    sac_histogram *h = new_histogram();
    assert_true(sac_histogram_get_quantile(h, 0.5) == 0);
    assert_true(sac_histogram_get_quantile(h, 1) == 0);
    assert_true(sac_histogram_get_mean(h) == 0);
    assert_int_equal(sac_histogram_get_count(h), 0);
    assert_int_equal(sac_histogram_get_max(h), 0);
    sac_histogram_close(&h);
}

static void quantiles_are_within_a_256th(void **state)
{
    (void)state;
    enum { N = 100000 };
    sac_histogram *h = new_histogram();
    double sum = 0;
    /* x^4 of 1..N, so that times span many doublings; rising, so the k-th smallest is known. */
    for (int64_t i = 1; i <= N; i++) {
        const double ns = floor(pow((double)i / N, 4) * 1e10);
        sac_histogram_record(h, (int64_t)ns);
        sum += ns;
    }
    static const double shares[] = {0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        const double i = ceil(shares[k] * N - 1e-6);
        const double want = floor(pow(i / N, 4) * 1e10),
                     got = sac_histogram_get_quantile(h, shares[k]);
        if (!(fabs(got - want) <= want / 256 + 0.5))
            fail_msg("share %g: expected %.9g, got %.9g", shares[k], want, got);
    }
    assert_true(fabs(sac_histogram_get_mean(h) - sum / N) <= 1e-9 * sum / N);
    assert_int_equal(sac_histogram_get_max(h), (int64_t)1e10);
    sac_histogram_close(&h);
}

static void merge_is_as_if_all_were_recorded_here(void **state)
{
    (void)state;
    sac_histogram *all = new_histogram(), *a = new_histogram(), *b = new_histogram();
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int64_t ns = (int64_t)(random >> (28 + random % 30));
        sac_histogram_record(all, ns);
        sac_histogram_record(i % 3 ? a : b, ns);
    }
    sac_histogram_merge(a, b);
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++)
        assert_int_equal(sac_histogram_get_bin(a, i).count, sac_histogram_get_bin(all, i).count);
    assert_int_equal(sac_histogram_get_max(a), sac_histogram_get_max(all));
    assert_true(sac_histogram_get_mean(a) == sac_histogram_get_mean(all));
    sac_histogram_close(&all);
    sac_histogram_close(&a);
    sac_histogram_close(&b);
}

static void *record_many(void *arg)
{
    for (int64_t i = 0; i < 200000; i++)
        sac_histogram_record(arg, 1000 + i % 1000);
    return NULL;
}

static void reading_while_another_records_is_sound(void **state)
{
    (void)state;
    sac_histogram *h = new_histogram();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, record_many, h), 0);
    for (int64_t n = 0, before = 0; n < 200000; before = n) {
        n = sac_histogram_get_count(h);
        assert_true(n >= before);
        const double p99 = sac_histogram_get_quantile(h, 0.99);
        assert_true(n == 0 || (p99 >= 1000 && p99 < 2000));
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(sac_histogram_get_max(h), 1999);
    sac_histogram_close(&h);
}

static bool refuse(size_t bytes)
{
    (void)bytes;
    return false;
}

static void open_and_close_take_what_is_not_there(void **state)
{
    (void)state;
    sac_histogram *h = NULL;
    sac_error err = {0};
    assert_failed(sac_histogram_open(NULL, &err), SAC_E_INVALID, &err, "NULL");
    sac_alloc_hook(refuse);
    const sac_status status = sac_histogram_open(&h, &err);
    sac_alloc_hook(NULL);
    assert_failed(status, SAC_E_NOMEM, &err, "memory");
    assert_null(h);
    sac_histogram_close(NULL);
    sac_histogram_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_follow_each_other_and_are_narrow),
        cmocka_unit_test(record_counts_a_time_in_its_bin),
        cmocka_unit_test(quantiles_of_nothing_are_0),
        cmocka_unit_test(quantiles_are_within_a_256th),
        cmocka_unit_test(merge_is_as_if_all_were_recorded_here),
        cmocka_unit_test(reading_while_another_records_is_sound),
        cmocka_unit_test(open_and_close_take_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
