/*
 * polar_u8: the specification, by pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "polar_u8.h"

static int32_t sector_of_image(int64_t dx, int64_t dy)
{
    if (dy == 0)
        return dx < 0 ? 3 : 0;
    if (dy * dy > 3 * dx * dx)
        return dy > 0 ? 1 : 4;
    if (dy > 0)
        return dx > 0 ? 0 : 2;
    return dx > 0 ? 5 : 3;
}

static int32_t sector_of_scan(const sac_meltpool_frame_job *job, int64_t dx, int64_t dy)
{
    const int32_t *ex = job->edge_x, *ey = job->edge_y;
    const int64_t ahead = ex[0] * dy - ey[0] * dx, along = ex[0] * dx + ey[0] * dy;
    if (dx == 0 && dy == 0)
        return 0;
    const int32_t turn = ahead < 0 || (ahead == 0 && along < 0) ? -1 : 1;
    int32_t sector = turn < 0 ? 3 : 0;
    for (int k = 1; k < 3; k++)
        sector += turn * (ex[k] * dy - ey[k] * dx) >= 0;
    return sector;
}

void sac_polar_u8_ref(uint32_t *polar, const sac_meltpool_frame_job *job)
{
    for (int32_t k = 0; k < SAC_MELTPOOL_SECTORS; k++)
        polar[k] = 0;
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t x = 0; x < job->n; x++) {
            const int64_t dx = (int64_t)(job->x0 + x) * 65536 - job->cx_q16;
            const int64_t dy = (int64_t)(job->y0 + y) * 65536 - job->cy_q16;
            polar[job->scan ? sector_of_scan(job, dx, dy) : sector_of_image(dx, dy)] +=
                *sac_meltpool_at(job, x, y);
        }
}
