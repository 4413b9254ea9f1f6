/*
 * Pictures that libvips shall not read: damaged ones, larger ones than is allowed, such as were
 * made to take all memory, and formats outside the list.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_io_vips.h"

#include <fcntl.h>

#include "base/alloc.h"

/* What this libvips could read, too, but strangers' files shall not reach. */
static void formats_outside_the_list_are_refused(void **state)
{
    (void)state;
    static const char svg[] = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>";
    static const char tga[] = "\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x18\0abc";
    put_file("a.svg", svg, sizeof svg - 1);
    put_file("a.tga", tga, sizeof tga - 1);
    put_file("a.pdf", "%PDF-1.4\n", 9);
    VipsImage *flat;
    assert_int_equal(vips_black(&flat, 8, 8, NULL), 0);
    assert_int_equal(vips_image_write_to_file(flat, "a.v", NULL), 0);
    g_object_unref(flat);
    static const char *const paths[] = {"a.svg", "a.tga", "a.pdf", "a.v"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        sac_error err = {0};
        sac_picture *p = NULL;
        assert_failed(sac_picture_read(&p, paths[i], 0, &err), SAC_E_FORMAT, &err,
                      "is not a picture of a supported format");
        assert_null(p);
    }
}

/* n texts of `size` bytes that could be inflated, between a PNG's header and its pixels. */
static void put_texts(const char *path, const uint8_t *png, size_t png_size, int n, size_t size)
{
    const size_t head = 8 + 25; /* the signature and IHDR */
    uint8_t *text = calloc(1, size + 12);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    text[2] = (uint8_t)(size >> 8);
    text[3] = (uint8_t)size;
    memcpy(text + 4, "zTXtk", 5);
    assert_int_equal(fwrite(png, 1, head, f), head);
    for (int i = 0; i < n; i++)
        assert_int_equal(fwrite(text, 1, size + 12, f), size + 12);
    assert_int_equal(fwrite(png + head, 1, png_size - head, f), png_size - head);
    assert_int_equal(fclose(f), 0);
    free(text);
}

/* 200 texts of 60 kB grew to 12 GB, and took half a minute. */
static void png_with_bombs_beside_it_is_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    size_t size;
    sac_picture *p = random_picture(SAC_U8, 20, 10, 3), *q = NULL;
    assert_ok(sac_picture_write(p, "a.png", NULL, &err), &err);
    uint8_t *png = get_file("a.png", &size);
    put_texts("bombs.png", png, size, 200, 60000);
    assert_failed(sac_picture_read(&q, "bombs.png", 0, &err), SAC_E_FORMAT, &err,
                  "texts in this PNG could take more than 1 GB");
    put_texts("pieces.png", png, size, 1000001, 1);
    assert_failed(sac_picture_read(&q, "pieces.png", 0, &err), SAC_E_FORMAT, &err,
                  "a million pieces");
    png[8 + 25] = 0x6b; /* the first length after IHDR: libpng took 1.8 GB for 280 bytes */
    memcpy(png + 8 + 25 + 4, "iTXt", 4);
    put_file("states.png", png, size);
    assert_failed(sac_picture_read(&q, "states.png", 0, &err), SAC_E_FORMAT, &err,
                  "a chunk iTXt of this PNG states 1795 MB: it is damaged");
    assert_null(q);
    free(png);
    sac_picture_close(&p);
}

/* OpenJPEG read a box of 1.5 GB whole, of a file that had that much of nothing. */
static void jp2_whose_header_states_gigabytes_is_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    size_t size;
    sac_picture *p = random_picture(SAC_U8, 20, 10, 3), *q = NULL;
    const sac_status st = sac_picture_write(p, "a.jp2", NULL, &err);
    sac_picture_close(&p);
    if (st == SAC_E_UNSUPPORTED)
        skip_test("libvips has no JPEG 2000");
    assert_ok(st, &err);
    uint8_t *jp2 = get_file("a.jp2", &size);
    jp2[12] = 0x5e; /* the length of ftyp */
    put_file("large.jp2", jp2, size);
    free(jp2);
    assert_int_equal(truncate("large.jp2", (off_t)64 << 30), 0);
    assert_failed(sac_picture_read(&q, "large.jp2", 0, &err), SAC_E_FORMAT, &err,
                  "a box of this JPEG 2000's header states 1577 MB");
    assert_null(q);
}

/* One line that names the file and its format, with the library's words behind ours. */
static void damage_is_said_in_plain_words(void **state)
{
    (void)state;
    static const char *const formats[] = {"png", "jpg", "tif", "webp", "gif"};
    static const char *const words[] = {
        "this PNG is damaged or cut short", "this JPEG is damaged or cut short",
        "this TIFF is damaged or cut short", "this WebP is damaged or cut short",
        "this GIF is damaged or cut short"};
    sac_picture *p = random_picture(SAC_U8, 200, 100, 3), *q = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        sac_error err = {0};
        size_t size;
        assert_ok(sac_picture_write(p, "whole", formats[i], &err), &err);
        uint8_t *data = get_file("whole", &size);
        put_file("half", data, size / 2);
        free(data);
        assert_failed(sac_picture_read(&q, "half", 0, &err), SAC_E_FORMAT, &err, words[i]);
        assert_null(strchr(err.text, '\n'));
        assert_null(q);
    }
    sac_picture_close(&p);
}

static void truncated_pictures_are_refused_without_a_word(void **state)
{
    (void)state;
    static const char *const formats[] = {"png", "jpg", "tif", "webp"};
    sac_error err;
    sac_picture *p = random_picture(SAC_U8, 200, 100, 3);
    int saved = dup(STDERR_FILENO);
    int said = open("said", O_RDWR | O_CREAT | O_TRUNC, 0666);
    fflush(stderr);
    dup2(said, STDERR_FILENO);
    close(said);
    sac_status came[4][3];
    for (size_t i = 0; i < 4; i++) {
        assert_ok(sac_picture_write(p, "whole", formats[i], &err), &err);
        size_t size;
        uint8_t *data = get_file("whole", &size);
        const size_t cuts[] = {20, size / 2, size - 200};
        for (size_t k = 0; k < 3; k++) {
            sac_picture *q = NULL;
            put_file("cut", data, cuts[k]);
            came[i][k] = sac_picture_read(&q, "cut", 0, &err);
            assert_null(q);
        }
        free(data);
    }
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(came[i][k], SAC_E_FORMAT);
    struct stat st;
    assert_int_equal(stat("said", &st), 0);
    assert_int_equal(st.st_size, 0);
    sac_picture_close(&p);
}

/* libvips forgot an error in the last rows now and then: one time in twelve. */
static void truncated_in_the_last_rows_is_refused_each_time(void **state)
{
    (void)state;
    static const char *const formats[] = {"png", "jpg"};
    sac_picture *p = random_picture(SAC_U8, 200, 100, 3), *q = NULL;
    sac_error err;
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        assert_ok(sac_picture_write(p, "whole", formats[i], &err), &err);
        uint8_t *data = get_file("whole", &size);
        put_file("cut", data, size - 200);
        for (int k = 0; k < 100; k++)
            assert_int_equal(sac_picture_read(&q, "cut", 0, &err), SAC_E_FORMAT);
        free(data);
    }
    sac_picture_close(&p);
}

static void larger_than_max_pixels_is_refused(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *p = random_picture(SAC_U8, 20, 10, 3);
    assert_ok(sac_picture_write(p, "a.png", NULL, &err), &err);
    sac_picture_close(&p);
    assert_failed(
        sac_picture_read(&p, "a.png", 199, &err), SAC_E_FORMAT, &err,
        "20 x 10 pixels: more than the limit, 199 (max_pixels; of the command --max-pixels)");
    assert_ok(sac_picture_read(&p, "a.png", 200, &err), &err);
    sac_picture_close(&p);
}

static int allowed;

static bool count_down(size_t bytes)
{
    (void)bytes;
    return allowed-- > 0;
}

static void png_without_memory_is_refused(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *p = random_picture(SAC_U8, 20, 10, 3);
    assert_ok(sac_picture_write(p, "a.png", NULL, &err), &err);
    sac_picture_close(&p);
    for (int n = 0; n < 2; n++) {
        allowed = n;
        sac_alloc_hook(count_down);
        sac_status st = sac_picture_read(&p, "a.png", 0, &err);
        sac_alloc_hook(NULL);
        assert_failed(st, SAC_E_NOMEM, &err, "20 x 10");
        assert_null(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(truncated_pictures_are_refused_without_a_word, empty_folder),
        cmocka_unit_test_setup(truncated_in_the_last_rows_is_refused_each_time, empty_folder),
        cmocka_unit_test_setup(larger_than_max_pixels_is_refused, empty_folder),
        cmocka_unit_test_setup(formats_outside_the_list_are_refused, empty_folder),
        cmocka_unit_test_setup(png_with_bombs_beside_it_is_refused, empty_folder),
        cmocka_unit_test_setup(jp2_whose_header_states_gigabytes_is_refused, empty_folder),
        cmocka_unit_test_setup(damage_is_said_in_plain_words, empty_folder),
        cmocka_unit_test_setup(png_without_memory_is_refused, empty_folder),
    };
    return cmocka_run_group_tests(tests, start_vips, leave_folder);
}
