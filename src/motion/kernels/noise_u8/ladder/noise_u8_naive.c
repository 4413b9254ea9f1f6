/*
 * noise_u8 in its first form: a threshold on each pixel, after Battilana's report on CUDA video
 * streaming (its program subtracts in int8, which misses changes of more than 235; this one does
 * not). The mask alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "motion/kernels/noise_u8/noise_u8.h"
#include "image/pixels_inline.h"

uint64_t sac_noise_u8_cpu_naive(const sac_pixels *out, const sac_pixels *current,
                                const sac_pixels *previous, sac_noise_view view, int32_t threshold)
{
    uint64_t count = 0;
    (void)view;
    for (int64_t y = 0; y < current->h; y++)
        for (int64_t x = 0; x < current->w; x++) {
            int largest = 0;
            for (int c = 0; c < current->n_colors; c++) {
                const int d = *sac_row_u8(current, c, x, y) - *sac_row_u8(previous, c, x, y);
                largest = SAC_MAX(largest, abs(d));
                *sac_out_u8(out, c, x, y) = 0;
            }
            if (largest > threshold) {
                *sac_out_u8(out, 0, x, y) = 255;
                count++;
            }
            sac_set_alpha_u8(out, x, y, 1, 255);
        }
    return count;
}
