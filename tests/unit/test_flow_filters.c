/*
 * Flow's wall filters on tissue that is known.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow_scene.h"

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

/* Noise keeps the share of the orders that are left, up to the last but one. */
static void polynomials_of_any_order_are_orthogonal(void **state)
{
    (void)state;
    static const int orders[] = {0, 5, 40, 62};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        scene s = scene_of(64);
        char filter[32];
        double left = 0, all = 0;
        snprintf(filter, sizeof filter, "polynomial:%d", orders[k]);
        s.desc.kind = SAC_FLOW_POWER;
        s.desc.scale = SAC_FLOW_LINEAR;
        s.desc.filter = filter;
        for (int64_t i = 0; i < 2 * 64 * POINTS; i++) {
            s.iq[i] = (float)normal(3, i);
            all += (double)s.iq[i] * (double)s.iq[i] / 64;
        }
        const float *power = run(&s);
        for (int64_t p = 0; p < POINTS; p++)
            left += (double)power[p];
        const double share = (63.0 - orders[k]) / 64;
        if (fabs(left / all / share - 1) > 5 / sqrt(POINTS * 64 * share))
            fail_msg("order %d: %g of the noise is left, not %g", orders[k], left / all, share);
        end(&s);
    }
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
    const float bad[] = {NAN, INFINITY, 1e25F}; /* the last one's square is too large */
    for (int k = 0; k < 3; k++) {
        s.iq[17] = bad[k];
        s.desc.filter = NULL;
        s.desc.kind = SAC_FLOW_COLOR;
        const bool is_nan = isnan(run(&s)[0]);
        assert_true(!is_nan);
        end_run(&s);
        s.desc.kind = SAC_FLOW_POWER; /* in decibels of what is finite */
        const float *power = run(&s);
        double most = -1000;
        for (int64_t p = 0; p < POINTS; p++)
            most = fmax(most, (double)power[p]); /* NaN does not count */
        assert_true(isnan(power[8]) && most == 0);
        end_run(&s);
        s.desc.filter = "svd:1";
        const float *v = run(&s);
        for (int64_t p = 0; p < POINTS; p++)
            assert_true(isnan(v[p]));
        end_run(&s);
    }
    free(s.iq);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomial_takes_out_polynomials_alone),
        cmocka_unit_test(polynomials_of_any_order_are_orthogonal),
        cmocka_unit_test(svd_takes_out_60_db_of_tissue),
        cmocka_unit_test(svd_that_keeps_and_svd_that_takes_out_agree),
        cmocka_unit_test(svd_auto_cuts_between_tissue_and_blood),
        cmocka_unit_test(flow_does_not_depend_on_threads),
        cmocka_unit_test(svd_of_samples_that_are_no_numbers_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
