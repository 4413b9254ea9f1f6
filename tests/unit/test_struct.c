/*
 * Structs of older and newer programs: the layouts of 0.1, missing fields, unknown ones.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/struct.h"
#include "struct_calls.h"

#define LAYOUT(type, bytes)                                                                        \
    _Static_assert(sizeof(type) >= (bytes), "a struct of 0.1 may grow, not shrink");
#define FIELD(type, field, offset)                                                                 \
    _Static_assert(offsetof(type, field) == (offset), "a field of 0.1 may not move");
#include "layouts_0_1.def"
#undef LAYOUT
#undef FIELD

enum { ROOM = 4096 }; /* bytes, for a struct of a newer program */

static void set_size(void *s, size_t size)
{
    memcpy(s, &size, sizeof size);
}

/* Runs `use` on a struct in memory of just `size` bytes, where a sanitizer sees what lies behind.
 */
static sac_status use_sized(const sized *k, const void *filled, size_t size, sac_error *err)
{
    *err = (sac_error){0};
    void *exact = malloc(size);
    assert_non_null(exact);
    memcpy(exact, filled, size);
    set_size(exact, size);
    const sac_status status = k->use(exact, err);
    free(exact);
    return status;
}

static void struct_of_0_1_is_taken(void **state)
{
    (void)state;
    for (int i = 0; i < N_ALL; i++) {
        _Alignas(64) char memory[ROOM] = {0};
        sac_error err;
        all[i].fill(memory);
        const sac_status status = use_sized(&all[i], memory, all[i].bytes_0_1, &err);
        if (status != SAC_OK)
            fail_msg("%s: %s: %s", all[i].name, sac_status_name(status), err.text);
    }
}

static void struct_of_a_newer_program_is_taken_where_the_rest_is_zero(void **state)
{
    (void)state;
    for (int i = 0; i < N_ALL; i++) {
        _Alignas(64) char memory[ROOM] = {0};
        sac_error err;
        size_t size;
        all[i].fill(memory);
        memcpy(&size, memory, sizeof size);
        assert_ok(use_sized(&all[i], memory, size + 8, &err), &err);
        assert_ok(use_sized(&all[i], memory, size + 256, &err), &err);
        memory[size + 248 + (size_t)i % 8] = 1;
        assert_ok(use_sized(&all[i], memory, size + 248, &err), &err);
        assert_failed(use_sized(&all[i], memory, size + 256, &err), SAC_E_INVALID, &err,
                      "struct_size");
    }
}

static void struct_without_a_sound_size_is_refused(void **state)
{
    (void)state;
    const size_t wrong[] = {0, 1, 7, 9, 61, 65544, SIZE_MAX - 7, SIZE_MAX};
    for (int i = 0; i < N_ALL; i++) {
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            _Alignas(64) char memory[ROOM] = {0};
            sac_error err = {0};
            all[i].fill(memory);
            set_size(memory, wrong[k]);
            assert_failed(all[i].use(memory, &err), SAC_E_INVALID, &err, "struct_size");
        }
        sac_error err = {0};
        if (all[i].use != use_model) /* no model is no fault */
            assert_failed(all[i].use(NULL, &err), SAC_E_INVALID, &err, "NULL");
    }
}

/* What an older struct lacks takes its default, whatever lies in memory behind it. */
static void struct_that_lacks_fields_takes_their_defaults(void **state)
{
    (void)state;
    struct old {
        size_t struct_size;
        int64_t first;
        int64_t stray;
    } old = {offsetof(struct old, stray), 5, 77};
    struct now {
        size_t struct_size;
        int64_t first, second;
    } own = {sizeof own, 1, 42};
    assert_int_equal(sac_struct_take(&own, &old, "old", NULL), SAC_OK);
    assert_int_equal(own.struct_size, sizeof own);
    assert_int_equal(own.first, 5);
    assert_int_equal(own.second, 42);
}

static void struct_given_back_is_filled_as_far_as_it_reaches(void **state)
{
    (void)state;
    struct counts {
        size_t struct_size;
        int64_t first, second;
    };
    const struct counts own = {sizeof own, 3, 4};
    struct counts shorter = {offsetof(struct counts, second), 0, 99}, none = {0, 98, 99};
    struct {
        struct counts known;
        int64_t later;
    } longer = {{sizeof longer, 0, 0}, 99};
    sac_struct_give(&shorter, &own);
    assert_int_equal(shorter.struct_size, offsetof(struct counts, second));
    assert_int_equal(shorter.first, 3);
    assert_int_equal(shorter.second, 99); /* not his */
    sac_struct_give(&longer, &own);
    assert_int_equal(longer.known.struct_size, sizeof longer);
    assert_int_equal(longer.known.second, 4);
    assert_int_equal(longer.later, 0);
    sac_struct_give(&none, &own);
    assert_int_equal(none.first, 98);
    sac_struct_give(NULL, &own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(struct_of_0_1_is_taken),
        cmocka_unit_test(struct_of_a_newer_program_is_taken_where_the_rest_is_zero),
        cmocka_unit_test(struct_without_a_sound_size_is_refused),
        cmocka_unit_test(struct_that_lacks_fields_takes_their_defaults),
        cmocka_unit_test(struct_given_back_is_filled_as_far_as_it_reaches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
