/*
 * Choosing variants: the fastest that ships and runs here, under every CPU mask; what the caller
 * and
 * the environment force. SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <stdlib.h>

#include "room/check.h"

/* Needs that this CPU has, or lacks, whatever it is. */
#define LACKING (UINT32_C(1) << 31)

typedef void (*toy_fn)(void);

static void nothing(void)
{
}

static const sac_variant left_variants[] = {{"ref", 0, true, SAC_FN(toy_fn, nothing)},
                                            {"plain", 0, true, SAC_FN(toy_fn, nothing)},
                                            {"slow", 0, false, SAC_FN(toy_fn, nothing)},
                                            {"future", LACKING, true, SAC_FN(toy_fn, nothing)},
                                            {0}};
static const sac_variant right_variants[] = {
    {"ref", 0, true, SAC_FN(toy_fn, nothing)}, {"wide", 0, true, SAC_FN(toy_fn, nothing)}, {0}};
static const sac_variant teaching_variants[] = {{"ref", 0, false, SAC_FN(toy_fn, nothing)}, {0}};
static const sac_room left = {"left_u8", left_variants};
static const sac_room right = {"right_u8", right_variants};
static const sac_room teaching = {"teaching_u8", teaching_variants};
static const sac_room *const rooms[] = {&left, &right};

static int no_environment(void **state)
{
    (void)state;
    return unsetenv("SAC_VARIANT") != 0 || unsetenv("SAC_CPU_MASK") != 0;
}

static void assert_chooses(const sac_room *room, const char *wanted, const char *name)
{
    const sac_variant *v = NULL;
    sac_error err = {0};
    assert_ok(sac_variant_choose(&v, room, SAC_TIER_EXACT, NULL, wanted, &err), &err);
    assert_string_equal(v->name, name);
}

static void choose_unforced_takes_the_last_that_ships_and_runs(void **state)
{
    (void)state;
    assert_chooses(&left, NULL, "plain");
    assert_chooses(&left, "", "plain");
    assert_chooses(&right, NULL, "wide");
}

static void choose_a_bare_name_holds_where_it_exists(void **state)
{
    (void)state;
    assert_chooses(&left, "ref", "ref");
    assert_chooses(&right, "ref", "ref");
    assert_chooses(&left, "wide", "plain");
    assert_chooses(&right, "wide", "wide");
    assert_chooses(&left, "slow", "slow");
}

static void choose_a_room_and_name_holds_there_only(void **state)
{
    (void)state;
    assert_chooses(&left, "left_u8:ref", "ref");
    assert_chooses(&right, "left_u8:ref", "wide");
    assert_chooses(&right, "left_u8:slow,right_u8:ref", "ref");
    assert_chooses(&left, "left_u8:slow,right_u8:ref", "slow");
}

static void choose_the_caller_comes_before_the_environment(void **state)
{
    (void)state;
    assert_int_equal(setenv("SAC_VARIANT", "left_u8:ref", 1), 0);
    assert_chooses(&left, NULL, "ref");
    assert_chooses(&right, NULL, "wide");
    assert_chooses(&left, "left_u8:slow", "slow");
    assert_chooses(&left, "right_u8:ref", "ref");
}

static void choose_what_the_cpu_lacks_is_refused(void **state)
{
    (void)state;
    const sac_variant *v = NULL;
    sac_error err = {0};
    assert_failed(sac_variant_choose(&v, &left, SAC_TIER_EXACT, NULL, "future", &err),
                  SAC_E_UNSUPPORTED, &err, "left_u8:future");
}

static void choose_a_name_that_the_room_lacks_is_refused(void **state)
{
    (void)state;
    const sac_variant *v = NULL;
    sac_error err = {0};
    assert_failed(sac_variant_choose(&v, &left, SAC_TIER_EXACT, NULL, "left_u8:wide", &err),
                  SAC_E_INVALID, &err, "wide");
    assert_failed(sac_variant_choose(&v, &left, SAC_TIER_EXACT, NULL, "left_u8:re", &err),
                  SAC_E_INVALID, &err, "re");
}

static void choose_in_a_room_that_only_teaches_is_refused(void **state)
{
    (void)state;
    const sac_variant *v = NULL;
    sac_error err = {0};
    assert_failed(sac_variant_choose(&v, &teaching, SAC_TIER_EXACT, NULL, NULL, &err),
                  SAC_E_UNSUPPORTED, &err, "teaching_u8");
    assert_chooses(&teaching, "ref", "ref");
}

static void check_good_lists_pass(void **state)
{
    (void)state;
    static const char *const good[] = {
        NULL, "", "ref", "wide", "left_u8:ref", "left_u8:slow,right_u8:wide", "plain,right_u8:ref"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        sac_error err = {0};
        assert_ok(sac_variant_check(rooms, 2, good[i], &err), &err);
    }
}

static void check_bad_items_are_named_with_what_there_is(void **state)
{
    (void)state;
    sac_error err = {0};
    assert_failed(sac_variant_check(rooms, 2, "ref,fast", &err), SAC_E_INVALID, &err, "fast");
    assert_non_null(strstr(err.text, "wide"));
    assert_failed(sac_variant_check(rooms, 2, "middle_u8:ref", &err), SAC_E_INVALID, &err,
                  "middle_u8");
    assert_non_null(strstr(err.text, "right_u8"));
    assert_failed(sac_variant_check(rooms, 2, "left_u8:wide", &err), SAC_E_INVALID, &err, "wide");
    assert_non_null(strstr(err.text, "plain"));
    assert_failed(sac_variant_check(rooms, 2, "left_u8:", &err), SAC_E_INVALID, &err, "plain");
}

static const char *const masks[] = {
    "none", "avx2", "avx2,v3", "avx2,v3,v4", "avx2,v3,v4,avx512vbmi", "avx2,v3,v4,avx512vnni",
    "neon", "all"};

/* What sac_variant_choose promises, for the rooms that there are. */
static void choose_in_every_room_fits_every_cpu_mask(void **state)
{
    (void)state;
    enum { N_MASKS = sizeof masks / sizeof masks[0], N_TIERS = SAC_TIER_FAST + 1 };
    for (int k = 0; k < N_MASKS * N_TIERS; k++) {
        assert_int_equal(setenv("SAC_CPU_MASK", masks[k / N_TIERS], 1), 0);
        const uint32_t usable = sac_cpu_usable();
        const sac_tier tier = (sac_tier)(k % N_TIERS);
        for (int32_t i = 0; i < sac_n_rooms; i++) {
            const sac_room *room = sac_rooms[i].check->room;
            const sac_variant *last = NULL;
            const sac_variant *chosen = NULL;
            for (const sac_variant *v = room->variants; v->name != NULL; v++)
                if (v->ships && v->tier <= tier && (v->needs & ~usable) == 0)
                    last = v;
            (void)!sac_variant_choose(&chosen, room, tier, NULL, NULL, NULL);
            assert_ptr_equal(chosen, last);
        }
    }
}

static void tables_of_every_room_are_sound(void **state)
{
    (void)state;
    for (int32_t i = 0; i < sac_n_rooms; i++) {
        const sac_room_check *check = sac_rooms[i].check;
        const sac_variant *v = NULL;
        for (int32_t k = 0; (v = sac_check_variant(check, k)) != NULL; k++) {
            assert_non_null(v->fn);
            assert_int_equal(v->needs & ~SAC_CPU_ALL, 0);
            assert_int_equal(strspn(v->name, "abcdefghijklmnopqrstuvwxyz0123456789_-"),
                             strlen(v->name));
            for (int32_t earlier = 0; earlier < k; earlier++)
                assert_string_not_equal(v->name, sac_check_variant(check, earlier)->name);
        }
        assert_int_equal(sac_check_variant(check, 0)->needs, 0);
        for (v = check->rungs; v != NULL && v->name != NULL; v++)
            assert_false(v->ships);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, no_environment, no_environment)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(choose_unforced_takes_the_last_that_ships_and_runs),
        TEST(choose_a_bare_name_holds_where_it_exists),
        TEST(choose_a_room_and_name_holds_there_only),
        TEST(choose_the_caller_comes_before_the_environment),
        TEST(choose_what_the_cpu_lacks_is_refused),
        TEST(choose_a_name_that_the_room_lacks_is_refused),
        TEST(choose_in_a_room_that_only_teaches_is_refused),
        TEST(check_good_lists_pass),
        TEST(check_bad_items_are_named_with_what_there_is),
        TEST(choose_in_every_room_fits_every_cpu_mask),
        TEST(tables_of_every_room_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
