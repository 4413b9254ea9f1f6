/*
 * Te and Ne: features and their variances, the network, and the frame's row of the result.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_ANSWER_CUH
#define SAC_MELTPOOL_LADDER_ANSWER_CUH

#include "meltpool/kernels/frame_u8/features.h"
#include "meltpool/ladder/rung.cuh"

/* A frame's feature i from its integers; 0 of those behind the last one. */
__device__ static inline float sac_rung_feature(const sac_meltpool_integers *in, uint32_t i)
{
    if (i < 3)
        return (float)(&in->area)[i];
    if (i == 3)
        return in->area > 0 ? (float)sac_meltpool_ratio(in) : 0;
    if (i == 4)
        return sac_meltpool_mean(in);
    if (i < 5 + SAC_MELTPOOL_SECTORS)
        return (float)in->polar[i - 5];
    return i < SAC_MELTPOOL_OF_FRAME ? sac_meltpool_share(in->hog[i - 11], sac_meltpool_norm(in))
                                     : 0;
}

/* A frame's row of the ring. */
__device__ static inline float *sac_rung_row(const sac_rung_block *b, const sac_rung_call &c)
{
    return c.ring + b->turn.step.row * SAC_MELTPOOL_RING_ROW;
}

/* The frame's 20 features, each by a thread, and their row of the ring. Sync after it. */
__device__ static inline void sac_rung_features(sac_rung_block *b, const sac_rung_call &c)
{
    const uint32_t i = sac_thread();
    if (i >= SAC_MELTPOOL_RING_ROW)
        return;
    const float value = sac_rung_feature(&b->turn.in, i);
    sac_rung_row(b, c)[i] = value;
    if (i < SAC_MELTPOOL_OF_FRAME)
        b->turn.features[i] = value;
}

/* Their variances: each by eight threads, whose sums one of them puts together. b->turn.features
 * has the newest values. Sync after it. */
__device__ static inline void sac_rung_variances(sac_rung_block *b, const sac_rung_call &c)
{
    enum { N = SAC_MELTPOOL_OF_FRAME, GROUPS = SAC_MELTPOOL_GROUPS };
    const sac_meltpool_step *step = &b->turn.step;
    const int32_t i = (int32_t)sac_thread(), n = step->n, n_rows = c.places.n_rows;
    float origin = 0;
    if (i < N * GROUPS) {
        if (n > 1)
            origin = sac_meltpool_aged(c.ring, i % N, 1, step->row, n_rows);
        b->spread[i] = sac_meltpool_group(c.ring, i % N, i / N, n, step->row, n_rows);
    }
    __syncthreads();
    if (i < N)
        b->turn.features[N + i] = sac_meltpool_variance_of(sac_meltpool_fold(&b->spread[i], N),
                                                           b->turn.features[i], origin, n);
}

/* Te. */
__device__ static inline void sac_rung_temporal(sac_rung_block *b, const sac_rung_call &c)
{
    sac_rung_features(b, c);
    __syncthreads();
    sac_rung_variances(b, c);
    __syncthreads();
}

/* The hidden layer, (n_units). Sync after it. */
__device__ static inline void sac_rung_hidden(sac_rung_block *b, const sac_rung_call &c,
                                              float *hidden)
{
    if (c.net.n_units > 0 && sac_thread() < SAC_MELTPOOL_FEATURES)
        b->z[sac_thread()] =
            sac_meltpool_z(&c.net, (int32_t)sac_thread(), b->turn.features[sac_thread()]);
    __syncthreads();
    for (int32_t unit = (int32_t)sac_thread(); unit < c.net.n_units; unit += SAC_RUNG_TEAM)
        hidden[unit] = sac_meltpool_hidden(&c.net, unit, b->z);
}

/* An output from the hidden layer, each by a warp. Sync after it. */
__device__ static inline void sac_rung_output(sac_rung_block *b, const sac_rung_call &c,
                                              const float *hidden)
{
    const int32_t warp = (int32_t)(sac_thread() / SAC_WARP);
    if (warp >= SAC_MELTPOOL_PREDICTIONS)
        return;
    float sums[SAC_MELTPOOL_PREDICTIONS] = {};
    for (int32_t unit = (int32_t)(sac_thread() % SAC_WARP); unit < c.net.n_units; unit += SAC_WARP)
        sac_meltpool_add_unit(sums, &c.net, unit, hidden[unit]);
    __syncwarp();
    const float y = sac_meltpool_output(&c.net, warp, warp == 0 ? sums[0] : sums[1]);
    if (sac_thread() % SAC_WARP == 0)
        b->prediction[warp] = c.net.n_units > 0 ? y : 0;
}

/* The frame's row. */
__device__ static inline void sac_rung_record(const sac_rung_block *b, const sac_rung_call &c)
{
    float *row = (float *)(c.out + b->turn.frame * c.out_row);
    const uint32_t i = sac_thread(), feature = i - SAC_RUNG_FLAGS;
    if (i == 0)
        row[0] = (float)(b->turn.flags | b->turn.in.flags);
    else if (feature < SAC_MELTPOOL_FEATURES)
        row[i] = b->turn.features[feature];
    else if (i < SAC_RUNG_VALUES)
        row[i] = b->prediction[feature - SAC_MELTPOOL_FEATURES];
}

/* Ne, and the row. `hidden` is shared memory. */
__device__ static inline void sac_rung_network(sac_rung_block *b, const sac_rung_call &c,
                                               float *hidden)
{
    sac_rung_hidden(b, c, hidden);
    __syncthreads();
    sac_rung_output(b, c, hidden);
    __syncthreads();
    sac_rung_record(b, c);
}

#endif
