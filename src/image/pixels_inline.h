/*
 * Pixels in plain C for any layout: addresses, V = max(R, G, B) of a run, alpha, strips. Included
 * by rooms, so that each ISA compiles it anew.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IMAGE_PIXELS_INLINE_H
#define SAC_IMAGE_PIXELS_INLINE_H

#include <stdbool.h>
#include <string.h>

#include "image/pixels.h"

/* How many pixels a kernel takes at once where it keeps V: V and the samples stay in the L1 cache.
 */
#define SAC_BLOCK 512

#define SAC_MAX(a, b) ((a) > (b) ? (a) : (b))

static inline const uint8_t *sac_row_u8(const sac_pixels *p, int channel, int64_t x, int64_t y)
{
    return (const uint8_t *)p->color[channel] + y * p->row + x * p->pixel;
}

static inline const uint16_t *sac_row_u16(const sac_pixels *p, int channel, int64_t x, int64_t y)
{
    return (const uint16_t *)(const void *)sac_row_u8(p, channel, x, y);
}

/* (n) values of V from x of row y on. `step` is passed as a constant where it is common, for the
 * vectorizer. */
static inline void sac_vmax_step_u8(uint8_t *restrict v, const sac_pixels *p, int64_t x, int64_t y,
                                    int64_t n, ptrdiff_t step)
{
    const uint8_t *a = sac_row_u8(p, 0, x, y);
    if (p->n_colors == 1) {
        for (int64_t i = 0; i < n; i++)
            v[i] = a[i * step];
        return;
    }
    const uint8_t *b = sac_row_u8(p, 1, x, y), *c = sac_row_u8(p, 2, x, y);
    for (int64_t i = 0; i < n; i++) {
        uint8_t ab = SAC_MAX(a[i * step], b[i * step]);
        v[i] = SAC_MAX(ab, c[i * step]);
    }
}

static inline void sac_vmax_u8(uint8_t *restrict v, const sac_pixels *p, int64_t x, int64_t y,
                               int64_t n)
{
    switch (p->pixel) {
    case 1:
        sac_vmax_step_u8(v, p, x, y, n, 1);
        break;
    case 3:
        sac_vmax_step_u8(v, p, x, y, n, 3);
        break;
    case 4:
        sac_vmax_step_u8(v, p, x, y, n, 4);
        break;
    default:
        sac_vmax_step_u8(v, p, x, y, n, p->pixel);
    }
}

static inline void sac_vmax_step_u16(uint16_t *restrict v, const sac_pixels *p, int64_t x,
                                     int64_t y, int64_t n, ptrdiff_t step)
{
    const uint16_t *a = sac_row_u16(p, 0, x, y);
    if (p->n_colors == 1) {
        for (int64_t i = 0; i < n; i++)
            v[i] = a[i * step];
        return;
    }
    const uint16_t *b = sac_row_u16(p, 1, x, y), *c = sac_row_u16(p, 2, x, y);
    for (int64_t i = 0; i < n; i++) {
        uint16_t ab = SAC_MAX(a[i * step], b[i * step]);
        v[i] = SAC_MAX(ab, c[i * step]);
    }
}

static inline void sac_vmax_u16(uint16_t *restrict v, const sac_pixels *p, int64_t x, int64_t y,
                                int64_t n)
{
    switch (p->pixel) {
    case 2:
        sac_vmax_step_u16(v, p, x, y, n, 1);
        break;
    case 6:
        sac_vmax_step_u16(v, p, x, y, n, 3);
        break;
    case 8:
        sac_vmax_step_u16(v, p, x, y, n, 4);
        break;
    default:
        sac_vmax_step_u16(v, p, x, y, n, p->pixel / 2);
    }
}

static inline uint8_t *sac_out_u8(const sac_pixels *p, int channel, int64_t x, int64_t y)
{
    return (uint8_t *)p->color[channel] + y * p->row + x * p->pixel;
}

static inline uint16_t *sac_out_u16(const sac_pixels *p, int channel, int64_t x, int64_t y)
{
    return (uint16_t *)(void *)sac_out_u8(p, channel, x, y);
}

/* Alpha as it is, where there is one; samples of `size` bytes. */
static inline void sac_copy_alpha(const sac_pixels *out, const sac_pixels *in, size_t size)
{
    if (!out->alpha || !in->alpha || out->alpha == in->alpha)
        return;
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++)
            memcpy((char *)out->alpha + y * out->row + x * out->pixel,
                   (const char *)in->alpha + y * in->row + x * in->pixel, size);
}

/* |a - b|, in bytes throughout, for the vectorizer. */
static inline uint8_t sac_differ_u8(uint8_t a, uint8_t b)
{
    return (uint8_t)(a > b ? a - b : b - a);
}

/* Alpha of n pixels, where there is one. */
static inline void sac_set_alpha_u8(const sac_pixels *out, int64_t x, int64_t y, int64_t n,
                                    uint8_t value)
{
    if (!out->alpha)
        return;
    uint8_t *to = (uint8_t *)out->alpha + y * out->row + x * out->pixel;
    for (int64_t i = 0; i < n; i++)
        to[i * out->pixel] = value;
}

/* The first sample of an 8-bit color pixel in memory: its lowest color. */
static inline const uint8_t *sac_low_color_u8(const sac_pixels *p, int64_t x, int64_t y)
{
    const uint8_t *low = sac_row_u8(p, 0, x, y);
    for (int c = 1; c < 3; c++)
        low = sac_row_u8(p, c, x, y) < low ? sac_row_u8(p, c, x, y) : low;
    return low;
}

/* Samples a pixel, 3 or 4, if nothing lies between them, alpha last, in the same order in both;
 * else 0. */
static inline int sac_dense_step_u8(const sac_pixels *out, const sac_pixels *in)
{
    int n = in->alpha ? 4 : 3;
    const uint8_t *from = sac_low_color_u8(in, 0, 0), *to = sac_low_color_u8(out, 0, 0);
    bool dense = in->pixel == n && out->pixel == n;
    for (int c = 0; c < 3; c++) {
        ptrdiff_t at = (const uint8_t *)in->color[c] - from;
        dense = dense && at < 3 && at == (const uint8_t *)out->color[c] - to;
    }
    if (in->alpha)
        dense = dense && (const uint8_t *)in->alpha - from == 3 &&
                (const uint8_t *)out->alpha - to == 3;
    return dense ? n : 0;
}

/* The region's rows [y, y + h), for work cut into strips. */
static inline sac_pixels sac_pixels_rows(const sac_pixels *p, int64_t y, int64_t h)
{
    sac_pixels part = *p;
    for (int i = 0; i < p->n_colors; i++)
        part.color[i] = (char *)p->color[i] + y * p->row;
    if (p->alpha)
        part.alpha = (char *)p->alpha + y * p->row;
    part.h = h;
    return part;
}

#endif
