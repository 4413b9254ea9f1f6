/*
 * The specification of vscale_u8 and vscale_u16: the rational number in integers, with a division
 * for each sample.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VSCALE_REF_H
#define SAC_EQUALIZE_VSCALE_REF_H

#include "equalize/kernels/scale.h"
#include "image/pixels_inline.h"

static inline void sac_vscale_ref(const sac_pixels *out, const sac_pixels *in, const sac_scale *s,
                                  int depth)
{
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++) {
            uint32_t v = sac_pixel_value(in, depth, x, y);
            for (int c = 0; c < in->n_colors; c++) {
                uint32_t sample = sac_pixel_get(in, depth, c, x, y);
                sac_pixel_set(out, depth, c, x, y, sac_scale_exact(s, v, sample));
            }
        }
    sac_copy_alpha(out, in, (size_t)depth / 8);
}

#endif
