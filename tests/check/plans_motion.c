/*
 * motion through its plans: heat map, noise view, denoising and adjustment of frames that lie
 * anyhow, against their formulas.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/kernels/gaussian_u8/gaussian_u8.h"
#include "motion/kernels/heat_maps.h"
#include "motion/kernels/mean_u8/mean_u8.h"
#include "motion/kernels/median3_u8/median3_u8.h"
#include "motion/kernels/median5_u8/median5_u8.h"
#include "motion/kernels/temporal_u8/temporal_u8.h"
#include "motion/denoise.h"
#include "plans.h"

static const int32_t threads[] = {1, 1, 2, 3, 7};

/* A stream of packed frames, (n, h, w, channels). */
typedef struct frames {
    int32_t n, n_channels;
    int64_t w, h;
    size_t bytes; /* of a frame */
    uint8_t *values;
} frames;

static frames draw_frames(plan_check *c, int32_t most_channels)
{
    static const int32_t channels[] = {1, 3, 4, 2};
    frames f = {.n = 2 + (int32_t)plan_draw(c, plan_draw(c, 3) ? 3 : PLAN_MOST_BATCH - 1)};
    f.w = 1 + plan_draw(c, plan_draw(c, 4) ? 90 : 1100);
    f.h = 1 + plan_draw(c, 1 + 8000 / (f.w * f.n));
    f.n_channels = channels[plan_draw(c, most_channels)];
    f.bytes = (size_t)(f.w * f.h * f.n_channels);
    f.values = plan_memory((size_t)f.n, f.bytes);
    plan_fill(c, f.values, SAC_U8, (int64_t)f.bytes * f.n);
    for (int32_t i = 1; i < f.n; i++) /* some of each frame is as it was */
        for (size_t k = 0; k < f.bytes; k++)
            if (plan_draw(c, 3) == 0)
                f.values[(size_t)i * f.bytes + k] = f.values[(size_t)(i - 1) * f.bytes + k];
    return f;
}

static plan_lay open_frame(plan_check *c, const frames *f, int32_t i)
{
    const int64_t shape[] = {f->h, f->w, f->n_channels};
    const bool flat = f->n_channels == 1 && plan_draw(c, 2);
    plan_lay lay = plan_lay_open(c, SAC_U8, flat ? 2 : 3, shape, false, PLAN_HOST);
    plan_lay_write(c, &lay, f->values + (size_t)i * f->bytes);
    return lay;
}

static plan_lay open_out(plan_check *c, int64_t w, int64_t h, int32_t n_channels)
{
    const int64_t shape[] = {h, w, n_channels};
    const bool flat = n_channels == 1 && plan_draw(c, 2);
    return plan_lay_open(c, SAC_U8, flat ? 2 : 3, shape, false, PLAN_HOST);
}

/* Which channel is red; colors follow it in this direction. */
static int32_t red_of(sac_pixel_order order, int32_t n_channels)
{
    return n_channels >= 3 && order == SAC_ORDER_BGR ? 2 : 0;
}

static int32_t difference(const uint8_t *a, const uint8_t *b, int32_t channel)
{
    return abs(a[channel] - b[channel]);
}

static void define_heat(uint8_t *want, const frames *f, int32_t i, const sac_heatmap_desc *d,
                        const sac_heat_table *table)
{
    const uint8_t *current = f->values + (size_t)i * f->bytes, *previous = current - f->bytes;
    const int32_t n = f->n_channels, n_out = n == 1 ? 3 : n, red = red_of(d->order, n_out);
    for (int64_t k = 0; k < f->w * f->h; k++) {
        int32_t sum = 0;
        for (int32_t ch = 0; ch < 3; ch++)
            sum += difference(current + k * n, previous + k * n, n == 1 ? 0 : ch);
        for (int32_t ch = 0; ch < 3; ch++)
            want[k * n_out + (red ? red - ch : ch)] = table->color[ch][sum];
        if (n_out == 4)
            want[k * 4 + 3] = 255;
    }
}

static void check_heat(plan_check *c)
{
    static const sac_pixel_order orders[] = {SAC_ORDER_RGB, SAC_ORDER_BGR};
    frames f = draw_frames(c, 3);
    sac_heatmap_desc d;
    sac_heat_table table;
    sac_heatmap *plan = NULL;
    sac_error err = {0};
    sac_heatmap_desc_init(&d);
    d.w = f.w;
    d.h = f.h;
    d.n_channels = f.n_channels;
    d.order = f.n_channels == 1 ? SAC_ORDER_RGB : PLAN_ONE_OF(c, orders);
    d.map = (int32_t)plan_draw(c, 5);
    d.scale = 1 + (int32_t)plan_draw(c, 765);
    d.n_threads = PLAN_ONE_OF(c, threads);
    d.variant = plan_variant(c);
    plan_about(c,
               "heat map, %d frames %" PRId64 "x%" PRId64 "x%d, order %d, map %d, scale %d, "
               "threads %d, variant %s",
               f.n, f.w, f.h, f.n_channels, (int)d.order, d.map, d.scale, d.n_threads,
               d.variant ? d.variant : "-");
    const sac_status status = sac_heatmap_open(&plan, &d, &err);
    if (plan_lacks(status, d.variant))
        c->n_skipped++;
    else if (status != SAC_OK)
        plan_fault(c, "open: %s", err.text);
    sac_heat_table_make(&table, (sac_heat_map)d.map, d.scale);
    const int32_t n_out = f.n_channels == 1 ? 3 : f.n_channels;
    uint8_t *want = plan_memory((size_t)(f.w * f.h), (size_t)n_out);
    for (int32_t i = 1; i < f.n && plan; i++) {
        plan_lay current = open_frame(c, &f, i), previous = open_frame(c, &f, i - 1);
        plan_lay out = open_out(c, f.w, f.h, n_out);
        define_heat(want, &f, i, &d, &table);
        if (sac_heatmap_run(plan, &out.array, &current.array, &previous.array, &err) != SAC_OK)
            plan_fault(c, "run: %s", err.text);
        plan_lay_compare(c, &out, want, "out");
        plan_lay_compare(c, &current, f.values + (size_t)i * f.bytes, "current, afterwards");
        plan_lay_close(c, &current);
        plan_lay_close(c, &previous);
        plan_lay_close(c, &out);
    }
    sac_heatmap_close(&plan);
    free(want);
    free(f.values);
}

/* The view of a frame and how many pixels changed. */
static uint64_t define_noise(uint8_t *want, const frames *f, int32_t i, const sac_noise_desc *d)
{
    const uint8_t *current = f->values + (size_t)i * f->bytes, *previous = current - f->bytes;
    const int32_t n = f->n_channels, n_colors = n == 1 ? 1 : 3, red = red_of(d->order, n);
    const int64_t row = (f->w + 7) / 8;
    uint64_t count = 0;
    if (d->view == SAC_NOISE_BITS)
        memset(want, 0, (size_t)(row * f->h));
    for (int64_t k = 0; k < f->w * f->h; k++) {
        const uint8_t *a = current + k * n, *b = previous + k * n;
        bool changed = false;
        for (int32_t ch = 0; ch < n_colors; ch++)
            changed = changed || difference(a, b, ch) > d->threshold;
        count += changed;
        if (d->view == SAC_NOISE_BITS) {
            want[k / f->w * row + k % f->w / 8] |= (uint8_t)(changed << (k % f->w % 8));
            continue;
        }
        uint8_t *to = want + k * n;
        const bool is_black = d->view == SAC_NOISE_MASK || (changed && d->view == SAC_NOISE_PURE);
        for (int32_t ch = 0; ch < n_colors; ch++)
            to[ch] = is_black ? 0 : b[ch];
        if (changed)
            to[red] = 255;
        if (n == 4)
            to[3] = d->view == SAC_NOISE_MASK ? 255 : b[3];
    }
    return count;
}

static void check_noise(plan_check *c)
{
    static const sac_pixel_order orders[] = {SAC_ORDER_RGB, SAC_ORDER_BGR};
    static const int32_t thresholds[] = {0, 5, 20, 20, 100, 255};
    frames f = draw_frames(c, 3);
    sac_noise_desc d;
    sac_noise *plan = NULL;
    sac_error err = {0};
    sac_noise_desc_init(&d);
    d.w = f.w;
    d.h = f.h;
    d.n_channels = f.n_channels;
    d.order = f.n_channels == 1 ? SAC_ORDER_RGB : PLAN_ONE_OF(c, orders);
    d.view = (int32_t)plan_draw(c, 4);
    d.threshold = PLAN_ONE_OF(c, thresholds);
    d.n_threads = PLAN_ONE_OF(c, threads);
    d.variant = plan_variant(c);
    plan_about(c,
               "noise view, %d frames %" PRId64 "x%" PRId64 "x%d, order %d, view %d, threshold "
               "%d, threads %d, variant %s",
               f.n, f.w, f.h, f.n_channels, (int)d.order, d.view, d.threshold, d.n_threads,
               d.variant ? d.variant : "-");
    const sac_status status = sac_noise_open(&plan, &d, &err);
    if (plan_lacks(status, d.variant))
        c->n_skipped++;
    else if (status != SAC_OK)
        plan_fault(c, "open: %s", err.text);
    const bool is_bits = d.view == SAC_NOISE_BITS;
    uint8_t *want = plan_memory((size_t)(f.w * f.h), (size_t)f.n_channels);
    for (int32_t i = 1; i < f.n && plan; i++) {
        plan_lay current = open_frame(c, &f, i), previous = open_frame(c, &f, i - 1);
        plan_lay out = open_out(c, is_bits ? (f.w + 7) / 8 : f.w, f.h, is_bits ? 1 : f.n_channels);
        const uint64_t count = define_noise(want, &f, i, &d);
        if (sac_noise_run(plan, &out.array, &current.array, &previous.array, &err) != SAC_OK)
            plan_fault(c, "run: %s", err.text);
        plan_lay_compare(c, &out, want, "out");
        if (sac_noise_get_count(plan) != count)
            plan_fault(c, "count: wanted %" PRIu64 ", got %" PRIu64, count,
                       sac_noise_get_count(plan));
        plan_lay_close(c, &current);
        plan_lay_close(c, &previous);
        plan_lay_close(c, &out);
    }
    sac_noise_close(&plan);
    free(want);
    free(f.values);
}

static sac_samples samples_of(const frames *f, uint8_t *data)
{
    return (sac_samples){.data = data,
                         .channel = 1,
                         .pixel = f->n_channels,
                         .row = f->w * f->n_channels,
                         .w = f->w,
                         .h = f->h,
                         .n_channels = f->n_channels};
}

/* Frame i filtered, by the specifications of the rooms; state: the temporal filter's. */
static void define_denoise(uint8_t *want, uint16_t *state, const frames *f, int32_t i,
                           const sac_denoise_desc *d)
{
    const sac_samples in = samples_of(f, f->values + (size_t)i * f->bytes);
    const sac_samples out = samples_of(f, want);
    const double of_size = 0.3 * ((d->size - 1) / 2.0 - 1) + 0.8; /* as the header has it */
    uint16_t keep[256] = {0};
    sac_filter window = {.size = d->size};
    sac_denoise_weights(&window, d->sigma > 0 ? d->sigma : of_size);
    if (i > 0)
        sac_denoise_keep(keep, d->strength, d->noise);
    if (d->method == SAC_DENOISE_MEAN)
        sac_mean_u8_ref(&out, &in, 0, &window);
    else if (d->method == SAC_DENOISE_GAUSSIAN)
        sac_gaussian_u8_ref(&out, &in, 0, &window);
    else if (d->method == SAC_DENOISE_MEDIAN)
        (d->size == 3 ? sac_median3_u8_ref : sac_median5_u8_ref)(&out, &in, 0, &window);
    else
        sac_temporal_u8_ref(&out, state, &in, keep);
}

static void check_denoise(plan_check *c)
{
    frames f = draw_frames(c, 4);
    sac_denoise_desc d;
    sac_denoise *plan = NULL;
    sac_error err = {0};
    sac_denoise_desc_init(&d);
    d.w = f.w;
    d.h = f.h;
    d.n_channels = f.n_channels;
    d.method = (int32_t)plan_draw(c, 4);
    d.size = plan_draw(c, 2) ? 3 : 5;
    d.sigma = plan_draw(c, 2) ? 0 : 0.2 * (double)(1 + plan_draw(c, 10));
    d.strength = 0.1 * (double)plan_draw(c, 11);
    d.noise = 1 + (double)plan_draw(c, 20);
    d.n_threads = PLAN_ONE_OF(c, threads);
    d.variant = plan_variant(c);
    plan_about(c,
               "denoise, %d frames %" PRId64 "x%" PRId64 "x%d, method %d, size %d, sigma %g, "
               "strength %g, noise %g, threads %d, variant %s",
               f.n, f.w, f.h, f.n_channels, d.method, d.size, d.sigma, d.strength, d.noise,
               d.n_threads, d.variant ? d.variant : "-");
    const sac_status status = sac_denoise_open(&plan, &d, &err);
    if (plan_lacks(status, d.variant))
        c->n_skipped++;
    else if (status != SAC_OK)
        plan_fault(c, "open: %s", err.text);
    uint8_t *want = plan_memory(f.bytes, 1);
    uint16_t *state = plan_memory(f.bytes, sizeof *state);
    for (int32_t i = 0; i < f.n && plan; i++) {
        plan_lay in = open_frame(c, &f, i), out = open_out(c, f.w, f.h, f.n_channels);
        define_denoise(want, state, &f, i, &d);
        if (sac_denoise_run(plan, &out.array, &in.array, &err) != SAC_OK)
            plan_fault(c, "run: %s", err.text);
        plan_lay_compare(c, &out, want, "out");
        plan_lay_compare(c, &in, f.values + (size_t)i * f.bytes, "in, afterwards");
        plan_lay_close(c, &in);
        plan_lay_close(c, &out);
    }
    sac_denoise_close(&plan);
    free(want);
    free(state);
    free(f.values);
}

/* Frame i, by the formula of docs/motion.md. */
static void define_adjust(uint8_t *want, const frames *f, int32_t i, const sac_adjust_desc *d)
{
    const uint8_t *in = f->values + (size_t)i * f->bytes;
    const int32_t n = f->n_channels, red = red_of(d->order, n);
    const double a = d->gain * d->contrast, s = n == 1 ? 1 : d->saturation;
    int k = 13;
    while (a * (s > 1 ? s : 1) * (1 << k) > 32767)
        k--;
    const int64_t p = (int64_t)floor(a * s * (1 << k) + 0.5);
    const int64_t q = (int64_t)floor(a * (1 << k) + 0.5) - p;
    const int64_t o =
        (int64_t)floor(32 * (127.5 * (1 - d->contrast) + 2.55 * d->brightness) + 0.5) + 16;
    for (int64_t j = 0; j < f->w * f->h; j++) {
        const uint8_t *from = in + j * n;
        const int64_t luma =
            n == 1 ? 128 * from[0] : 38 * from[red] + 75 * from[1] + 15 * from[2 - red];
        for (int32_t ch = 0; ch < n; ch++) {
            const double sum = (double)(128 * p * from[ch] + q * luma + o * (1 << (k + 2)));
            const double v = floor(ldexp(sum, -k - 7));
            want[j * n + ch] = ch == 3 ? from[3] : (uint8_t)fmin(fmax(v, 0), 255);
        }
    }
}

static sac_adjust_desc draw_adjust(plan_check *c, const frames *f)
{
    static const sac_pixel_order orders[] = {SAC_ORDER_RGB, SAC_ORDER_BGR};
    sac_adjust_desc d;
    sac_adjust_desc_init(&d);
    d.w = f->w;
    d.h = f->h;
    d.n_channels = f->n_channels;
    d.order = f->n_channels == 1 ? SAC_ORDER_RGB : PLAN_ONE_OF(c, orders);
    d.brightness = plan_draw(c, 2) ? 0 : -100 + 0.1 * (double)plan_draw(c, 2001);
    d.contrast = plan_draw(c, 2) ? 1 : 0.01 * (double)plan_draw(c, 401);
    d.saturation = plan_draw(c, 2) ? 1 : 0.01 * (double)plan_draw(c, 401);
    d.gain = plan_draw(c, 2) ? 1 : 0.01 * (double)plan_draw(c, plan_draw(c, 2) ? 201 : 1601);
    d.n_threads = PLAN_ONE_OF(c, threads);
    return d;
}

/* Apart or in place; the controls move between the frames. */
static void check_adjust(plan_check *c)
{
    frames f = draw_frames(c, 3);
    sac_adjust_desc d = draw_adjust(c, &f);
    sac_adjust *plan = NULL;
    sac_error err = {0};
    d.variant = plan_variant(c);
    plan_about(c,
               "adjust, %d frames %" PRId64 "x%" PRId64 "x%d, order %d, brightness %g, contrast "
               "%g, saturation %g, gain %g, threads %d, variant %s",
               f.n, f.w, f.h, f.n_channels, (int)d.order, d.brightness, d.contrast, d.saturation,
               d.gain, d.n_threads, d.variant ? d.variant : "-");
    const sac_status status = sac_adjust_open(&plan, &d, &err);
    if (plan_lacks(status, d.variant))
        c->n_skipped++;
    else if (status != SAC_OK)
        plan_fault(c, "open: %s", err.text);
    uint8_t *want = plan_memory(f.bytes, 1);
    for (int32_t i = 0; i < f.n && plan; i++) {
        plan_lay in = open_frame(c, &f, i), out = open_out(c, f.w, f.h, f.n_channels);
        const bool in_place = plan_draw(c, 2);
        define_adjust(want, &f, i, &d);
        if (sac_adjust_run(plan, in_place ? &in.array : &out.array, &in.array, &err) != SAC_OK)
            plan_fault(c, "run: %s", err.text);
        plan_lay_compare(c, in_place ? &in : &out, want, "out");
        if (!in_place)
            plan_lay_compare(c, &in, f.values + (size_t)i * f.bytes, "in, afterwards");
        plan_lay_close(c, &in);
        plan_lay_close(c, &out);
        const sac_adjust_desc moved = draw_adjust(c, &f);
        d.brightness = moved.brightness, d.contrast = moved.contrast;
        d.saturation = moved.saturation, d.gain = moved.gain;
        if (sac_adjust_set(plan, &d, &err) != SAC_OK)
            plan_fault(c, "set: %s", err.text);
    }
    sac_adjust_close(&plan);
    free(want);
    free(f.values);
}

void check_motion_plans(plan_check *c)
{
    switch (plan_draw(c, 4)) {
    case 0:
        check_heat(c);
        break;
    case 1:
        check_noise(c);
        break;
    case 2:
        check_adjust(c);
        break;
    default:
        check_denoise(c);
    }
}
