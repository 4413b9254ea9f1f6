/*
 * adapt_iq_f32 on a GPU: the signals that elements receive from points, of some transmits or summed
 * up over all. A thread is a point. It goes through the elements, some at a time, whose delays, in
 * double precision, serve all transmits. What needs only sums is then done; else the signals are
 * kept for a second kernel.
 *
 * Signal m of the i-th transmit at hand lies at x[(i n_rx + m) n_threads + thread], of elements in
 * the thread's aperture alone: they follow each other without gaps.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_SIGNALS_CUH
#define SAC_BEAMFORM_ADAPT_SIGNALS_CUH

#include "beamform/kernels/adapt_iq_f32/adapt_sums.cuh"
#include "beamform/kernels/das/cuda/das_receive.cuh"
#include "beamform/kernels/das/cuda/das_take.cuh"

/* A call's work: tiles [first, ..) of transmits [t, t + n) of a frame; and where its parts lie. */
typedef struct sac_adapt_step {
    uint32_t first;
    int32_t t, n;
    int64_t frame;     /* where its data begins, in samples */
    float2 *x, *out;   /* signals; the frame's images */
    int32_t *count;    /* (n_threads): signals of a transmit */
    int64_t *index;    /* (n_threads): of the point; -1: none */
    int64_t n_threads; /* of the grid of the first step */
} sac_adapt_step;

#define SAC_ADAPT_ELEMENTS(INTERP) ((INTERP) == SAC_INTERP_CUBIC ? 4 : 8)

/* What a point receives of E elements: delays in 2^-32 samples, weights with rotations; whether
 * they are in the aperture. */
template <int E> struct sac_adapt_received {
    int64_t delay[E];
    float w[E], wi[E];
    uint32_t is_in;
};

/* Elements [r, end), of which there may be fewer than E. */
template <int E>
__device__ static inline sac_adapt_received<E>
sac_adapt_hear(const sac_das_cuda *run, const sac_das_lane &lane, int32_t r, int32_t end)
{
    const sac_apodization *a = &run->das.apodization;
    const bool is_line = run->das.pitch_m > 0;
    const bool is_plain = a->f_number <= 0 || (is_line && a->window == SAC_WINDOW_RECT);
    sac_adapt_received<E> in;
    in.is_in = 0;
#pragma unroll
    for (int e = 0; e < E; e++) {
        const int32_t which = min(r + e, end - 1);
        float w = r + e < end && which >= lane.first && which < lane.last ? 1 : 0, c, s;
        if (!is_plain && w != 0)
            w = sac_das_weight_of<double>(run, lane, which);
        const double l = sac_das_distance(run, which, lane.p, lane.off_line, is_line);
        sac_das_rotation(&c, &s, (float)sac_das_fraction(l * run->turns));
        in.delay[e] = sac_das_fixed(l);
        in.w[e] = w * c;
        in.wi[e] = w * s;
        in.is_in |= (uint32_t)(w != 0) << e;
    }
    return in;
}

/* The sample at a delay in 2^-32 samples. */
template <int INTERP>
__device__ static inline float2 sac_adapt_sample(const float2 *record, const sac_das *das,
                                                 int64_t delay)
{
    const int32_t i = (int32_t)(delay >> 32);
    sac_das_taken<float2, INTERP> taken;
    if ((uint32_t)i >= (uint32_t)(das->n_samples - 1))
        return sac_das_take_exact(record, das, delay);
    (void)sac_das_take_any<float2, INTERP>(&taken, record, das, i,
                                           (float)(uint32_t)delay * 2.3283064e-10f);
    return sac_das_value<float2, INTERP>(taken);
}

/* Transmit t's signals of elements from r on into x, or added to it: rotated, and weighted by a(t)
 * where signals of several transmits meet. */
template <int INTERP, int E>
__device__ static inline void sac_adapt_take(float2 x[E], const sac_das_cuda *run,
                                             const sac_das_lane &lane, const float2 *data,
                                             const sac_adapt_received<E> &in, int32_t t, int32_t r)
{
    const double offset = sac_das_offset(run, t, lane.p, lane.at.index);
    const int64_t sent = sac_das_fixed(offset);
    const float a = run->reduction.over == SAC_OVER_TRANSMIT ? 1 : run->waves[t].weight;
    float c, s;
    sac_das_rotation(&c, &s,
                     (float)sac_das_fraction((offset + sac_das_since(run, t)) * run->turns));
    c *= a;
    s *= a;
    data += t * run->tx + r * run->rx;
#pragma unroll
    for (int e = 0; e < E; e++)
        if (in.is_in >> e & 1) {
            const float2 v =
                sac_adapt_sample<INTERP>(data + e * run->rx, &run->das, sent + in.delay[e]);
            const float2 own = sac_add(make_float2(0, 0), in.w[e], in.wi[e], v);
            x[e] = sac_add(x[e], c, s, own);
        }
}

/* Those in the aperture into the i-th list, from m on: of SLSC divided by their magnitude. */
template <int E>
__device__ static inline void sac_adapt_store(const sac_das_cuda *run, const sac_adapt_step &step,
                                              const float2 x[E], uint32_t is_in, int32_t i,
                                              int32_t m)
{
    float2 *to = step.x + ((int64_t)i * run->das.n_rx + m) * step.n_threads +
                 (int64_t)blockIdx.x * SAC_DAS_THREADS + threadIdx.x;
#pragma unroll
    for (int e = 0; e < E; e++)
        if (is_in >> e & 1) {
            float scale = 1;
            if (run->reduction.kind == SAC_REDUCE_SLSC)
                scale = sac_adapt_over(1, sqrtf(sac_adapt_square(x[e])));
            *to = make_float2(scale * x[e].x, scale * x[e].y);
            to += step.n_threads;
        }
}

/* A transmit's value where it belongs: its image, or added to that of all. i: of the step's. */
__device__ static inline void sac_adapt_put(const sac_das_cuda *run, const sac_adapt_step &step,
                                            int64_t index, int32_t i, float2 value)
{
    float2 *out = step.out + index * run->out_point, before = make_float2(0, 0);
    const int32_t t = step.t + i;
    const float a = run->waves[t].weight;
    if (run->das.lri) {
        out[t * run->out_image] = value;
    } else if (run->reduction.over == SAC_OVER_TRANSMIT) {
        before = t > 0 ? *out : before;
        *out = make_float2(fmaf(a, value.x, before.x), fmaf(a, value.y, before.y));
    } else {
        *out = value;
    }
}

#define SAC_ADAPT_TRANSMITS 8 /* at a time, of values by transmit */

/* The values of sums, a transmit's each or of all signals; count: of an element each. */
template <int KIND>
__device__ static inline void sac_adapt_finish(const sac_das_cuda *run, const sac_adapt_step &step,
                                               const sac_das_place &at, const float4 *by_transmit,
                                               const float4 &sum, int32_t count)
{
    const sac_reduction *r = &run->reduction;
    if (r->over == SAC_OVER_TRANSMIT) {
        for (int32_t i = 0; i < step.n; i++)
            sac_adapt_put(run, step, at.index, i,
                          sac_adapt_value<KIND>(by_transmit[i * SAC_DAS_THREADS], (float)count, r));
        return;
    }
    const float times = r->over == SAC_OVER_ALL ? (float)run->das.n_tx : 1;
    sac_adapt_put(run, step, at.index, 0, sac_adapt_value<KIND>(sum, (float)count * times, r));
}

/* KIND: of sums; SAC_REDUCE_SUM: signals are kept. */
template <int INTERP, int KIND>
__global__ void __launch_bounds__(SAC_DAS_THREADS, 2)
    sac_adapt_signals(const __grid_constant__ sac_das_cuda run,
                      const __grid_constant__ sac_das_tiles tiles,
                      const __grid_constant__ sac_adapt_step step)
{
    const int E = SAC_ADAPT_ELEMENTS(INTERP);
    const bool keeps = KIND == SAC_REDUCE_SUM;
    __shared__ float4 sums[keeps ? 1 : SAC_ADAPT_TRANSMITS * SAC_DAS_THREADS];
    const sac_das_lane lane =
        sac_das_lane_of(&run, sac_das_place_of(&run.das, tiles, step.first + blockIdx.x), tiles);
    const float2 *data = (const float2 *)run.data + step.frame;
    const sac_reduction_over over = run.reduction.over;
    const float exponent = KIND == SAC_REDUCE_DMAS ? sac_adapt_exponent(&run.reduction) : 0;
    float4 sum = make_float4(0, 0, 0, 0), *own = sums + (keeps ? 0 : threadIdx.x);
    int32_t count = 0;
    for (int32_t i = 0; i < step.n && !keeps && over == SAC_OVER_TRANSMIT; i++)
        own[i * SAC_DAS_THREADS] = sum;
#pragma unroll 1
    for (int32_t r = lane.begin; r < lane.end && lane.at.is_there; r += E) {
        const sac_adapt_received<E> in = sac_adapt_hear<E>(&run, lane, r, lane.end);
        if (in.is_in == 0)
            continue;
        float2 x[E];
#pragma unroll 1
        for (int32_t i = 0; i < step.n; i++) {
            const bool goes_on = over == SAC_OVER_COMPOUND && i < step.n - 1;
#pragma unroll
            for (int e = 0; e < E; e++)
                x[e] = over == SAC_OVER_COMPOUND && i > 0 ? x[e] : make_float2(0, 0);
            sac_adapt_take<INTERP, E>(x, &run, lane, data, in, step.t + i, r);
            if (goes_on)
                continue;
            const int32_t list = over == SAC_OVER_COMPOUND ? 0 : i;
            if (keeps) {
                sac_adapt_store<E>(&run, step, x, in.is_in, list, count);
                continue;
            }
            sum = over == SAC_OVER_TRANSMIT ? own[i * SAC_DAS_THREADS] : sum;
#pragma unroll
            for (int e = 0; e < E; e++)
                if (in.is_in >> e & 1)
                    sac_adapt_add<KIND>(&sum, x[e], exponent);
            if (over == SAC_OVER_TRANSMIT)
                own[i * SAC_DAS_THREADS] = sum;
        }
        count += __popc(in.is_in);
    }
    if (keeps) {
        const int64_t thread = (int64_t)blockIdx.x * SAC_DAS_THREADS + threadIdx.x;
        step.count[thread] = count;
        step.index[thread] = lane.at.is_there ? lane.at.index : -1;
    } else if (lane.at.is_there) {
        sac_adapt_finish<KIND>(&run, step, lane.at, own, sum, count);
    }
}

#endif
