/*
 * A frame's integers by a block, for the lowest latency: one warp joins the segments while the
 * others sum up pixels, eight at a time, and a run is a lane. What does not fit (more runs than
 * lanes, an ROI that is not of whole groups of eight, or is larger than 64) goes the general way.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LATENCY_CUH
#define SAC_MELTPOOL_LATENCY_CUH

#include "meltpool/kernels/frame.cuh"

enum {
    SAC_MELTPOOL_FAST = 256, /* threads of the block */
    SAC_MELTPOOL_GROUP = 8,  /* pixels of a row side by side */
    SAC_MELTPOOL_FAST_ROI = 64,
    SAC_MELTPOOL_FAST_ROUNDS =
        SAC_MELTPOOL_FAST_ROI * SAC_MELTPOOL_FAST_ROI / SAC_MELTPOOL_GROUP / SAC_MELTPOOL_FAST
};

typedef sac_meltpool_scratch<SAC_MELTPOOL_FAST> sac_meltpool_fast;

__device__ static inline bool sac_meltpool_is_of_groups(const uint8_t *from, ptrdiff_t row,
                                                        int32_t n)
{
    return n % SAC_MELTPOOL_GROUP == 0 && n <= SAC_MELTPOOL_FAST_ROI &&
           ((uintptr_t)from | (uintptr_t)row) % SAC_MELTPOOL_GROUP == 0;
}

/* Where a run of a row of at most 64 pixels has its number. */
__device__ static inline uint8_t *sac_meltpool_number_at(const sac_meltpool_fast &s, int32_t y,
                                                         int32_t begin)
{
    return (uint8_t *)s.parent + y * s.pitch + begin;
}

/* Lists the runs that begin in a group, in any order; 32 at most, but counts all. */
__device__ static inline void sac_meltpool_list_begins(const sac_meltpool_fast &s, int32_t group,
                                                       int32_t y)
{
    const uint64_t bits = s.lines[y].bits[0];
    uint32_t begins = (uint32_t)((bits & ~(bits << 1)) >> group * SAC_MELTPOOL_GROUP) & 255;
    for (; begins; begins &= begins - 1) {
        const int32_t begin = group * SAC_MELTPOOL_GROUP + __ffs((int)begins) - 1;
        const uint64_t behind = ~(bits >> begin); /* 0 where a row of 64 is all bright */
        const int32_t length = behind ? __ffsll((long long)behind) - 1 : SAC_MELTPOOL_FAST_ROI;
        const uint32_t i = atomicAdd(s.n_runs, 1);
        if (i >= SAC_WARP)
            continue;
        s.runs[i] = sac_meltpool_stretch{(uint8_t)y, (uint8_t)begin, (uint8_t)(begin + length - 1)};
        *sac_meltpool_number_at(s, y, begin) = (uint8_t)i;
    }
}

/* Which groups of pixels are a thread's: of all threads, and of all warps but the first. Made once,
 * since it takes divisions. */
struct sac_meltpool_shares {
    sac_meltpool_walk of_all, of_others;

    __device__ explicit sac_meltpool_shares(int32_t n)
        : of_all((int32_t)threadIdx.x, SAC_MELTPOOL_FAST, (n + 7) / SAC_MELTPOOL_GROUP),
          of_others((int32_t)threadIdx.x - SAC_WARP, SAC_MELTPOOL_FAST - SAC_WARP,
                    (n + 7) / SAC_MELTPOOL_GROUP)
    {
    }
};

/* Pixels and their bright bits; meanwhile all else is prepared that needs none of them. */
template <class Else>
__device__ static inline void sac_meltpool_begin_fast(const sac_meltpool_fast &s,
                                                      const sac_meltpool_frame_job *job,
                                                      const uint8_t *from, ptrdiff_t row,
                                                      const sac_meltpool_shares &shares, Else &also)
{
    const int32_t rank = (int32_t)threadIdx.x, n = job->n, groups = n / SAC_MELTPOOL_GROUP;
    uint2 v[SAC_MELTPOOL_FAST_ROUNDS];
    sac_meltpool_walk at = shares.of_all;
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_FAST_ROUNDS; i++, at.next(groups))
        if (at.y < n)
            v[i] = sac_load_8(from + at.y * row + SAC_MELTPOOL_GROUP * at.x);
    for (int i = 0; i < SAC_MELTPOOL_COLUMNS; i++)
        s.columns[i * SAC_MELTPOOL_FAST + rank] = 0;
    if (rank < SAC_MELTPOOL_RESULT)
        ((uint32_t *)s.out)[rank] = 0;
    if (rank == 0) {
        *s.nearest = ~0ull;
        *s.n_runs = 0;
    }
    if (rank >= SAC_WARP && rank - SAC_WARP < n) /* the first warp has enough to do */
        sac_meltpool_begin_line(&s.lines[rank - SAC_WARP], job, rank - SAC_WARP);
    also.with_load();
    __syncthreads();
    at = shares.of_all;
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_FAST_ROUNDS; i++, at.next(groups))
        if (at.y < n) {
            uint32_t *to = (uint32_t *)(s.pixels + at.y * s.pitch + SAC_MELTPOOL_GROUP * at.x);
            to[0] = v[i].x;
            to[1] = v[i].y;
            ((uint8_t *)s.lines[at.y].bits)[at.x] =
                (uint8_t)(sac_meltpool_bright(v[i].x, job->threshold) |
                          sac_meltpool_bright(v[i].y, job->threshold) << 4);
        }
    __syncthreads();
    at = shares.of_all;
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_FAST_ROUNDS; i++, at.next(groups))
        if (at.y < n)
            sac_meltpool_list_begins(s, at.x, at.y);
}

/* Byte i of 8. */
__device__ static inline int32_t sac_meltpool_byte(const uint32_t v[2], int i)
{
    return (int32_t)(v[i / 4] >> i % 4 * 8 & 255);
}

/* Sums of sectors, of eight pixels from x on in row y, into the thread's own column. */
__device__ static inline void sac_meltpool_add_sectors(uint32_t *column, const uint32_t v[2],
                                                       const sac_meltpool_line *line, int32_t x)
{
    const uint64_t all = (uint64_t)v[1] << 32 | v[0];
    uint32_t before[3];
    before[2] = __dp4a(v[0], 0x01010101u, __dp4a(v[1], 0x01010101u, 0u));
    for (int k = 0; k < 2; k++) {
        const int32_t n = line->end[k] - x;
        const uint64_t part = n <= 0 ? 0 : n >= 8 ? all : all & ((UINT64_C(1) << n * 8) - 1);
        before[k] =
            __dp4a((uint32_t)part, 0x01010101u, __dp4a((uint32_t)(part >> 32), 0x01010101u, 0u));
    }
    column[line->sector[0] * SAC_MELTPOOL_FAST] += before[0];
    column[line->sector[1] * SAC_MELTPOOL_FAST] += before[1] - before[0];
    column[line->sector[2] * SAC_MELTPOOL_FAST] += before[2] - before[1];
}

/* Votes of eight pixels, into the thread's own column. */
__device__ static inline void sac_meltpool_add_votes(uint32_t *column, const uint32_t left[2],
                                                     const uint32_t right[2], const uint32_t up[2],
                                                     const uint32_t down[2])
{
    uint32_t votes[SAC_MELTPOOL_GROUP];
    int32_t bins[SAC_MELTPOOL_GROUP];
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_GROUP; i++) {
        const int32_t gx = sac_meltpool_byte(right, i) - sac_meltpool_byte(left, i);
        const int32_t gy = sac_meltpool_byte(down, i) - sac_meltpool_byte(up, i);
        bins[i] = sac_meltpool_bin(gx, gy) * SAC_MELTPOOL_FAST;
        votes[i] = sac_meltpool_vote((uint32_t)(gx * gx + gy * gy));
    }
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_GROUP; i++)
        column[bins[i]] += votes[i];
}

/* All groups of pixels, by all warps but the first. */
__device__ static inline void sac_meltpool_sum_groups(const sac_meltpool_fast &s,
                                                      const sac_meltpool_frame_job *job,
                                                      const sac_meltpool_shares &shares)
{
    const int32_t n = job->n, groups = n / SAC_MELTPOOL_GROUP;
    uint32_t *polar = s.columns + threadIdx.x;
    uint32_t *hog = polar + SAC_MELTPOOL_SECTORS * SAC_MELTPOOL_FAST;
    for (sac_meltpool_walk at = shares.of_others; at.y < n; at.next(groups)) {
        const int32_t x = at.x * SAC_MELTPOOL_GROUP, y = at.y;
        const uint8_t *p = s.pixels + y * s.pitch + x;
        const uint32_t *here = (const uint32_t *)p;
        const uint32_t *above = (const uint32_t *)(y > 0 ? p - s.pitch : p);
        const uint32_t *below = (const uint32_t *)(y < n - 1 ? p + s.pitch : p);
        const uint32_t first = p[x > 0 ? -1 : 0], last = p[x + SAC_MELTPOOL_GROUP < n ? 8 : 7];
        const uint32_t v[2] = {here[0], here[1]};
        const uint32_t up[2] = {above[0], above[1]}, down[2] = {below[0], below[1]};
        const uint32_t left[2] = {__byte_perm(v[0], first, 0x2104),
                                  __byte_perm(v[1], v[0], 0x2107)};
        const uint32_t right[2] = {__byte_perm(v[0], v[1], 0x4321),
                                   __byte_perm(v[1], last, 0x4321)};
        if (job->scan)
            for (int i = 0; i < SAC_MELTPOOL_GROUP; i++)
                polar[sac_meltpool_turned_sector(job, x + i, y) * SAC_MELTPOOL_FAST] += p[i];
        else
            sac_meltpool_add_sectors(polar, v, &s.lines[y], x);
        sac_meltpool_add_votes(hog, left, right, up, down);
    }
}

/* Bits first .. last of 64. */
__device__ static inline uint64_t sac_meltpool_span(int32_t first, int32_t last)
{
    return (UINT64_C(2) << last) - (UINT64_C(1) << first);
}

/* The run that has a bright pixel x of row y. */
__device__ static inline uint32_t sac_meltpool_run_of(const sac_meltpool_fast &s, int32_t y,
                                                      int32_t x)
{
    const uint64_t bits = s.lines[y].bits[0];
    const uint64_t begins = bits & ~(bits << 1) & sac_meltpool_span(0, x);
    return *sac_meltpool_number_at(s, y, 63 - __clzll((long long)begins));
}

/* A number of a lane's component, a run a lane. Each has at most one parent above, so that
 * ways are halved; whatever else it touches is joined one by one. */
__device__ static inline uint32_t sac_meltpool_join_few(const sac_meltpool_fast &s,
                                                        const sac_meltpool_stretch run, bool is_run)
{
    const uint32_t lane = threadIdx.x;
    const int32_t above = is_run && run.y > 0 ? run.y - 1 : 0;
    uint64_t touching = 0;
    uint32_t label = lane, other = 0;
    if (is_run && run.y > 0) {
        const uint64_t both = s.lines[above].bits[0] & sac_meltpool_span(run.begin, run.last);
        touching = both & ~(both << 1);
        if (touching)
            label = sac_meltpool_run_of(s, above, __ffsll((long long)touching) - 1);
        touching &= touching - 1;
    }
    __syncwarp();
    for (int step = 1; step < SAC_WARP; step *= 2)
        label = __shfl_sync(SAC_ALL_LANES, label, (int)label);
    for (uint32_t who; (who = __ballot_sync(SAC_ALL_LANES, touching != 0)) != 0;) {
        const int leader = __ffs((int)who) - 1;
        if ((int)lane == leader) {
            other = sac_meltpool_run_of(s, above, __ffsll((long long)touching) - 1);
            touching &= touching - 1;
        }
        __syncwarp();
        const uint32_t a = __shfl_sync(SAC_ALL_LANES, label, leader);
        const uint32_t b =
            __shfl_sync(SAC_ALL_LANES, label, (int)__shfl_sync(SAC_ALL_LANES, other, leader));
        label = label == max(a, b) ? min(a, b) : label;
    }
    return label;
}

/* The run that has the bright pixel nearest to the centre. There is one. */
__device__ static __noinline__ uint32_t sac_meltpool_nearest_run(sac_meltpool_fast s,
                                                                 sac_meltpool_frame_job job)
{
    for (int32_t from = 0; from < job.n; from += SAC_WARP)
        sac_meltpool_look_near(s.nearest, &job, s.lines, from + (int32_t)threadIdx.x);
    __syncwarp();
    const unsigned long long found = *s.nearest;
    return sac_meltpool_run_of(s, (int32_t)(found >> 7 & 127), (int32_t)(found & 127));
}

/* The run that is the pool's: at the centre, or the nearest. */
__device__ static inline uint32_t sac_meltpool_choose_run(const sac_meltpool_fast &s,
                                                          const sac_meltpool_frame_job *job)
{
    const int32_t x = job->cx - job->x0, y = job->cy - job->y0, n = job->n;
    if (x >= 0 && x < n && y >= 0 && y < n && s.lines[y].bits[0] >> x & 1)
        return sac_meltpool_run_of(s, y, x);
    return sac_meltpool_nearest_run(s, *job);
}

/* Spatters: all components but the pool; each has one lane whose label is its own. */
__device__ static inline void sac_meltpool_count_spatters(sac_meltpool_integers *out,
                                                          uint32_t label, uint32_t pool,
                                                          uint32_t length, uint32_t least)
{
    uint32_t roots =
        __ballot_sync(SAC_ALL_LANES, length > 0 && label == threadIdx.x && label != pool);
    uint32_t n = 0, pixels = 0;
    for (; roots; roots &= roots - 1) {
        const uint32_t root = (uint32_t)__ffs((int)roots) - 1;
        const uint32_t area = sac_warp_sum(label == root ? length : 0);
        n += area >= least;
        pixels += area >= least ? area : 0;
    }
    if (threadIdx.x == 0) {
        out->n_spatters = n;
        out->spatter_pixels = pixels;
    }
}

/* The pool and the spatters by the first warp. False: there are too many runs. */
__device__ static inline bool sac_meltpool_segment_fast(const sac_meltpool_fast &s,
                                                        const sac_meltpool_frame_job *job)
{
    const uint32_t lane = threadIdx.x;
    const uint32_t n_runs = *s.n_runs;
    if (n_runs > SAC_WARP)
        return false;
    if (n_runs == 0) {
        if (lane == 0)
            s.out->flags = SAC_MELTPOOL_NO_POOL;
        return true;
    }
    const bool is_run = lane < n_runs;
    const sac_meltpool_stretch run = is_run ? s.runs[lane] : sac_meltpool_stretch{0, 0, 0};
    const uint32_t label = sac_meltpool_join_few(s, run, is_run);
    const uint32_t pool = __shfl_sync(SAC_ALL_LANES, label, (int)sac_meltpool_choose_run(s, job));
    sac_meltpool_integers sum = {};
    if (is_run && label == pool) {
        sac_meltpool_add_run(&sum, job->n, run);
        const uint64_t on = sac_meltpool_span(run.begin, run.last);
        atomicOr(&s.lines[run.y].pool[0], (uint32_t)on);
        atomicOr(&s.lines[run.y].pool[1], (uint32_t)(on >> 32));
    }
    __syncwarp();
    sac_meltpool_count_spatters(s.out, label, pool, is_run ? run.last - run.begin + 1u : 0,
                                (uint32_t)job->spatter_min);
    const uint32_t clipped = __any_sync(SAC_ALL_LANES, sum.flags != 0) ? SAC_MELTPOOL_CLIPPED : 0;
    const uint32_t from[] = {sum.area, sum.sum_x, sum.sum_y, sum.sum_xx, sum.sum_xy, sum.sum_yy};
    uint32_t *const to[] = {&s.out->area,   &s.out->sum_x,  &s.out->sum_y,
                            &s.out->sum_xx, &s.out->sum_xy, &s.out->sum_yy};
#pragma unroll
    for (int i = 0; i < 6; i++) {
        const uint32_t all = sac_warp_sum(from[i]);
        if (lane == 0)
            *to[i] = all;
    }
    if (lane == 0)
        s.out->flags = clipped;
    return true;
}

/* The first warp waits until all others have listed their runs; they go on. */
__device__ static inline void sac_meltpool_sync_listed()
{
    __syncwarp();
    sac_barrier_sync<2, SAC_MELTPOOL_FAST>();
}

__device__ static inline void sac_meltpool_say_listed()
{
    __syncwarp();
    sac_barrier_arrive<2, SAC_MELTPOOL_FAST>();
}

/* All warps but the first wait for each other. */
__device__ static inline void sac_meltpool_sync_pixels()
{
    __syncwarp();
    sac_barrier_sync<1, SAC_MELTPOOL_FAST - SAC_WARP>();
}

/* What the threads' columns come to, by all warps but the first. */
__device__ static inline void sac_meltpool_sum_fast(const sac_meltpool_fast &s)
{
    enum { WARPS = SAC_MELTPOOL_FAST / SAC_WARP - 1 };
    enum { ROUNDS = (SAC_MELTPOOL_COLUMNS + WARPS - 1) / WARPS };
    const int32_t warp = (int32_t)threadIdx.x / SAC_WARP - 1;
    const int32_t lane = (int32_t)threadIdx.x % SAC_WARP;
    uint32_t sum[ROUNDS] = {};
#pragma unroll
    for (int round = 0; round < ROUNDS; round++)
#pragma unroll
        for (int k = SAC_WARP; k < SAC_MELTPOOL_FAST; k += SAC_WARP)
            if (warp + round * WARPS < SAC_MELTPOOL_COLUMNS)
                sum[round] += s.columns[(warp + round * WARPS) * SAC_MELTPOOL_FAST + k + lane];
#pragma unroll
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t i = warp + round * WARPS;
        sum[round] = sac_warp_sum(sum[round]);
        if (lane == 0 && i < SAC_MELTPOOL_COLUMNS)
            *(i < SAC_MELTPOOL_SECTORS ? &s.out->polar[i] : &s.out->hog[i - SAC_MELTPOOL_SECTORS]) =
                sum[round];
    }
}

/* The pool's intensity, by all warps but the first. */
__device__ static inline void sac_meltpool_sum_light(const sac_meltpool_fast &s, int32_t n,
                                                     const sac_meltpool_shares &shares)
{
    const int32_t rank = (int32_t)threadIdx.x, groups = n / SAC_MELTPOOL_GROUP;
    uint32_t light = 0;
    for (sac_meltpool_walk at = shares.of_others; at.y < n; at.next(groups)) {
        const uint32_t on = ((const uint8_t *)s.lines[at.y].pool)[at.x];
        const uint32_t *v =
            (const uint32_t *)(s.pixels + at.y * s.pitch + SAC_MELTPOOL_GROUP * at.x);
#pragma unroll
        for (int k = 0; k < 2; k++) { /* a bit of four to a byte */
            const uint32_t mask = ((on >> 4 * k & 15) * 0x00204081u & 0x01010101u) * 255;
            light = __dp4a(v[k] & mask, 0x01010101u, light);
        }
    }
    __syncwarp();
    light = sac_warp_sum(light);
    if (rank % SAC_WARP == 0 && light)
        atomicAdd(&s.out->sum_i, light);
}

/* What else a caller wants done, with low latency: by all while pixels are on their way, by all
 * warps but the first when sectors and bins are known, by the first one when all of the pool but
 * its intensity is; and by the first one after all that, while the others sum that up. */
struct sac_meltpool_nothing_else {
    __device__ void with_load()
    {
    }
    __device__ void with_pixels()
    {
    }
    __device__ void with_pool()
    {
    }
    __device__ void with_light()
    {
    }
};

/* What is rare: kept apart, and copied to, so that what is not rare stays in registers and in the
 * caches of instructions. */
__device__ static __noinline__ void sac_meltpool_segment_many(sac_meltpool_fast s,
                                                              sac_meltpool_frame_job job)
{
    sac_meltpool_segment_runs(s, &job);
}

__device__ static __noinline__ void sac_meltpool_frame_of_any(sac_meltpool_fast s,
                                                              sac_meltpool_frame_job job,
                                                              const uint8_t *frame, ptrdiff_t row)
{
    sac_meltpool_frame(s, &job, frame, row);
}

/* A frame's integers, into s.out. All threads of the block call, and may read it after a barrier,
 * which is the last thing done. */
template <class Else>
__device__ static inline void sac_meltpool_frame_fast(const sac_meltpool_fast &s,
                                                      const sac_meltpool_frame_job *job,
                                                      const uint8_t *frame, ptrdiff_t row,
                                                      const sac_meltpool_shares &shares, Else &also)
{
    const bool is_first = threadIdx.x < SAC_WARP;
    const uint8_t *from = frame + job->y0 * row + job->x0;
    if (!sac_meltpool_is_of_groups(from, row, job->n)) {
        also.with_load();
        sac_meltpool_frame_of_any(s, *job, frame, row);
        if (is_first)
            also.with_pool();
        else
            also.with_pixels();
        __syncthreads();
        if (is_first)
            also.with_light();
        __syncthreads();
        return;
    }
    sac_meltpool_begin_fast(s, job, from, row, shares, also);
    if (is_first) {
        sac_meltpool_sync_listed();
        const bool done = sac_meltpool_segment_fast(s, job);
        __syncwarp();
        if (done)
            also.with_pool();
    } else {
        sac_meltpool_say_listed();
        sac_meltpool_sum_groups(s, job, shares);
        sac_meltpool_sync_pixels();
        sac_meltpool_sum_fast(s);
        sac_meltpool_sync_pixels();
        also.with_pixels();
    }
    __syncthreads();
    if (*s.n_runs > SAC_WARP) {
        __syncthreads();
        sac_meltpool_segment_many(s, *job);
        if (is_first)
            also.with_pool();
        __syncwarp();
    }
    if (is_first)
        also.with_light();
    else
        sac_meltpool_sum_light(s, job->n, shares);
    __syncthreads();
}

#endif
