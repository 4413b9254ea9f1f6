/*
 * polar_u8 with AVX-512: sums of rows under masks of where sectors end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_avx512.h"
#include "polar_u8.h"

/* n_ends: a constant. */
SAC_MELTPOOL_INLINE sac_meltpool_part sum_rows(const sac_meltpool_frame_job *job,
                                               const sac_meltpool_sectors *s, int32_t from,
                                               int32_t to, const int32_t n_ends)
{
    sac_meltpool_sums64 sums = sac_meltpool_no_sums();
    const int32_t n = job->n;
    for (int32_t y = from; y < to; y++)
        for (int32_t x = 0; x < n; x += 64) {
            const __mmask64 in = sac_meltpool_lowest_from(n, x);
            const __m512i v = _mm512_maskz_loadu_epi8(in, sac_meltpool_at(job, x, y));
            sac_meltpool_add_sums(&sums, v, s, x, y, n_ends);
        }
    return sac_meltpool_part_of(&sums, n_ends);
}

SAC_MELTPOOL_INLINE void run(uint32_t *polar, const sac_meltpool_frame_job *job,
                             const int32_t n_ends)
{
    sac_meltpool_sectors s;
    sac_meltpool_sector_ends(&s, job);
    const sac_meltpool_part above = sum_rows(job, &s, 0, s.n_above, n_ends);
    const sac_meltpool_part below = sum_rows(job, &s, s.n_above, job->n, n_ends);
    sac_meltpool_polar(polar, job, &s, &above, &below, sac_meltpool_sum64,
                       sac_meltpool_at(job, 0, 0), job->row);
}

void sac_polar_u8_avx512(uint32_t *polar, const sac_meltpool_frame_job *job)
{
    if (job->scan)
        run(polar, job, SAC_MELTPOOL_SCAN_ENDS);
    else
        run(polar, job, SAC_MELTPOOL_IMAGE_ENDS);
}
