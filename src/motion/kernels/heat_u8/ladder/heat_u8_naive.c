/*
 * heat_u8 as it was first: three sines for every pixel, of Battilana's report on CUDA video
 * streaming (its program divides by 510 where the text normalizes; here 765). The sine map alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "motion/kernels/heat_u8/heat_u8.h"
#include "image/pixels_inline.h"

static uint8_t level(double sine)
{
    return (uint8_t)fmin(fmax(sine * 255.0, 0.0), 255.0);
}

void sac_heat_u8_cpu_naive(const sac_pixels *out, const sac_pixels *current,
                           const sac_pixels *previous, const sac_heat_table *table)
{
    (void)table;
    for (int64_t y = 0; y < out->h; y++)
        for (int64_t x = 0; x < out->w; x++) {
            int d = 0;
            for (int c = 0; c < current->n_colors; c++)
                d += abs(*sac_row_u8(current, c, x, y) - *sac_row_u8(previous, c, x, y));
            const double u = (current->n_colors == 1 ? 3 * d : d) / 765.0;
            *sac_out_u8(out, 0, x, y) = level(sin(M_PI * u - M_PI / 2.0));
            *sac_out_u8(out, 1, x, y) = level(sin(M_PI * u));
            *sac_out_u8(out, 2, x, y) = level(sin(M_PI * u + M_PI / 2.0));
            sac_set_alpha_u8(out, x, y, 1, 255);
        }
}
