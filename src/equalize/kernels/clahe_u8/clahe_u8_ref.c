/*
 * clahe_u8, the specification: integer divisions, everything anew for each pixel.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u8.h"
#include "image/pixels_inline.h"

static uint32_t level(const sac_clahe *c, int32_t tx, int32_t ty, uint32_t v)
{
    size_t bin = (size_t)((uint64_t)v * (uint64_t)c->bins >> 8);
    return c->level[((size_t)ty * (size_t)c->tiles_x + (size_t)tx) * (size_t)c->bins + bin];
}

void sac_clahe_u8_ref(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c, int64_t y0)
{
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++) {
            uint8_t v = 0;
            for (int k = 0; k < in->n_colors; k++)
                v = SAC_MAX(v, *sac_row_u8(in, k, x, y));
            sac_clahe_place px = sac_clahe_at(x, c->w, c->tiles_x);
            sac_clahe_place py = sac_clahe_at(y0 + y, c->h, c->tiles_y);
            uint64_t g =
                sac_clahe_mix(level(c, px.first, py.first, v), level(c, px.second, py.first, v),
                              level(c, px.first, py.second, v), level(c, px.second, py.second, v),
                              px.weight, py.weight);
            for (int k = 0; k < in->n_colors; k++) {
                uint64_t sample = *sac_row_u8(in, k, x, y);
                uint64_t value = v ? (g * sample + ((uint64_t)v << 15)) / ((uint64_t)v << 16) : 0;
                *sac_out_u8(out, k, x, y) = (uint8_t)value;
            }
        }
    sac_copy_alpha(out, in, 1);
}
