/*
 * noise_u8 in plain C: a byte a pixel of a block, 255 where it changed, in the L1 cache, from which
 * the view is drawn.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels_inline.h"
#include "noise_u8.h"

/* `step`s are passed as constants where they are common, for the vectorizer. */
static inline void find_step(uint8_t *restrict changed, const sac_pixels *p, const sac_pixels *q,
                             int64_t x, int64_t y, int n, uint8_t threshold, ptrdiff_t p_step,
                             ptrdiff_t q_step)
{
    const uint8_t *p0 = sac_row_u8(p, 0, x, y), *q0 = sac_row_u8(q, 0, x, y);
    if (p->n_colors == 1) {
        for (int i = 0; i < n; i++)
            changed[i] = sac_differ_u8(p0[i * p_step], q0[i * q_step]) > threshold ? 255 : 0;
        return;
    }
    const uint8_t *p1 = sac_row_u8(p, 1, x, y), *q1 = sac_row_u8(q, 1, x, y);
    const uint8_t *p2 = sac_row_u8(p, 2, x, y), *q2 = sac_row_u8(q, 2, x, y);
    for (int i = 0; i < n; i++) {
        const uint8_t a = sac_differ_u8(p0[i * p_step], q0[i * q_step]);
        const uint8_t b = sac_differ_u8(p1[i * p_step], q1[i * q_step]);
        const uint8_t c = sac_differ_u8(p2[i * p_step], q2[i * q_step]);
        const uint8_t ab = SAC_MAX(a, b);
        changed[i] = SAC_MAX(ab, c) > threshold ? 255 : 0;
    }
}

static void find(uint8_t *restrict changed, const sac_pixels *p, const sac_pixels *q, int64_t x,
                 int64_t y, int n, uint8_t threshold)
{
    const ptrdiff_t step = p->pixel == q->pixel ? p->pixel : 0;
    if (step == 1)
        find_step(changed, p, q, x, y, n, threshold, 1, 1);
    else if (step == 3)
        find_step(changed, p, q, x, y, n, threshold, 3, 3);
    else if (step == 4)
        find_step(changed, p, q, x, y, n, threshold, 4, 4);
    else
        find_step(changed, p, q, x, y, n, threshold, p->pixel, q->pixel);
}

/* Color c of n pixels of a view; `to` may be `from`. */
static inline void draw_step(uint8_t *to, const uint8_t *from, const uint8_t *changed, int n, int c,
                             sac_noise_view view, ptrdiff_t to_step, ptrdiff_t from_step)
{
    if (view == SAC_NOISE_MASK) {
        for (int i = 0; i < n; i++)
            to[i * to_step] = c == 0 ? changed[i] : 0;
    } else if (c == 0) {
        for (int i = 0; i < n; i++)
            to[i * to_step] = from[i * from_step] | changed[i];
    } else if (view == SAC_NOISE_PURE) {
        for (int i = 0; i < n; i++)
            to[i * to_step] = from[i * from_step] & (uint8_t)~changed[i];
    } else if (to != from) {
        for (int i = 0; i < n; i++)
            to[i * to_step] = from[i * from_step];
    }
}

/* Packed in both, 3 bytes a pixel with color[0] at `red`, so that bytes are written in order. */
static inline void draw_packed(uint8_t *to, const uint8_t *from, const uint8_t *changed, int n,
                               int red, sac_noise_view view)
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            const uint8_t is = c == red ? changed[i] : 0;
            const uint8_t was = view == SAC_NOISE_MASK   ? 0
                                : view == SAC_NOISE_PURE ? from[3 * i + c] & (uint8_t)~changed[i]
                                                         : from[3 * i + c];
            to[3 * i + c] = was | is;
        }
}

static void draw_view(const sac_pixels *out, const sac_pixels *previous, const uint8_t *changed,
                      int64_t x, int64_t y, int n, sac_noise_view view)
{
    const bool is_color = out->n_colors == 3 && !out->alpha && !previous->alpha;
    if (is_color && sac_dense_step_u8(out, previous) == 3) {
        const uint8_t *from = sac_low_color_u8(previous, x, y);
        const ptrdiff_t red = sac_row_u8(previous, 0, x, y) - from;
        uint8_t *to = sac_out_u8(out, 0, x, y) - red;
        if (view == SAC_NOISE_MASK)
            draw_packed(to, from, changed, n, (int)red, SAC_NOISE_MASK);
        else if (view == SAC_NOISE_PURE)
            draw_packed(to, from, changed, n, (int)red, SAC_NOISE_PURE);
        else
            draw_packed(to, from, changed, n, (int)red, SAC_NOISE_OVERLAY);
        return;
    }
    for (int c = 0; c < out->n_colors; c++)
        draw_step(sac_out_u8(out, c, x, y), sac_row_u8(previous, c, x, y), changed, n, c, view,
                  out->pixel, previous->pixel);
    if (view == SAC_NOISE_MASK)
        sac_set_alpha_u8(out, x, y, n, 255);
}

static void draw_bits(const sac_pixels *out, const uint8_t *changed, int64_t x, int64_t y, int n)
{
    for (int i = 0; i < n; i += 8) {
        uint8_t byte = 0;
        for (int k = 0; k < 8 && i + k < n; k++)
            byte |= (uint8_t)((changed[i + k] & 1) << k);
        *sac_out_u8(out, 0, (x + i) / 8, y) = byte;
    }
}

static uint64_t count_changed(const uint8_t *changed, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += changed[i] & 1;
    return (uint64_t)count;
}

uint64_t sac_noise_u8_plain(const sac_pixels *out, const sac_pixels *current,
                            const sac_pixels *previous, sac_noise_view view, int32_t threshold)
{
    uint8_t changed[SAC_BLOCK];
    uint64_t count = 0;
    for (int64_t y = 0; y < current->h; y++)
        for (int64_t x = 0; x < current->w; x += SAC_BLOCK) {
            const int n = (int)(current->w - x < SAC_BLOCK ? current->w - x : SAC_BLOCK);
            find(changed, current, previous, x, y, n, (uint8_t)threshold);
            count += count_changed(changed, n);
            if (view == SAC_NOISE_BITS)
                draw_bits(out, changed, x, y, n);
            else
                draw_view(out, previous, changed, x, y, n, view);
        }
    if (view == SAC_NOISE_OVERLAY || view == SAC_NOISE_PURE)
        sac_copy_alpha(out, previous, 1);
    return count;
}
