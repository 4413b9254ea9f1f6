/*
 * The heat map and the noise view as their callers meet them: colors against the formula, every
 * view, what open and run refuse, threads, forced variants.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include <saccade/motion.h>

#include "motion/kernels/heat_u8/heat_u8.h"
#include "motion/kernels/heat_maps.h"
#include "pictures.h"
#include "refusal.h"

#define W 131
#define H 37
#define N_INPUTS 766

static sac_heatmap *must_open_heat(const sac_heatmap_desc *desc)
{
    sac_heatmap *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_heatmap_open(&plan, desc, &err), &err);
    return plan;
}

static sac_noise *must_open_noise(const sac_noise_desc *desc)
{
    sac_noise *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_noise_open(&plan, desc, &err), &err);
    return plan;
}

static sac_heatmap_desc heat_desc(int64_t w, int64_t h, int32_t n_channels)
{
    sac_heatmap_desc desc;
    sac_heatmap_desc_init(&desc);
    desc.w = w;
    desc.h = h;
    desc.n_channels = n_channels;
    return desc;
}

static sac_noise_desc noise_desc(int64_t w, int64_t h, int32_t n_channels)
{
    sac_noise_desc desc;
    sac_noise_desc_init(&desc);
    desc.w = w;
    desc.h = h;
    desc.n_channels = n_channels;
    return desc;
}

/* A frame, and another that differs in a fifth of its pixels. */
static void new_frames(sac_array *current, sac_array *previous, int32_t n_channels)
{
    *current = new_picture(SAC_U8, W, H, n_channels);
    *previous = new_picture(SAC_U8, W, H, n_channels);
    uint8_t *data = current->data;
    uint64_t random = 99;
    for (int64_t i = 0; i < W * H; i++)
        if (sac_check_random(&random) % 5 == 0)
            data[i * n_channels + (int64_t)(sac_check_random(&random) >> 40) % n_channels] ^= 0xF0;
}

static void free_all(sac_array *a, sac_array *b, sac_array *c)
{
    free(a->data);
    free(b->data);
    free(c->data);
}

/* Frames of one row in which pixel i has d = i: previous is black. */
static sac_array every_input(void)
{
    sac_array a = new_picture(SAC_U8, N_INPUTS, 1, 3);
    uint8_t *data = a.data;
    for (int d = 0; d < N_INPUTS; d++)
        for (int c = 0; c < 3; c++) {
            const int rest = d - 255 * c;
            data[3 * d + c] = (uint8_t)(rest < 0 ? 0 : rest > 255 ? 255 : rest);
        }
    return a;
}

static void assert_sines(const uint8_t *pixel, int d, int32_t scale)
{
    const double u = (double)d / scale;
    const double sines[3] = {sin(M_PI * u - M_PI / 2), sin(M_PI * u), sin(M_PI * u + M_PI / 2)};
    for (int c = 0; c < 3; c++) {
        const int want = (int)(255 * fmax(0, sines[c]));
        if (pixel[c] != want)
            fail_msg("scale %d, d %d, color %d: expected %d, got %d", scale, d, c, want, pixel[c]);
    }
}

static void heatmap_of_every_input_is_the_formula(void **state)
{
    (void)state;
    sac_array current = every_input(), previous = every_input(), out = every_input();
    memset(previous.data, 0, picture_bytes(&previous));
    for (const sac_variant *v = sac_heat_u8_room.variants; v->name; v++)
        for (int32_t scale = 510; scale <= 765; scale += 255) {
            sac_heatmap_desc desc = heat_desc(N_INPUTS, 1, 3);
            desc.scale = scale;
            desc.variant = v->name;
            if (v->needs & ~sac_cpu_usable())
                continue;
            sac_heatmap *plan = must_open_heat(&desc);
            assert_non_null(strstr(sac_heatmap_get_variant(plan), v->name));
            assert_int_equal(sac_heatmap_run(plan, &out, &current, &previous, NULL), SAC_OK);
            for (int d = 0; d < N_INPUTS; d++)
                assert_sines((const uint8_t *)out.data + 3 * d, d, scale);
            assert_int_equal(sac_heatmap_run(plan, &out, &previous, &current, NULL), SAC_OK);
            for (int d = 0; d < N_INPUTS; d++)
                assert_sines((const uint8_t *)out.data + 3 * d, d, scale);
            sac_heatmap_close(&plan);
        }
    free_all(&current, &previous, &out);
}

static void heatmap_of_white_against_black_is_red_or_with_510_black(void **state)
{
    (void)state;
    sac_heat_table table;
    sac_heat_table_make(&table, SAC_HEAT_SINE, 765);
    assert_true(table.is_mirrored);
    assert_int_equal(table.color[0][765], 255);
    assert_int_equal(table.color[2][0], 255);
    sac_heat_table_make(&table, SAC_HEAT_SINE, 510);
    assert_false(table.is_mirrored);
    for (int c = 0; c < 3; c++)
        assert_int_equal(table.color[c][765], 0);
}

static void heatmap_of_other_maps_ends_as_they_are_published(void **state)
{
    (void)state;
    static const struct {
        sac_heat_map map;
        uint8_t first[3], last[3];
        int tolerance; /* of a fit */
    } ends[] = {
        {SAC_HEAT_GRAY, {0, 0, 0}, {255, 255, 255}, 0},
        {SAC_HEAT_JET, {0, 0, 128}, {128, 0, 0}, 0},
        {SAC_HEAT_TURBO, {48, 18, 59}, {122, 4, 3}, 32},
        {SAC_HEAT_VIRIDIS, {68, 1, 84}, {253, 231, 37}, 4},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        sac_heat_table table;
        sac_heat_table_make(&table, ends[i].map, 765);
        for (int c = 0; c < 3; c++) {
            assert_in_range(abs(table.color[c][0] - ends[i].first[c]), 0, ends[i].tolerance);
            assert_in_range(abs(table.color[c][765] - ends[i].last[c]), 0, ends[i].tolerance);
        }
        sac_heat_table half;
        sac_heat_table_make(&half, ends[i].map, 255);
        for (int c = 0; c < 3; c++) { /* begins again behind 255 and 510 */
            assert_int_equal(half.color[c][255], table.color[c][765]);
            assert_int_equal(half.color[c][256], half.color[c][1]);
            assert_int_equal(half.color[c][765], half.color[c][255]);
        }
    }
}

static void heatmap_in_bgr_is_that_in_rgb_turned(void **state)
{
    (void)state;
    sac_array current, previous, out = new_picture(SAC_U8, W, H, 3);
    sac_array turned = new_picture(SAC_U8, W, H, 3);
    new_frames(&current, &previous, 3);
    sac_heatmap_desc desc = heat_desc(W, H, 3);
    sac_heatmap *plan = must_open_heat(&desc);
    assert_int_equal(sac_heatmap_run(plan, &out, &current, &previous, NULL), SAC_OK);
    sac_heatmap_close(&plan);
    desc.order = SAC_ORDER_BGR;
    plan = must_open_heat(&desc);
    assert_int_equal(sac_heatmap_run(plan, &turned, &current, &previous, NULL), SAC_OK);
    sac_heatmap_close(&plan);
    const uint8_t *a = out.data, *b = turned.data;
    for (int64_t i = 0; i < W * H; i++)
        for (int c = 0; c < 3; c++)
            assert_int_equal(a[3 * i + c], b[3 * i + 2 - c]);
    free(turned.data);
    free_all(&current, &previous, &out);
}

static void heatmap_with_any_threads_and_in_place_gives_the_same_bytes(void **state)
{
    (void)state;
    for (int32_t n_channels = 1; n_channels <= 4; n_channels += n_channels == 1 ? 2 : 1) {
        const int32_t n_out = n_channels == 1 ? 3 : n_channels;
        sac_array current, previous;
        new_frames(&current, &previous, n_channels);
        sac_array want = new_picture(SAC_U8, W, H, n_out), out = new_picture(SAC_U8, W, H, n_out);
        for (int32_t n_threads = 1; n_threads <= 7; n_threads += 3) {
            sac_heatmap_desc desc = heat_desc(W, H, n_channels);
            desc.map = SAC_HEAT_TURBO;
            desc.n_threads = n_threads;
            sac_heatmap *plan = must_open_heat(&desc);
            sac_array *to = n_threads == 1 ? &want : &out;
            assert_int_equal(sac_heatmap_run(plan, to, &current, &previous, NULL), SAC_OK);
            assert_memory_equal(to->data, want.data, picture_bytes(&want));
            if (n_threads == 7 && n_out == n_channels) {
                assert_int_equal(sac_heatmap_run(plan, &current, &current, &previous, NULL),
                                 SAC_OK);
                assert_memory_equal(current.data, want.data, picture_bytes(&want));
            }
            sac_heatmap_close(&plan);
        }
        free(want.data);
        free_all(&current, &previous, &out);
    }
}

static void heatmap_open_what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const struct {
        sac_status status;
        const char *word;
    } wanted[] = {{SAC_E_SHAPE, "w, h"},      {SAC_E_SHAPE, "n_channels"},
                  {SAC_E_INVALID, "order"},   {SAC_E_INVALID, "map"},
                  {SAC_E_INVALID, "scale"},   {SAC_E_INVALID, "stream"},
                  {SAC_E_INVALID, "variant"}, {SAC_E_INVALID, "struct_size"}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sac_heatmap_desc desc = heat_desc(i == 0 ? 0 : W, H, i == 1 ? 2 : 3);
        desc.order = (sac_pixel_order)(i == 2 ? 7 : 0);
        desc.map = i == 3 ? 5 : 0;
        desc.scale = i == 4 ? 766 : 765;
        desc.stream = i == 5 ? &desc : NULL;
        desc.variant = i == 6 ? "none-such" : NULL;
        desc.struct_size = i == 7 ? 0 : sizeof desc;
        sac_heatmap *plan = (sac_heatmap *)&allowed; /* open is to set it to NULL */
        sac_error err = {0};
        assert_failed(sac_heatmap_open(&plan, &desc, &err), wanted[i].status, &err, wanted[i].word);
        assert_null(plan);
    }
}

static void noise_open_what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const struct {
        sac_status status;
        const char *word;
    } wanted[] = {{SAC_E_SHAPE, "w, h"},        {SAC_E_SHAPE, "n_channels"},
                  {SAC_E_INVALID, "view"},      {SAC_E_INVALID, "threshold"},
                  {SAC_E_INVALID, "threshold"}, {SAC_E_INVALID, "stream"}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sac_noise_desc desc = noise_desc(W, i == 0 ? -1 : H, i == 1 ? 5 : 3);
        desc.view = i == 2 ? 4 : 0;
        desc.threshold = i == 3 ? 256 : i == 4 ? -1 : 20;
        desc.stream = i == 5 ? &desc : NULL;
        sac_noise *plan = (sac_noise *)&allowed;
        sac_error err = {0};
        assert_failed(sac_noise_open(&plan, &desc, &err), wanted[i].status, &err, wanted[i].word);
        assert_null(plan);
    }
}

static void open_without_memory_is_refused(void **state)
{
    (void)state;
    const sac_heatmap_desc heat = heat_desc(W, H, 3);
    const sac_noise_desc noise = noise_desc(W, H, 3);
    sac_heatmap *a = NULL;
    sac_noise *b = NULL;
    sac_error err = {0};
    for (int n = 0; n < 2; n++) {
        refuse_from(n);
        assert_failed(sac_heatmap_open(&a, &heat, &err), SAC_E_NOMEM, &err, "memory");
        refuse_from(n);
        assert_failed(sac_noise_open(&b, &noise, &err), SAC_E_NOMEM, &err, "memory");
    }
    sac_alloc_hook(NULL);
    assert_null(a);
    assert_null(b);
}

static void run_arrays_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sac_array good = new_picture(SAC_U8, W, H, 3);
    sac_array bad[] = {new_picture(SAC_U8, W, H, 4), new_picture(SAC_U16, W, H, 3),
                       new_picture(SAC_U8, W + 1, H, 3), new_picture(SAC_U8, W, H, 1), good};
    bad[4].device.kind = SAC_DEVICE_CUDA;
    const sac_heatmap_desc heat = heat_desc(W, H, 3);
    const sac_noise_desc noise = noise_desc(W, H, 3);
    sac_heatmap *a = must_open_heat(&heat);
    sac_noise *b = must_open_noise(&noise);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(sac_heatmap_run(a, &bad[i], &good, &good, NULL), SAC_E_SHAPE);
        assert_int_equal(sac_heatmap_run(a, &good, &bad[i], &good, NULL), SAC_E_SHAPE);
        assert_int_equal(sac_heatmap_run(a, &good, &good, &bad[i], NULL), SAC_E_SHAPE);
        assert_int_equal(sac_noise_run(b, &bad[i], &good, &good, NULL), SAC_E_SHAPE);
        assert_int_equal(sac_noise_run(b, &good, &bad[i], &good, NULL), SAC_E_SHAPE);
        assert_int_equal(sac_noise_run(b, &good, &good, &bad[i], NULL), SAC_E_SHAPE);
    }
    sac_heatmap_close(&a);
    sac_noise_close(&b);
    for (size_t i = 0; i < 4; i++)
        free(bad[i].data);
    free(good.data);
}

static void noise_at_the_threshold_is_not_a_change(void **state)
{
    (void)state;
    sac_array current = new_picture(SAC_U8, 256, 1, 1), previous = new_picture(SAC_U8, 256, 1, 1);
    sac_array out = new_picture(SAC_U8, 256, 1, 1);
    memset(previous.data, 0, 256);
    for (int i = 0; i < 256; i++)
        ((uint8_t *)current.data)[i] = (uint8_t)i;
    for (int32_t threshold = 0; threshold < 256; threshold++) {
        sac_noise_desc desc = noise_desc(256, 1, 1);
        desc.threshold = threshold;
        desc.n_threads = 1;
        sac_noise *plan = must_open_noise(&desc);
        assert_int_equal(sac_noise_run(plan, &out, &current, &previous, NULL), SAC_OK);
        assert_int_equal(sac_noise_get_count(plan), 255 - threshold);
        for (int i = 0; i < 256; i++)
            assert_int_equal(((const uint8_t *)out.data)[i], i > threshold ? 255 : 0);
        sac_noise_close(&plan);
    }
    free_all(&current, &previous, &out);
}

static void noise_bits_are_the_mask_and_their_number_the_count(void **state)
{
    (void)state;
    for (int32_t n_channels = 1; n_channels <= 4; n_channels += n_channels == 1 ? 2 : 1) {
        sac_array current, previous, mask = new_picture(SAC_U8, W, H, n_channels);
        sac_array bits = new_picture(SAC_U8, (W + 7) / 8, H, 1);
        new_frames(&current, &previous, n_channels);
        sac_noise_desc desc = noise_desc(W, H, n_channels);
        desc.n_threads = 2;
        sac_noise *a = must_open_noise(&desc);
        desc.view = SAC_NOISE_BITS;
        sac_noise *b = must_open_noise(&desc);
        assert_int_equal(sac_noise_run(a, &mask, &current, &previous, NULL), SAC_OK);
        assert_int_equal(sac_noise_run(b, &bits, &current, &previous, NULL), SAC_OK);
        uint64_t count = 0;
        const uint8_t *byte = bits.data, *red = mask.data;
        for (int64_t y = 0; y < H; y++)
            for (int64_t x = 0; x < (W + 7) / 8 * 8; x++) {
                const int bit = byte[y * ((W + 7) / 8) + x / 8] >> x % 8 & 1;
                count += (uint64_t)bit;
                assert_int_equal(bit, x < W && red[(y * W + x) * n_channels] == 255);
            }
        assert_true(count > 0);
        assert_int_equal(sac_noise_get_count(a), count);
        assert_int_equal(sac_noise_get_count(b), count);
        sac_noise_close(&a);
        sac_noise_close(&b);
        free(bits.data);
        free_all(&current, &previous, &mask);
    }
}

/* What the header says of a pixel of three colors, red first. */
static void assert_view(const uint8_t *got, const uint8_t *was, bool changed, int32_t view)
{
    uint8_t want[3] = {0, 0, 0};
    if (view == SAC_NOISE_OVERLAY || (view == SAC_NOISE_PURE && !changed))
        memcpy(want, was, 3);
    if (changed)
        want[0] = 255;
    assert_memory_equal(got, want, 3);
}

static void noise_views_apart_and_in_place_are_as_described(void **state)
{
    (void)state;
    for (int32_t view = SAC_NOISE_MASK; view <= SAC_NOISE_PURE; view++)
        for (int32_t n_threads = 1; n_threads <= 7; n_threads += 6) {
            sac_array current, previous, out = new_picture(SAC_U8, W, H, 3);
            new_frames(&current, &previous, 3);
            sac_noise_desc desc = noise_desc(W, H, 3);
            desc.view = view;
            desc.n_threads = n_threads;
            sac_noise *plan = must_open_noise(&desc);
            assert_int_equal(sac_noise_run(plan, &out, &current, &previous, NULL), SAC_OK);
            const uint8_t *p = current.data, *q = previous.data, *o = out.data;
            for (int64_t i = 0; i < 3 * W * H; i += 3) {
                const bool changed = abs(p[i] - q[i]) > 20 || abs(p[i + 1] - q[i + 1]) > 20 ||
                                     abs(p[i + 2] - q[i + 2]) > 20;
                assert_view(o + i, q + i, changed, view);
            }
            const uint64_t count = sac_noise_get_count(plan);
            assert_int_equal(sac_noise_run(plan, &previous, &current, &previous, NULL), SAC_OK);
            assert_memory_equal(previous.data, out.data, picture_bytes(&out));
            assert_int_equal(sac_noise_get_count(plan), count);
            sac_noise_close(&plan);
            free_all(&current, &previous, &out);
        }
}

/* Two P010 frames that differ in the upper 8 bits of some samples, and in the lower 2 of others. */
static void luma_of_decoders_is_a_gray_frame(void **state)
{
    (void)state;
    enum { WIDTH = 6, HEIGHT = 2, PITCH = 16 };
    uint8_t is[HEIGHT * PITCH], was[HEIGHT * PITCH], out[HEIGHT * WIDTH];
    for (int k = 0; k < HEIGHT * PITCH; k++)
        is[k] = was[k] = (uint8_t)(37 * k);
    was[PITCH + 2 * 4 + 1] ^= 0x80; /* sample (1, 4) */
    was[2 * 3] ^= 0xc0;             /* of (0, 3) the lower bits */
    const sac_device cpu = {SAC_DEVICE_CPU, 0};
    const int64_t shape[] = {HEIGHT, WIDTH};
    sac_array current, previous, view;
    sac_error err = {0};
    assert_ok(sac_luma_view(&current, is, SAC_LUMA_HIGH, WIDTH, HEIGHT, PITCH, cpu, &err), &err);
    assert_ok(sac_luma_view(&previous, was, SAC_LUMA_HIGH, WIDTH, HEIGHT, PITCH, cpu, &err), &err);
    assert_ok(sac_array_view(&view, out, SAC_U8, 2, shape, &err), &err);
    sac_noise_desc desc;
    sac_noise_desc_init(&desc);
    desc.w = WIDTH, desc.h = HEIGHT, desc.n_channels = 1, desc.threshold = 0;
    sac_noise *plan = must_open_noise(&desc);
    assert_ok(sac_noise_run(plan, &view, &current, &previous, &err), &err);
    assert_int_equal(sac_noise_get_count(plan), 1);
    assert_int_equal(out[WIDTH + 4], 255);
    sac_noise_close(&plan);
    assert_ok(sac_luma_view(&current, is, SAC_LUMA_U8, PITCH, HEIGHT, PITCH, cpu, &err), &err);
    assert_int_equal(*((uint8_t *)current.data + current.stride[0] + 3 * current.stride[1]),
                     is[PITCH + 3]);
    assert_failed(sac_luma_view(&view, is, SAC_LUMA_HIGH, 9, 1, PITCH, cpu, &err), SAC_E_SHAPE,
                  &err, "luma");
    assert_failed(sac_luma_view(&view, NULL, SAC_LUMA_U8, 1, 1, 1, cpu, &err), SAC_E_INVALID, &err,
                  "data");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(luma_of_decoders_is_a_gray_frame),
        cmocka_unit_test(heatmap_of_every_input_is_the_formula),
        cmocka_unit_test(heatmap_of_white_against_black_is_red_or_with_510_black),
        cmocka_unit_test(heatmap_of_other_maps_ends_as_they_are_published),
        cmocka_unit_test(heatmap_in_bgr_is_that_in_rgb_turned),
        cmocka_unit_test(heatmap_with_any_threads_and_in_place_gives_the_same_bytes),
        cmocka_unit_test(heatmap_open_what_does_not_fit_is_refused),
        cmocka_unit_test(noise_open_what_does_not_fit_is_refused),
        cmocka_unit_test(open_without_memory_is_refused),
        cmocka_unit_test(run_arrays_that_do_not_fit_are_refused),
        cmocka_unit_test(noise_at_the_threshold_is_not_a_change),
        cmocka_unit_test(noise_bits_are_the_mask_and_their_number_the_count),
        cmocka_unit_test(noise_views_apart_and_in_place_are_as_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
