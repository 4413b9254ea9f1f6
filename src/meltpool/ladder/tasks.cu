/*
 * The first rungs: a kernel a task, all of them by way of device memory, the host asking after each
 * step of the labels whether there has to be another one. `initial` goes through whole frames,
 * those with the laser off, too, and searches their maximum; `pruned` through the ROI of those that
 * count, and its pool has a label that is known.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_u8/features.h"
#include "meltpool/ladder/launch.cuh"

#define THREADS 256

#define KERNEL template <bool PRUNED> static __global__ void __launch_bounds__(THREADS)

/* A thread's pixel of those that a task goes through, x and y counted from the ROI's first. */
typedef struct pixel {
    bool is_one, is_in; /* of the task's; of the ROI's */
    int32_t i, x, y, w, h;
} pixel;

template <bool PRUNED> __device__ static inline pixel pixel_of(const sac_rung_call &c)
{
    const sac_meltpool_frame_job *job = &c.turn->step.job;
    pixel p;
    p.w = PRUNED ? c.places.roi : c.places.w;
    p.h = PRUNED ? c.places.roi : c.places.h;
    p.i = (int32_t)sac_grid_thread();
    p.x = p.i % p.w - (PRUNED ? 0 : job->x0);
    p.y = p.i / p.w - (PRUNED ? 0 : job->y0);
    p.is_one = p.i < p.w * p.h && c.turn->frame >= 0;
    p.is_in = p.is_one && p.x >= 0 && p.y >= 0 && p.x < c.places.roi && p.y < c.places.roi;
    return p;
}

/* The pixel in the frame. */
__device__ static inline const uint8_t *at(const sac_rung_call &c, const pixel &p)
{
    const sac_meltpool_frame_job *job = &c.turn->step.job;
    return job->frame + (job->y0 + p.y) * c.row + job->x0 + p.x;
}

KERNEL clear(const __grid_constant__ sac_rung_call c)
{
    const int32_t i = (int32_t)sac_grid_thread();
    const int32_t n = PRUNED ? c.places.roi * c.places.roi : c.places.w * c.places.h;
    if (i <= n)
        c.tasks.bins[i] = 0;
    if (i < SAC_MELTPOOL_RESULT)
        ((uint32_t *)&c.turn->in)[i] = 0;
    if (i == 0)
        *c.tasks.maximum = *c.tasks.nearest = ~0ull;
}

/* Of the next frame, whatever its laser. */
static __global__ void __launch_bounds__(THREADS) maximum(const __grid_constant__ sac_rung_call c)
{
    const int32_t i = (int32_t)sac_grid_thread(), w = c.places.w;
    if (i >= w * c.places.h)
        return;
    const uint32_t light = c.pixels[c.turn->before.at * c.frame + i / w * c.row + i % w];
    atomicMin(c.tasks.maximum, (unsigned long long)(255 - light) << 32 | (uint32_t)i);
}

/* By one thread. A frame that counts for nothing is worked on in its middle. */
static __global__ void place(const __grid_constant__ sac_rung_call c)
{
    sac_rung_turn *turn = c.turn;
    const int32_t i = (int32_t)(*c.tasks.maximum & UINT32_MAX);
    const sac_meltpool_place brightest = {i % c.places.w * 65536, i / c.places.w * 65536};
    turn->after = turn->before;
    turn->frame = turn->after.at++;
    turn->flags = sac_meltpool_place_next(&c.places, &turn->after.stream, &turn->step,
                                          &c.signals[turn->frame], brightest);
    if (turn->flags & SAC_RUNG_LEFT_OUT) {
        sac_meltpool_stream middle;
        sac_meltpool_begin(&middle);
        middle.centre = c.places.fixed;
        (void)sac_meltpool_job(&c.places, &middle, &turn->step.job);
    }
    turn->step.job.frame = c.pixels + turn->frame * c.frame;
}

/* A label of its own for each bright pixel: its number, from 1 on. */
KERNEL number(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    if (p.is_one)
        c.tasks.labels[p.i] =
            p.is_in && *at(c, p) >= c.turn->step.job.threshold ? (uint32_t)p.i + 1 : SAC_RUNG_DARK;
}

/* The pool's pixel: the nearest to the centre. */
KERNEL nearest(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    const sac_meltpool_frame_job *job = &c.turn->step.job;
    if (!p.is_in || c.tasks.labels[p.i] == SAC_RUNG_DARK)
        return;
    const int64_t dx = job->x0 + p.x - job->cx, dy = job->y0 + p.y - job->cy;
    atomicMin(c.tasks.nearest, (unsigned long long)(dx * dx + dy * dy) << 32 | (uint32_t)p.i);
}

/* It has the least label of all. */
static __global__ void embed(const __grid_constant__ sac_rung_call c)
{
    if (c.turn->frame >= 0 && *c.tasks.nearest != ~0ull)
        c.tasks.labels[*c.tasks.nearest & UINT32_MAX] = 0;
}

/* The least label of a pixel and its neighbours, some of which may have changed already. */
KERNEL propagate(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    uint32_t *label = c.tasks.labels + p.i;
    const uint32_t own = p.is_in ? sac_load_relaxed(label) : SAC_RUNG_DARK;
    if (own == SAC_RUNG_DARK)
        return;
    const int32_t x = p.i % p.w, y = p.i / p.w;
    const uint32_t left = x > 0 ? sac_load_relaxed(label - 1) : own;
    const uint32_t right = x < p.w - 1 ? sac_load_relaxed(label + 1) : own;
    const uint32_t up = y > 0 ? sac_load_relaxed(label - p.w) : own;
    const uint32_t down = y < p.h - 1 ? sac_load_relaxed(label + p.w) : own;
    const uint32_t least = min(min(left, right), min(up, down));
    if (least < own) {
        sac_store_relaxed(label, least);
        sac_store_relaxed(c.tasks.changed, 1);
    }
}

KERNEL histogram(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    if (p.is_one && c.tasks.labels[p.i] != SAC_RUNG_DARK)
        atomicAdd(&c.tasks.bins[c.tasks.labels[p.i]], 1u);
}

/* The pool's label, once all have theirs. */
template <bool PRUNED> __device__ static inline uint32_t pool_of(const sac_rung_call &c)
{
    const unsigned long long pixel = *c.tasks.nearest;
    return PRUNED || pixel == ~0ull ? 0 : c.tasks.labels[pixel & UINT32_MAX];
}

KERNEL spatters(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    const uint32_t pool = pool_of<PRUNED>(c), label = (uint32_t)p.i + 1;
    sac_meltpool_integers *in = &c.turn->in;
    if (p.is_one && p.i == 0) {
        in->area = c.tasks.bins[pool];
        in->flags = *c.tasks.nearest == ~0ull ? SAC_MELTPOOL_NO_POOL : 0;
    }
    const uint32_t own = p.is_one ? c.tasks.bins[label] : 0;
    if (own < (uint32_t)c.places.spatter_min || label == pool)
        return;
    atomicAdd(&in->n_spatters, 1u);
    atomicAdd(&in->spatter_pixels, own);
}

KERNEL moments(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    const uint32_t x = (uint32_t)p.x, y = (uint32_t)p.y, last = (uint32_t)c.places.roi - 1;
    sac_meltpool_integers *in = &c.turn->in;
    if (*c.tasks.nearest == ~0ull || !p.is_in || c.tasks.labels[p.i] != pool_of<PRUNED>(c))
        return;
    atomicAdd(&in->sum_x, x);
    atomicAdd(&in->sum_y, y);
    atomicAdd(&in->sum_xx, x * x);
    atomicAdd(&in->sum_xy, x * y);
    atomicAdd(&in->sum_yy, y * y);
    if (x == 0 || y == 0 || x == last || y == last)
        atomicOr(&in->flags, (uint32_t)SAC_MELTPOOL_CLIPPED);
}

KERNEL intensity(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    if (*c.tasks.nearest != ~0ull && p.is_in && c.tasks.labels[p.i] == pool_of<PRUNED>(c))
        atomicAdd(&c.turn->in.sum_i, (uint32_t)*at(c, p));
}

KERNEL polar(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    const sac_meltpool_frame_job *job = &c.turn->step.job;
    if (!p.is_in)
        return;
    sac_meltpool_line line;
    sac_meltpool_set_sectors(&line, job, p.y);
    const int32_t sector = job->scan ? sac_meltpool_turned_sector(job, p.x, p.y)
                                     : line.sector[(p.x >= line.end[0]) + (p.x >= line.end[1])];
    atomicAdd(&c.turn->in.polar[sector], (uint32_t)*at(c, p));
}

KERNEL gradient(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    const int32_t last = c.places.roi - 1;
    if (!p.is_in)
        return;
    const uint8_t *i = at(c, p);
    c.tasks.gx[p.i] = (int16_t)(i[p.x < last] - i[-(p.x > 0)]);
    c.tasks.gy[p.i] = (int16_t)(i[p.y < last ? c.row : 0] - i[p.y > 0 ? -c.row : 0]);
}

KERNEL votes(const __grid_constant__ sac_rung_call c)
{
    const pixel p = pixel_of<PRUNED>(c);
    if (!p.is_in)
        return;
    const int32_t gx = c.tasks.gx[p.i], gy = c.tasks.gy[p.i];
    const uint32_t vote = sac_meltpool_vote((uint32_t)(gx * gx + gy * gy));
    if (vote > 0)
        atomicAdd(&c.turn->in.hog[sac_meltpool_bin(gx, gy)], vote);
}

/* Whether the next kernels have something to do. */
__device__ static inline bool counts(const sac_rung_call &c)
{
    return c.turn->frame >= 0 && !(c.turn->flags & SAC_RUNG_LEFT_OUT);
}

/* By one thread; and what the pool leaves for the next frame. */
static __global__ void features(const __grid_constant__ sac_rung_call c)
{
    sac_rung_turn *turn = c.turn;
    float *row = c.ring + turn->step.row * SAC_MELTPOOL_RING_ROW;
    if (!counts(c))
        return;
    sac_meltpool_features(turn->features, &turn->in);
    for (int i = 0; i < SAC_MELTPOOL_RING_ROW; i++)
        row[i] = i < SAC_MELTPOOL_OF_FRAME ? turn->features[i] : 0;
    sac_meltpool_follow(&turn->after.stream, &turn->step.job, &turn->in);
}

static __global__ void variances(const __grid_constant__ sac_rung_call c)
{
    const sac_meltpool_step *step = &c.turn->step;
    const int32_t i = (int32_t)sac_thread();
    if (counts(c) && i < SAC_MELTPOOL_OF_FRAME)
        c.turn->features[SAC_MELTPOOL_OF_FRAME + i] =
            sac_meltpool_variance(c.ring, i, step->n, step->row, c.places.n_rows);
}

static __global__ void scale(const __grid_constant__ sac_rung_call c)
{
    const int32_t i = (int32_t)sac_thread();
    if (counts(c) && c.net.n_units > 0 && i < SAC_MELTPOOL_FEATURES)
        c.tasks.z[i] = sac_meltpool_z(&c.net, i, c.turn->features[i]);
}

static __global__ void hidden(const __grid_constant__ sac_rung_call c)
{
    const int32_t unit = (int32_t)sac_grid_thread();
    if (counts(c) && unit < c.net.n_units)
        c.tasks.hidden[unit] = sac_meltpool_hidden(&c.net, unit, c.tasks.z);
}

/* A warp an output. */
static __global__ void outputs(const __grid_constant__ sac_rung_call c)
{
    const int32_t warp = (int32_t)(sac_thread() / SAC_WARP);
    float sums[SAC_MELTPOOL_PREDICTIONS] = {};
    if (!counts(c))
        return;
    for (int32_t unit = (int32_t)(sac_thread() % SAC_WARP); unit < c.net.n_units; unit += SAC_WARP)
        sac_meltpool_add_unit(sums, &c.net, unit, c.tasks.hidden[unit]);
    __syncwarp();
    const float y = sac_meltpool_output(&c.net, warp, warp == 0 ? sums[0] : sums[1]);
    if (sac_thread() % SAC_WARP == 0)
        c.tasks.prediction[warp] = c.net.n_units > 0 ? y : 0;
}

/* The frame's row; the stream goes on. */
static __global__ void record(const __grid_constant__ sac_rung_call c)
{
    sac_rung_turn *turn = c.turn;
    const int32_t i = (int32_t)sac_thread(), feature = i - SAC_RUNG_FLAGS;
    if (turn->frame >= 0 && i < SAC_RUNG_VALUES) {
        const bool is_left_out = turn->flags & SAC_RUNG_LEFT_OUT;
        float value = (float)(turn->flags | (is_left_out ? 0 : turn->in.flags));
        if (i > 0)
            value = is_left_out ? 0
                    : feature < SAC_MELTPOOL_FEATURES
                        ? turn->features[feature]
                        : c.tasks.prediction[feature - SAC_MELTPOOL_FEATURES];
        ((float *)(c.out + turn->frame * c.out_row))[i] = value;
    }
    if (i == 0)
        turn->before = turn->after;
}

/* One step after the other until the host hears that nothing changed. */
template <bool PRUNED>
static sac_status spread(sac_gpu_stream stream, const sac_rung_call *call, unsigned blocks)
{
    int64_t changed = 1;
    sac_status status = SAC_OK;
    while (status == SAC_OK && changed) {
        if (cudaMemsetAsync(call->tasks.changed, 0, sizeof *call->tasks.changed, stream))
            return SAC_E_DEVICE;
        propagate<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
        status = sac_cuda_launched();
        if (sac_rung_is_noted(stream))
            return status;
        if (status == SAC_OK)
            status = sac_rung_ask(&changed, stream, call, call->tasks.changed,
                                  sizeof *call->tasks.changed);
    }
    return status;
}

template <bool PRUNED>
static sac_status label(sac_gpu_stream stream, const sac_rung_call *call, unsigned blocks)
{
    number<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    nearest<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    if (PRUNED)
        embed<<<1, 1, 0, stream>>>(*call);
    const sac_status status = spread<PRUNED>(stream, call, blocks);
    if (status)
        return status;
    histogram<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    spatters<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    moments<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    intensity<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    return sac_cuda_launched();
}

template <bool PRUNED> static sac_status frame(sac_gpu_stream stream, const sac_rung_call *call)
{
    const sac_meltpool_places *p = &call->places;
    const unsigned n = (unsigned)(PRUNED ? p->roi * p->roi : p->w * p->h);
    const unsigned blocks = (n + THREADS) / THREADS; /* one thread more than pixels */
    clear<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    if (PRUNED) {
        const sac_status status = sac_rung_launch_place(stream, call);
        if (status)
            return status;
    } else {
        maximum<<<blocks, THREADS, 0, stream>>>(*call);
        place<<<1, 1, 0, stream>>>(*call);
    }
    const sac_status status = label<PRUNED>(stream, call, blocks);
    if (status)
        return status;
    polar<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    gradient<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    votes<PRUNED><<<blocks, THREADS, 0, stream>>>(*call);
    features<<<1, 1, 0, stream>>>(*call);
    variances<<<1, SAC_WARP, 0, stream>>>(*call);
    scale<<<1, 2 * SAC_WARP, 0, stream>>>(*call);
    hidden<<<(unsigned)call->net.n_units / SAC_WARP + 1, SAC_WARP, 0, stream>>>(*call);
    outputs<<<1, SAC_MELTPOOL_PREDICTIONS * SAC_WARP, 0, stream>>>(*call);
    record<<<1, 2 * SAC_WARP, 0, stream>>>(*call);
    return sac_cuda_launched();
}

extern "C" sac_status sac_rung_initial(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, frame<false>, 1);
}

extern "C" sac_status sac_rung_pruned(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, frame<true>, 1);
}
