/*
 * adapt_iq_f32 on a GPU, the coherence factor of each transmit or of all: delay-and-sum's `points`
 * (das_points.cuh) with the signals' power as a third sum.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/adapt_iq_f32/adapt_iq_f32_cuda.h"
#include "beamform/kernels/adapt_iq_f32/adapt_count.cuh"
#include "beamform/kernels/das/cuda/das_points.cuh"

/* How many elements each point of a tile has in its aperture, and its sums over all transmits. */
template <> struct sac_das_finish<sac_coherent> {
    int32_t count[SAC_DAS_THREADS];
    float re[SAC_DAS_THREADS], im[SAC_DAS_THREADS], power[SAC_DAS_THREADS];

    __device__ void open(const sac_das_cuda *run, const sac_das_tiles &, const sac_das_place &at)
    {
        count[threadIdx.x] = sac_adapt_count(&run->das, at.m);
    }
};

/* abs(S)^2 / (M P) S. */
__device__ static inline float2 coherent_of(const sac_power_sum &sum, float count)
{
    const float all = count * sum.power, square = fmaf(sum.s.x, sum.s.x, sum.s.y * sum.s.y);
    const float factor = all != 0 ? square / all : 0;
    return make_float2(factor * sum.s.x, factor * sum.s.y);
}

/* Sums of n slots into those of all transmits, which the last makes a value. */
template <int N>
__device__ static inline void put_all(sac_das_finish<sac_coherent> *finish, float2 *out,
                                      const sac_power_sum sum[N], const sac_das_cuda *run,
                                      const sac_das_tiles &tiles, const sac_das_slots<N> &slots)
{
    const uint32_t at = threadIdx.x % (SAC_WARP << tiles.bits); /* the same in all shares */
    sac_power_sum all = {make_float2(finish->re[at], finish->im[at]), finish->power[at]};
    if (slots.t[0] == 0)
        all = sac_zero(all);
#pragma unroll
    for (int k = 0; k < N; k++) {
        const float weight = k < slots.n ? run->waves[slots.t[k]].weight : 0;
        if (k < slots.n) {
            all.s = sac_add(all.s, weight, 0, sum[k].s);
            all.power = fmaf(weight * weight, sum[k].power, all.power);
        }
    }
    finish->re[at] = all.s.x;
    finish->im[at] = all.s.y;
    finish->power[at] = all.power;
    if (slots.t[0] + slots.n == run->das.n_tx)
        *out = coherent_of(all, (float)finish->count[threadIdx.x] * (float)run->das.n_tx);
}

/* Slots are transmits of one frame. */
template <typename S, int N>
__device__ static inline void
sac_das_points_put(sac_das_finish<sac_coherent> *finish, float2 *out, const sac_power_sum sum[N],
                   const sac_das_cuda *run, const sac_das_tiles &tiles,
                   const sac_das_slots<N> &slots, int32_t)
{
    const float count = (float)finish->count[threadIdx.x];
    float2 all = make_float2(0, 0);
    if (run->reduction.over == SAC_OVER_ALL) {
        put_all<N>(finish, out, sum, run, tiles, slots);
        return;
    }
    if (!run->das.lri && slots.t[0] > 0)
        all = *out;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const float2 value = coherent_of(sum[k], count);
        if (k < slots.n && run->das.lri)
            out[slots.t[k] * run->out_image] = value;
        else if (k < slots.n)
            all = sac_add(all, run->waves[slots.t[k]].weight, 0, value);
    }
    if (!run->das.lri)
        *out = all;
}

/* Transmits at a time: nine would take the registers that keep samples on their way. */
template <typename Real, int INTERP>
static sac_status launch(sac_gpu_stream stream, float *out, const sac_das_cuda *run)
{
    const int most = INTERP == SAC_INTERP_CUBIC ? 3 : 5;
    return run->das.n_tx < 3
               ? sac_das_points_launch<sac_coherent, Real, INTERP, 1>(stream, out, run, 1)
               : sac_das_points_launch<sac_coherent, Real, INTERP, most>(stream, out, run, 1);
}

template <typename Real>
static sac_status beamform(sac_gpu_stream stream, float *out, const sac_das_cuda *run)
{
    return run->das.interp == SAC_INTERP_NEAREST
               ? launch<Real, SAC_INTERP_NEAREST>(stream, out, run)
           : run->das.interp == SAC_INTERP_LINEAR
               ? launch<Real, SAC_INTERP_LINEAR>(stream, out, run)
               : launch<Real, SAC_INTERP_CUBIC>(stream, out, run);
}

extern "C" sac_status sac_adapt_cuda_points(sac_gpu_stream stream, const sac_gpu_shape *,
                                            float *out, const sac_das_cuda *run)
{
    return beamform<double>(stream, out, run);
}

extern "C" sac_status sac_adapt_cuda_points_single(sac_gpu_stream stream, const sac_gpu_shape *,
                                                   float *out, const sac_das_cuda *run)
{
    return beamform<float>(stream, out, run);
}
