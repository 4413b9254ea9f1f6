/*
 * variance_f32 in plain C: one pass in double over what each row differs from the newest,
 * for as many features as have their sums in registers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "variance_f32.h"

enum { LANES = 4 };

static void variance_4(float *restrict out, const float *restrict ring, int32_t n, int32_t newest,
                       int32_t window)
{
    const float *origin = sac_meltpool_ring_row(ring, 0, newest, window);
    double sum[LANES] = {0}, squares[LANES] = {0};
    for (int32_t k = 1; k < n; k++) {
        const float *row = sac_meltpool_ring_row(ring, k, newest, window);
        for (int32_t i = 0; i < LANES; i++) {
            const double x = (double)row[i] - (double)origin[i];
            sum[i] += x;
            squares[i] += x * x;
        }
    }
    for (int32_t i = 0; i < LANES; i++)
        out[i] = (float)((squares[i] * n - sum[i] * sum[i]) / ((double)n * n));
}

void sac_variance_f32_plain(float *restrict out, const float *restrict ring, int32_t n,
                            int32_t newest, int32_t window)
{
    for (int32_t f = 0; f < SAC_MELTPOOL_OF_FRAME; f += LANES)
        variance_4(out + f, ring + f, n, newest, window);
}
