/*
 * Se, segmentation by multi-scan label equivalence: each bright pixel has a label of its own, and
 * the least label goes to its neighbours until nothing changes. By one block, labels in shared
 * memory; pixels of a row, of a column or of a small block pass them on by shuffles.
 *
 * The pool's pixel has label 0, the least, so that finally all of the pool has; the histogram's
 * first bin is its area, and every other that is not empty a spatter.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_LABEL_CUH
#define SAC_MELTPOOL_LADDER_LABEL_CUH

#include "meltpool/ladder/rung.cuh"

/* How shuffles go: along rows and columns of a square around the pool, or in blocks of pixels. */
typedef enum sac_rung_spread { SAC_RUNG_IN_ROWS, SAC_RUNG_IN_BLOCKS } sac_rung_spread;

enum { SAC_RUNG_TILE_W = 8, SAC_RUNG_TILE_H = 4 }; /* a warp's block of pixels */

/* A bright pixel's distance from the centre, and its place: the nearest one is the pool's. */
__device__ static inline unsigned long long sac_rung_nearness(const sac_meltpool_frame_job *job,
                                                              int32_t x, int32_t y)
{
    const int64_t dx = job->x0 + x - job->cx, dy = job->y0 + y - job->cy;
    return (unsigned long long)(dx * dx + dy * dy) << 14 | (unsigned long long)(y << 7 | x);
}

/* The nearest of a block's. All threads call; b->nearest was set before a sync. */
__device__ static inline void sac_rung_vote_nearest(sac_rung_block *b, unsigned long long own)
{
    const uint32_t distance =
        sac_warp_min((uint32_t)(own >> 14 > UINT32_MAX ? UINT32_MAX : own >> 14));
    const bool is_it = own != ~0ull && own >> 14 == distance;
    const uint32_t place = sac_warp_min(is_it ? (uint32_t)(own & 0x3fff) : UINT32_MAX);
    if (sac_thread() % SAC_WARP == 0 && place != UINT32_MAX)
        atomicMin(&b->nearest, (unsigned long long)distance << 14 | place);
}

/*
 * A label of its own for each bright pixel, counted by a sum over the block, from 1 on, and 0 for
 * the pool's pixel; others are dark. Returns how many there are. Pixels are `row` bytes apart.
 */
__device__ static inline uint32_t sac_rung_number(sac_rung_block *b, const sac_rung_memory &m,
                                                  const uint8_t *pixels, ptrdiff_t row)
{
    const sac_meltpool_frame_job *job = &b->turn.step.job;
    const int32_t rank = (int32_t)sac_thread(), n = job->n;
    unsigned long long nearest = ~0ull;
    uint32_t own = 0;
    if (rank == 0)
        b->nearest = ~0ull;
    for (sac_meltpool_walk at(rank, SAC_RUNG_TEAM, n); at.y < n; at.next(n))
        if (pixels[at.y * row + at.x] >= job->threshold) {
            nearest = min(nearest, sac_rung_nearness(job, at.x, at.y));
            own++;
        }
    __syncwarp();
    uint64_t all;
    uint32_t label = (uint32_t)sac_block_scan(&all, own, b->sums) - own;
    sac_rung_vote_nearest(b, nearest);
    __syncthreads();
    const int32_t place = (int32_t)(b->nearest & 0x3fff);
    for (sac_meltpool_walk at(rank, SAC_RUNG_TEAM, n); at.y < n; at.next(n)) {
        const int32_t i = at.y * m.pitch + at.x;
        const bool is_bright = pixels[at.y * row + at.x] >= job->threshold;
        m.labels[i] = m.others[i] = !is_bright                    ? SAC_RUNG_DARK
                                    : (at.y << 7 | at.x) == place ? 0
                                                                  : ++label;
    }
    __syncthreads();
    return (uint32_t)all;
}

/* The least label of the bright lanes side by side that a lane is among: each has the least of
 * those from it on, then takes that of the first one. */
__device__ static inline uint32_t sac_rung_least_of_run(uint32_t label)
{
    const uint32_t lane = sac_thread() % SAC_WARP;
    const uint32_t dark = __ballot_sync(SAC_ALL_LANES, label == SAC_RUNG_DARK);
    const uint32_t below = dark & ((1u << lane) - 1), above = dark & ~((2u << lane) - 1);
    const uint32_t begin = SAC_WARP - (uint32_t)__clz((int)below);
    const uint32_t end = above ? (uint32_t)__ffs((int)above) - 1 : SAC_WARP;
    for (uint32_t step = 1; step < SAC_WARP; step *= 2) {
        const uint32_t other = __shfl_down_sync(SAC_ALL_LANES, label, step);
        label = lane + step < end ? min(label, other) : label;
    }
    return __shfl_sync(SAC_ALL_LANES, label, (int)begin % SAC_WARP);
}

/* Along up to 32 pixels, `step` apart; more than n of them there are not. A warp calls. */
__device__ static inline void sac_rung_along(uint32_t *labels, int32_t step, int32_t n)
{
    const int32_t lane = (int32_t)(sac_thread() % SAC_WARP);
    const uint32_t own = lane < n ? labels[lane * step] : SAC_RUNG_DARK;
    if (!__any_sync(SAC_ALL_LANES, own != SAC_RUNG_DARK))
        return;
    const uint32_t least = sac_rung_least_of_run(own);
    if (own != SAC_RUNG_DARK)
        labels[lane * step] = least;
}

/* In columns, then in rows of 32 x 32 pixels around the pool, where the ROI has them. */
__device__ static inline void sac_rung_spread_rows(const sac_rung_block *b,
                                                   const sac_rung_memory &m)
{
    const int32_t n = b->turn.step.job.n, last = n < SAC_WARP ? 0 : n - SAC_WARP;
    const int32_t side = n < SAC_WARP ? n : SAC_WARP;
    const int32_t x0 = sac_meltpool_inside((int32_t)(b->nearest & 127) - SAC_WARP / 2, last);
    const int32_t y0 = sac_meltpool_inside((int32_t)(b->nearest >> 7 & 127) - SAC_WARP / 2, last);
    uint32_t *first = m.labels + y0 * m.pitch + x0;
    const int32_t warp = (int32_t)(sac_thread() / SAC_WARP);
    for (int32_t x = warp; x < side; x += SAC_RUNG_TEAM / SAC_WARP)
        sac_rung_along(first + x, m.pitch, side);
    __syncthreads();
    for (int32_t y = warp; y < side; y += SAC_RUNG_TEAM / SAC_WARP)
        sac_rung_along(first + y * m.pitch, 1, side);
    __syncthreads();
}

/* In each block of 8 x 4 pixels, until nothing changes there. */
__device__ static inline void sac_rung_spread_blocks(const sac_rung_block *b,
                                                     const sac_rung_memory &m)
{
    const int32_t n = b->turn.step.job.n, lane = (int32_t)(sac_thread() % SAC_WARP);
    const int32_t lx = lane % SAC_RUNG_TILE_W, ly = lane / SAC_RUNG_TILE_W;
    const int32_t wide = (n + SAC_RUNG_TILE_W - 1) / SAC_RUNG_TILE_W;
    const int32_t high = (n + SAC_RUNG_TILE_H - 1) / SAC_RUNG_TILE_H;
    for (int32_t tile = (int32_t)(sac_thread() / SAC_WARP); tile < wide * high;
         tile += SAC_RUNG_TEAM / SAC_WARP) {
        const int32_t x = tile % wide * SAC_RUNG_TILE_W + lx;
        const int32_t y = tile / wide * SAC_RUNG_TILE_H + ly;
        uint32_t *at = m.labels + y * m.pitch + x;
        const uint32_t own = x < n && y < n ? *at : SAC_RUNG_DARK;
        uint32_t least = own, before;
        do {
            before = least;
            const uint32_t up = __shfl_up_sync(SAC_ALL_LANES, least, SAC_RUNG_TILE_W);
            const uint32_t down = __shfl_down_sync(SAC_ALL_LANES, least, SAC_RUNG_TILE_W);
            const uint32_t left = __shfl_up_sync(SAC_ALL_LANES, least, 1);
            const uint32_t right = __shfl_down_sync(SAC_ALL_LANES, least, 1);
            if (own != SAC_RUNG_DARK) { /* what is dark there has the largest label */
                least = min(min(least, min(up, down)), lx > 0 ? left : SAC_RUNG_DARK);
                least = min(least, lx < SAC_RUNG_TILE_W - 1 ? right : SAC_RUNG_DARK);
            }
        } while (__any_sync(SAC_ALL_LANES, least != before));
        if (least != own)
            *at = least;
    }
    __syncthreads();
}

/* To all four neighbours, through shared memory: from m.labels into m.others, which change places.
 * Whether any label changed. */
__device__ static inline bool sac_rung_spread_shared(const sac_rung_block *b, sac_rung_memory *m)
{
    const int32_t n = b->turn.step.job.n, pitch = m->pitch;
    bool changed = false;
    for (sac_meltpool_walk at((int32_t)sac_thread(), SAC_RUNG_TEAM, n); at.y < n; at.next(n)) {
        const uint32_t *l = m->labels + at.y * pitch + at.x, own = *l;
        if (own == SAC_RUNG_DARK)
            continue; /* in both */
        const uint32_t across = min(at.x > 0 ? l[-1] : own, at.x < n - 1 ? l[1] : own);
        const uint32_t along = min(at.y > 0 ? l[-pitch] : own, at.y < n - 1 ? l[pitch] : own);
        const uint32_t least = min(own, min(across, along));
        m->others[at.y * pitch + at.x] = least;
        changed |= least != own;
    }
    uint32_t *labels = m->others;
    m->others = m->labels;
    m->labels = labels;
    return __syncthreads_or(changed);
}

/* The least label to all of a component. */
template <sac_rung_spread SPREAD>
__device__ static inline void sac_rung_spread_labels(const sac_rung_block *b, sac_rung_memory *m)
{
    do {
        if (SPREAD == SAC_RUNG_IN_ROWS)
            sac_rung_spread_rows(b, *m);
        else
            sac_rung_spread_blocks(b, *m);
    } while (sac_rung_spread_shared(b, m));
}

/* The labels' histogram: the pool's area and the spatters, into b->turn.in, whose other members are
 * 0. There are no labels above `n_labels`. */
__device__ static inline void sac_rung_count(sac_rung_block *b, const sac_rung_memory &m,
                                             uint32_t n_labels)
{
    const int32_t n = b->turn.step.job.n;
    uint32_t *bins = m.others;
    sac_meltpool_integers *in = &b->turn.in;
    for (uint32_t i = sac_thread(); i <= n_labels; i += SAC_RUNG_TEAM)
        bins[i] = 0;
    if (sac_thread() < SAC_MELTPOOL_RESULT)
        ((uint32_t *)in)[sac_thread()] = 0;
    __syncthreads();
    uint32_t area = 0;
    for (sac_meltpool_walk at((int32_t)sac_thread(), SAC_RUNG_TEAM, n); at.y < n; at.next(n)) {
        const uint32_t label = m.labels[at.y * m.pitch + at.x];
        area += label == 0;
        if (label != 0 && label != SAC_RUNG_DARK)
            atomicAdd(&bins[label], 1u);
    }
    __syncwarp();
    area = sac_warp_sum(area);
    if (sac_thread() % SAC_WARP == 0)
        atomicAdd(&bins[0], area);
    __syncthreads();
    uint32_t spatters = 0, pixels = 0;
    for (uint32_t i = 1 + sac_thread(); i <= n_labels; i += SAC_RUNG_TEAM)
        if (bins[i] >= (uint32_t)b->turn.step.job.spatter_min) {
            spatters++;
            pixels += bins[i];
        }
    __syncwarp();
    spatters = sac_warp_sum(spatters);
    pixels = sac_warp_sum(pixels);
    if (sac_thread() % SAC_WARP == 0) {
        atomicAdd(&in->n_spatters, spatters);
        atomicAdd(&in->spatter_pixels, pixels);
    }
    if (sac_thread() == 0) {
        in->area = bins[0];
        in->flags = bins[0] == 0 ? SAC_MELTPOOL_NO_POOL : 0;
    }
    __syncthreads();
}

/* Se. Pixels are read where they are, once for each use. */
template <sac_rung_spread SPREAD>
__device__ static inline void sac_rung_label(sac_rung_block *b, sac_rung_memory *m,
                                             const uint8_t *pixels, ptrdiff_t row)
{
    const uint32_t n_labels = sac_rung_number(b, *m, pixels, row);
    if (n_labels > 0)
        sac_rung_spread_labels<SPREAD>(b, m);
    sac_rung_count(b, *m, n_labels);
}

#endif
