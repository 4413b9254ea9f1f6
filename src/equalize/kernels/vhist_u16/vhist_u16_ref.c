/*
 * vhist_u16, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels_inline.h"
#include "vhist_u16.h"

void sac_vhist_u16_ref(uint32_t *hist, const sac_pixels *in)
{
    memset(hist, 0, 65536 * sizeof *hist);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++)
            hist[sac_pixel_value(in, 16, x, y)]++;
}
