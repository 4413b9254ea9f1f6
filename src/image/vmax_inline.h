/*
 * V = max(R, G, B) of runs of pixels in plain C, for any layout and for samples of SAC_DEPTH bits.
 * A file for 16 bits defines SAC_DEPTH before it includes this; otherwise it is 8.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IMAGE_VMAX_INLINE_H
#define SAC_IMAGE_VMAX_INLINE_H

#include "image/pixels_inline.h"

#ifndef SAC_DEPTH
#define SAC_DEPTH 8
#endif

#if SAC_DEPTH == 8
typedef uint8_t sac_sample;
#else
typedef uint16_t sac_sample;
#endif

static inline const sac_sample *sac_row(const sac_pixels *p, int channel, int64_t x, int64_t y)
{
    return (const sac_sample *)(const void *)sac_row_u8(p, channel, x, y);
}

static inline sac_sample *sac_out(const sac_pixels *p, int channel, int64_t x, int64_t y)
{
    return (sac_sample *)(void *)sac_out_u8(p, channel, x, y);
}

/* `step` is in samples. */
static inline void sac_vmax_step(sac_sample *restrict v, const sac_pixels *p, int64_t x, int64_t y,
                                 int64_t n, ptrdiff_t step)
{
    const sac_sample *a = sac_row(p, 0, x, y);
    if (p->n_colors == 1) {
        for (int64_t i = 0; i < n; i++)
            v[i] = a[i * step];
        return;
    }
    const sac_sample *b = sac_row(p, 1, x, y), *c = sac_row(p, 2, x, y);
    for (int64_t i = 0; i < n; i++) {
        sac_sample ab = SAC_MAX(a[i * step], b[i * step]);
        v[i] = SAC_MAX(ab, c[i * step]);
    }
}

/* V of n pixels from pixel x of row y on. The usual steps are constants, which the compiler
 * vectorizes better. */
static inline void sac_vmax(sac_sample *restrict v, const sac_pixels *p, int64_t x, int64_t y,
                            int64_t n)
{
    switch (p->pixel) {
    case SAC_DEPTH / 8:
        sac_vmax_step(v, p, x, y, n, 1);
        break;
    case 3 * SAC_DEPTH / 8:
        sac_vmax_step(v, p, x, y, n, 3);
        break;
    case 4 * SAC_DEPTH / 8:
        sac_vmax_step(v, p, x, y, n, 4);
        break;
    default:
        sac_vmax_step(v, p, x, y, n, p->pixel / (SAC_DEPTH / 8));
    }
}

#endif
