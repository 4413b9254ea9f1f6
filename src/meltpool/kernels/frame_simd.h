/*
 * What meltpool's rooms share with vectors of bytes (simd.h) on AVX2 and NEON, which have no loads
 * under masks: the ROI is copied to where pixels beside it may be read. Of each row come its bright
 * pixels, sums by sectors, and gradients as bytes, laid side by side without the rows' rest. Then
 * the pool's sums, and votes, V16 at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_SIMD_H
#define SAC_MELTPOOL_FRAME_SIMD_H

#include <string.h>

#include "meltpool/kernels/sectors.h"
#include "meltpool/kernels/segments.h"
#include "simd/sums.h"

enum {
    SAC_MELTPOOL_MARGIN = 32, /* for vectors that begin or end outside, and aligned ones inside */
    SAC_MELTPOOL_PITCH = SAC_MELTPOOL_MAX_ROI + 2 * SAC_MELTPOOL_MARGIN,
    SAC_MELTPOOL_MAX_PIXELS = SAC_MELTPOOL_MAX_ROI * SAC_MELTPOOL_MAX_ROI
};

/* The ROI, whose first and last pixels are repeated beside it. What is farther away has any value.
 */
typedef struct {
    _Alignas(64) uint8_t row[SAC_MELTPOOL_MAX_ROI][SAC_MELTPOOL_PITCH];
} sac_meltpool_roi;

SAC_MELTPOOL_INLINE const uint8_t *sac_meltpool_pixels(const sac_meltpool_roi *roi, int32_t x,
                                                       int32_t y)
{
    return roi->row[y] + SAC_MELTPOOL_MARGIN + x;
}

/* step: a constant, up to n. The last bytes of a row are copied with some before them. */
SAC_MELTPOOL_INLINE void
sac_meltpool_copy_rows(sac_meltpool_roi *roi, const sac_meltpool_frame_job *job, const int32_t step)
{
    const int32_t n = job->n, last = n - step;
    const uint8_t *from = sac_meltpool_at(job, 0, 0);
    for (int32_t y = 0; y < n; y++, from += job->row) {
        uint8_t *to = roi->row[y] + SAC_MELTPOOL_MARGIN;
        for (int32_t x = 0; x < last; x += step)
            memcpy(to + x, from + x, (size_t)step);
        memcpy(to + last, from + last, (size_t)step);
        to[-1] = from[0];
        to[n] = from[n - 1];
    }
}

SAC_MELTPOOL_INLINE void sac_meltpool_copy(sac_meltpool_roi *roi, const sac_meltpool_frame_job *job)
{
    if (job->n >= 32)
        sac_meltpool_copy_rows(roi, job, 32);
    else if (job->n >= 16)
        sac_meltpool_copy_rows(roi, job, 16);
    else
        sac_meltpool_copy_rows(roi, job, 8);
}

/* 255 in a row's pixels, 0 after them: by v8_load(mask + MAX_ROI - n + x) those of x .. that are
 * before n. */
typedef struct {
    uint8_t mask[2 * SAC_MELTPOOL_MAX_ROI];
} sac_meltpool_before;

SAC_MELTPOOL_INLINE void sac_meltpool_make_before(sac_meltpool_before *before)
{
    memset(before->mask, 255, SAC_MELTPOOL_MAX_ROI);
    memset(before->mask + SAC_MELTPOOL_MAX_ROI, 0, SAC_MELTPOOL_MAX_ROI);
}

/* Those of the pixels v, from column x on, that are before n. */
SAC_MELTPOOL_INLINE v8 sac_meltpool_those_before(const sac_meltpool_before *before, v8 v, int32_t n,
                                                 int32_t x)
{
    return v8_and(v, v8_load(before->mask + SAC_MELTPOOL_MAX_ROI - n + x));
}

/* sac_meltpool_sum_fn; pixels: of a row of sac_meltpool_roi. */
SAC_MELTPOOL_INLINE uint32_t sac_meltpool_sum(const uint8_t *pixels, int32_t n)
{
    sac_meltpool_before before;
    sac_meltpool_make_before(&before);
    vsum sum = vsum_zero();
    for (int32_t x = 0; x < n; x += V8)
        sum = vsum_add(sum, sac_meltpool_those_before(&before, v8_load(pixels + x), n, x));
    return vsum_total(sum);
}

/* Word k of row y's bits. */
SAC_MELTPOOL_INLINE uint64_t sac_meltpool_bright(const sac_meltpool_roi *roi,
                                                 const sac_meltpool_frame_job *job, int32_t k,
                                                 int32_t y)
{
    const int32_t n = job->n - 64 * k;
    const uint64_t in = n >= 64 ? ~UINT64_C(0) : n > 0 ? (UINT64_C(1) << n) - 1 : 0;
    const v8 threshold = v8_set((uint8_t)job->threshold);
    return job->threshold > 255 ? 0
                                : in & bits64_ge(sac_meltpool_pixels(roi, 64 * k, y), threshold);
}

/* Sums of rows' pixels: of all, and of those before each end of a sector. */
typedef struct {
    vsum all, before[SAC_MELTPOOL_SCAN_ENDS];
} sac_meltpool_sums;

/* Adds row y's pixels from column x on; n_ends: a constant. */
SAC_MELTPOOL_INLINE void sac_meltpool_add_sums(sac_meltpool_sums *sums, const sac_meltpool_roi *roi,
                                               const sac_meltpool_before *before,
                                               const sac_meltpool_sectors *s, int32_t n, int32_t x,
                                               int32_t y, const int32_t n_ends)
{
    const v8 v = v8_load(sac_meltpool_pixels(roi, x, y));
    sums->all = vsum_add(sums->all, sac_meltpool_those_before(before, v, n, x));
    for (int32_t j = 0; j < n_ends; j++)
        sums->before[j] =
            vsum_add(sums->before[j], sac_meltpool_those_before(before, v, s->end[j][y], x));
}

/* Rows from <= y < to; words, of 64 pixels in a row, and n_ends are constants. */
SAC_MELTPOOL_INLINE sac_meltpool_part sac_meltpool_sum_rows(const sac_meltpool_roi *roi,
                                                            const sac_meltpool_sectors *s,
                                                            int32_t n, int32_t from, int32_t to,
                                                            const int32_t n_ends)
{
    sac_meltpool_sums sums = {vsum_zero(), {vsum_zero(), vsum_zero(), vsum_zero()}};
    sac_meltpool_before before;
    sac_meltpool_make_before(&before);
    for (int32_t y = from; y < to; y++)
        for (int32_t x = 0; x < n; x += V8)
            sac_meltpool_add_sums(&sums, roi, &before, s, n, x, y, n_ends);
    sac_meltpool_part part = {.all = vsum_total(sums.all)};
    for (int32_t j = 0; j < n_ends; j++)
        part.before[j] = vsum_total(sums.before[j]);
    return part;
}

/* The sums of sectors; n_ends: a constant. */
SAC_MELTPOOL_INLINE void sac_meltpool_polar_of(uint32_t *polar, const sac_meltpool_roi *roi,
                                               const sac_meltpool_frame_job *job,
                                               const int32_t n_ends)
{
    sac_meltpool_sectors s;
    sac_meltpool_sector_ends(&s, job);
    const sac_meltpool_part above = sac_meltpool_sum_rows(roi, &s, job->n, 0, s.n_above, n_ends);
    const sac_meltpool_part below =
        sac_meltpool_sum_rows(roi, &s, job->n, s.n_above, job->n, n_ends);
    sac_meltpool_polar(polar, job, &s, &above, &below, sac_meltpool_sum,
                       sac_meltpool_pixels(roi, 0, 0), SAC_MELTPOOL_PITCH);
}

SAC_MELTPOOL_INLINE void sac_meltpool_polar_all(uint32_t *polar, const sac_meltpool_roi *roi,
                                                const sac_meltpool_frame_job *job)
{
    if (job->scan)
        sac_meltpool_polar_of(polar, roi, job, SAC_MELTPOOL_SCAN_ENDS);
    else
        sac_meltpool_polar_of(polar, roi, job, SAC_MELTPOOL_IMAGE_ENDS);
}

/* |gx|, |gy|, and not 0 where one of gx and gy is positive and the other negative, so that the
 * turned gradient is of the second quadrant. */
typedef struct {
    uint8_t gx[SAC_MELTPOOL_MAX_PIXELS + SAC_MELTPOOL_MAX_ROI];
    uint8_t gy[SAC_MELTPOOL_MAX_PIXELS + SAC_MELTPOOL_MAX_ROI];
    uint8_t second[SAC_MELTPOOL_MAX_PIXELS + SAC_MELTPOOL_MAX_ROI];
} sac_meltpool_gradients;

/* Of V8 pixels from (x, y) on. What is after the row is overwritten. */
SAC_MELTPOOL_INLINE void sac_meltpool_put_gradients(sac_meltpool_gradients *g,
                                                    const sac_meltpool_roi *roi, int32_t n,
                                                    int32_t x, int32_t y)
{
    const uint8_t *at = sac_meltpool_pixels(roi, x, y);
    const v8 west = v8_load(at - 1), east = v8_load(at + 1);
    const v8 up = v8_load(y > 0 ? at - SAC_MELTPOOL_PITCH : at);
    const v8 down = v8_load(y + 1 < n ? at + SAC_MELTPOOL_PITCH : at);
    const v8 right = v8_subs(east, west), left = v8_subs(west, east);
    const v8 fall = v8_subs(down, up), rise = v8_subs(up, down);
    const int32_t to = y * n + x;
    v8_store(g->gx + to, v8_or(right, left));
    v8_store(g->gy + to, v8_or(fall, rise));
    v8_store(g->second + to, v8_or(v8_min(right, rise), v8_min(left, fall)));
}

/* Sums of the votes of all, and of the second quadrant, that have not reached edge k + 1 of the
 * first; all[4]: of all votes. */
typedef struct {
    v32 all[5], second[4];
} sac_meltpool_votes;

/* ex / ey of the first quadrant's edges, in 1/2^14: floor(4 gy times that / 2^16) is less than gx
 * where a gradient of bytes has not reached the edge, and no other does. */
static const uint16_t sac_meltpool_cotangents[] = {45030, 19526, 9459, 2889};

/* V16 gradients from the i-th on. */
SAC_MELTPOOL_INLINE void sac_meltpool_vote(sac_meltpool_votes *sums,
                                           const sac_meltpool_gradients *g, int32_t i)
{
    const v16 gx = v16_load_bytes(g->gx + i), gy = v16_load_bytes(g->gy + i);
    const v16 votes = v16_lengths_16(gx, gy), gy_4 = v16_shl(gy, 2);
    const v16 second = v16_where(votes, v16_gt(v16_load_bytes(g->second + i), v16_set(0)));
    for (int k = 0; k < 4; k++) {
        const m16 before = v16_gt(gx, v16_mulhi(gy_4, v16_set(sac_meltpool_cotangents[k])));
        sums->all[k] = v32_add_where(sums->all[k], votes, before);
        sums->second[k] = v32_add_where(sums->second[k], second, before);
    }
    sums->all[4] = v32_add(sums->all[4], votes);
}

/* Of n_pixels gradients; what is after them in the last vector is set to 0. */
SAC_MELTPOOL_INLINE void sac_meltpool_vote_all(uint32_t *hog, sac_meltpool_gradients *g,
                                               int32_t n_pixels)
{
    const v32 zero = v32_zero();
    sac_meltpool_votes sums = {{zero, zero, zero, zero, zero}, {zero, zero, zero, zero}};
    memset(g->gx + n_pixels, 0, V16);
    memset(g->gy + n_pixels, 0, V16);
    memset(g->second + n_pixels, 0, V16);
    for (int32_t i = 0; i < n_pixels; i += V16)
        sac_meltpool_vote(&sums, g, i);
    uint32_t all = 0, second = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t until = v32_total(sums.all[k]), until_second = v32_total(sums.second[k]);
        hog[SAC_MELTPOOL_BINS - 1 - k] = until_second - second;
        hog[k] = until - all - hog[SAC_MELTPOOL_BINS - 1 - k];
        all = until;
        second = until_second;
    }
    hog[4] = v32_total(sums.all[4]) - all;
}

/* The pool's sums, row by row under its bits; words: of 64 pixels in a row, a constant. */
SAC_MELTPOOL_INLINE void sac_meltpool_add_pool(sac_meltpool_integers *out,
                                               const sac_meltpool_roi *roi, int32_t n,
                                               const sac_meltpool_bits *pool, const int32_t words)
{
    uint8_t count[64 * SAC_MELTPOOL_WORDS], index[64 * SAC_MELTPOOL_WORDS];
    vsum sum_i = vsum_zero(), sum_xy = vsum_zero();
    for (int32_t x = 0; x < 64 * words; x++)
        index[x] = (uint8_t)x;
    memset(count, 0, sizeof count);
    for (int32_t y = 0; y < n; y++)
        for (int32_t k = 0; k < words; k++) {
            const uint64_t bits = pool->row[y][k];
            const uint32_t n_bits = (uint32_t)__builtin_popcountll(bits), at = (uint32_t)y;
            if (!bits)
                continue;
            for (int32_t x = 64 * k; x < 64 * k + 64; x += V8) {
                const v8 in = v8_from_bits(bits >> x % 64);
                v8_store(count + x, v8_sub(v8_load(count + x), in));
                sum_i = vsum_add(sum_i, v8_and(in, v8_load(sac_meltpool_pixels(roi, x, y))));
                sum_xy = vsum_add_times(sum_xy, v8_and(in, v8_load(index + x)), at);
            }
            out->sum_y += at * n_bits;
            out->sum_yy += at * at * n_bits;
        }
    for (uint32_t x = 0; x < 64 * (uint32_t)words; x++) {
        out->sum_x += x * count[x];
        out->sum_xx += x * x * count[x];
    }
    out->sum_xy = vsum_total(sum_xy);
    out->sum_i = vsum_total(sum_i);
}

#endif
