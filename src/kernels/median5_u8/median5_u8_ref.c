/*
 * median5_u8, the specification: the middle one of 25 samples, by counting.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/samples_inline.h"
#include "median5_u8.h"

#define RADIUS 2
#define N 25

/* The value that has no more than half of the others below it, and no more than half above. */
static uint8_t median(const uint8_t *values)
{
    for (int i = 0; i < N - 1; i++) {
        int below = 0, above = 0;
        for (int k = 0; k < N; k++) {
            below += values[k] < values[i];
            above += values[k] > values[i];
        }
        if (below <= N / 2 && above <= N / 2)
            return values[i];
    }
    return values[N - 1];
}

void sac_median5_u8_ref(const sac_samples *out, const sac_samples *in, int64_t y0,
                        const sac_filter *f)
{
    (void)f;
    for (int64_t y = 0; y < out->h; y++)
        for (int64_t x = 0; x < out->w; x++)
            for (int32_t c = 0; c < out->n_channels; c++) {
                uint8_t window[N];
                int n = 0;
                for (int j = -RADIUS; j <= RADIUS; j++)
                    for (int i = -RADIUS; i <= RADIUS; i++)
                        window[n++] = sac_sample_at(in, x + i, y0 + y + j, c);
                *sac_sample_of(out, x, y, c) = median(window);
            }
}
