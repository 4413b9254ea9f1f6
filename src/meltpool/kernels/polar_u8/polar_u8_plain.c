/*
 * polar_u8 in plain C: sums of rows up to where sectors end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/sectors.h"
#include "polar_u8.h"

static uint32_t sum_of(const uint8_t *pixels, int32_t n)
{
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += pixels[i];
    return sum;
}
static sac_meltpool_part sum_rows(const sac_meltpool_frame_job *job, const sac_meltpool_sectors *s,
                                  int32_t from, int32_t to)
{
    const int32_t n_ends = job->scan ? SAC_MELTPOOL_SCAN_ENDS : SAC_MELTPOOL_IMAGE_ENDS;
    sac_meltpool_part part = {0};
    for (int32_t y = from; y < to; y++) {
        const uint8_t *pixels = sac_meltpool_at(job, 0, y);
        part.all += sum_of(pixels, job->n);
        for (int32_t j = 0; j < n_ends; j++)
            part.before[j] += sum_of(pixels, s->end[j][y]);
    }
    return part;
}

void sac_polar_u8_plain(uint32_t *polar, const sac_meltpool_frame_job *job)
{
    sac_meltpool_sectors s;
    sac_meltpool_sector_ends(&s, job);
    const sac_meltpool_part above = sum_rows(job, &s, 0, s.n_above);
    const sac_meltpool_part below = sum_rows(job, &s, s.n_above, job->n);
    sac_meltpool_polar(polar, job, &s, &above, &below, sum_of, sac_meltpool_at(job, 0, 0),
                       job->row);
}
