/*
 * adapt_iq_f32 on a GPU, the second step of GCF and SLSC: a thread is a point, as in the first.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_REDUCE_CUH
#define SAC_BEAMFORM_ADAPT_REDUCE_CUH

#include "beamform/kernels/adapt_iq_f32/adapt_signals.cuh"

/* Signals of a point. */
typedef struct sac_adapt_list {
    const float2 *x;
    int64_t apart;
    int32_t n;
} sac_adapt_list;

__device__ static inline float2 sac_adapt_at(const sac_adapt_list &l, int32_t m)
{
    return __ldg(l.x + m * l.apart);
}

/* abs(X_k)^2 + abs(X_-k)^2. */
__device__ static inline float sac_adapt_bins(const sac_adapt_list &l, int32_t k)
{
    float2 even = make_float2(0, 0), odd = even; /* sums of x cos and of x sin */
    int32_t turn = 0;                            /* k m less multiples of n */
    for (int32_t m = 0; m < l.n; m++) {
        const float2 x = sac_adapt_at(l, m);
        float c, s;
        const float part = (float)turn / (float)l.n;
        sac_das_rotation(&c, &s, part > 0.5f ? part - 1 : part);
        even = sac_add(even, c, 0, x);
        odd = sac_add(odd, s, 0, x);
        turn += k;
        turn -= turn >= l.n ? l.n : 0;
    }
    return 2 * (sac_adapt_square(even) + sac_adapt_square(odd));
}

__device__ static inline float2 sac_adapt_generalised(const sac_adapt_list &l,
                                                      const sac_reduction *r)
{
    float4 sum = make_float4(0, 0, 0, 0);
    for (int32_t m = 0; m < l.n; m++)
        sac_adapt_add<SAC_REDUCE_CF>(&sum, sac_adapt_at(l, m), 0);
    const float2 s = make_float2(sum.x, sum.y);
    const int32_t n_side = (int32_t)r->amount;
    if (n_side > 0 && 2 * n_side + 1 >= l.n) /* the bins are all there are */
        return s;
    float low = sac_adapt_square(s);
    for (int32_t k = 1; k <= n_side; k++)
        low += sac_adapt_bins(l, k);
    const float factor = sac_adapt_over(low, (float)l.n * sum.z);
    return make_float2(factor * s.x, factor * s.y);
}

/* Lags at a time: a signal is loaded once for all of them. */
#define SAC_ADAPT_LAGS 8

/* Means R(m) of lags from first on, up to `last`, added up. */
__device__ static inline float sac_adapt_lags(const sac_adapt_list &l, int32_t first, int32_t last)
{
    float sum[SAC_ADAPT_LAGS] = {}, all = 0;
    float2 ahead[SAC_ADAPT_LAGS]; /* signals first, .. after the one at work */
#pragma unroll
    for (int k = 0; k < SAC_ADAPT_LAGS; k++)
        ahead[k] = first + k < l.n ? sac_adapt_at(l, first + k) : make_float2(0, 0);
    for (int32_t m = 0; m + first < l.n; m++) {
        const float2 u = sac_adapt_at(l, m);
        const int32_t next = m + first + SAC_ADAPT_LAGS;
#pragma unroll
        for (int k = 0; k < SAC_ADAPT_LAGS; k++) {
            sum[k] = fmaf(u.x, ahead[k].x, fmaf(u.y, ahead[k].y, sum[k]));
            if (k > 0)
                ahead[k - 1] = ahead[k];
        }
        ahead[SAC_ADAPT_LAGS - 1] = next < l.n ? sac_adapt_at(l, next) : make_float2(0, 0);
    }
#pragma unroll
    for (int k = 0; k < SAC_ADAPT_LAGS; k++)
        all += first + k <= last ? sum[k] / (float)(l.n - first - k) : 0;
    return all;
}

__device__ static inline float2 sac_adapt_short_lags(const sac_adapt_list &l,
                                                     const sac_reduction *r)
{
    float sum = 0;
    if (l.n < 2)
        return make_float2(0, 0);
    const int32_t n_lags = sac_reduction_lags(r, l.n);
    for (int32_t m = 1; m <= n_lags; m += SAC_ADAPT_LAGS)
        sum += sac_adapt_lags(l, m, n_lags);
    return make_float2(sum / (float)n_lags, 0);
}

template <int KIND>
__global__ void __launch_bounds__(SAC_DAS_THREADS)
    sac_adapt_reduce(const __grid_constant__ sac_das_cuda run,
                     const __grid_constant__ sac_adapt_step step)
{
    const sac_reduction *r = &run.reduction;
    const int64_t thread = (int64_t)blockIdx.x * SAC_DAS_THREADS + threadIdx.x;
    const int64_t index = step.index[thread];
    const int32_t n = step.count[thread], n_lists = r->over == SAC_OVER_COMPOUND ? 1 : step.n;
    for (int32_t i = 0; i < n_lists && index >= 0; i++) {
        const sac_adapt_list l = {step.x + (int64_t)i * run.das.n_rx * step.n_threads + thread,
                                  step.n_threads, n};
        sac_adapt_put(&run, step, index, i,
                      KIND == SAC_REDUCE_SLSC ? sac_adapt_short_lags(l, r)
                                              : sac_adapt_generalised(l, r));
    }
}

#endif
