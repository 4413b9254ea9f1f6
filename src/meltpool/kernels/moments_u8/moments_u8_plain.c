/*
 * moments_u8 in plain C: runs of bits, joined; the pool summed by its runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/segments.h"
#include "moments_u8.h"

static uint32_t sum_of(const uint8_t *pixels, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += pixels[i];
    return sum;
}

/* 0^2 + 1^2 + .. + (m - 1)^2. */
static uint32_t squares(uint32_t m)
{
    return m * (m - 1) * (2 * m - 1) / 6; /* m = 0: 0 times what wraps round */
}

/* The pool's sums, by runs x0 <= x < x1. */
static void add_pool(sac_meltpool_integers *out, const sac_meltpool_frame_job *job,
                     const sac_meltpool_bits *pool, int32_t words)
{
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t k = 0; k < words; k++)
            for (uint64_t bits = pool->row[y][k]; bits;) {
                const int32_t begin = __builtin_ctzll(bits);
                const int32_t last = __builtin_ctzll(sac_meltpool_lasts(bits));
                const uint32_t x0 = (uint32_t)(64 * k + begin), x1 = (uint32_t)(64 * k + last + 1);
                const uint32_t n = x1 - x0, sum_x = (x0 + x1 - 1) * n / 2, at = (uint32_t)y;
                out->sum_x += sum_x;
                out->sum_y += at * n;
                out->sum_xx += squares(x1) - squares(x0);
                out->sum_xy += at * sum_x;
                out->sum_yy += at * at * n;
                out->sum_i += sum_of(sac_meltpool_at(job, (int32_t)x0, y), n);
                bits &= ~sac_meltpool_bits_of(begin, last);
            }
}

void sac_moments_u8_plain(sac_meltpool_integers *out, const sac_meltpool_bits *bits,
                          const sac_meltpool_frame_job *job)
{
    sac_meltpool_bits pool;
    const int32_t words = (job->n + 63) / 64;
    *out = (sac_meltpool_integers){0};
    if (sac_meltpool_segment(out, &pool, job, bits, words, sac_meltpool_find_by_bits,
                             sac_meltpool_pick_by_bits))
        add_pool(out, job, &pool, words);
}
