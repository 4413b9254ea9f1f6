/*
 * vscale_u16, the specification: the rational in integers, a division for every sample.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels_inline.h"
#include "vscale_u16.h"

void sac_vscale_u16_ref(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++) {
            uint16_t v = 0;
            for (int c = 0; c < in->n_colors; c++)
                v = SAC_MAX(v, *sac_row_u16(in, c, x, y));
            for (int c = 0; c < in->n_colors; c++) {
                uint32_t value = sac_scale_exact(s, v, *sac_row_u16(in, c, x, y));
                *sac_out_u16(out, c, x, y) = (uint16_t)value;
            }
        }
    sac_copy_alpha(out, in, 2);
}
