/*
 * vhist_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "image/pixels_inline.h"
#include "vhist_u8.h"

void sac_vhist_u8_ref(uint32_t *hist, const sac_pixels *in)
{
    memset(hist, 0, 256 * sizeof *hist);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++) {
            uint8_t v = 0;
            for (int c = 0; c < in->n_colors; c++)
                v = SAC_MAX(v, *sac_row_u8(in, c, x, y));
            hist[v]++;
        }
}
