/*
 * sac_equalize against its definition: worked examples, a reference of the tests' own on random
 * views, OpenCV's formula, smoothing over time, a picture above 2^32 pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/measure.h>

#include "pictures.h"

__extension__ typedef unsigned __int128 wide;

/* A view as numbers: a sample's address by row, column and channel, whatever its layout. */
typedef struct samples {
    sac_dtype dtype;
    int64_t w, h, n_channels, n_colors;
    char *data;
    ptrdiff_t row, pixel, channel;
} samples;

static samples samples_of(const sac_array *a, sac_layout layout)
{
    const int axis_c = a->n_dims == 2 ? -1 : layout == SAC_PLANAR ? 0 : 2, axis_y = axis_c == 0;
    samples s = {.dtype = a->dtype, .data = a->data, .n_channels = 1};
    s.h = a->shape[axis_y];
    s.w = a->shape[axis_y + 1];
    s.row = a->stride[axis_y];
    s.pixel = a->stride[axis_y + 1];
    if (axis_c >= 0) {
        s.n_channels = a->shape[axis_c];
        s.channel = a->stride[axis_c];
    }
    s.n_colors = s.n_channels < 3 ? 1 : 3;
    return s;
}

static uint64_t get(const samples *s, int64_t x, int64_t y, int64_t c)
{
    const char *at = s->data + y * s->row + x * s->pixel + c * s->channel;
    return s->dtype == SAC_U8 ? *(const uint8_t *)at : *(const uint16_t *)(const void *)at;
}

static uint64_t value_at(const samples *s, int64_t x, int64_t y)
{
    uint64_t v = 0;
    for (int64_t c = 0; c < s->n_colors; c++)
        v = get(s, x, y, c) > v ? get(s, x, y, c) : v;
    return v;
}

static sac_equalize_desc desc_of(const samples *s, sac_layout layout)
{
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = s->dtype;
    desc.w = s->w;
    desc.h = s->h;
    desc.n_channels = (int32_t)s->n_channels;
    desc.layout = layout;
    desc.n_threads = 2;
    return desc;
}

static sac_equalize *must_open(const sac_equalize_desc *desc)
{
    sac_equalize *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_equalize_open(&plan, desc, &err), &err);
    return plan;
}

/* The definition as include/saccade/equalize.h writes it, for each sample. */
static void assert_is_definition(const samples *out, const samples *in,
                                 const sac_equalize_desc *desc, const uint64_t *counts)
{
    const uint64_t n_values = in->dtype == SAC_U8 ? 256 : 65536, n = (uint64_t)(in->w * in->h);
    const uint64_t bins = desc->bins ? (uint64_t)desc->bins : n_values;
    uint64_t *sums = calloc(bins, sizeof *sums), first = 0;
    assert_non_null(sums);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++)
            sums[value_at(in, x, y) * bins / n_values]++;
    assert_memory_equal(counts, sums, bins * sizeof *sums);
    while (sums[first] == 0)
        first++;
    const uint64_t base = desc->scale == SAC_SCALE_FIRST    ? sums[first]
                          : desc->scale == SAC_SCALE_MINMAX ? sums[0]
                                                            : 0;
    const bool same = sums[first] == n && desc->scale != SAC_SCALE_MAX;
    for (uint64_t b = 1; b < bins; b++)
        sums[b] += sums[b - 1];
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++) {
            const uint64_t v = value_at(in, x, y), sum = sums[v * bins / n_values];
            const wide top = (wide)(n_values - 1) * (sum > base ? sum - base : 0);
            const wide bottom = (wide)(n - base) * v;
            for (int64_t c = 0; c < in->n_channels; c++) {
                wide want = get(in, x, y, c);
                if (v > 0 && !same && c < in->n_colors)
                    want = (2 * top * want + bottom) / (2 * bottom);
                if (get(out, x, y, c) != want)
                    fail_msg("u%d %dx%dx%d, %d bins, scale %d, at %d,%d,%d: wanted %d, got %d",
                             n_values > 256 ? 16 : 8, (int)in->w, (int)in->h, (int)in->n_channels,
                             (int)bins, desc->scale, (int)x, (int)y, (int)c, (int)want,
                             (int)get(out, x, y, c));
            }
        }
    free(sums);
}

/* A part of a picture, each axis forward or backward, its channels first where planar. */
static sac_array random_view(const sac_array *whole, sac_layout layout, int64_t w, int64_t h,
                             uint64_t *random)
{
    static const int32_t channels_first[] = {2, 0, 1};
    sac_array a, b;
    sac_error err = {0};
    const int64_t y = (int64_t)(sac_check_random(random) % (uint64_t)(whole->shape[0] - h + 1));
    const int64_t x = (int64_t)(sac_check_random(random) % (uint64_t)(whole->shape[1] - w + 1));
    assert_ok(sac_array_range(&a, whole, 0, y, h, &err), &err);
    assert_ok(sac_array_range(&b, &a, 1, x, w, &err), &err);
    for (int32_t axis = 0; axis < b.n_dims; axis++) {
        a = b;
        if (sac_check_random(random) >> 63)
            assert_ok(sac_array_flip(&b, &a, axis, &err), &err);
    }
    if (layout == SAC_PLANAR && b.n_dims == 3) {
        a = b;
        assert_ok(sac_array_permute(&b, &a, channels_first, &err), &err);
    }
    return b;
}

/* One view of random shape, content and options; in place half of the time. */
static void check_random_view(uint64_t k)
{
    static const int32_t bins[] = {0, 2, 100, 256, 65536};
    uint64_t random = 1 + k * UINT64_C(0x9E3779B97F4A7C15);
    const sac_dtype dtype = k & 1 ? SAC_U16 : SAC_U8;
    const sac_layout layout = k & 2 ? SAC_PLANAR : SAC_INTERLEAVED;
    const int32_t n_channels = 1 + (int32_t)(k / 4 % 4);
    const int64_t w = 1 + (int64_t)(sac_check_random(&random) % 90);
    const int64_t h = 1 + (int64_t)(sac_check_random(&random) % 30);
    sac_array whole = new_picture(dtype, 93, 33, n_channels);
    sac_array copy = new_picture(dtype, 93, 33, n_channels);
    sac_array other = new_picture(dtype, 93, 33, n_channels);
    const sac_array in = random_view(&whole, layout, w, h, &random);
    sac_array out = random_view(&other, layout, w, h, &random), before = in;
    /* As it was: the same view of the copy. */
    before.data = (char *)copy.data + ((char *)in.data - (char *)whole.data);
    if (k & 16)
        out = in;
    const samples s_out = samples_of(&out, layout), s_in = samples_of(&before, layout);
    sac_equalize_desc desc = desc_of(&s_in, layout);
    desc.bins = bins[sac_check_random(&random) % 5];
    desc.scale = (int32_t)(sac_check_random(&random) % 3);
    sac_equalize *plan = must_open(&desc);
    int32_t n_bins = 0;
    assert_int_equal(sac_equalize_run(plan, &out, &in, NULL), SAC_OK);
    const uint64_t *counts = sac_equalize_get_counts(plan, &n_bins);
    assert_is_definition(&s_out, &s_in, &desc, counts);
    uint64_t *measured = malloc((size_t)n_bins * sizeof *measured);
    sac_error err = {0};
    assert_non_null(measured);
    assert_ok(sac_measure_histogram(measured, n_bins, &before, layout, &err), &err);
    assert_memory_equal(measured, counts, (size_t)n_bins * sizeof *measured);
    free(measured);
    sac_equalize_close(&plan);
    if (!(k & 16))
        assert_memory_equal(whole.data, copy.data, picture_bytes(&whole));
    free(whole.data);
    free(copy.data);
    free(other.data);
}

static void run_on_any_view_is_the_definition(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 640; k++)
        check_random_view(k);
}

/* A gray row or a row of RGB pixels, equalized, against what was worked out by hand. */
static void check_row(int32_t scale, int32_t n_channels, size_t n, const uint8_t *in,
                      const uint8_t *want)
{
    uint8_t out[16] = {0};
    uint8_t from[16];
    sac_array a, b;
    sac_error err = {0};
    const int64_t shape[] = {1, (int64_t)n, n_channels};
    const size_t n_bytes = n * (size_t)n_channels;
    assert_true(n_bytes <= sizeof from);
    memcpy(from, in, n_bytes);
    assert_ok(sac_array_view(&a, from, SAC_U8, n_channels == 1 ? 2 : 3, shape, &err), &err);
    b = a;
    b.data = out;
    const samples s = samples_of(&a, SAC_INTERLEAVED);
    sac_equalize_desc desc = desc_of(&s, SAC_INTERLEAVED);
    desc.scale = scale;
    sac_equalize *plan = must_open(&desc);
    assert_int_equal(sac_equalize_run(plan, &b, &a, NULL), SAC_OK);
    sac_equalize_close(&plan);
    assert_memory_equal(out, want, n_bytes);
}

#define ROW(...)                                                                                   \
    (const uint8_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void run_two_levels_is_as_by_hand(void **state)
{
    (void)state;
    const uint8_t *in = ROW(50, 200, 50, 50);
    check_row(SAC_SCALE_FIRST, 1, 4, in, ROW(0, 255, 0, 0));
    check_row(SAC_SCALE_MAX, 1, 4, in, ROW(191, 255, 191, 191));    /* 3/4 of 255: 191.25 */
    check_row(SAC_SCALE_MINMAX, 1, 4, in, ROW(191, 255, 191, 191)); /* bin 0 is empty */
}

static void run_a_tie_rounds_up(void **state)
{
    (void)state;
    check_row(SAC_SCALE_MAX, 1, 2, ROW(10, 20), ROW(128, 255)); /* 127.5 */
    /* V = 100 comes to 127.5: 50 comes to 63.75, 2 to 2.55. */
    check_row(SAC_SCALE_MAX, 3, 2, ROW(100, 50, 2, 0, 0, 200), ROW(128, 64, 3, 0, 0, 255));
}

static void run_black_stays_black(void **state)
{
    (void)state;
    /* C = 1, 3, 4: black is 1/4 by max. */
    check_row(SAC_SCALE_MAX, 1, 4, ROW(0, 50, 50, 200), ROW(0, 191, 191, 255));
    check_row(SAC_SCALE_FIRST, 1, 4, ROW(0, 50, 50, 200), ROW(0, 170, 170, 255));
    check_row(SAC_SCALE_MINMAX, 1, 4, ROW(0, 50, 50, 200), ROW(0, 170, 170, 255));
    check_row(SAC_SCALE_MINMAX, 3, 4, ROW(0, 0, 0, 50, 25, 10, 5, 50, 0, 0, 7, 200),
              ROW(0, 0, 0, 170, 85, 34, 17, 170, 0, 0, 9, 255));
}

static void run_a_constant_picture_is_unchanged_but_by_max(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++)
        for (int32_t scale = SAC_SCALE_FIRST; scale <= SAC_SCALE_MINMAX; scale++)
            for (int level = 0; level < 256; level += 51) {
                sac_array a = new_picture(deep ? SAC_U16 : SAC_U8, 35, 9, 3);
                memset(a.data, level, picture_bytes(&a));
                const samples s = samples_of(&a, SAC_INTERLEAVED);
                sac_equalize_desc desc = desc_of(&s, SAC_INTERLEAVED);
                desc.scale = scale;
                sac_equalize *plan = must_open(&desc);
                assert_int_equal(sac_equalize_run(plan, &a, &a, NULL), SAC_OK);
                const int want = scale == SAC_SCALE_MAX && level > 0 ? 255 : level;
                for (size_t i = 0; i < picture_bytes(&a); i++)
                    assert_int_equal(((const uint8_t *)a.data)[i], want);
                sac_equalize_close(&plan);
                free(a.data);
            }
}

/*
 * OpenCV's equalizeHist: cvRound of a float product, half to even. So it is ours wherever the
 * rational does not end in exactly 1/2; there it may be 1 less.
 */
static void check_opencv_formula(uint64_t k)
{
    uint64_t random = 1 + k * UINT64_C(0x9E3779B97F4A7C15);
    sac_array a = new_picture(SAC_U8, 3 + (int64_t)(k % 40), 2 + (int64_t)(k % 37), 1);
    const int64_t n = sac_array_count(&a);
    const unsigned levels = 2 + (unsigned)(sac_check_random(&random) % 254);
    uint8_t *p = a.data;
    int sum[256] = {0};
    for (int64_t i = 0; i < n; i++)
        sum[p[i] = (uint8_t)(sac_check_random(&random) % levels)]++;
    int first = 0;
    while (sum[first] == 0)
        first++;
    const int base = sum[first];
    if (base == n) {
        free(a.data);
        return;
    }
    sum[first] = 0;
    for (int v = 1; v < 256; v++)
        sum[v] += sum[v - 1];
    sac_array out = new_picture(SAC_U8, a.shape[1], a.shape[0], 1);
    const samples s = samples_of(&a, SAC_INTERLEAVED);
    const sac_equalize_desc desc = desc_of(&s, SAC_INTERLEAVED);
    sac_equalize *plan = must_open(&desc);
    assert_int_equal(sac_equalize_run(plan, &out, &a, NULL), SAC_OK);
    const float scale = 255.0f / (float)(n - base);
    for (int64_t i = 0; i < n; i++) {
        const int got = ((const uint8_t *)out.data)[i];
        const int theirs = (int)lrintf((float)sum[p[i]] * scale);
        const bool tie = 2 * 255 * sum[p[i]] % (2 * (n - base)) == n - base;
        if (got != theirs && !(tie && got == theirs + 1))
            fail_msg("%d of %d: OpenCV's %d, got %d", sum[p[i]], (int)(n - base), theirs, got);
    }
    sac_equalize_close(&plan);
    free(a.data);
    free(out.data);
}

static void run_gray_u8_is_opencv_s_but_for_ties(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 500; k++)
        check_opencv_formula(k);
}

static int64_t largest_difference(const sac_array *a, const sac_array *b)
{
    const samples x = samples_of(a, SAC_INTERLEAVED), y = samples_of(b, SAC_INTERLEAVED);
    int64_t largest = 0;
    for (int64_t i = 0; i < x.h; i++)
        for (int64_t j = 0; j < x.w; j++)
            for (int64_t c = 0; c < x.n_channels; c++) {
                const int64_t d = llabs((int64_t)get(&x, j, i, c) - (int64_t)get(&y, j, i, c));
                largest = d > largest ? d : largest;
            }
    return largest;
}

static void run_frame(sac_equalize *plan, const sac_array *out, const sac_array *in)
{
    assert_int_equal(sac_equalize_run(plan, out, in, NULL), SAC_OK);
}

/* Whole pictures and CLAHE: the first frame as without `smooth`; then a slow way to the next. */
static void check_smooth(sac_dtype dtype, int32_t tiles)
{
    sac_array a = new_picture(dtype, 61, 47, 3), b = new_picture(dtype, 61, 47, 3);
    sac_array want = new_picture(dtype, 61, 47, 3), got = new_picture(dtype, 61, 47, 3);
    for (size_t i = 0; i < picture_bytes(&b); i++)
        ((uint8_t *)b.data)[i] ^= 0xFF;
    const samples s = samples_of(&a, SAC_INTERLEAVED);
    sac_equalize_desc desc = desc_of(&s, SAC_INTERLEAVED);
    desc.clahe[0] = desc.clahe[1] = tiles;
    sac_equalize *plain = must_open(&desc);
    desc.smooth = 0.75;
    sac_equalize *smooth = must_open(&desc);
    for (int again = 0; again < 2; again++) {
        run_frame(plain, &want, &a);
        run_frame(smooth, &got, &a);
        assert_true(largest_difference(&want, &got) <= 1);
        run_frame(plain, &want, &b);
        int64_t distance = INT64_MAX;
        for (int frame = 0; frame < 60; frame++) {
            run_frame(smooth, &got, &b);
            const int64_t now = largest_difference(&want, &got);
            assert_true(frame > 0 || now > 1);
            if (now > 1 && now > distance)
                fail_msg("u%d, %d tiles, frame %d: %d away, after %d", dtype == SAC_U8 ? 8 : 16,
                         tiles, frame, (int)now, (int)distance);
            distance = now;
        }
        assert_true(distance <= 1);
        sac_equalize_reset(smooth);
    }
    sac_equalize_close(&plain);
    sac_equalize_close(&smooth);
    free(a.data);
    free(b.data);
    free(want.data);
    free(got.data);
}

static void smooth_follows_the_picture_and_converges(void **state)
{
    (void)state;
    check_smooth(SAC_U8, 0);
    check_smooth(SAC_U16, 0);
    check_smooth(SAC_U8, 4);
    check_smooth(SAC_U16, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_on_any_view_is_the_definition),
        cmocka_unit_test(run_two_levels_is_as_by_hand),
        cmocka_unit_test(run_a_tie_rounds_up),
        cmocka_unit_test(run_black_stays_black),
        cmocka_unit_test(run_a_constant_picture_is_unchanged_but_by_max),
        cmocka_unit_test(run_gray_u8_is_opencv_s_but_for_ties),
        cmocka_unit_test(smooth_follows_the_picture_and_converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
