/*
 * frame_u8 with AVX-512: each row is read once, for its bright pixels, sectors and
 * gradients. Then come segments and votes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_avx512.h"
#include "frame_u8.h"

#define INLINE SAC_MELTPOOL_INLINE

/* Rows from <= y < to; words, of 64 pixels in a row, and n_ends are constants. */
INLINE sac_meltpool_part read_rows(sac_meltpool_gradients *g, sac_meltpool_bits *bits,
                                   const sac_meltpool_frame_job *job, const sac_meltpool_sectors *s,
                                   int32_t from, int32_t to, const int32_t words,
                                   const int32_t n_ends)
{
    const int32_t n = job->n, threshold = job->threshold;
    sac_meltpool_sums64 sums = sac_meltpool_no_sums();
    __m512i up[SAC_MELTPOOL_WORDS], here[SAC_MELTPOOL_WORDS], down[SAC_MELTPOOL_WORDS];
    __mmask64 in[SAC_MELTPOOL_WORDS];
    const uint8_t *row = sac_meltpool_at(job, 0, from);
    for (int32_t k = 0; k < words; k++) {
        in[k] = sac_meltpool_lowest_from(n, 64 * k);
        here[k] = _mm512_maskz_loadu_epi8(in[k], row + 64 * k);
        up[k] = from > 0 ? _mm512_maskz_loadu_epi8(in[k], row - job->row + 64 * k) : here[k];
    }
    for (int32_t y = from; y < to; y++, row += job->row)
        for (int32_t k = 0; k < words; k++) {
            const __m512i v = here[k];
            down[k] = y + 1 < n ? _mm512_maskz_loadu_epi8(in[k], row + job->row + 64 * k) : v;
            sac_meltpool_put_gradients(g, v, up[k], down[k], row + 64 * k, 64 * k, y, n);
            bits->row[y][k] = sac_meltpool_bright(in[k], v, threshold);
            sac_meltpool_add_sums(&sums, v, s, 64 * k, y, n_ends);
            up[k] = v;
            here[k] = down[k];
        }
    return sac_meltpool_part_of(&sums, n_ends);
}

INLINE void read_all(uint32_t *polar, sac_meltpool_gradients *g, sac_meltpool_bits *bits,
                     const sac_meltpool_frame_job *job, const int32_t words, const int32_t n_ends)
{
    sac_meltpool_sectors s;
    sac_meltpool_sector_ends(&s, job);
    const sac_meltpool_part above = read_rows(g, bits, job, &s, 0, s.n_above, words, n_ends);
    const sac_meltpool_part below = read_rows(g, bits, job, &s, s.n_above, job->n, words, n_ends);
    sac_meltpool_polar(polar, job, &s, &above, &below, sac_meltpool_sum64,
                       sac_meltpool_at(job, 0, 0), job->row);
}

/* words: of 64 pixels in a row, a constant. */
INLINE void run(sac_meltpool_integers *out, const sac_meltpool_frame_job *job, const int32_t words)
{
    sac_meltpool_bits bits, pool;
    sac_meltpool_gradients g;
    *out = (sac_meltpool_integers){0};
    if (job->scan)
        read_all(out->polar, &g, &bits, job, words, SAC_MELTPOOL_SCAN_ENDS);
    else
        read_all(out->polar, &g, &bits, job, words, SAC_MELTPOOL_IMAGE_ENDS);
    if (sac_meltpool_segment(out, &pool, job, &bits, words, sac_meltpool_find_runs64,
                             sac_meltpool_pick_runs64))
        sac_meltpool_add_pool(out, job, &pool, words);
    sac_meltpool_vote_all(out->hog, &g, job->n * job->n);
}

void sac_frame_u8_avx512(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    if (job->n <= 64)
        run(out, job, 1);
    else
        run(out, job, 2);
}
