/*
 * CLAHE against a reference of its own: written from the contract, for each pixel anew, sharing no
 * code with the library.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/equalize.h>

#include "pictures.h"

#define MAX_BINS 65536

/* A contiguous picture as numbers, and the options that matter. */
typedef struct job {
    const sac_array *in;
    int64_t w, h, n_channels, n_colors, m; /* m: the largest sample */
    int64_t bins, tiles_x, tiles_y;
    double clip;
} job;

static int64_t get(const sac_array *a, int64_t i)
{
    return a->dtype == SAC_U8 ? ((const uint8_t *)a->data)[i] : ((const uint16_t *)a->data)[i];
}

static int64_t value_at(const job *j, int64_t x, int64_t y)
{
    int64_t v = 0;
    for (int64_t c = 0; c < j->n_colors; c++) {
        const int64_t s = get(j->in, (y * j->w + x) * j->n_channels + c);
        v = s > v ? s : v;
    }
    return v;
}

static int64_t bin_of(const job *j, int64_t v)
{
    return v * j->bins / (j->m + 1);
}

/* (bins) cumulative counts of a tile, clipped; returns its pixels. */
static int64_t tile_sums(int64_t *sums, const job *j, int64_t tx, int64_t ty)
{
    const int64_t x0 = j->w * tx / j->tiles_x, x1 = j->w * (tx + 1) / j->tiles_x;
    const int64_t y0 = j->h * ty / j->tiles_y, y1 = j->h * (ty + 1) / j->tiles_y;
    const int64_t n = (x1 - x0) * (y1 - y0);
    memset(sums, 0, (size_t)j->bins * sizeof *sums);
    for (int64_t y = y0; y < y1; y++)
        for (int64_t x = x0; x < x1; x++)
            sums[bin_of(j, value_at(j, x, y))]++;
    if (j->clip > 0) {
        /* At most clip times the mean, and at least 1; a limit of n and more cuts nothing. */
        int64_t limit = (int64_t)floor(j->clip * (double)n / (double)j->bins), cut = 0;
        limit = limit < 1 ? 1 : limit;
        for (int64_t b = 0; b < j->bins; b++) {
            const int64_t over = sums[b] > limit ? sums[b] - limit : 0;
            sums[b] -= over;
            cut += over;
        }
        for (int64_t b = 0; b < j->bins; b++)
            sums[b] += cut / j->bins;
        const int64_t rest = cut % j->bins;
        for (int64_t i = 0; i < rest; i++)
            sums[i * (j->bins / rest)]++;
    }
    for (int64_t b = 1; b < j->bins; b++)
        sums[b] += sums[b - 1];
    assert_int_equal(sums[j->bins - 1], n);
    return n;
}

/* M s of a tile's bin, with 16 fraction bits. */
static void make_levels(int64_t *levels, const job *j)
{
    static int64_t sums[MAX_BINS];
    for (int64_t ty = 0; ty < j->tiles_y; ty++)
        for (int64_t tx = 0; tx < j->tiles_x; tx++) {
            const int64_t n = tile_sums(sums, j, tx, ty);
            for (int64_t b = 0; b < j->bins; b++)
                levels[(ty * j->tiles_x + tx) * j->bins + b] = j->m * 65536 * sums[b] / n;
        }
}

/* Where pixel i of n lies between tile centers, over 4096; never before the first. */
static int64_t place(int64_t i, int64_t n, int64_t tiles)
{
    const int64_t at = 4096 * ((2 * i + 1) * tiles - n);
    return at < 0 ? 0 : at / (2 * n);
}

/* M s at a pixel of value v, with 16 fraction bits: the four tiles by their shares. */
static int64_t level_at(const int64_t *levels, const job *j, int64_t x, int64_t y, int64_t v)
{
    const int64_t px = place(x, j->w, j->tiles_x), py = place(y, j->h, j->tiles_y);
    int64_t sum = 1 << 23;
    for (int64_t k = 0; k < 4; k++) {
        const int64_t wx = k % 2 ? px % 4096 : 4096 - px % 4096;
        const int64_t wy = k / 2 ? py % 4096 : 4096 - py % 4096;
        int64_t tx = px / 4096 + k % 2, ty = py / 4096 + k / 2;
        tx = tx < j->tiles_x ? tx : j->tiles_x - 1;
        ty = ty < j->tiles_y ? ty : j->tiles_y - 1;
        sum += levels[(ty * j->tiles_x + tx) * j->bins + bin_of(j, v)] * wx * wy;
    }
    return sum >> 24;
}

static void compare(const job *j, const sac_array *got)
{
    int64_t *levels = calloc((size_t)(j->bins * j->tiles_x * j->tiles_y), sizeof *levels);
    assert_non_null(levels);
    make_levels(levels, j);
    for (int64_t y = 0; y < j->h; y++)
        for (int64_t x = 0; x < j->w; x++) {
            const int64_t v = value_at(j, x, y), g = level_at(levels, j, x, y, v);
            for (int64_t c = 0; c < j->n_channels; c++) {
                const int64_t i = (y * j->w + x) * j->n_channels + c, s = get(j->in, i);
                const int64_t want =
                    v > 0 && c < j->n_colors ? (g * s + 32768 * v) / (65536 * v) : s;
                if (get(got, i) != want)
                    fail_msg("u%d, %dx%dx%d, %d bins, %dx%d tiles, clip %g, at %d,%d,%d: wanted "
                             "%d, got %d",
                             j->m > 255 ? 16 : 8, (int)j->w, (int)j->h, (int)j->n_channels,
                             (int)j->bins, (int)j->tiles_x, (int)j->tiles_y, j->clip, (int)x,
                             (int)y, (int)c, (int)want, (int)get(got, i));
            }
        }
    free(levels);
}

static void check_one(sac_dtype dtype, int64_t w, int64_t h, int32_t n_channels, int32_t bins,
                      const int32_t *tiles, double clip)
{
    const sac_array in = new_picture(dtype, w, h, n_channels);
    const sac_array out = new_picture(dtype, w, h, n_channels);
    const job j = {.in = &in,
                   .w = w,
                   .h = h,
                   .n_channels = n_channels,
                   .n_colors = n_channels < 3 ? 1 : 3,
                   .m = dtype == SAC_U8 ? 255 : 65535,
                   .bins = bins,
                   .tiles_x = tiles[0],
                   .tiles_y = tiles[1],
                   .clip = clip};
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = dtype;
    desc.w = w;
    desc.h = h;
    desc.n_channels = n_channels;
    desc.bins = bins;
    desc.clahe[0] = tiles[0];
    desc.clahe[1] = tiles[1];
    desc.clip = clip;
    desc.n_threads = 2;
    sac_equalize *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_equalize_open(&plan, &desc, &err), &err);
    assert_int_equal(sac_equalize_run(plan, &out, &in, NULL), SAC_OK);
    compare(&j, &out);
    sac_equalize_close(&plan);
    free(in.data);
    free(out.data);
}

static void check_all(sac_dtype dtype)
{
    static const int32_t bins[] = {2, 100, 256};
    static const double clips[] = {0, 1, 2, 3.5, 40};
    static const struct {
        int64_t w, h;
        int32_t tiles[2];
    } grids[] = {{61, 47, {1, 1}}, {61, 47, {4, 3}}, {61, 47, {8, 8}}, {17, 5, {3, 5}},
                 {1, 1, {1, 1}},   {7, 64, {7, 1}},  {130, 3, {2, 3}}};
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++)
        for (size_t b = 0; b < 3; b++)
            for (size_t c = 0; c < sizeof clips / sizeof clips[0]; c++)
                for (int32_t n_channels = 1; n_channels <= 4; n_channels++)
                    check_one(dtype, grids[g].w, grids[g].h, n_channels, bins[b], grids[g].tiles,
                              clips[c]);
}

static void clahe_u8_any_options_is_the_reference(void **state)
{
    (void)state;
    check_all(SAC_U8);
}

static void clahe_u16_any_options_is_the_reference(void **state)
{
    (void)state;
    check_all(SAC_U16);
}

/* Levels are made by products up to 2^18 pixels a tile, beyond by divisions. */
static void clahe_of_large_tiles_is_the_reference(void **state)
{
    (void)state;
    const int32_t one[] = {1, 1}, two[] = {2, 1};
    for (int64_t w = 511; w <= 513; w++) {
        check_one(SAC_U16, w, 512, 1, MAX_BINS, one, 2);
        check_one(SAC_U8, w, 512, 1, 256, one, 2);
    }
    check_one(SAC_U16, 1025, 512, 1, MAX_BINS, two, 0);
}

/* Equal tiles of fewer than 2^16 pixels keep sums, in pairs where there are enough pixels; others
 * keep levels. */
static void clahe_of_sums_is_the_reference(void **state)
{
    (void)state;
    static const double clips[] = {0, 2, 40};
    static const struct {
        int64_t w, h;
        int32_t tiles[2];
    } grids[] = {{60, 48, {4, 3}},   {61, 48, {4, 3}},   {720, 200, {3, 2}},
                 {720, 200, {2, 2}}, {257, 255, {1, 1}}, {256, 256, {1, 1}}};
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++)
        for (size_t c = 0; c < sizeof clips / sizeof clips[0]; c++)
            for (int32_t n_channels = 1; n_channels <= 3; n_channels += 2)
                check_one(SAC_U16, grids[g].w, grids[g].h, n_channels, MAX_BINS, grids[g].tiles,
                          clips[c]);
}

static void clahe_of_tiles_too_large_to_count_is_refused(void **state)
{
    (void)state;
    sac_equalize_desc desc;
    sac_equalize *plan = NULL;
    sac_error err = {0};
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8, desc.w = 1 << 16, desc.h = (1 << 17) + 1;
    desc.clahe[0] = 2, desc.clahe[1] = 2;
    assert_failed(sac_equalize_open(&plan, &desc, &err), SAC_E_UNSUPPORTED, &err, "tiles");
    assert_null(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clahe_u8_any_options_is_the_reference),
        cmocka_unit_test(clahe_u16_any_options_is_the_reference),
        cmocka_unit_test(clahe_of_large_tiles_is_the_reference),
        cmocka_unit_test(clahe_of_sums_is_the_reference),
        cmocka_unit_test(clahe_of_tiles_too_large_to_count_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
