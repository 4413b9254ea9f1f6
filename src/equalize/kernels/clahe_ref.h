/*
 * The specification of clahe_u8 and clahe_u16: integer divisions, and each pixel computed from
 * scratch.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_CLAHE_REF_H
#define SAC_EQUALIZE_CLAHE_REF_H

#include "equalize/kernels/clahe.h"
#include "image/pixels_inline.h"

static inline void sac_clahe_ref(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c,
                                 int64_t y0, int depth)
{
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++) {
            uint64_t v = sac_pixel_value(in, depth, x, y);
            size_t bin = (size_t)(v * (uint64_t)c->bins >> depth);
            sac_clahe_place px = sac_clahe_at(x, c->w, c->tiles_x);
            sac_clahe_place py = sac_clahe_at(y0 + y, c->h, c->tiles_y);
            uint64_t g = sac_clahe_at_bin(c, px, py, bin);
            for (int k = 0; k < in->n_colors; k++) {
                uint64_t sample = sac_pixel_get(in, depth, k, x, y);
                uint64_t value = v ? (g * sample + (v << 15)) / (v << 16) : 0;
                sac_pixel_set(out, depth, k, x, y, (uint32_t)value);
            }
        }
    sac_copy_alpha(out, in, (size_t)depth / 8);
}

#endif
