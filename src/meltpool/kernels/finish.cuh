/*
 * Variances and predictions on a GPU: the steps of variance_f32 and mlp_f32 for
 * teams of any size. Sums are made in one order, whoever makes them, so that a record is the same
 * bytes by a warp, by a block, alone and in a batch.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FINISH_CUH
#define SAC_MELTPOOL_FINISH_CUH

#include "gpu/block.cuh"
#include "meltpool/kernels/mlp_f32/mlp_f32_cuda.h"
#include "meltpool/kernels/mlp_f32/mlp_f32_inline.h"
#include "meltpool/kernels/variance_f32/variance_f32.h"

/*
 * A variance is of what rows differ from the one before the newest, in double: the rows of age 1 ..
 * n - 1 in SAC_MELTPOOL_GROUPS sums, folded in halves, and the newest (age 0) last, so that all but
 * it may be known before the frame is here.
 */
enum { SAC_MELTPOOL_GROUPS = 8 };

typedef struct sac_meltpool_spread {
    double sum, squares;
} sac_meltpool_spread;

/* A ring's value of a feature, `age` rows before `newest`. Other blocks may have written it: it is
 * read past the first-level cache. */
__device__ static inline float sac_meltpool_aged(const float *ring, int32_t feature, int32_t age,
                                                 int32_t newest, int32_t n_rows)
{
    return __ldcg(sac_meltpool_ring_row(ring, age, newest, n_rows) + feature);
}

__device__ static inline void sac_meltpool_spread_add(sac_meltpool_spread *s, float x, float origin)
{
    const double d = (double)x - (double)origin;
    s->sum += d;
    s->squares += d * d;
}

/* The group's rows: those of age 1 + group, 1 + group + GROUPS .. below n. Values of the first ones
 * are loaded first, so that a caller can do other things until they are here. */
enum { SAC_MELTPOOL_FIRST = 8 };

typedef struct sac_meltpool_first {
    float origin, x[SAC_MELTPOOL_FIRST];
} sac_meltpool_first;

__device__ static inline void sac_meltpool_load_group(sac_meltpool_first *first, const float *ring,
                                                      int32_t feature, int32_t group, int32_t n,
                                                      int32_t newest, int32_t n_rows)
{
    first->origin = n > 1 ? sac_meltpool_aged(ring, feature, 1, newest, n_rows) : 0;
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_FIRST; i++) {
        const int32_t age = 1 + group + i * SAC_MELTPOOL_GROUPS;
        first->x[i] = age < n ? sac_meltpool_aged(ring, feature, age, newest, n_rows) : 0;
    }
}

__device__ static inline sac_meltpool_spread
sac_meltpool_sum_group(const sac_meltpool_first *first, const float *ring, int32_t feature,
                       int32_t group, int32_t n, int32_t newest, int32_t n_rows)
{
    sac_meltpool_spread s = {0, 0};
    int32_t age = 1 + group;
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_FIRST; i++, age += SAC_MELTPOOL_GROUPS)
        if (age < n)
            sac_meltpool_spread_add(&s, first->x[i], first->origin);
    for (; age < n; age += SAC_MELTPOOL_GROUPS)
        sac_meltpool_spread_add(&s, sac_meltpool_aged(ring, feature, age, newest, n_rows),
                                first->origin);
    return s;
}

__device__ static inline sac_meltpool_spread sac_meltpool_group(const float *ring, int32_t feature,
                                                                int32_t group, int32_t n,
                                                                int32_t newest, int32_t n_rows)
{
    sac_meltpool_first first;
    sac_meltpool_load_group(&first, ring, feature, group, n, newest, n_rows);
    return sac_meltpool_sum_group(&first, ring, feature, group, n, newest, n_rows);
}

/* All groups', `step` of them from the next in memory. */
__device__ static inline sac_meltpool_spread sac_meltpool_fold(const sac_meltpool_spread *groups,
                                                               int32_t step)
{
    sac_meltpool_spread s[SAC_MELTPOOL_GROUPS];
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_GROUPS; i++)
        s[i] = groups[i * step];
#pragma unroll
    for (int half = SAC_MELTPOOL_GROUPS / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++) {
            s[i].sum += s[i + half].sum;
            s[i].squares += s[i + half].squares;
        }
    return s[0];
}

/* 1 / n^2, which may be known before, too. */
__device__ static inline double sac_meltpool_inverse(int32_t n)
{
    return 1 / ((double)n * n);
}

/* With the newest value; n rows in all, `inverse` of them. 0 with one. */
__device__ static inline float sac_meltpool_variance_by(sac_meltpool_spread older, float newest,
                                                        float origin, int32_t n, double inverse)
{
    sac_meltpool_spread_add(&older, newest, origin);
    return n < 2 ? 0 : (float)((older.squares * n - older.sum * older.sum) * inverse);
}

__device__ static inline float sac_meltpool_variance_of(sac_meltpool_spread older, float newest,
                                                        float origin, int32_t n)
{
    return sac_meltpool_variance_by(older, newest, origin, n, sac_meltpool_inverse(n));
}

/* A feature's variance by one thread. */
__device__ static inline float sac_meltpool_variance(const float *ring, int32_t feature, int32_t n,
                                                     int32_t newest, int32_t n_rows)
{
    sac_meltpool_spread groups[SAC_MELTPOOL_GROUPS] = {};
    const float last = sac_meltpool_aged(ring, feature, 0, newest, n_rows);
    const float origin = n > 1 ? sac_meltpool_aged(ring, feature, 1, newest, n_rows) : last;
    int32_t age = 1;
    for (; age + SAC_MELTPOOL_GROUPS <= n; age += SAC_MELTPOOL_GROUPS)
#pragma unroll
        for (int i = 0; i < SAC_MELTPOOL_GROUPS; i++)
            sac_meltpool_spread_add(
                &groups[i], sac_meltpool_aged(ring, feature, age + i, newest, n_rows), origin);
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_GROUPS; i++)
        if (age + i < n)
            sac_meltpool_spread_add(
                &groups[i], sac_meltpool_aged(ring, feature, age + i, newest, n_rows), origin);
    return sac_meltpool_variance_of(sac_meltpool_fold(groups, 1), last, origin, n);
}

/* A feature as the network takes it. */
__device__ static inline float sac_meltpool_z(const sac_meltpool_net_cuda *net, int32_t feature,
                                              float value)
{
    return (value - net->mean[feature]) * net->factor[feature];
}

/* max(0, bias + sum of w z) of a hidden unit whose weights are `step` from each other; z (40) in
 * shared memory, aligned to 16 bytes. */
__device__ static __forceinline__ float sac_meltpool_unit(const float *w, ptrdiff_t step,
                                                          float bias, const float *z)
{
    float sum[4] = {};
#pragma unroll
    for (int i = 0; i < SAC_MELTPOOL_FEATURES; i += 4) {
        const float4 four = *(const float4 *)(z + i);
        sum[0] = fmaf(w[i * step], four.x, sum[0]);
        sum[1] = fmaf(w[(i + 1) * step], four.y, sum[1]);
        sum[2] = fmaf(w[(i + 2) * step], four.z, sum[2]);
        sum[3] = fmaf(w[(i + 3) * step], four.w, sum[3]);
    }
    return fmaxf((sum[0] + sum[1]) + (sum[2] + sum[3]) + bias, 0.0f);
}

__device__ static inline float sac_meltpool_hidden(const sac_meltpool_net_cuda *net, int32_t unit,
                                                   const float *z)
{
    return sac_meltpool_unit(net->w1 + unit, net->n_units, net->b1[unit], z);
}

/* Adds a hidden unit's part of both outputs: of units unit % 32 alike, in rising order. */
__device__ static inline void sac_meltpool_add_unit(float sums[SAC_MELTPOOL_PREDICTIONS],
                                                    const sac_meltpool_net_cuda *net, int32_t unit,
                                                    float x)
{
    for (int i = 0; i < SAC_MELTPOOL_PREDICTIONS; i++)
        sums[i] = fmaf(net->w2[(ptrdiff_t)i * net->n_units + unit], x, sums[i]);
}

/* The sum of 32 lanes, in every one. All lanes call. */
__device__ static inline float sac_meltpool_sum_lanes(float sum)
{
#pragma unroll
    for (int step = SAC_WARP / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(SAC_ALL_LANES, sum, step);
    return sum;
}

/* An output from the sum of all units. */
__device__ static inline float sac_meltpool_activated(const sac_meltpool_net_cuda *net,
                                                      int32_t output, float sum)
{
    const float y = sum + net->b2[output];
    return net->is_softplus ? sac_meltpool_softplus(y) : y;
}

/* An output from the sums of 32 lanes, each of units equal to it modulo 32. All lanes call. */
__device__ static inline float sac_meltpool_output(const sac_meltpool_net_cuda *net, int32_t output,
                                                   float sum)
{
    return sac_meltpool_activated(net, output, sac_meltpool_sum_lanes(sum));
}

/* Both predictions of a frame by a warp: out[0] and [1] in every lane. */
__device__ static inline void sac_meltpool_predict(float out[SAC_MELTPOOL_PREDICTIONS],
                                                   const sac_meltpool_net_cuda *net, const float *z)
{
    float sums[SAC_MELTPOOL_PREDICTIONS] = {};
    for (int32_t unit = (int32_t)(threadIdx.x % SAC_WARP); unit < net->n_units; unit += SAC_WARP)
        sac_meltpool_add_unit(sums, net, unit, sac_meltpool_hidden(net, unit, z));
    for (int i = 0; i < SAC_MELTPOOL_PREDICTIONS; i++)
        out[i] = sac_meltpool_output(net, i, sums[i]);
}

#endif
