/*
 * The machine's jitter: every scheduled time is counted, and gaps follow each other.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include <saccade/jitter.h>

static void jitter_counts_every_scheduled_time(void **state)
{
    (void)state;
    sac_histogram *gaps = NULL, *late = NULL;
    sac_error err = {0};
    sac_jitter_desc desc;
    sac_jitter_desc_init(&desc);
    desc.seconds = 0.02;
    desc.rate_hz = 1000;
    assert_ok(sac_histogram_open(&gaps, &err), &err);
    assert_ok(sac_histogram_open(&late, &err), &err);
    for (int64_t i = 1; i <= 2; i++) {
        assert_ok(sac_jitter_run(gaps, late, &desc, &err), &err);
        assert_int_equal(sac_histogram_get_count(late), 19 * i);
        assert_true(sac_histogram_get_count(gaps) >= i);
    }
    /* Gaps follow each other without a break. */
    const double sum_ns = sac_histogram_get_mean(gaps) * (double)sac_histogram_get_count(gaps);
    assert_true(sum_ns >= 2 * 0.02e9 - 1);
    assert_ok(sac_jitter_run(NULL, NULL, &desc, &err), &err);
    desc.cpu = 1023;
    assert_failed(sac_jitter_run(gaps, late, &desc, &err), SAC_E_UNSUPPORTED, &err, "cpu");
    desc.seconds = 0;
    assert_failed(sac_jitter_run(gaps, late, &desc, &err), SAC_E_INVALID, &err, "seconds");
    assert_failed(sac_jitter_run(gaps, late, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_int_equal(sac_histogram_get_count(late), 38);
    sac_histogram_close(&gaps);
    sac_histogram_close(&late);
}

static void jitter_refuses_what_is_no_number(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY, 0, -1};
    sac_error err = {0};
    for (size_t i = 0; i < 2 * sizeof bad / sizeof *bad; i++) {
        sac_jitter_desc desc;
        sac_jitter_desc_init(&desc);
        *(i % 2 ? &desc.seconds : &desc.rate_hz) = bad[i / 2];
        assert_failed(sac_jitter_run(NULL, NULL, &desc, &err), SAC_E_INVALID, &err,
                      i % 2 ? "seconds" : "rate");
    }
    sac_jitter_desc_init(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jitter_counts_every_scheduled_time),
        cmocka_unit_test(jitter_refuses_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
