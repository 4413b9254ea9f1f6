/*
 * The worker by warps: a frame to a warp, for many at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/worker.cuh"

enum {
    THREADS = SAC_WORKER_THREADS,
    OF_FRAME = SAC_MELTPOOL_OF_FRAME,
    FEATURES = SAC_MELTPOOL_FEATURES
};

/* A frame by a warp. */
__device__ static bool work_by_warp(sac_worker_desk *d, char *scratch,
                                    const sac_meltpool_worker_cuda *w, uint64_t *answer,
                                    uint32_t tag, bool is_first)
{
    const int32_t lane = (int32_t)threadIdx.x % SAC_WARP;
    const sac_meltpool_task *t = &d->task;
    const sac_meltpool_frame_job job = sac_worker_job_of(t, w);
    const sac_meltpool_scratch<SAC_WARP> s(scratch, job.n);
    float *features = d->answer.features;
    sac_meltpool_frame(s, &job, sac_worker_frame_of(t), job.row);
    if (lane == 0) {
        sac_meltpool_features(features, s.out);
        sac_worker_keep_sums(&d->answer, s.out);
    }
    __syncwarp();
    sac_worker_keep(w, d, is_first);
    if (!__all_sync(SAC_ALL_LANES, sac_worker_wait_for_rows(w, t, lane, SAC_WARP)))
        return false;
    __syncwarp(); /* what one lane has waited for is there for all */
    if (lane < OF_FRAME)
        features[OF_FRAME + lane] =
            sac_meltpool_variance(w->ring, lane, t->n, t->ring_row, w->n_rows);
    __syncwarp();
    if (w->net.n_units > 0) {
        for (int32_t i = lane; i < FEATURES; i += SAC_WARP)
            d->z[i] = sac_meltpool_z(&w->net, i, features[i]);
        __syncwarp();
        float out[SAC_MELTPOOL_PREDICTIONS];
        sac_meltpool_predict(out, &w->net, d->z);
        if (lane < SAC_MELTPOOL_PREDICTIONS)
            d->answer.prediction[lane] = lane == 0 ? out[0] : out[1];
    }
    __syncwarp();
    sac_worker_send_answer(answer, &d->answer, tag, lane, SAC_WARP);
    return true;
}

/* Whether the launch before has answered, which then left lines that had to wait: the host
 * may have given that frame away since. */
__device__ static bool is_answered(const uint64_t *answer, uint32_t tag)
{
    bool is_here = true;
    for (int32_t i = (int32_t)threadIdx.x % SAC_WARP; i < SAC_MELTPOOL_ANSWER_WORDS; i += SAC_WARP)
        is_here = is_here && (uint32_t)(sac_load_acquire_sys(answer + i) >> 32) == tag;
    return __all_sync(SAC_ALL_LANES, is_here);
}

/* The same by warps, this one's of them. */
__device__ static bool take_own(sac_worker_desk *d, char *scratch,
                                const sac_meltpool_worker_cuda *w, int32_t n_lines, uint32_t tag,
                                bool is_first)
{
    const int64_t first = (int64_t)blockIdx.x * w->n_lines;
    const int32_t warp = (int32_t)threadIdx.x / SAC_WARP;
    for (int32_t line = warp; line < n_lines; line += w->n_teams) {
        const uint64_t *at = w->tasks + (first + line) * SAC_MELTPOOL_TASK_WORDS;
        uint64_t *answer = w->answers + (first + line) * SAC_MELTPOOL_ANSWER_WORDS;
        if (is_first && is_answered(answer, tag))
            continue;
        if (line > 0 && !sac_worker_await_line(&d->task, at, tag, w->limit_ns))
            return false;
        if (!work_by_warp(d, scratch, w, answer, tag, is_first))
            return false;
        __syncwarp();
    }
    return true;
}

__global__ void __launch_bounds__(THREADS, 1)
    sac_worker_by_warps(const __grid_constant__ sac_meltpool_worker_cuda w)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ sac_worker_desk desks[SAC_MELTPOOL_WORKER_WARPS];
    const int32_t warp = (int32_t)threadIdx.x / SAC_WARP;
    char *scratch = memory + (uint32_t)warp * sac_meltpool_scratch<SAC_WARP>::bytes(w.roi);
    uint32_t tag = w.next[blockIdx.x];
    int32_t n_lines;
    bool is_first = true;
    if (threadIdx.x % SAC_WARP == 0)
        sac_worker_clear(&desks[warp]);
    sac_worker_begin(&w);
    for (; sac_worker_next_work(desks, &n_lines, &w, tag); tag = sac_meltpool_next_tag(tag)) {
        bool good = n_lines > 0;
        __syncthreads(); /* all know how many lines there are */
        if (warp < w.n_teams && good)
            good = take_own(&desks[warp], scratch, &w, n_lines, tag, is_first);
        is_first = false;
        if (__syncthreads_and(good))
            continue;
        tag = n_lines == 0 ? sac_meltpool_next_tag(tag) : tag;
        break;
    }
    sac_worker_leave(&w, tag);
}
