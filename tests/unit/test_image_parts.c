/*
 * Images that are written in parts: in any order, by two at a time, gone on with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_image_parts.h"

#include <sys/stat.h>

static const int64_t shape[] = {FRAMES, Z, X};

static void parts_in_any_order_make_the_image(void **state)
{
    static const int order[] = {3, 0, 5, 1, 4, 2};
    sac_image_parts *parts;
    sac_error err = {0};
    int64_t had;
    (void)state;
    begin(&parts, "i.npy", false);
    assert_int_equal(sac_image_parts_get_count(parts, &had), PARTS);
    assert_int_equal(had, 0);
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal(access("i.npy", F_OK), -1);
        put(parts, order[i]);
    }
    assert_ok(sac_image_parts_commit(&parts, &err), &err);
    assert_null(parts);
    assert_whole("i.npy");
    unlink("i.npy");
}

static void parts_of_an_earlier_program_are_kept(void **state)
{
    sac_image_parts *parts;
    sac_error err = {0};
    int64_t had;
    (void)state;
    begin(&parts, "i.npy", true);
    put(parts, 1);
    put(parts, 5);
    sac_image_parts_close(&parts);
    begin(&parts, "i.npy", true);
    sac_image_parts_get_count(parts, &had);
    assert_int_equal(had, 2);
    for (int64_t i = -1; i <= PARTS; i++) {
        assert_int_equal(sac_image_parts_has(parts, i), i == 1 || i == 5);
        if (i >= 0 && i < PARTS && i != 1 && i != 5)
            put(parts, i);
    }
    assert_ok(sac_image_parts_commit(&parts, &err), &err);
    assert_whole("i.npy");
    unlink("i.npy");
}

static void parts_without_resume_begin_anew(void **state)
{
    sac_image_parts *parts;
    int64_t had;
    (void)state;
    begin(&parts, "i.npy", false);
    put(parts, 1);
    sac_image_parts_close(&parts);
    begin(&parts, "i.npy", false);
    sac_image_parts_get_count(parts, &had);
    assert_int_equal(had, 0);
    sac_image_parts_close(&parts);
    assert_int_equal(access(".i.npy.part", F_OK), -1); /* nothing was written */
    assert_int_equal(access(".i.npy.done", F_OK), -1);
}

static void parts_that_are_missing_are_told_and_nothing_is_named(void **state)
{
    sac_image_parts *parts;
    sac_error err = {0};
    (void)state;
    begin(&parts, "i.npy", false);
    put(parts, 0);
    assert_failed(sac_image_parts_commit(&parts, &err), SAC_E_INVALID, &err, "5 of 6 parts");
    assert_null(parts);
    assert_int_equal(access("i.npy", F_OK), -1);
    begin(&parts, "i.npy", true);
    assert_true(sac_image_parts_has(parts, 0));
    sac_image_parts_close(&parts);
}

/* All parts have their marks, and no file: under the image's name is another one. */
static void parts_of_an_image_that_was_taken_away_begin_anew(void **state)
{
    sac_image_parts *parts;
    sac_error err = {0};
    int64_t had;
    (void)state;
    for (int is_it = 0; is_it < 2; is_it++) {
        begin(&parts, "i.npy", true);
        for (int64_t i = 0; i < PARTS; i++)
            put(parts, i);
        sac_image_parts_close(&parts);
        if (is_it) { /* as if killed before the marks went */
            assert_int_equal(rename(".i.npy.part", "i.npy"), 0);
            assert_int_equal(open_parts(&parts, "i.npy", "this work", true, false, &err), SAC_END);
            assert_whole("i.npy");
            continue;
        }
        put_text("i.npy", "another");
        assert_int_equal(unlink(".i.npy.part"), 0);
        begin(&parts, "i.npy", true);
        sac_image_parts_get_count(parts, &had);
        assert_int_equal(had, 0);
        sac_image_parts_close(&parts);
        assert_text("i.npy", "another");
    }
    unlink("i.npy");
}

/* Its folder takes the place of the image. */
static void parts_whose_image_cannot_be_named_are_kept(void **state)
{
    sac_image_parts *parts;
    sac_error err = {0};
    int64_t had;
    (void)state;
    begin(&parts, "i.npy", false);
    for (int64_t i = 0; i < PARTS; i++)
        put(parts, i);
    assert_int_equal(mkdir("i.npy", 0700), 0);
    assert_int_equal(sac_image_parts_commit(&parts, &err), SAC_E_IO);
    assert_int_equal(rmdir("i.npy"), 0);
    begin(&parts, "i.npy", true);
    sac_image_parts_get_count(parts, &had);
    assert_int_equal(had, PARTS);
    assert_ok(sac_image_parts_commit(&parts, &err), &err);
    assert_whole("i.npy");
    unlink("i.npy");
}

static void parts_of_two_writers_make_one_image(void **state)
{
    sac_image_parts *first, *second;
    sac_error err = {0};
    (void)state;
    assert_failed(open_parts(&second, "i.npy", "this work", false, true, &err), SAC_E_INVALID, &err,
                  "nobody has begun it");
    begin(&first, "i.npy", false);
    assert_ok(open_parts(&second, "i.npy", "this work", false, true, &err), &err);
    for (int64_t i = 0; i < PARTS; i++)
        put(i % 2 ? first : second, i);
    sac_image_parts_close(&second);
    assert_ok(sac_image_parts_commit(&first, &err), &err);
    assert_whole("i.npy");
    unlink("i.npy");
}

static void parts_in_hdf5_are_the_image(void **state)
{
    sac_image_parts *parts;
    sac_error err = {0};
    sac_image *image = NULL;
    (void)state;
    if (open_parts(&parts, "i.h5", "this work", false, false, &err) == SAC_E_UNSUPPORTED)
        skip_test("this build has no HDF5");
    assert_non_null(parts);
    for (int64_t i = PARTS - 1; i >= 0; i--)
        put(parts, i);
    assert_ok(sac_image_parts_commit(&parts, &err), &err);
    assert_ok(sac_image_read(&image, "i.h5", &err), &err);
    const sac_array got = sac_image_get_array(image);
    for (int i = 0; i < 3; i++)
        assert_int_equal(got.shape[i], shape[i]);
    assert_memory_equal(got.data, values, sizeof values);
    assert_int_equal(sac_image_get_info(image)->output, SAC_OUTPUT_ENVELOPE);
    sac_image_close(&image);
    unlink("i.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(parts_in_any_order_make_the_image, empty_folder),
        cmocka_unit_test_setup(parts_of_an_earlier_program_are_kept, empty_folder),
        cmocka_unit_test_setup(parts_without_resume_begin_anew, empty_folder),
        cmocka_unit_test_setup(parts_that_are_missing_are_told_and_nothing_is_named, empty_folder),
        cmocka_unit_test_setup(parts_of_an_image_that_was_taken_away_begin_anew, empty_folder),
        cmocka_unit_test_setup(parts_whose_image_cannot_be_named_are_kept, empty_folder),
        cmocka_unit_test_setup(parts_of_two_writers_make_one_image, empty_folder),
        cmocka_unit_test_setup(parts_in_hdf5_are_the_image, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
