/*
 * Ph, Po and Ho: a frame's sums by one block each, Po by six if wanted. A thread sums up what it
 * meets, a warp by shuffles, the block in shared memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_SUMS_CUH
#define SAC_MELTPOOL_LADDER_SUMS_CUH

#include "meltpool/ladder/rung.cuh"

/* Adds a warp's values to *sum, in shared memory. */
__device__ static inline void sac_rung_add(uint32_t *sum, uint32_t value)
{
    value = sac_warp_sum(value);
    if (sac_thread() % SAC_WARP == 0)
        atomicAdd(sum, value);
}

/* The pool's sums of places, into b->turn.in, where they are 0; whether it touches the ROI's edge.
 * Sync after it. */
__device__ static inline void sac_rung_moments(sac_rung_block *b, const uint32_t *labels,
                                               int32_t pitch)
{
    const int32_t n = b->turn.step.job.n;
    uint32_t xs = 0, ys = 0, xx = 0, xy = 0, yy = 0;
    bool touches = false;
    for (sac_meltpool_walk at((int32_t)sac_thread(), SAC_RUNG_TEAM, n); at.y < n; at.next(n)) {
        const uint32_t x = (uint32_t)at.x, y = (uint32_t)at.y;
        if (labels[at.y * pitch + at.x] != 0)
            continue;
        xs += x;
        ys += y;
        xx += x * x;
        xy += x * y;
        yy += y * y;
        touches |= at.x == 0 || at.y == 0 || at.x == n - 1 || at.y == n - 1;
    }
    __syncwarp();
    sac_meltpool_integers *in = &b->turn.in;
    sac_rung_add(&in->sum_x, xs);
    sac_rung_add(&in->sum_y, ys);
    sac_rung_add(&in->sum_xx, xx);
    sac_rung_add(&in->sum_xy, xy);
    sac_rung_add(&in->sum_yy, yy);
    if (__any_sync(SAC_ALL_LANES, touches) && sac_thread() % SAC_WARP == 0)
        atomicOr(&in->flags, (uint32_t)SAC_MELTPOOL_CLIPPED);
}

/* The pool's intensity. Sync after it. */
__device__ static inline void sac_rung_intensity(sac_rung_block *b, const uint32_t *labels,
                                                 int32_t pitch, const uint8_t *pixels,
                                                 ptrdiff_t row)
{
    const int32_t n = b->turn.step.job.n;
    uint32_t sum = 0;
    for (sac_meltpool_walk at((int32_t)sac_thread(), SAC_RUNG_TEAM, n); at.y < n; at.next(n))
        sum += labels[at.y * pitch + at.x] == 0 ? pixels[at.y * row + at.x] : 0u;
    __syncwarp();
    sac_rung_add(&b->turn.in.sum_i, sum);
}

/* Ph, and what the pool leaves for the next frame. b->turn.in has what Se found. */
__device__ static inline void sac_rung_physical(sac_rung_block *b, const uint32_t *labels,
                                                int32_t pitch, const uint8_t *pixels, ptrdiff_t row)
{
    sac_rung_moments(b, labels, pitch);
    sac_rung_intensity(b, labels, pitch, pixels, row);
    __syncthreads();
    if (sac_thread() == 0)
        sac_meltpool_follow(&b->turn.after.stream, &b->turn.step.job, &b->turn.in);
}

/* Rows' sectors, before sac_rung_polar. Sync after it. */
__device__ static inline void sac_rung_sectors(sac_rung_block *b, const sac_rung_memory &m)
{
    for (int32_t y = (int32_t)sac_thread(); y < b->turn.step.job.n; y += SAC_RUNG_TEAM)
        sac_meltpool_set_sectors(&m.lines[y], &b->turn.step.job, y);
    if (sac_thread() < SAC_MELTPOOL_SECTORS)
        b->polar[sac_thread()] = 0;
}

/* Po: the sums of sectors first .. first + N - 1, into `out` from `first` on. */
template <int N>
__device__ static inline void sac_rung_polar(sac_rung_block *b, const sac_rung_memory &m,
                                             const uint8_t *pixels, ptrdiff_t row, int32_t first,
                                             uint32_t *out)
{
    const sac_meltpool_frame_job *job = &b->turn.step.job;
    const int32_t n = job->n;
    uint32_t sums[N] = {};
    for (sac_meltpool_walk at((int32_t)sac_thread(), SAC_RUNG_TEAM, n); at.y < n; at.next(n)) {
        const sac_meltpool_line *line = &m.lines[at.y];
        const int32_t sector = job->scan
                                   ? sac_meltpool_turned_sector(job, at.x, at.y)
                                   : line->sector[(at.x >= line->end[0]) + (at.x >= line->end[1])];
        const uint32_t light = pixels[at.y * row + at.x];
#pragma unroll
        for (int k = 0; k < N; k++)
            sums[k] += sector == first + k ? light : 0;
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < N; k++)
        sac_rung_add(&b->polar[first + k], sums[k]);
    __syncthreads();
    if (sac_thread() < N)
        out[first + (int32_t)sac_thread()] = b->polar[first + (int32_t)sac_thread()];
}

/* A kernel of Po by SAC_MELTPOOL_SECTORS blocks, a sector each, whose pixels are read where they
 * are. */
__device__ static inline void sac_rung_region(sac_rung_block *b, const sac_rung_memory &m,
                                              const sac_rung_call &c)
{
    if (!sac_rung_resume(b, c, SAC_RUNG_JOB))
        return;
    sac_rung_sectors(b, m);
    __syncthreads();
    sac_rung_polar<1>(b, m, sac_rung_roi(b, c), c.row, (int32_t)blockIdx.x, c.turn->in.polar);
}

/* The gradient at a pixel, the ROI's border pixels replicated. */
__device__ static inline void sac_rung_gradient(int32_t *gx, int32_t *gy, const uint8_t *p,
                                                ptrdiff_t row, int32_t x, int32_t y, int32_t n)
{
    *gx = p[x < n - 1] - p[-(x > 0)];
    *gy = p[y < n - 1 ? row : 0] - p[y > 0 ? -row : 0];
}

/* A gradient's vote, into the thread's own bins. */
__device__ static inline void sac_rung_vote(uint32_t bins[SAC_MELTPOOL_BINS], int32_t gx,
                                            int32_t gy)
{
    const int32_t bin = sac_meltpool_bin(gx, gy);
    const uint32_t vote = sac_meltpool_vote((uint32_t)(gx * gx + gy * gy));
#pragma unroll
    for (int k = 0; k < SAC_MELTPOOL_BINS; k++)
        bins[k] += bin == k ? vote : 0;
}

/* All threads' bins, into `out`. */
__device__ static inline void sac_rung_put_votes(sac_rung_block *b, const uint32_t *bins,
                                                 uint32_t *out)
{
    if (sac_thread() < SAC_MELTPOOL_BINS)
        b->hog[sac_thread()] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SAC_MELTPOOL_BINS; k++)
        sac_rung_add(&b->hog[k], bins[k]);
    __syncthreads();
    if (sac_thread() < SAC_MELTPOOL_BINS)
        out[sac_thread()] = b->hog[sac_thread()];
}

/* Ho: votes by bins, into `out`. */
__device__ static inline void sac_rung_gradients(sac_rung_block *b, const uint8_t *pixels,
                                                 ptrdiff_t row, uint32_t *out)
{
    const int32_t n = b->turn.step.job.n;
    uint32_t bins[SAC_MELTPOOL_BINS] = {};
    for (sac_meltpool_walk at((int32_t)sac_thread(), SAC_RUNG_TEAM, n); at.y < n; at.next(n)) {
        int32_t gx, gy;
        sac_rung_gradient(&gx, &gy, pixels + at.y * row + at.x, row, at.x, at.y, n);
        sac_rung_vote(bins, gx, gy);
    }
    sac_rung_put_votes(b, bins, out);
}

#endif
