/*
 * hog_u8: the specification, by pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hog_u8.h"

#include <math.h>
#include <string.h>

/* I(x, y), the border replicated. */
static int32_t value_at(const sac_meltpool_frame_job *job, int32_t x, int32_t y)
{
    const int32_t last = job->n - 1;
    return *sac_meltpool_at(job, x < 0 ? 0 : x > last ? last : x, y < 0 ? 0 : y > last ? last : y);
}

static void vote(uint32_t *hog, int32_t gx, int32_t gy)
{
    const bool is_turned = gy < 0 || (gy == 0 && gx < 0);
    const int32_t u = is_turned ? -gx : gx, v = is_turned ? -gy : gy;
    int32_t bin = 0;
    while (bin < SAC_MELTPOOL_BINS - 1 &&
           sac_meltpool_edge_x[bin] * v - sac_meltpool_edge_y[bin] * u >= 0)
        bin++;
    hog[bin] += (uint32_t)floor(16 * sqrt(gx * gx + gy * gy) + 0.5);
}

void sac_hog_u8_ref(uint32_t *hog, const sac_meltpool_frame_job *job)
{
    memset(hog, 0, SAC_MELTPOOL_BINS * sizeof *hog);
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t x = 0; x < job->n; x++)
            vote(hog, value_at(job, x + 1, y) - value_at(job, x - 1, y),
                 value_at(job, x, y + 1) - value_at(job, x, y - 1));
}
