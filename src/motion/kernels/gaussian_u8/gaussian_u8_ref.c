/*
 * gaussian_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "gaussian_u8.h"
#include "motion/kernels/samples_inline.h"

void sac_gaussian_u8_ref(const sac_samples *out, const sac_samples *in, int64_t y0,
                         const sac_filter *f)
{
    const int r = f->size / 2;
    for (int64_t y = 0; y < out->h; y++)
        for (int64_t x = 0; x < out->w; x++)
            for (int32_t c = 0; c < out->n_channels; c++) {
                int32_t sum = 0;
                for (int j = -r; j <= r; j++)
                    for (int i = -r; i <= r; i++)
                        sum += f->weight[abs(i)] * f->weight[abs(j)] *
                               sac_sample_at(in, x + i, y0 + y + j, c);
                *sac_sample_of(out, x, y, c) = (uint8_t)((sum + (1 << 15)) >> 16);
            }
}
