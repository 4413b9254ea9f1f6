/*
 * vhist_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels_inline.h"
#include "vhist_u8.h"

void sac_vhist_u8_ref(uint32_t *hist, const sac_pixels *in)
{
    memset(hist, 0, 256 * sizeof *hist);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++)
            hist[sac_pixel_value(in, 8, x, y)]++;
}
