/*
 * Images in parts that cannot be gone on with: what is left is of other work, damaged, another
 * writer's or no file; and parts that do not fit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_image_parts.h"

#include <sys/stat.h>

static void parts_of_other_work_or_damaged_are_refused(void **state)
{
    sac_image_parts *parts;
    sac_error err = {0};
    (void)state;
    begin(&parts, "i.npy", false);
    put(parts, 0);
    sac_image_parts_close(&parts);
    assert_failed(open_parts(&parts, "i.npy", "other work", true, false, &err), SAC_E_INVALID, &err,
                  "another input or command");
    assert_failed(open_parts(&parts, "i.npy", "this work, longer", true, false, &err),
                  SAC_E_INVALID, &err, "another input or command");
    assert_null(parts);
    FILE *file = fopen(".i.npy.done", "ab");
    assert_non_null(file);
    fputc('1', file);
    fclose(file);
    assert_failed(open_parts(&parts, "i.npy", "this work", true, false, &err), SAC_E_FORMAT, &err,
                  "is damaged");
    begin(&parts, "i.npy", false);
    put(parts, 0);
    sac_image_parts_close(&parts);
    file = fopen(".i.npy.done", "r+b"); /* the last digit of the offset: one byte off */
    assert_non_null(file);
    assert_int_equal(fseek(file, 47, SEEK_SET), 0);
    fputc('7', file);
    fclose(file);
    assert_failed(open_parts(&parts, "i.npy", "this work", true, false, &err), SAC_E_FORMAT, &err,
                  "is damaged");
    put_text(".i.npy.done", "nonsense");
    assert_failed(open_parts(&parts, "i.npy", "this work", true, false, &err), SAC_E_FORMAT, &err,
                  "is damaged: remove it");
    begin(&parts, "i.npy", false); /* which asks nothing of it */
    sac_image_parts_close(&parts);
}

/* What others put where the names can be foreseen. */
static void parts_under_links_or_no_files_are_refused_and_leave_all_as_it_is(void **state)
{
    static const char *const names[] = {".i.npy.part", ".i.npy.done"};
    sac_image_parts *parts;
    sac_error err = {0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *other = names[1 - i];
        for (int k = 0; k < 5; k++) {
            put_text("precious", "kept");
            const int made = k == 0   ? symlink("precious", names[i])
                             : k == 1 ? link("precious", names[i])
                             : k == 2 ? mkfifo(names[i], 0600)
                             : k == 3 ? mkdir(names[i], 0700)
                                      : symlink("nothing", names[i]);
            assert_int_equal(made, 0);
            for (int resume = 0; resume < 2; resume++)
                assert_failed(open_parts(&parts, "i.npy", "this work", resume, false, &err),
                              SAC_E_IO, &err, "is no file of an earlier run");
            assert_text("precious", "kept");
            assert_int_equal(access("nothing", F_OK), -1);
            assert_int_equal(access(other, F_OK), -1);
            assert_int_equal(remove(names[i]), 0);
        }
    }
    unlink("precious");
}

static void parts_opened_twice_by_one_process_are_refused(void **state)
{
    sac_image_parts *first, *second;
    sac_error err = {0};
    (void)state;
#ifndef F_OFD_SETLK
    skip_test("this system has no locks of open files");
#endif
    begin(&first, "i.npy", false);
    put(first, 0);
    for (int resume = 0; resume < 2; resume++)
        assert_failed(open_parts(&second, "i.npy", "this work", resume, false, &err), SAC_E_IO,
                      &err, "is writing it");
    assert_ok(open_parts(&second, "i.npy", "this work", false, true, &err), &err);
    sac_image_parts_close(&second); /* which leaves the first one's lock */
    assert_failed(open_parts(&second, "i.npy", "this work", true, false, &err), SAC_E_IO, &err,
                  "is writing it");
    for (int64_t i = 1; i < PARTS; i++)
        put(first, i);
    assert_ok(sac_image_parts_commit(&first, &err), &err);
    assert_whole("i.npy");
    unlink("i.npy");
}

/* Its first writer has died, and it may still write. */
static void parts_that_another_has_joined_are_not_begun_anew(void **state)
{
    sac_image_parts *first, *second;
    sac_error err = {0};
    (void)state;
#ifndef F_OFD_SETLK
    skip_test("this system has no locks of open files");
#endif
    begin(&first, "i.npy", false);
    assert_ok(open_parts(&second, "i.npy", "this work", false, true, &err), &err);
    put(first, 0);
    sac_image_parts_close(&first);
    for (int resume = 0; resume < 2; resume++)
        assert_failed(open_parts(&first, "i.npy", "this work", resume, false, &err), SAC_E_IO, &err,
                      "is writing it");
    put(second, 1);
    sac_image_parts_close(&second);
    begin(&first, "i.npy", true);
    for (int64_t i = 0; i < PARTS; i++) {
        assert_int_equal(sac_image_parts_has(first, i), i < 2);
        if (i >= 2)
            put(first, i);
    }
    assert_ok(sac_image_parts_commit(&first, &err), &err);
    assert_whole("i.npy");
    unlink("i.npy");
}

static void parts_that_do_not_fit_are_refused(void **state)
{
    sac_image_parts *parts;
    sac_error err = {0};
    (void)state;
    begin(&parts, "i.npy", false);
    const sac_array three = frames_of(0, 3), four = frames_of(0, 4);
    assert_failed(sac_image_parts_write(parts, 0, &three, &err), SAC_E_SHAPE, &err, "expected 4");
    assert_failed(sac_image_parts_write(parts, PARTS - 1, &four, &err), SAC_E_SHAPE, &err,
                  "expected 3");
    assert_failed(sac_image_parts_write(parts, PARTS, &four, &err), SAC_E_INVALID, &err, "index");
    assert_failed(sac_image_parts_write(parts, -1, &four, &err), SAC_E_INVALID, &err, "index");
    assert_failed(sac_image_parts_write(parts, INT64_MAX, &four, &err), SAC_E_INVALID, &err,
                  "index");
    assert_failed(sac_image_parts_write(NULL, 0, &four, &err), SAC_E_INVALID, &err, "NULL");
    sac_image_parts_close(&parts);
    assert_failed(open_parts(&parts, "i.tif", "this work", false, false, &err),
                  has_part("libvips") ? SAC_E_INVALID : SAC_E_UNSUPPORTED, &err, "i.tif");
    assert_failed(sac_image_parts_open(&parts, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_image_parts_open(NULL, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_image_parts_commit(NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_int_equal(sac_image_parts_get_count(NULL, NULL), 0);
    assert_false(sac_image_parts_has(NULL, 0));
    sac_image_parts_close(NULL);
    sac_image_parts_desc_init(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(parts_of_other_work_or_damaged_are_refused, empty_folder),
        cmocka_unit_test_setup(parts_under_links_or_no_files_are_refused_and_leave_all_as_it_is,
                               empty_folder),
        cmocka_unit_test_setup(parts_opened_twice_by_one_process_are_refused, empty_folder),
        cmocka_unit_test_setup(parts_that_another_has_joined_are_not_begun_anew, empty_folder),
        cmocka_unit_test_setup(parts_that_do_not_fit_are_refused, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
