/*
 * The fixed-point multipliers of equalize/kernels/scale.h against the rational that they stand for:
 * for all samples up to V, where scalings are random and where they lie on, or just beside, a tie.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "equalize/kernels/scale.h"
#include "room/check.h"

#define N_KINDS 4
#define LARGEST_DEN (UINT64_C(0x7fffffff) * UINT64_C(0x7fffffff)) /* pixels of the largest plan */

static uint64_t random_state = 1;

static uint64_t below(uint64_t n)
{
    return sac_check_random(&random_state) % n;
}

/* Few pixels, many, more than a plan can have, and what divides badly. */
static uint64_t random_den(void)
{
    static const uint64_t odd[] = {1,
                                   2,
                                   3,
                                   510,
                                   2147483629,
                                   2147483647,
                                   2147483648,
                                   4294967291,
                                   UINT64_C(1) << 32, /* of `smooth` */
                                   UINT64_C(1) << 40,
                                   (UINT64_C(1) << 40) - 1,
                                   LARGEST_DEN};
    if (below(2))
        return odd[below(sizeof odd / sizeof odd[0])];
    return 1 + (sac_check_random(&random_state) >> (24 + below(39)));
}

/*
 * num such that M num x / (den V) is random; or as near n + 1/2 as this den allows, from either
 * side, for some x <= V and some n: num = (2 n + 1) den V / (2 x M).
 */
static uint64_t random_num(uint64_t den, uint64_t v, uint64_t m)
{
    const uint64_t kind = below(N_KINDS);
    if (kind == 0 || v == 0)
        return below(den + 1);
    const uint64_t x = 1 + below(v);
    const sac_uint128 odd = 2 * below(m * x / v + 1) + 1;
    const sac_uint128 num = odd * den * v / (2 * x * m) + (kind == 2) - (kind == 3);
    return num <= den ? (uint64_t)num : den;
}

typedef struct tables {
    uint64_t num[65536], occurs[65536], q16[65536];
    uint32_t q8[256];
} tables;

/* All x up to v; counts the exact ties among them. */
static uint64_t check_value(const sac_scale *s, uint32_t v)
{
    uint64_t n_ties = 0;
    const sac_uint128 m = (UINT32_C(1) << s->depth) - 1, bottom = (sac_uint128)s->den * v;
    for (uint64_t x = 0; x <= v; x++) {
        const uint64_t got =
            s->depth == 8
                ? (s->q8[v] * x + (UINT64_C(1) << (SAC_SCALE_SHIFT_U8 - 1))) >> SAC_SCALE_SHIFT_U8
                : (s->q16[v] * x + (UINT64_C(1) << (SAC_SCALE_SHIFT_U16 - 1))) >>
                      SAC_SCALE_SHIFT_U16;
        const uint64_t want = sac_scale_exact(s, v, (uint32_t)x);
        if (got != want)
            fail_msg("depth %d, bins %d, den %" PRIu64 ", num %" PRIu64 ", V %u, x %" PRIu64
                     ": wanted %" PRIu64 ", got %" PRIu64,
                     s->depth, s->bins, s->den, s->num[sac_scale_bin(s, v)], v, x, want, got);
        if (v > 0 && s->den > 0)
            n_ties += 2 * m * s->num[sac_scale_bin(s, v)] * x % (2 * bottom) == bottom;
    }
    return n_ties;
}

/* All x up to v, of all v that occur; and that multipliers are ceilings or one less. */
static void check_ceilings(const sac_scale *s, tables *t)
{
    uint64_t *ceiling = calloc(65536, sizeof *ceiling);
    uint32_t *shortened = calloc(65536, sizeof *shortened);
    assert_non_null(ceiling);
    assert_non_null(shortened);
    sac_scale with = *s;
    with.q16 = ceiling;
    sac_scale_ceilings(ceiling, shortened, s, t->occurs);
    for (uint32_t v = 0; v < 65536; v++) {
        if (!t->occurs[v])
            continue;
        assert_in_range(ceiling[v] - t->q16[v], 0, 1);
        assert_int_equal(shortened[v], sac_scale_short(ceiling[v], v));
        for (uint32_t x = 0; x <= v; x++)
            assert_int_equal(sac_scale_u16(&with, v, (uint16_t)x), sac_scale_exact(s, v, x));
    }
    free(ceiling);
    free(shortened);
}

/* `step` values of V between those looked at, on average. Returns how many ties were met. */
static uint64_t check_scalings(int depth, int n_scalings, uint32_t step)
{
    tables *t = calloc(1, sizeof *t);
    uint64_t n_ties = 0;
    const uint32_t n_values = UINT32_C(1) << depth;
    assert_non_null(t);
    for (int i = 0; i < n_scalings; i++) {
        sac_scale s = {.depth = depth,
                       .bins = below(4) ? (int32_t)n_values : 2 + (int32_t)below(n_values - 1),
                       .num = t->num,
                       .den = below(20) ? random_den() : 0,
                       .q8 = t->q8,
                       .q16 = t->q16};
        for (uint32_t v = 0; v < n_values; v++) {
            t->occurs[v] = below(step) == 0;
            t->num[sac_scale_bin(&s, v)] = random_num(s.den, v, n_values - 1);
        }
        sac_scale_multipliers(t->q8, t->q16, &s, t->occurs);
        for (uint32_t v = 0; v < n_values; v++)
            if (t->occurs[v])
                n_ties += check_value(&s, v);
        if (depth == 16)
            check_ceilings(&s, t);
    }
    free(t);
    return n_ties;
}

static void multipliers_u8_all_values_and_samples_are_exact(void **state)
{
    (void)state;
    assert_true(check_scalings(8, 300, 1) > 1000);
}

static void multipliers_u16_random_values_all_samples_are_exact(void **state)
{
    (void)state;
    assert_true(check_scalings(16, 60, 8192) > 10);
}

/* 1 / 2 of an odd M: every V ties at x = V, and must go up. */
static void multipliers_of_one_half_round_up(void **state)
{
    (void)state;
    tables *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int depth = 8; depth <= 16; depth += 8) {
        const int32_t n_values = 1 << depth;
        const sac_scale s = {depth, n_values, t->num, 2, t->q8, t->q16};
        for (int32_t v = 0; v < n_values; v++)
            t->num[v] = 1;
        sac_scale_multipliers(t->q8, t->q16, &s, NULL);
        for (uint32_t v = 1; v < (uint32_t)n_values; v++) {
            const uint64_t got = depth == 8 ? (t->q8[v] * (uint64_t)v + (1 << 23)) >> 24
                                            : (t->q16[v] * v + (UINT64_C(1) << 39)) >> 40;
            assert_int_equal(got, n_values / 2);
        }
    }
    free(t);
}

static void multipliers_leave_values_that_do_not_occur(void **state)
{
    (void)state;
    tables *t = calloc(1, sizeof *t);
    assert_non_null(t);
    const sac_scale s = {8, 256, t->num, 1, t->q8, t->q16};
    memset(t->q8, 0x5A, sizeof t->q8);
    t->occurs[17] = 1;
    sac_scale_multipliers(t->q8, t->q16, &s, t->occurs);
    for (int v = 0; v < 256; v++)
        assert_int_equal(t->q8[v], v == 17 ? 0 : 0x5A5A5A5A);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_u8_all_values_and_samples_are_exact),
        cmocka_unit_test(multipliers_u16_random_values_all_samples_are_exact),
        cmocka_unit_test(multipliers_of_one_half_round_up),
        cmocka_unit_test(multipliers_leave_values_that_do_not_occur),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
