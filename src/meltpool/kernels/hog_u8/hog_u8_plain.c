/*
 * hog_u8 in plain C: bins in the first quadrant, whose edges the second mirrors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "hog_u8.h"

static void vote(uint32_t *hog, int32_t gx, int32_t gy)
{
    const int32_t u = gx < 0 ? -gx : gx, v = gy < 0 ? -gy : gy;
    const bool is_mirrored = (gx < 0) != (gy < 0) && gy != 0;
    int32_t bin = 0; /* 0..4 of the first quadrant; no gradient lies on an edge */
    for (int32_t i = 0; i < 4; i++)
        bin += sac_meltpool_edge_x[i] * v >= sac_meltpool_edge_y[i] * u;
    hog[is_mirrored ? 8 - bin : bin] += (uint32_t)(16 * sqrt(gx * gx + gy * gy) + 0.5);
}

void sac_hog_u8_plain(uint32_t *hog, const sac_meltpool_frame_job *job)
{
    memset(hog, 0, SAC_MELTPOOL_BINS * sizeof *hog);
    const int32_t last = job->n - 1;
    for (int32_t y = 0; y <= last; y++) {
        const uint8_t *row = sac_meltpool_at(job, 0, y);
        const uint8_t *up = y > 0 ? row - job->row : row, *down = y < last ? row + job->row : row;
        vote(hog, row[1] - row[0], down[0] - up[0]);
        for (int32_t x = 1; x < last; x++)
            vote(hog, row[x + 1] - row[x - 1], down[x] - up[x]);
        vote(hog, row[last] - row[last - 1], down[last] - up[last]);
    }
}
