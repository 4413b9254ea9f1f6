/*
 * variance_f32: the specification, two passes in double.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "variance_f32.h"

void sac_variance_f32_ref(float *out, const float *ring, int32_t n, int32_t newest, int32_t window)
{
    for (int32_t f = 0; f < SAC_MELTPOOL_OF_FRAME; f++) {
        double sum = 0, squares = 0;
        for (int32_t k = 0; k < n; k++)
            sum += (double)sac_meltpool_ring_row(ring, k, newest, window)[f];
        for (int32_t k = 0; k < n; k++) {
            const double x = (double)sac_meltpool_ring_row(ring, k, newest, window)[f];
            squares += (x - sum / n) * (x - sum / n);
        }
        out[f] = (float)(squares / n);
    }
}
