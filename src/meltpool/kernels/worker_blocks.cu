/*
 * The worker by blocks: a frame to a block, for the lowest latency.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/worker.cuh"

enum {
    THREADS = SAC_WORKER_THREADS,
    OF_FRAME = SAC_MELTPOOL_OF_FRAME,
    FEATURES = SAC_MELTPOOL_FEATURES,
    MEAN = 4 /* the feature that is known last */
};

/* And a block for the rows before the frame's. */
typedef struct past {
    sac_meltpool_spread groups[SAC_MELTPOOL_GROUPS][OF_FRAME];
    sac_meltpool_spread all[OF_FRAME];
    float origin[OF_FRAME];
    double inverse; /* of how many rows variances are */
} past;

/* A thread's part of a network of at most as many units as threads, in registers: polling empties
 * the first-level cache. */
typedef struct kept {
    float w1[FEATURES], b1;       /* of the thread's unit */
    float w2[THREADS / SAC_WARP]; /* of the warp's output and the lane's units */
    float mean[2], factor[2];     /* of the thread's feature and its variance */
} kept;

/* Who sums up the rows before a frame's: a group of a feature each, the threads of the last warps.
 */
enum { SUMMERS = SAC_MELTPOOL_GROUPS * OF_FRAME };

__device__ static int32_t summer()
{
    return (int32_t)threadIdx.x - (THREADS - SUMMERS);
}

__device__ static void load_past(sac_meltpool_first *first, const sac_meltpool_worker_cuda *w,
                                 const sac_meltpool_task *t)
{
    const int32_t own = summer();
    if (own >= 0)
        sac_meltpool_load_group(first, w->ring, own % OF_FRAME, own / OF_FRAME, t->n, t->ring_row,
                                w->n_rows);
}

/* By the last warps alone: what all rows before come to. */
__device__ static void sum_past(past *p, const sac_meltpool_first *first,
                                const sac_meltpool_worker_cuda *w, const sac_meltpool_task *t)
{
    const int32_t own = summer(), feature = own % OF_FRAME, group = own / OF_FRAME;
    p->groups[group][feature] =
        sac_meltpool_sum_group(first, w->ring, feature, group, t->n, t->ring_row, w->n_rows);
    __syncwarp();
    sac_barrier_sync<3, SUMMERS>();
    if (group == 0) {
        p->all[feature] = sac_meltpool_fold(&p->groups[0][feature], OF_FRAME);
        p->origin[feature] = first->origin;
    }
    if (own == SUMMERS - 1)
        p->inverse = sac_meltpool_inverse(t->n);
    __syncwarp();
}

/* A feature of the frame, as the record and the network take it, and its variance. */
__device__ static void finish_feature(sac_worker_desk *d, const past *p, const kept *k, int32_t i)
{
    const float value = d->answer.features[i];
    const float variance =
        sac_meltpool_variance_by(p->all[i], value, p->origin[i], d->task.n, p->inverse);
    d->answer.features[OF_FRAME + i] = variance;
    d->z[i] = (value - k->mean[0]) * k->factor[0];
    d->z[OF_FRAME + i] = (variance - k->mean[1]) * k->factor[1];
}

/* Whatever of a frame can be done before all of its integers are known. The rows before it, unless
 * they are of frames of the same submission, come while its pixels are on their way. */
struct early {
    sac_worker_desk *own;
    past *before;
    const sac_meltpool_integers *in;
    const sac_meltpool_worker_cuda *w;
    const kept *k;
    sac_meltpool_first first;

    __device__ bool has_past() const
    {
        return own->task.n_before == 0;
    }

    __device__ void with_load()
    {
        if (has_past())
            load_past(&first, w, &own->task);
    }

    __device__ void with_pixels()
    {
        const int32_t warp = (int32_t)threadIdx.x / SAC_WARP,
                      lane = (int32_t)threadIdx.x % SAC_WARP;
        float *features = own->answer.features;
        if (warp == 1 && lane < SAC_MELTPOOL_BINS)
            features[11 + lane] = sac_meltpool_share(in->hog[lane], sac_meltpool_norm(in));
        if (warp == 2 && lane < SAC_MELTPOOL_SECTORS)
            features[5 + lane] = (float)in->polar[lane];
        if (summer() >= 0 && has_past())
            sum_past(before, &first, w, &own->task);
    }

    /* Two roots at once, and the area's reciprocal with them. */
    __device__ void with_pool()
    {
        const int32_t lane = (int32_t)threadIdx.x;
        sac_meltpool_answer *answer = &own->answer;
        double of[3];
        sac_meltpool_moments(of, in);
        const double root = sqrt(lane % 2 == 0 ? of[0] : of[1]);
        const double other = __shfl_xor_sync(SAC_ALL_LANES, root, 1);
        if (lane == 0) {
            answer->features[0] = (float)in->area;
            answer->features[1] = (float)in->spatter_pixels;
            answer->features[2] = (float)in->n_spatters;
            answer->features[3] = in->area > 0 ? (float)(root / (of[2] + other)) : 0;
            sac_worker_keep_sums(answer, in);
        }
        if (lane == 1)
            own->of_area = 1 / (double)in->area;
        __syncwarp();
    }

    __device__ void with_light()
    {
        const int32_t lane = (int32_t)threadIdx.x;
        if (lane < OF_FRAME && lane != MEAN && has_past())
            finish_feature(own, before, k, lane);
    }
};

__device__ static bool keeps_net(const sac_meltpool_net_cuda *net)
{
    return net->n_units <= THREADS;
}

__device__ static void keep_net(kept *k, const sac_meltpool_net_cuda *net)
{
    const int32_t rank = (int32_t)threadIdx.x, lane = rank % SAC_WARP, warp = rank / SAC_WARP;
    const int32_t n = net->n_units;
    const bool has_unit = keeps_net(net) && rank < n;
#pragma unroll
    for (int i = 0; i < FEATURES; i++)
        k->w1[i] = has_unit ? net->w1[i * n + rank] : 0;
    k->b1 = has_unit ? net->b1[rank] : 0;
#pragma unroll
    for (int i = 0; i < THREADS / SAC_WARP; i++) {
        const int32_t unit = lane + i * SAC_WARP;
        const bool has = keeps_net(net) && unit < n && warp < SAC_MELTPOOL_PREDICTIONS;
        k->w2[i] = has ? net->w2[warp * n + unit] : 0;
    }
    for (int i = 0; i < 2; i++) {
        const bool has = n > 0 && rank < OF_FRAME;
        k->mean[i] = has ? net->mean[i * OF_FRAME + rank] : 0;
        k->factor[i] = has ? net->factor[i * OF_FRAME + rank] : 0;
    }
}

/* The same where there are more units than threads. */
__device__ static __noinline__ float sum_many(const sac_meltpool_net_cuda *net, float *units,
                                              const float *z)
{
    const int32_t warp = (int32_t)threadIdx.x / SAC_WARP;
    float sum = 0;
    for (int32_t unit = (int32_t)threadIdx.x; unit < net->n_units; unit += THREADS)
        units[unit] = sac_meltpool_hidden(net, unit, z);
    __syncthreads();
    if (warp < SAC_MELTPOOL_PREDICTIONS)
        for (int32_t unit = (int32_t)threadIdx.x % SAC_WARP; unit < net->n_units; unit += SAC_WARP)
            sum = fmaf(net->w2[(ptrdiff_t)warp * net->n_units + unit], units[unit], sum);
    return sum;
}

/* Predictions by a block; units (n_units) in shared memory. Lanes' sums are of the warp's output.
 */
__device__ static void predict_fast(sac_worker_desk *d, const sac_meltpool_net_cuda *net,
                                    const kept *k, float *units)
{
    const int32_t rank = (int32_t)threadIdx.x, warp = rank / SAC_WARP, lane = rank % SAC_WARP;
    float sum = 0;
    if (!keeps_net(net)) {
        sum = sum_many(net, units, d->z);
    } else {
        if (rank < net->n_units)
            units[rank] = sac_meltpool_unit(k->w1, 1, k->b1, d->z);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < THREADS / SAC_WARP; i++)
            if (lane + i * SAC_WARP < net->n_units)
                sum = fmaf(k->w2[i], units[lane + i * SAC_WARP], sum);
    }
    if (warp >= SAC_MELTPOOL_PREDICTIONS)
        return;
    const float out = sac_meltpool_output(net, warp, sum);
    if (lane == 0)
        d->answer.prediction[warp] = out;
}

/* The same where they are, after a barrier. False: they did not come. */
__device__ static __noinline__ bool sum_late(past *p, const sac_meltpool_worker_cuda *w,
                                             const sac_meltpool_task *t)
{
    sac_meltpool_first first;
    if (!__syncthreads_and(sac_worker_wait_for_rows(w, t, (int32_t)threadIdx.x, THREADS)))
        return false;
    load_past(&first, w, t);
    if (summer() >= 0)
        sum_past(p, &first, w, t);
    __syncthreads();
    return true;
}

/* A frame by a block. All threads come back after a barrier. */
__device__ static bool work_by_block(sac_worker_desk *d, char *scratch, past *p, float *units,
                                     const kept *k, const sac_meltpool_shares &shares,
                                     const sac_meltpool_worker_cuda *w, uint64_t *answer,
                                     uint32_t tag, bool is_first)
{
    const int32_t rank = (int32_t)threadIdx.x;
    const sac_meltpool_task *t = &d->task;
    const sac_meltpool_frame_job job = sac_worker_job_of(t, w);
    const sac_meltpool_fast s(scratch, job.n);
    float *features = d->answer.features;
    early also = {d, p, s.out, w, k, {}};
    const bool is_alone = t->n_before == 0 && t->n_behind == 0;
    const bool is_last = rank / SAC_WARP == SAC_MELTPOOL_WORKER_WARPS - 1; /* has least to do */
    sac_meltpool_frame_fast(s, &job, sac_worker_frame_of(t), job.row, shares, also);
    if (rank == MEAN)
        features[MEAN] = sac_meltpool_mean_by(s.out, d->of_area);
    if (!is_alone) {
        __syncthreads();
        if (is_last)
            sac_worker_keep(w, d, is_first);
        if (t->n_before > 0 && !sum_late(p, w, t))
            return false;
    }
    if (rank == MEAN || (rank < OF_FRAME && t->n_before > 0))
        finish_feature(d, p, k, rank);
    __syncthreads();
    if (is_alone && is_last)
        sac_worker_keep_row(w, d);
    if (w->net.n_units > 0)
        predict_fast(d, &w->net, k, units);
    __syncthreads();
    sac_worker_send_answer(answer, &d->answer, tag, rank, THREADS);
    if (is_alone && is_last) /* nobody waits for it yet */
        sac_worker_say_kept(w, d);
    return true;
}

/* The lines of a submission, by blocks. False: the rows of another block's frame did not come. */
__device__ static bool take_all(sac_worker_desk *d, char *scratch, past *p, float *units,
                                const kept *k, const sac_meltpool_shares &shares,
                                const sac_meltpool_worker_cuda *w, uint32_t tag, bool is_first)
{
    const int64_t first = (int64_t)blockIdx.x * w->n_lines;
    const int32_t n_lines = (int32_t)d->task.n_lines;
    for (int32_t line = 0; line < n_lines; line++) {
        if (line > 0) {
            const uint64_t *at = w->tasks + (first + line) * SAC_MELTPOOL_TASK_WORDS;
            bool came = true;
            __syncthreads();
            if (threadIdx.x < SAC_WARP)
                came = sac_worker_await_line(&d->task, at, tag, w->limit_ns);
            if (!__syncthreads_and(came))
                return false;
        }
        if (!work_by_block(d, scratch, p, units, k, shares, w,
                           w->answers + (first + line) * SAC_MELTPOOL_ANSWER_WORDS, tag, is_first))
            return false;
    }
    return true;
}

__device__ static __forceinline__ void work(const sac_meltpool_worker_cuda &w)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ sac_worker_desk d;
    __shared__ past p;
    const sac_meltpool_shares shares(w.roi);
    float *units = (float *)(memory + sac_meltpool_fast::bytes(w.roi));
    uint32_t tag = w.next[blockIdx.x];
    int32_t n_lines;
    bool is_first = true;
    kept k;
    keep_net(&k, &w.net);
    if (threadIdx.x == 0)
        sac_worker_clear(&d);
    sac_worker_begin(&w);
    for (; sac_worker_next_work(&d, &n_lines, &w, tag); tag = sac_meltpool_next_tag(tag)) {
        const bool good =
            n_lines > 0 && take_all(&d, memory, &p, units, &k, shares, &w, tag, is_first);
        is_first = false;
        if (__syncthreads_and(good))
            continue;
        tag = n_lines == 0 ? sac_meltpool_next_tag(tag) : tag; /* it was for nothing else */
        break;
    }
    sac_worker_leave(&w, tag);
}

__global__ void __launch_bounds__(THREADS, 1)
    sac_worker_by_blocks(const __grid_constant__ sac_meltpool_worker_cuda w)
{
    work(w);
}

__global__ void __launch_bounds__(THREADS, 2)
    sac_worker_by_pairs(const __grid_constant__ sac_meltpool_worker_cuda w)
{
    work(w);
}
