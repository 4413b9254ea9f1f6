/*
 * Pixels in plain C for any layout: addresses, samples of 8 or 16 bits, alpha, strips. Included by
 * rooms, so that it is compiled for each instruction set.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IMAGE_PIXELS_INLINE_H
#define SAC_IMAGE_PIXELS_INLINE_H

#include <stdbool.h>
#include <string.h>

#include "image/pixels.h"

/* Pixels that a kernel works on at once if it keeps a value of each: those and the samples stay in
 * the L1 cache. */
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

static inline uint8_t *sac_out_u8(const sac_pixels *p, int channel, int64_t x, int64_t y)
{
    return (uint8_t *)p->color[channel] + y * p->row + x * p->pixel;
}

static inline uint16_t *sac_out_u16(const sac_pixels *p, int channel, int64_t x, int64_t y)
{
    return (uint16_t *)(void *)sac_out_u8(p, channel, x, y);
}

/* One sample of `depth` bits, 8 or 16. */
static inline uint32_t sac_pixel_get(const sac_pixels *p, int depth, int channel, int64_t x,
                                     int64_t y)
{
    return depth == 8 ? *sac_row_u8(p, channel, x, y) : *sac_row_u16(p, channel, x, y);
}

static inline void sac_pixel_set(const sac_pixels *p, int depth, int channel, int64_t x, int64_t y,
                                 uint32_t value)
{
    if (depth == 8)
        *sac_out_u8(p, channel, x, y) = (uint8_t)value;
    else
        *sac_out_u16(p, channel, x, y) = (uint16_t)value;
}

/* V of a pixel: its largest color. */
static inline uint32_t sac_pixel_value(const sac_pixels *p, int depth, int64_t x, int64_t y)
{
    uint32_t v = 0;
    for (int c = 0; c < p->n_colors; c++)
        v = SAC_MAX(v, sac_pixel_get(p, depth, c, x, y));
    return v;
}

/* Copies alpha if both pictures have it; samples of `size` bytes. */
static inline void sac_copy_alpha(const sac_pixels *out, const sac_pixels *in, size_t size)
{
    if (!out->alpha || !in->alpha || out->alpha == in->alpha)
        return;
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++)
            memcpy((char *)out->alpha + y * out->row + x * out->pixel,
                   (const char *)in->alpha + y * in->row + x * in->pixel, size);
}

/* |a - b| without a wider type, which the compiler vectorizes well. */
static inline uint8_t sac_differ_u8(uint8_t a, uint8_t b)
{
    return (uint8_t)(a > b ? a - b : b - a);
}

/* Sets alpha of n pixels if the picture has it. */
static inline void sac_set_alpha_u8(const sac_pixels *out, int64_t x, int64_t y, int64_t n,
                                    uint8_t value)
{
    if (!out->alpha)
        return;
    uint8_t *to = (uint8_t *)out->alpha + y * out->row + x * out->pixel;
    for (int64_t i = 0; i < n; i++)
        to[i * out->pixel] = value;
}

/* The color of an 8-bit pixel that has the lowest address. */
static inline const uint8_t *sac_low_color_u8(const sac_pixels *p, int64_t x, int64_t y)
{
    const uint8_t *low = sac_row_u8(p, 0, x, y);
    for (int c = 1; c < 3; c++)
        low = sac_row_u8(p, c, x, y) < low ? sac_row_u8(p, c, x, y) : low;
    return low;
}

/* Whether rows are packed 3-byte pixels, with colors in any order. */
static inline bool sac_is_packed_rgb_u8(const sac_pixels *p)
{
    if (p->n_colors != 3 || p->pixel != 3 || p->alpha)
        return false;
    const uintptr_t a = (uintptr_t)p->color[0], b = (uintptr_t)p->color[1];
    const uintptr_t c = (uintptr_t)p->color[2], low = (uintptr_t)sac_low_color_u8(p, 0, 0);
    return a + b + c == 3 * low + 3 && a != b && b != c && a != c;
}

/* Samples per pixel, 3 or 4, if both pictures, of samples of `size` bytes, are packed with their
 * channels in the same order and alpha last; else 0. */
static inline int sac_dense_step(const sac_pixels *out, const sac_pixels *in, ptrdiff_t size)
{
    int n = in->alpha ? 4 : 3;
    const uint8_t *from = sac_low_color_u8(in, 0, 0), *to = sac_low_color_u8(out, 0, 0);
    bool dense = in->pixel == n * size && out->pixel == n * size;
    for (int c = 0; c < 3; c++) {
        ptrdiff_t at = (const uint8_t *)in->color[c] - from;
        dense = dense && at < 3 * size && at == (const uint8_t *)out->color[c] - to;
    }
    if (in->alpha)
        dense = dense && (const uint8_t *)in->alpha - from == 3 * size &&
                (const uint8_t *)out->alpha - to == 3 * size;
    return dense ? n : 0;
}

static inline int sac_dense_step_u8(const sac_pixels *out, const sac_pixels *in)
{
    return sac_dense_step(out, in, 1);
}

/* Rows [y, y + h) of a region, for work that is divided into strips. */
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
