/*
 * What the rungs' blocks have in shared memory, how they hand it on, and Pr, the stage that finds
 * the next frame and where to look in it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_RUNG_CUH
#define SAC_MELTPOOL_LADDER_RUNG_CUH

#include <stddef.h>

#include "meltpool/kernels/frame.cuh"
#include "meltpool/kernels/finish.cuh"
#include "meltpool/ladder/rungs.h"

enum {
    SAC_RUNG_TEAM = 512,    /* threads: three or four pixels of an ROI of 40 x 40 each */
    SAC_RUNG_LOOKAHEAD = 8, /* frames that Pr looks through for one with the laser on */
    SAC_RUNG_LEFT_OUT = SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED
};
#define SAC_RUNG_DARK UINT32_MAX /* the label of a pixel below the threshold */

/* Of a block: what it knows of the frame, and what its threads meet at. */
typedef struct sac_rung_block {
    sac_rung_turn turn;
    uint64_t sums[SAC_WARP + 1];
    unsigned long long nearest;
    uint32_t brightest;
    uint32_t n_skipped;
    uint32_t polar[SAC_MELTPOOL_SECTORS], hog[SAC_MELTPOOL_BINS];
    sac_meltpool_spread spread[SAC_MELTPOOL_OF_FRAME * SAC_MELTPOOL_GROUPS];
    alignas(16) float z[SAC_MELTPOOL_FEATURES];
    float prediction[SAC_MELTPOOL_PREDICTIONS];
} sac_rung_block;

/* Where a block's other shared memory is what. */
typedef struct sac_rung_memory {
    uint32_t *labels, *others; /* (n, pitch), and one more */
    sac_meltpool_line *lines;  /* (n) */
    uint8_t *pixels;           /* (n, pixel_pitch) */
    int32_t pitch, pixel_pitch;
} sac_rung_memory;

/* Parts of a turn, in bytes. */
enum {
    SAC_RUNG_JOB = offsetof(sac_rung_turn, in), /* what does not change while blocks sum up */
    SAC_RUNG_PLACED = offsetof(sac_rung_turn, in) - offsetof(sac_rung_turn, after),
    SAC_RUNG_POOL = offsetof(sac_meltpool_integers, polar),
    SAC_RUNG_LIGHT = sizeof(sac_meltpool_integers) - offsetof(sac_meltpool_integers, polar)
};

typedef sac_meltpool_scratch<SAC_RUNG_TEAM> sac_rung_scratch;

__host__ __device__ static inline int32_t sac_rung_pitch(int32_t n)
{
    return n | 1; /* columns, too, lie in different banks */
}

__host__ __device__ static inline uint32_t sac_rung_labels(int32_t n)
{
    return (uint32_t)(n * sac_rung_pitch(n) + 4) / 4 * 4;
}

/* A hidden layer takes the labels' place. */
__host__ __device__ static inline uint32_t sac_rung_bytes(int32_t n, int32_t n_units)
{
    const uint32_t rows = (uint32_t)n, units = (uint32_t)n_units * 4;
    const uint32_t bytes = 2 * 4 * sac_rung_labels(n) + rows * (uint32_t)sizeof(sac_meltpool_line) +
                           rows * (uint32_t)sac_rung_scratch::pitch_of(n);
    return bytes > units ? bytes : units;
}

__device__ static inline sac_rung_memory sac_rung_memory_of(int32_t n)
{
    extern __shared__ __align__(16) char memory[];
    sac_rung_memory m;
    m.lines = (sac_meltpool_line *)memory;
    m.labels = (uint32_t *)(m.lines + n);
    m.others = m.labels + sac_rung_labels(n);
    m.pixels = (uint8_t *)(m.others + sac_rung_labels(n));
    m.pitch = sac_rung_pitch(n);
    m.pixel_pitch = sac_rung_scratch::pitch_of(n);
    return m;
}

/* Copies words by a whole block; from device memory past the first-level cache, as other blocks may
 * have written them. No sync. */
__device__ static inline void sac_rung_take(void *to, const void *from, uint32_t bytes)
{
    for (uint32_t i = sac_thread(); i < bytes / 4; i += SAC_RUNG_TEAM)
        ((uint32_t *)to)[i] = __ldcg((const uint32_t *)from + i);
}

__device__ static inline void sac_rung_give(void *to, const void *from, uint32_t bytes)
{
    for (uint32_t i = sac_thread(); i < bytes / 4; i += SAC_RUNG_TEAM)
        ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
}

/* What an earlier kernel left of the frame, the turn's first bytes; whether there is work. */
__device__ static inline bool sac_rung_resume(sac_rung_block *b, const sac_rung_call &c,
                                              uint32_t bytes = sizeof(sac_rung_turn))
{
    sac_rung_take(&b->turn, c.turn, bytes);
    __syncthreads();
    return b->turn.frame >= 0;
}

/* The ROI's first pixel, where the frame is. */
__device__ static inline const uint8_t *sac_rung_roi(const sac_rung_block *b,
                                                     const sac_rung_call &c)
{
    const sac_meltpool_frame_job *job = &b->turn.step.job;
    return job->frame + job->y0 * c.row + job->x0;
}

/* The frame's ROI: into shared memory, in vectors where they fit. Sync after it. */
__device__ static inline void sac_rung_load(const sac_rung_memory &m, const sac_rung_block *b,
                                            const sac_rung_call &c)
{
    const int32_t n = b->turn.step.job.n;
    sac_rung_scratch s((char *)m.lines, n);
    s.pixels = m.pixels;
    s.pitch = m.pixel_pitch;
    sac_meltpool_load(s, sac_rung_roi(b, c), c.row, n);
}

/* sac_rung_resume, then the ROI into shared memory. */
__device__ static inline bool sac_rung_resume_roi(sac_rung_block *b, const sac_rung_memory &m,
                                                  const sac_rung_call &c)
{
    if (!sac_rung_resume(b, c))
        return false;
    sac_rung_load(m, b, c);
    __syncthreads();
    return true;
}

/* Se and Ph are done: the pool, and the stream's position. Sync before. */
__device__ static inline void sac_rung_give_pool(const sac_rung_block &b, const sac_rung_call &c)
{
    sac_rung_give(&c.turn->in, &b.turn.in, SAC_RUNG_POOL);
    sac_rung_give(&c.turn->after, &b.turn.after, sizeof b.turn.after);
}

/* Rows of n frames from `first` on that are left out. */
__device__ static inline void sac_rung_leave_out(const sac_rung_call &c, int64_t first, uint32_t n,
                                                 uint32_t flag)
{
    for (uint32_t i = sac_thread() % SAC_WARP; i < n * SAC_RUNG_VALUES; i += SAC_WARP) {
        float *row = (float *)(c.out + (first + i / SAC_RUNG_VALUES) * c.out_row);
        row[i % SAC_RUNG_VALUES] = i % SAC_RUNG_VALUES == 0 ? (float)flag : 0.0f;
    }
}

/* By the first warp: the position after the frames with the laser off, and the frame that comes
 * then, or -1. */
__device__ static inline void sac_rung_skip(sac_rung_block *b, const sac_rung_call &c, bool writes)
{
    sac_rung_position *p = &b->turn.after;
    const uint32_t lane = sac_thread() % SAC_WARP;
    const int64_t first = p->at, left = c.n - first;
    const uint32_t n = (uint32_t)min(left, (int64_t)SAC_RUNG_LOOKAHEAD);
    const bool is_on = lane < n && c.signals[first + lane].laser_on;
    /* How many are on up to a lane: the index of the first one is how often that is 0. */
    const uint64_t n_on = sac_warp_scan(is_on);
    const uint32_t n_off = (uint32_t)__popc(__ballot_sync(SAC_ALL_LANES, lane < n && n_on == 0));
    if (writes)
        sac_rung_leave_out(c, first, n_off, SAC_MELTPOOL_EMPTY);
    __syncwarp(); /* all have read where the stream is */
    if (lane == 0) {
        if (n_off > 0)
            p->stream.next_counter = (int32_t)((uint32_t)c.signals[first + n_off - 1].counter + 1);
        p->stream.n_between += n_off;
        p->at = first + n_off;
        b->turn.frame = n_off < n ? p->at : -1;
        b->brightest = 255u << 24; /* a black frame, until one is sought through */
    }
}

/* By the block, of frames of up to 2^24 pixels: the first one of the most light. */
__device__ static inline void sac_rung_seek(sac_rung_block *b, const sac_rung_call &c)
{
    const uint8_t *frame = c.pixels + b->turn.frame * c.frame;
    uint32_t least = UINT32_MAX;
    for (sac_meltpool_walk at((int32_t)sac_thread(), SAC_RUNG_TEAM, c.places.w); at.y < c.places.h;
         at.next(c.places.w)) {
        const uint32_t dark = 255u - frame[at.y * c.row + at.x];
        least = min(least, dark << 24 | (uint32_t)(at.y * c.places.w + at.x));
    }
    __syncwarp();
    least = sac_warp_min(least);
    if (sac_thread() % SAC_WARP == 0)
        atomicMin(&b->brightest, least);
    __syncthreads();
}

/*
 * Pr: the next frame with the laser on, and what to do of it. From the position `from`; afterwards
 * b->turn has everything but integers and features, its `after` being the position after it. Only
 * who `writes` writes rows of frames that are left out. Returns whether there is work.
 */
__device__ static inline bool sac_rung_place(sac_rung_block *b, const sac_rung_position *from,
                                             const sac_rung_call &c, bool writes)
{
    sac_rung_turn *turn = &b->turn;
    sac_rung_take(&turn->after, from, sizeof turn->after);
    __syncthreads();
    if (sac_thread() < SAC_WARP)
        sac_rung_skip(b, c, writes);
    __syncthreads();
    if (turn->frame < 0)
        return false;
    const sac_meltpool_signals signals = c.signals[turn->frame];
    if (sac_meltpool_seeks(&c.places, &turn->after.stream, &signals))
        sac_rung_seek(b, c);
    __syncthreads();
    if (sac_thread() == 0) {
        const int32_t at = (int32_t)(b->brightest & 0xffffff);
        const sac_meltpool_place brightest = {at % c.places.w * 65536, at / c.places.w * 65536};
        turn->flags = sac_meltpool_place_next(&c.places, &turn->after.stream, &turn->step, &signals,
                                              brightest);
        turn->step.job.frame = c.pixels + turn->frame * c.frame;
        turn->after.at = turn->frame + 1;
    }
    __syncthreads();
    if (!(turn->flags & SAC_RUNG_LEFT_OUT))
        return true;
    if (writes && sac_thread() < SAC_WARP)
        sac_rung_leave_out(c, turn->frame, 1, turn->flags);
    __syncthreads();
    if (sac_thread() == 0)
        turn->frame = -1;
    __syncthreads();
    return false;
}

/* All kernels of the frame are done: the stream goes on. By one block. */
__device__ static inline void sac_rung_commit(const sac_rung_block *b, const sac_rung_call &c)
{
    sac_rung_give(&c.turn->before, &b->turn.after, sizeof c.turn->before);
}

#endif
