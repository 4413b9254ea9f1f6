/*
 * sac_label and sac_label_components: a picture by hand, strides, refusals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include <saccade/label.h>

enum { W = 9, H = 5 };

/* Two components that touch at a corner only, one that ends in the last row, one pixel alone. */
static const char *const picture[H] = {
    "##...#..#", ".##..#...", "...##....", "...#..###", "......#.#",
};
static const char *const numbers[H] = {
    "11...2..3", ".11..2...", "...44....", "...4..555", "......5.5",
};

static void draw(uint8_t *pixels, ptrdiff_t row)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            pixels[y * row + x] = picture[y][x] == '#' ? (uint8_t)(100 + x) : (uint8_t)(99 - y);
}

static void label_picture_numbers_are_in_raster_order(void **unused)
{
    (void)unused;
    uint8_t pixels[H * 12];
    int32_t out[H * 11];
    sac_array in, labels;
    int64_t n = 0;
    sac_error err = {0};
    draw(pixels + 12 * (H - 1), -12); /* the first row lies last */
    assert_int_equal(
        sac_array_view(&in, pixels + 12 * (H - 1), SAC_U8, 2, (const int64_t[]){H, W}, &err),
        SAC_OK);
    assert_int_equal(sac_array_view(&labels, out, SAC_I32, 2, (const int64_t[]){H, W}, &err),
                     SAC_OK);
    in.stride[0] = -12;
    labels.stride[0] = 11 * (ptrdiff_t)sizeof *out;
    assert_int_equal(sac_label(&labels, &n, &in, 100, &err), SAC_OK);
    assert_int_equal(n, 5);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            assert_int_equal(out[11 * y + x], numbers[y][x] == '.' ? 0 : numbers[y][x] - '0');

    sac_component c[5];
    assert_int_equal(sac_label_components(c, 5, &labels, &in, &err), SAC_OK);
    assert_int_equal(c[0].area, 4);
    assert_int_equal(c[0].x0, 0);
    assert_int_equal(c[0].x1, 3);
    assert_int_equal(c[0].y1, 2);
    assert_int_equal(c[0].intensity, 100 + 101 + 101 + 102);
    assert_true(fabs(c[0].x - 1) < 1e-15 && fabs(c[0].y - 0.5) < 1e-15);
    assert_true(fabs(c[0].xx - 0.5) < 1e-15 && fabs(c[0].xy - 0.25) < 1e-15);
    assert_int_equal(c[2].area, 1);
    assert_true(c[2].xx == 0 && c[2].x == 8);
    assert_int_equal(c[4].area, 5);
    assert_int_equal(c[4].y1, H);
}

static void label_of_few_components_leaves_the_others_out(void **unused)
{
    (void)unused;
    uint8_t pixels[] = {200, 0, 200, 0, 200};
    int32_t out[5];
    sac_array in, labels;
    int64_t n;
    sac_component c[4] = {{.area = -1}, {.area = -1}, {.area = -1}, {.area = -1}};
    assert_int_equal(sac_array_view(&in, pixels, SAC_U8, 2, (const int64_t[]){1, 5}, NULL), SAC_OK);
    assert_int_equal(sac_array_view(&labels, out, SAC_I32, 2, (const int64_t[]){1, 5}, NULL),
                     SAC_OK);
    assert_int_equal(sac_label(&labels, &n, &in, 60, NULL), SAC_OK);
    assert_int_equal(n, 3);
    assert_int_equal(sac_label_components(c, 2, &labels, &in, NULL), SAC_OK);
    assert_int_equal(c[1].x0, 2);
    assert_int_equal(c[2].area, -1);
    assert_int_equal(sac_label_components(c, 4, &labels, &in, NULL), SAC_OK);
    assert_int_equal(c[3].area, 0);
}

static void label_wrong_arrays_are_refused(void **unused)
{
    (void)unused;
    uint8_t pixels[12] = {0};
    int32_t out[12];
    sac_array in, labels;
    sac_error err = {0};
    int64_t n = 7;
    assert_int_equal(sac_array_view(&in, pixels, SAC_U8, 2, (const int64_t[]){3, 4}, NULL), SAC_OK);
    assert_int_equal(sac_array_view(&labels, out, SAC_I32, 2, (const int64_t[]){4, 3}, NULL),
                     SAC_OK);
    assert_int_equal(sac_label(&labels, &n, &in, 60, &err), SAC_E_SHAPE);
    assert_int_equal(n, 0);
    assert_non_null(strstr(err.text, "labels"));
    assert_int_equal(sac_array_view(&labels, out, SAC_I32, 2, (const int64_t[]){3, 4}, NULL),
                     SAC_OK);
    assert_int_equal(sac_label(&labels, &n, &in, 257, &err), SAC_E_INVALID);
    assert_int_equal(sac_label(&in, &n, &in, 60, &err), SAC_E_SHAPE);
    in.stride[1] = 2;
    assert_int_equal(sac_label(&labels, &n, &in, 60, &err), SAC_E_SHAPE);
    assert_int_equal(sac_label_components(NULL, 0, &labels, &labels, &err), SAC_E_SHAPE);
}

static void label_without_an_argument_is_refused_by_name(void **unused)
{
    (void)unused;
    uint8_t pixels[4] = {200, 200, 200, 200};
    int32_t out[4] = {1, 1, 1, 1};
    sac_array in, labels;
    sac_component c;
    sac_error err = {0};
    int64_t n = 7;
    assert_int_equal(sac_array_view(&in, pixels, SAC_U8, 2, (const int64_t[]){2, 2}, NULL), SAC_OK);
    assert_int_equal(sac_array_view(&labels, out, SAC_I32, 2, (const int64_t[]){2, 2}, NULL),
                     SAC_OK);
    assert_failed(sac_label(NULL, &n, &in, 60, &err), SAC_E_INVALID, &err, "labels: is NULL");
    assert_failed(sac_label(&labels, NULL, &in, 60, &err), SAC_E_INVALID, &err, "n: is NULL");
    assert_failed(sac_label(&labels, &n, NULL, 60, &err), SAC_E_INVALID, &err, "in: is NULL");
    assert_failed(sac_label_components(NULL, 1, &labels, &in, &err), SAC_E_INVALID, &err,
                  "components: is NULL");
    assert_failed(sac_label_components(&c, 1, NULL, &in, &err), SAC_E_INVALID, &err, "labels");
    assert_failed(sac_label_components(&c, 1, &labels, NULL, &err), SAC_E_INVALID, &err, "in");
    assert_failed(sac_label_components(&c, -1, &labels, &in, &err), SAC_E_INVALID, &err, "n: ");
    assert_int_equal(sac_label_components(NULL, 0, &labels, &in, &err), SAC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(label_picture_numbers_are_in_raster_order),
        cmocka_unit_test(label_of_few_components_leaves_the_others_out),
        cmocka_unit_test(label_wrong_arrays_are_refused),
        cmocka_unit_test(label_without_an_argument_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
