/*
 * Images that are written in parts: in any order, by two at a time, gone on with; what is left of
 * other work, or damaged, is refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { X = 7, Z = 5, FRAMES = 23, PART = 4, PARTS = 6 };

static float values[FRAMES * Z * X];
static const int64_t shape[] = {FRAMES, Z, X};

static sac_array frames_of(int64_t first, int64_t n)
{
    sac_array a;
    sac_error err;
    for (int i = 0; i < FRAMES * Z * X; i++)
        values[i] = 0.5F * (float)i;
    assert_ok(sac_array_view(&a, values + first * Z * X, SAC_F32, 3, (int64_t[]){n, Z, X}, &err),
              &err);
    return a;
}

static sac_image_info info_of(void)
{
    sac_image_info info;
    sac_image_info_init(&info);
    info.grid = (sac_grid){{-1e-2, 0, 1e-2}, {1e-2, 0, 4e-2}, {X, 1, Z}};
    info.output = SAC_OUTPUT_ENVELOPE;
    return info;
}

static sac_status open_parts(sac_image_parts **parts, const char *path, const char *work,
                             bool resume, bool join, sac_error *err)
{
    const sac_image_info info = info_of();
    sac_array whole = frames_of(0, FRAMES);
    sac_image_parts_desc desc;
    sac_image_parts_desc_init(&desc);
    whole.data = NULL;
    desc.path = path, desc.image = &whole, desc.info = &info, desc.n_part_frames = PART;
    desc.work = work, desc.resume = resume, desc.join = join;
    return sac_image_parts_open(parts, &desc, err);
}

static void begin(sac_image_parts **parts, const char *path, bool resume)
{
    sac_error err = {0};
    assert_ok(open_parts(parts, path, "this work", resume, false, &err), &err);
}

static void put(sac_image_parts *parts, int64_t index)
{
    sac_error err = {0};
    const sac_array part =
        frames_of(index * PART, index == PARTS - 1 ? FRAMES - (PARTS - 1) * PART : PART);
    assert_ok(sac_image_parts_write(parts, index, &part, &err), &err);
}

/* The values behind the head of the file are all frames', in their order. */
static void assert_whole(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    bool found = false;
    for (size_t i = 0; i + sizeof values <= n && !found; i++)
        found = memcmp(bytes + i, values, sizeof values) == 0;
    assert_true(found);
    assert_int_equal(access(".i.npy.part", F_OK), -1);
    assert_int_equal(access(".i.npy.done", F_OK), -1);
}

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

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

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

static void assert_text(const char *path, const char *wanted)
{
    char text[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_string_equal(text, wanted);
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
    assert_failed(open_parts(&parts, "i.tif", "this work", false, false, &err), SAC_E_INVALID, &err,
                  "i.tif");
    assert_failed(sac_image_parts_open(&parts, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_image_parts_open(NULL, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_image_parts_commit(NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_int_equal(sac_image_parts_get_count(NULL, NULL), 0);
    assert_false(sac_image_parts_has(NULL, 0));
    sac_image_parts_close(NULL);
    sac_image_parts_desc_init(NULL);
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
        cmocka_unit_test_setup(parts_of_other_work_or_damaged_are_refused, empty_folder),
        cmocka_unit_test_setup(parts_under_links_or_no_files_are_refused_and_leave_all_as_it_is,
                               empty_folder),
        cmocka_unit_test_setup(parts_of_an_image_that_was_taken_away_begin_anew, empty_folder),
        cmocka_unit_test_setup(parts_opened_twice_by_one_process_are_refused, empty_folder),
        cmocka_unit_test_setup(parts_whose_image_cannot_be_named_are_kept, empty_folder),
        cmocka_unit_test_setup(parts_of_two_writers_make_one_image, empty_folder),
        cmocka_unit_test_setup(parts_that_another_has_joined_are_not_begun_anew, empty_folder),
        cmocka_unit_test_setup(parts_that_do_not_fit_are_refused, empty_folder),
        cmocka_unit_test_setup(parts_in_hdf5_are_the_image, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
