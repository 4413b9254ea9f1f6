/*
 * What the worker's two kernels share: words, lines, tasks, rows of the ring.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_WORKER_CUH
#define SAC_MELTPOOL_WORKER_CUH

#include "meltpool/kernels/finish.cuh"
#include "meltpool/kernels/frame_u8/features.h"
#include "meltpool/kernels/latency.cuh"
#include "meltpool/kernels/worker_cuda.h"

enum {
    SAC_WORKER_THREADS = SAC_MELTPOOL_FAST, /* of a block */
    SAC_WORKER_LOOKS = 16                   /* at a line, between two at the clock */
};

/* What a team keeps besides the frame's own scratch. */
typedef struct sac_worker_desk {
    __align__(16) float z[SAC_MELTPOOL_FEATURES];
    double of_area; /* 1 / the pool's area */
    sac_meltpool_answer answer;
    sac_meltpool_task task;
} sac_worker_desk;

/* Looks at a line once, by a warp; all of it is here, or not yet. */
__device__ static inline bool sac_worker_take_line(sac_meltpool_task *task, const uint64_t *line,
                                                   uint32_t tag)
{
    const uint32_t lane = threadIdx.x % SAC_WARP;
    uint64_t word = (uint64_t)tag << 32;
    if (lane < SAC_MELTPOOL_TASK_WORDS)
        word = sac_load_acquire_sys(line + lane);
    if (!__all_sync(SAC_ALL_LANES, (uint32_t)(word >> 32) == tag))
        return false;
    if (lane < SAC_MELTPOOL_TASK_WORDS)
        ((uint32_t *)task)[lane] = (uint32_t)word;
    __syncwarp();
    return true;
}

__device__ static inline bool sac_worker_is_closing(const sac_meltpool_worker_cuda *w)
{
    return sac_load_relaxed(w->closing) == w->launch;
}

/* Waits for the block's first line, by its first warp. False: it is time to leave. */
__device__ static inline bool sac_worker_wait_for_work(sac_worker_desk *d,
                                                       const sac_meltpool_worker_cuda *w,
                                                       const uint64_t *line, uint32_t tag)
{
    const uint64_t start = sac_global_timer_ns();
    for (uint32_t look = 1;; look++) {
        if (sac_worker_take_line(&d->task, line, tag))
            return true;
        if (look % SAC_WORKER_LOOKS)
            continue;
        bool is_over;
        if (blockIdx.x == 0) {
            const uint64_t now = sac_global_timer_ns();
            if (threadIdx.x == 0)
                sac_store_relaxed_sys(w->beat, (uint32_t)now | 1);
            is_over = now - start > w->idle_ns;
        } else {
            is_over = sac_worker_is_closing(w);
        }
        if (__any_sync(SAC_ALL_LANES, is_over))
            return false;
    }
}

__device__ static inline ptrdiff_t sac_worker_row_of(const sac_meltpool_task *t)
{
    return (ptrdiff_t)((uint64_t)t->row_high << 32 | t->row_low);
}

__device__ static inline sac_meltpool_frame_job sac_worker_job_of(const sac_meltpool_task *t,
                                                                  const sac_meltpool_worker_cuda *w)
{
    sac_meltpool_frame_job job;
    job.frame = NULL;
    job.row = sac_worker_row_of(t);
    job.x0 = (int32_t)(t->corner & 0xffff);
    job.y0 = (int32_t)(t->corner >> 16);
    job.n = w->roi;
    job.threshold = w->threshold;
    job.spatter_min = w->spatter_min;
    job.cx_q16 = t->cx_q16;
    job.cy_q16 = t->cy_q16;
    job.cx = (t->cx_q16 + 32768) >> 16;
    job.cy = (t->cy_q16 + 32768) >> 16;
    job.scan = w->scan;
    for (int k = 0; k < 3; k++) {
        job.edge_x[k] = (int16_t)(t->edge[k] & 0xffff);
        job.edge_y[k] = (int16_t)(t->edge[k] >> 16);
    }
    return job;
}

/* Where the frame would begin that the ROI is of. */
__device__ static inline const uint8_t *sac_worker_frame_of(const sac_meltpool_task *t)
{
    const uint64_t roi = (uint64_t)t->frame_high << 32 | t->frame_low;
    return (const uint8_t *)roi - (ptrdiff_t)(t->corner >> 16) * sac_worker_row_of(t) -
           (ptrdiff_t)(t->corner & 0xffff);
}

/* The tag of the row `age` rows before the task's. */
__device__ static inline uint32_t sac_worker_tag_before(const sac_meltpool_worker_cuda *w,
                                                        const sac_meltpool_task *t, int32_t age)
{
    const int32_t row = t->ring_row - age;
    return sac_load_acquire(w->row_tag + (row < 0 ? row + w->n_rows : row));
}

/* Whether the first frame of the submission, the first block's, will not be done by this launch. */
__device__ static inline bool sac_worker_is_abandoned(const sac_meltpool_worker_cuda *w,
                                                      const sac_meltpool_task *t)
{
    return sac_load_acquire(w->closing) == w->launch && /* pairs with sac_worker_leave */
           sac_worker_tag_before(w, t, (int32_t)t->n_before) != t->number - t->n_before;
}

/* Whether frames of the same submission that come before have their rows in the ring, of those that
 * variances are of: by `n_threads` threads. All older ones do: the host has had their answers. */
__device__ static inline bool sac_worker_wait_for_rows(const sac_meltpool_worker_cuda *w,
                                                       const sac_meltpool_task *t, int32_t rank,
                                                       int32_t n_threads)
{
    const int32_t behind = t->n - 1, before = (int32_t)t->n_before;
    const int32_t n = before < behind ? before : behind;
    const uint64_t start = sac_global_timer_ns();
    bool good = true;
    for (int32_t age = 1 + rank; age <= n && good; age += n_threads)
        while (good && sac_worker_tag_before(w, t, age) != t->number - (uint32_t)age)
            good = sac_global_timer_ns() - start < w->limit_ns && !sac_worker_is_abandoned(w, t);
    return good;
}

/* A line that is on its way, by a warp. False: it did not come. */
__device__ static inline bool sac_worker_await_line(sac_meltpool_task *task, const uint64_t *line,
                                                    uint32_t tag, uint64_t limit_ns)
{
    const uint64_t start = sac_global_timer_ns();
    while (!sac_worker_take_line(task, line, tag))
        if (__any_sync(SAC_ALL_LANES, sac_global_timer_ns() - start > limit_ns))
            return false;
    return true;
}

/* The answer's words, by lanes of one or more warps. */
__device__ static inline void sac_worker_send_answer(uint64_t *line,
                                                     const sac_meltpool_answer *answer,
                                                     uint32_t tag, int32_t rank, int32_t n_threads)
{
    for (int32_t i = rank; i < SAC_MELTPOOL_ANSWER_WORDS; i += n_threads)
        sac_store_relaxed_sys(line + i, (uint64_t)tag << 32 | ((const uint32_t *)answer)[i]);
}

__device__ static inline void sac_worker_keep_sums(sac_meltpool_answer *answer,
                                                   const sac_meltpool_integers *in)
{
    answer->flags = in->flags;
    answer->area = in->area;
    answer->sum_x = in->sum_x;
    answer->sum_y = in->sum_y;
}

__device__ static inline float *sac_worker_ring_row(const sac_meltpool_worker_cuda *w, int32_t row)
{
    return w->ring + (ptrdiff_t)row * SAC_MELTPOOL_RING_ROW;
}

/* The frame's row of the ring, by a warp; and that it is there. */
__device__ static inline void sac_worker_keep_row(const sac_meltpool_worker_cuda *w,
                                                  const sac_worker_desk *d)
{
    const int32_t lane = (int32_t)threadIdx.x % SAC_WARP;
    if (lane < SAC_MELTPOOL_OF_FRAME)
        __stcg(sac_worker_ring_row(w, d->task.ring_row) + lane, d->answer.features[lane]);
    __syncwarp();
}

__device__ static inline void sac_worker_say_kept(const sac_meltpool_worker_cuda *w,
                                                  const sac_worker_desk *d)
{
    if (threadIdx.x % SAC_WARP == 0)
        sac_store_release(w->row_tag + d->task.ring_row, d->task.number);
}

/* Both, of a frame whose rows others of the submission wait for; unless the launch before has done
 * so, and was left before the answer: they may be reading it. Only a launch's first submission can
 * have been that one's last. */
__device__ static inline void sac_worker_keep(const sac_meltpool_worker_cuda *w,
                                              const sac_worker_desk *d, bool is_first)
{
    if (is_first && sac_load_acquire(w->row_tag + d->task.ring_row) == d->task.number)
        return;
    sac_worker_keep_row(w, d);
    sac_worker_say_kept(w, d);
}

/* The worker is there: before it looks for work. */
__device__ static inline void sac_worker_begin(const sac_meltpool_worker_cuda *w)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        sac_store_relaxed_sys(w->beat, (uint32_t)sac_global_timer_ns() | 1);
}

/* The next launch goes on at this tag. */
__device__ static inline void sac_worker_leave(const sac_meltpool_worker_cuda *w, uint32_t tag)
{
    if (threadIdx.x != 0)
        return;
    w->next[blockIdx.x] = tag;
    if (blockIdx.x > 0)
        return;
    sac_store_release(w->closing, w->launch);
    sac_store_release_sys(w->left, w->launch);
}

/* The block's next submission, in desks[0] and of `n_lines`. All threads call. */
__device__ static inline bool sac_worker_next_work(sac_worker_desk *desks, int32_t *n_lines,
                                                   const sac_meltpool_worker_cuda *w, uint32_t tag)
{
    __shared__ bool here;
    const uint64_t *line = w->tasks + (int64_t)blockIdx.x * w->n_lines * SAC_MELTPOOL_TASK_WORDS;
    __syncthreads();
    if (threadIdx.x < SAC_WARP) {
        const bool came = sac_worker_wait_for_work(&desks[0], w, line, tag);
        if (threadIdx.x == 0)
            here = came;
    }
    __syncthreads();
    *n_lines = (int32_t)desks[0].task.n_lines;
    return here;
}

__device__ static inline void sac_worker_clear(sac_worker_desk *d)
{
    for (uint32_t *word = (uint32_t *)d; word < (uint32_t *)(d + 1); word++)
        *word = 0;
}

/* Bytes of a block, besides what the kernels declare. */
static inline uint32_t sac_meltpool_worker_shared(const sac_meltpool_worker_cuda *w)
{
    return w->n_teams == 1
               ? sac_meltpool_fast::bytes(w->roi) + (uint32_t)(w->net.n_units * sizeof(float))
               : (uint32_t)w->n_teams * sac_meltpool_scratch<SAC_WARP>::bytes(w->roi);
}

/* The kernels: blocks that have a multiprocessor each, and pairs of them that share one by having
 * fewer registers; and blocks of n_teams warps with a frame each. */
__global__ void sac_worker_by_blocks(const __grid_constant__ sac_meltpool_worker_cuda w);
__global__ void sac_worker_by_pairs(const __grid_constant__ sac_meltpool_worker_cuda w);
__global__ void sac_worker_by_warps(const __grid_constant__ sac_meltpool_worker_cuda w);

#endif
