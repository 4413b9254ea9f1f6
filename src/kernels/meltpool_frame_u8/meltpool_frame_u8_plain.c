/*
 * meltpool_frame_u8 in plain C: row bit masks, sectors by their ends in each row, and bins in the
 * first quadrant, whose edges the second mirrors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "meltpool_frame_u8_inline.h"

static uint32_t sum_of(const uint8_t *pixels, int32_t n)
{
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += pixels[i];
    return sum;
}

static void find_bits(sac_meltpool_bits *bits, const sac_meltpool_frame_job *job)
{
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t x0 = 0; x0 < job->n; x0 += 64) {
            const uint8_t *pixels = sac_meltpool_at(job, x0, y);
            const int32_t n = job->n - x0 < 64 ? job->n - x0 : 64;
            uint64_t word = 0;
            for (int32_t x = 0; x < n; x++)
                word |= (uint64_t)(pixels[x] >= job->threshold) << x;
            bits->row[y][x0 / 64] = word;
        }
}

static void find_runs(sac_meltpool_runs *runs, int32_t first, uint64_t bits)
{
    uint64_t begins = sac_meltpool_begins(bits), lasts = sac_meltpool_lasts(bits);
    for (int32_t i = first; begins; i++, begins &= begins - 1, lasts &= lasts - 1) {
        runs->begin[i] = (uint8_t)__builtin_ctzll(begins);
        runs->last[i] = (uint8_t)__builtin_ctzll(lasts);
        runs->parent[i] = (uint16_t)i;
    }
}

/* Bits begin .. last. */
static uint64_t bits_of(int32_t begin, int32_t last)
{
    return (UINT64_C(2) << last) - (UINT64_C(1) << begin);
}

static uint64_t pick_runs(const sac_meltpool_runs *runs, int32_t first, uint64_t bits, int32_t root)
{
    uint64_t picked = 0;
    for (int32_t i = first; bits; i++) {
        const uint64_t run = bits_of(runs->begin[i], runs->last[i]);
        picked |= runs->parent[i] == root ? run : 0;
        bits &= ~run;
    }
    return picked;
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
                out->sum_i += sum_of(sac_meltpool_at(job, (int32_t)x0, y), (int32_t)n);
                bits &= ~bits_of(begin, last);
            }
}

static sac_meltpool_part sum_rows(const sac_meltpool_frame_job *job, const sac_meltpool_sectors *s,
                                  int32_t from, int32_t to)
{
    sac_meltpool_part part = {0};
    for (int32_t y = from; y < to; y++) {
        const uint8_t *pixels = sac_meltpool_at(job, 0, y);
        part.all += sum_of(pixels, job->n);
        part.left += sum_of(pixels, s->left[y]);
        part.wide += sum_of(pixels, s->wide[y]);
    }
    return part;
}

static void vote(uint32_t *hog, int32_t gx, int32_t gy)
{
    const int32_t u = gx < 0 ? -gx : gx, v = gy < 0 ? -gy : gy;
    const bool is_mirrored = (gx < 0) != (gy < 0) && gy != 0;
    int32_t bin = 0; /* 0..4 of the first quadrant; no gradient lies on an edge */
    for (int32_t i = 0; i < 4; i++)
        bin += sac_meltpool_edge_x[i] * v >= sac_meltpool_edge_y[i] * u;
    hog[is_mirrored ? 8 - bin : bin] += (uint32_t)(16 * sqrt(gx * gx + gy * gy) + 0.5);
}

static void vote_all(uint32_t *hog, const sac_meltpool_frame_job *job)
{
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

void sac_meltpool_frame_u8_plain(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    sac_meltpool_bits bits, pool;
    sac_meltpool_sectors s;
    const int32_t words = (job->n + 63) / 64;
    *out = (sac_meltpool_integers){0};
    find_bits(&bits, job);
    sac_meltpool_segment(out, &pool, job, &bits, words, find_runs, pick_runs);
    if (out->area > 0)
        add_pool(out, job, &pool, words);
    sac_meltpool_sector_ends(&s, job);
    sac_meltpool_polar(out, job, &s, sum_rows(job, &s, 0, s.n_above),
                       sum_rows(job, &s, s.n_above, job->n), sum_of);
    vote_all(out->hog, job);
}
