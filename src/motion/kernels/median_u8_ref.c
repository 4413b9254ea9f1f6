/*
 * median3_u8 and median5_u8, the specification: the middle one of a window's samples, by counting.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/median3_u8/median3_u8.h"
#include "motion/kernels/median5_u8/median5_u8.h"
#include "motion/kernels/samples_inline.h"

/* Of n values, the one that has no more than half of the others below it, and no more than half
 * above. */
static inline uint8_t middle(const uint8_t *values, int n)
{
    for (int i = 0; i < n - 1; i++) {
        int below = 0, above = 0;
        for (int k = 0; k < n; k++) {
            below += values[k] < values[i];
            above += values[k] > values[i];
        }
        if (below <= n / 2 && above <= n / 2)
            return values[i];
    }
    return values[n - 1];
}

static inline void median(const sac_samples *out, const sac_samples *in, int64_t y0, int radius)
{
    for (int64_t y = 0; y < out->h; y++)
        for (int64_t x = 0; x < out->w; x++)
            for (int32_t c = 0; c < out->n_channels; c++) {
                uint8_t window[SAC_MAX_SIDE * SAC_MAX_SIDE];
                int n = 0;
                for (int j = -radius; j <= radius; j++)
                    for (int i = -radius; i <= radius; i++)
                        window[n++] = sac_sample_at(in, x + i, y0 + y + j, c);
                *sac_sample_of(out, x, y, c) = middle(window, n);
            }
}

void sac_median3_u8_ref(const sac_samples *out, const sac_samples *in, int64_t y,
                        const sac_filter *f)
{
    (void)f;
    median(out, in, y, 1);
}

void sac_median5_u8_ref(const sac_samples *out, const sac_samples *in, int64_t y,
                        const sac_filter *f)
{
    (void)f;
    median(out, in, y, 2);
}
