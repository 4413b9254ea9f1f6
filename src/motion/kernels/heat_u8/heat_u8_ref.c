/*
 * heat_u8, the specification: a pixel at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "heat_u8.h"
#include "image/pixels_inline.h"

void sac_heat_u8_ref(const sac_pixels *out, const sac_pixels *current, const sac_pixels *previous,
                     const sac_heat_table *table)
{
    for (int64_t y = 0; y < out->h; y++)
        for (int64_t x = 0; x < out->w; x++) {
            int d = 0;
            for (int c = 0; c < current->n_colors; c++)
                d += abs(*sac_row_u8(current, c, x, y) - *sac_row_u8(previous, c, x, y));
            if (current->n_colors == 1)
                d *= 3;
            for (int c = 0; c < 3; c++)
                *sac_out_u8(out, c, x, y) = table->color[c][d];
            sac_set_alpha_u8(out, x, y, 1, 255);
        }
}
