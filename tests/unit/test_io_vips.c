/*
 * Pictures through libvips: pixels come back, and what came with them stays.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_io_vips.h"

#include <sys/wait.h>

static void lossless_formats_give_every_sample_back(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int bits;
        int32_t min_channels;
        bool may_lack;
    } cases[] = {{"a.png", 16, 1, false}, {"a.tif", 16, 1, false}, {"a.TIFF", 16, 1, false},
                 {"a.jp2", 16, 1, true},  {"a.bmp", 8, 3, true},   {"a[1].png", 8, 1, false},
                 {"a.png]", 8, 1, false}};
    sac_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *format = strchr(cases[i].path, ']') ? "png" : NULL;
        if (cases[i].may_lack && sac_picture_can_write(cases[i].path, format, &err) != SAC_OK) {
            print_message("%s\n", err.text);
            continue;
        }
        for (int bits = 8; bits <= cases[i].bits; bits += 8) {
            for (int32_t channels = cases[i].min_channels; channels <= 4; channels++) {
                if (cases[i].min_channels == 3 && channels == 4)
                    continue;
                sac_picture *q = NULL;
                sac_picture *p = random_picture(bits == 8 ? SAC_U8 : SAC_U16, 67, 45, channels);
                assert_ok(sac_picture_write(p, cases[i].path, format, &err), &err);
                assert_ok(sac_picture_read(&q, cases[i].path, 0, &err), &err);
                assert_same_picture(q, p);
                sac_picture_close(&p);
                sac_picture_close(&q);
            }
        }
    }
}

static void jpeg_that_would_lose_bits_or_alpha_is_refused(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *deep = random_picture(SAC_U16, 8, 8, 3);
    sac_picture *rgba = random_picture(SAC_U8, 8, 8, 4);
    assert_failed(sac_picture_write(deep, "a.jpg", NULL, &err), SAC_E_UNSUPPORTED, &err,
                  "holds 8 bits a sample");
    assert_failed(sac_picture_write(deep, "a.webp", NULL, &err), SAC_E_UNSUPPORTED, &err,
                  "holds 8 bits a sample");
    assert_failed(sac_picture_write(rgba, "a.jpg", NULL, &err), SAC_E_UNSUPPORTED, &err,
                  "cannot hold RGB with alpha");
    sac_picture_close(&deep);
    sac_picture_close(&rgba);
    assert_int_equal(count_files(false), 0);
}

/* A gradient of `bands`, with all that may come with a picture. For g_object_unref(). */
static VipsImage *rich_image(int bands)
{
    VipsImage *flat;
    assert_int_equal(vips_black(&flat, 64, 48, "bands", bands, NULL), 0);
    VipsImage *image;
    assert_int_equal(vips_copy(flat, &image, "interpretation",
                               bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB,
                               "xres", 11.0, "yres", 12.0, NULL),
                     0);
    g_object_unref(flat);
    VipsBlob *profile;
    assert_int_equal(vips_profile_load(bands == 4 ? "cmyk" : "srgb", &profile, NULL), 0);
    size_t size;
    const void *data = vips_blob_get(profile, &size);
    vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, data, size);
    vips_area_unref(VIPS_AREA(profile));
    static const char xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";
    vips_image_set_blob_copy(image, VIPS_META_XMP_NAME, xmp, sizeof xmp - 1);
    vips_image_set_int(image, VIPS_META_ORIENTATION, 6);
    vips_image_set_string(image, "exif-ifd0-Make", "Argus (Argus, ASCII, 6 components, 6 bytes)");
    return image;
}

static void assert_same_blob(VipsImage *got, VipsImage *want, const char *name)
{
    const void *g;
    const void *w;
    size_t g_size;
    size_t w_size;
    assert_int_equal(vips_image_get_blob(want, name, &w, &w_size), 0);
    if (vips_image_get_blob(got, name, &g, &g_size) != 0)
        fail_msg("%s is gone", name);
    assert_int_equal(g_size, w_size);
    assert_memory_equal(g, w, w_size);
}

static void what_came_with_a_picture_is_kept(void **state)
{
    (void)state;
    sac_error err;
    VipsImage *rich = rich_image(3);
    assert_int_equal(vips_image_write_to_file(rich, "in.jpg", NULL), 0);
    sac_picture *p = NULL;
    assert_ok(sac_picture_read(&p, "in.jpg", 0, &err), &err);
    static const char *const paths[] = {"out.png", "out.jpg", "out.tif", "out.webp"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_ok(sac_picture_write(p, paths[i], NULL, &err), &err);
        VipsImage *got = vips_image_new_from_file(paths[i], NULL);
        assert_non_null(got);
        assert_same_blob(got, rich, VIPS_META_ICC_NAME);
        assert_same_blob(got, rich, VIPS_META_XMP_NAME);
        assert_int_equal(vips_image_get_orientation(got), 6);
        const char *make;
        if (i != 2) { /* libvips puts no EXIF into TIFF */
            assert_int_equal(vips_image_get_string(got, "exif-ifd0-Make", &make), 0);
            assert_non_null(strstr(make, "Argus"));
        }
        if (i != 3) { /* WebP has no resolution */
            assert_true(got->Xres > 10.9 && got->Xres < 11.1);
            assert_true(got->Yres > 11.9 && got->Yres < 12.1);
        }
        g_object_unref(got);
    }
    sac_picture_close(&p);
    g_object_unref(rich);
}

static void other_color_spaces_become_rgb_without_their_profile(void **state)
{
    (void)state;
    sac_error err;
    VipsImage *rich = rich_image(4);
    VipsImage *cmyk;
    assert_int_equal(vips_copy(rich, &cmyk, "interpretation", VIPS_INTERPRETATION_CMYK, NULL), 0);
    assert_int_equal(vips_image_write_to_file(cmyk, "cmyk.tif", NULL), 0);
    sac_picture *p = NULL;
    assert_ok(sac_picture_read(&p, "cmyk.tif", 0, &err), &err);
    assert_string_equal(sac_picture_get_note(p), "CMYK became RGB");
    sac_array a = sac_picture_get_array(p);
    assert_int_equal(a.dtype, SAC_U8);
    assert_int_equal(a.shape[2], 3);
    assert_in_range(((uint8_t *)a.data)[0], 250, 255); /* no ink: white */
    assert_ok(sac_picture_write(p, "rgb.png", NULL, &err), &err);
    VipsImage *got = vips_image_new_from_file("rgb.png", NULL);
    assert_int_equal(vips_image_get_typeof(got, VIPS_META_ICC_NAME), 0);
    g_object_unref(got);
    g_object_unref(cmyk);
    g_object_unref(rich);
    sac_picture_close(&p);
}

/* Writes `value` everywhere as float samples of that color space. */
static void put_float_tiff(const char *path, int bands, VipsInterpretation space, double value)
{
    VipsImage *flat;
    VipsImage *lit;
    VipsImage *image;
    assert_int_equal(vips_black(&flat, 8, 8, "bands", bands, NULL), 0);
    assert_int_equal(vips_linear1(flat, &lit, 1.0, value, NULL), 0);
    assert_int_equal(vips_copy(lit, &image, "interpretation", space, NULL), 0);
    assert_int_equal(vips_image_write_to_file(image, path, NULL), 0);
    g_object_unref(image);
    g_object_unref(lit);
    g_object_unref(flat);
}

static void float_rgb_becomes_16_bit_and_float_gray_is_refused(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *p = NULL;
    put_float_tiff("lit.tif", 3, VIPS_INTERPRETATION_scRGB, 1.0);
    assert_ok(sac_picture_read(&p, "lit.tif", 0, &err), &err);
    assert_string_equal(sac_picture_get_note(p), "float linear RGB became RGB of 16 bits");
    sac_array a = sac_picture_get_array(p);
    assert_int_equal(a.dtype, SAC_U16);
    assert_int_equal(a.shape[2], 3);
    assert_in_range(((uint16_t *)a.data)[0], 65000, 65535);
    sac_picture_close(&p);
    put_float_tiff("gray.tif", 1, VIPS_INTERPRETATION_B_W, 0.5);
    assert_failed(sac_picture_read(&p, "gray.tif", 0, &err), SAC_E_UNSUPPORTED, &err,
                  "expected samples of 8 or 16 bits, got float");
}

static void palette_becomes_rgb(void **state)
{
    (void)state;
    sac_error err;
    VipsImage *rich = rich_image(3);
    if (vips_image_write_to_file(rich, "p.png", "palette", TRUE, NULL) != 0) {
        vips_error_clear();
        g_object_unref(rich);
        skip_test("this libvips makes no palettes");
    }
    g_object_unref(rich);
    sac_picture *p = NULL;
    assert_ok(sac_picture_read(&p, "p.png", 0, &err), &err);
    assert_string_equal(sac_picture_get_note(p), "a palette became RGB");
    sac_array a = sac_picture_get_array(p);
    assert_int_equal(a.dtype, SAC_U8);
    assert_int_equal(a.shape[2], 3);
    assert_ok(sac_picture_write(p, "q.png", NULL, &err), &err); /* no palette depth is left */
    sac_picture_close(&p);
}

/* A tower of n pages of 20 x 10, page k of gray level 50 k, as libvips writes pages. */
static void put_pages(const char *path, int n)
{
    VipsImage *black;
    assert_int_equal(vips_black(&black, 20, 10 * n, "bands", 3, NULL), 0);
    VipsImage *tower = vips_image_copy_memory(black);
    uint8_t *samples = (uint8_t *)(uintptr_t)vips_image_get_data(tower);
    for (int y = 0; y < 10 * n; y++)
        memset(samples + (size_t)y * 60, 50 * (y / 10), 60);
    vips_image_set_int(tower, VIPS_META_PAGE_HEIGHT, 10);
    tower->Type = VIPS_INTERPRETATION_sRGB;
    assert_int_equal(vips_image_write_to_file(tower, path, NULL), 0);
    g_object_unref(tower);
    g_object_unref(black);
}

static void further_pages_are_said_and_taken(void **state)
{
    (void)state;
    static const char *const paths[] = {"m.tif", "m.gif", "m.webp"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        sac_error err = {0};
        sac_picture *p = NULL;
        sac_picture_read_desc desc;
        sac_picture_read_desc_init(&desc);
        put_pages(paths[i], 4);
        assert_ok(sac_picture_read(&p, paths[i], 0, &err), &err);
        assert_string_equal(sac_picture_get_note(p), "4 pages, only the first is read");
        assert_int_equal(sac_picture_get_pages(p), 4);
        sac_picture_close(&p);
        for (desc.page = 1; desc.page <= 4; desc.page++) {
            assert_ok(sac_picture_read_with(&p, paths[i], &desc, &err), &err);
            sac_array a = sac_picture_get_array(p);
            assert_int_equal(a.shape[0], 10);
            assert_in_range(*(uint8_t *)a.data + 2, 50 * (desc.page - 1), 50 * (desc.page - 1) + 4);
            assert_string_equal(sac_picture_get_note(p), "");
            sac_picture_close(&p);
        }
        assert_failed(sac_picture_read_with(&p, paths[i], &desc, &err), SAC_E_INVALID, &err,
                      "has 4 pages: there is no page 5");
        assert_null(p);
    }
}

static size_t size_at(const sac_picture *p, const char *path, int32_t quality)
{
    struct stat st;
    sac_error err = {0};
    sac_picture_write_desc desc;
    sac_picture_write_desc_init(&desc);
    desc.quality = quality;
    assert_ok(sac_picture_write_with(p, path, &desc, &err), &err);
    assert_int_equal(stat(path, &st), 0);
    return (size_t)st.st_size;
}

static void quality_decides_the_size_of_lossy_formats(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_picture *p = random_picture(SAC_U8, 64, 64, 3);
    static const char *const paths[] = {"a.jpg", "a.webp"};
    for (size_t i = 0; i < 2; i++) {
        size_t small = size_at(p, paths[i], 30), usual = size_at(p, paths[i], 95);
        assert_true(2 * small < usual);
        assert_ok(sac_picture_write(p, paths[i], NULL, &err), &err);
        struct stat st;
        assert_int_equal(stat(paths[i], &st), 0);
        assert_int_equal((size_t)st.st_size, usual);
    }
    assert_int_equal(size_at(p, "a.png", 1), size_at(p, "a.png", 100));
    sac_picture_close(&p);
}

static void png_comes_through_a_pipe(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *p = random_picture(SAC_U8, 100, 90, 3); /* as PNG, it fits a pipe */
    sac_picture *q = NULL;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    int out = dup(STDOUT_FILENO);
    int in = dup(STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    sac_status wrote = sac_picture_write(p, "-", "png", &err);
    dup2(out, STDOUT_FILENO); /* closes the pipe's end: the reader sees it */
    sac_status st = wrote == SAC_OK ? sac_picture_read(&q, "-", 0, &err) : wrote;
    dup2(in, STDIN_FILENO);
    close(out);
    close(in);
    assert_ok(st, &err);
    assert_same_picture(q, p);
    sac_picture_close(&p);
    sac_picture_close(&q);
}

/* More than the reader keeps in memory: it goes to a temporary file. */
static void long_png_comes_through_a_pipe(void **state)
{
    (void)state;
    sac_error err = {0};
    int ends[2];
    size_t size;
    sac_picture *p = random_picture(SAC_U8, 1000, 900, 3), *q = NULL;
    assert_ok(sac_picture_write(p, "a.png", NULL, &err), &err);
    uint8_t *data = get_file("a.png", &size);
    assert_true(size > 2 << 20);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < size;) {
            ssize_t n = write(ends[1], data + at, size - at < 777 ? size - at : 777);
            if (n <= 0)
                _exit(1);
            at += (size_t)n;
        }
        _exit(0);
    }
    close(ends[1]);
    int in = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    sac_status st = sac_picture_read(&q, "-", 0, &err);
    dup2(in, STDIN_FILENO);
    close(in);
    assert_true(waitpid(child, NULL, 0) == child);
    assert_ok(st, &err);
    assert_same_picture(q, p);
    free(data);
    sac_picture_close(&p);
    sac_picture_close(&q);
    assert_int_equal(count_files(false), 1);
}

static void parts_name_libvips(void **state)
{
    (void)state;
    assert_non_null(strstr(sac_io_parts(), "libvips 8."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lossless_formats_give_every_sample_back, empty_folder),
        cmocka_unit_test_setup(jpeg_that_would_lose_bits_or_alpha_is_refused, empty_folder),
        cmocka_unit_test_setup(what_came_with_a_picture_is_kept, empty_folder),
        cmocka_unit_test_setup(other_color_spaces_become_rgb_without_their_profile, empty_folder),
        cmocka_unit_test_setup(float_rgb_becomes_16_bit_and_float_gray_is_refused, empty_folder),
        cmocka_unit_test_setup(palette_becomes_rgb, empty_folder),
        cmocka_unit_test_setup(further_pages_are_said_and_taken, empty_folder),
        cmocka_unit_test_setup(quality_decides_the_size_of_lossy_formats, empty_folder),
        cmocka_unit_test_setup(png_comes_through_a_pipe, empty_folder),
        cmocka_unit_test_setup(long_png_comes_through_a_pipe, empty_folder),
        cmocka_unit_test(parts_name_libvips),
    };
    return cmocka_run_group_tests(tests, start_vips, leave_folder);
}
