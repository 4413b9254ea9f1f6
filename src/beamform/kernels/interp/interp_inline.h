/*
 * interp by blocks that stay in the L1 cache: first where every point lies in its record, then the
 * samples there. The second half, for every variant; none of its loops branches.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_INTERP_INLINE_H
#define SAC_BEAMFORM_INTERP_INLINE_H

#include "interp.h"

#define SAC_INTERP_BLOCK 512

/* Where points lie: `u` after sample i, or at the nearest; outside of the record i is -1. */
typedef struct sac_interp_places {
    int32_t i[SAC_INTERP_BLOCK];
    float u[SAC_INTERP_BLOCK];
} sac_interp_places;

/* Sample i of a record of `step` values a sample. */
static inline float sac_interp_sample(const void *in, sac_dtype dtype, int step, int32_t i)
{
    const int64_t at = (int64_t)i * step;
    return dtype == SAC_I16 ? ((const int16_t *)in)[at] : ((const float *)in)[at];
}

static inline float sac_interp_cubic(float a, float b, float c, float d, float u)
{
    const float p1 = c - a, p2 = 2 * a - 5 * b + 4 * c - d, p3 = 3 * (b - c) + (d - a);
    return b + 0.5f * u * (p1 + u * (p2 + u * p3));
}

/* One component of n points; dtype, step and interp are constants where it is inlined. */
static inline void sac_interp_take(float *restrict out, const void *restrict in,
                                   const sac_interp_places *restrict at, int n, int32_t last,
                                   sac_dtype dtype, int step, sac_interp interp)
{
    const int32_t *restrict at_i = at->i;
    const float *restrict at_u = at->u;
    for (int k = 0; k < n; k++) {
        const bool is_inside = at_i[k] >= 0;
        const int32_t i = is_inside ? at_i[k] : 0, next = i < last ? i + 1 : last;
        const float b = sac_interp_sample(in, dtype, step, i);
        float v = b;
        if (interp != SAC_INTERP_NEAREST) {
            const float u = at_u[k], c = sac_interp_sample(in, dtype, step, next);
            v = b + u * (c - b);
            if (interp == SAC_INTERP_CUBIC) {
                const bool is_whole = i >= 1 && i + 1 < last;
                const float a = sac_interp_sample(in, dtype, step, is_whole ? i - 1 : i);
                const float d = sac_interp_sample(in, dtype, step, is_whole ? i + 2 : i);
                v = is_whole ? sac_interp_cubic(a, b, c, d, u) : v;
            }
        }
        out[k * step] = is_inside ? v : 0;
    }
}

static inline void sac_interp_take_by(float *restrict out, const void *restrict in,
                                      const sac_interp_places *restrict at, int n,
                                      const sac_interp_job *job, sac_dtype dtype, int step)
{
    const int32_t last = job->n_samples - 1;
    switch (job->interp) {
    case SAC_INTERP_NEAREST:
        sac_interp_take(out, in, at, n, last, dtype, step, SAC_INTERP_NEAREST);
        break;
    case SAC_INTERP_LINEAR:
        sac_interp_take(out, in, at, n, last, dtype, step, SAC_INTERP_LINEAR);
        break;
    case SAC_INTERP_CUBIC:
        sac_interp_take(out, in, at, n, last, dtype, step, SAC_INTERP_CUBIC);
        break;
    }
}

static inline void sac_interp_block(float *out, const char *in, const sac_interp_places *at, int n,
                                    const sac_interp_job *job)
{
    switch (job->dtype) {
    case SAC_I16:
        sac_interp_take_by(out, in, at, n, job, SAC_I16, 1);
        break;
    case SAC_F32:
        sac_interp_take_by(out, in, at, n, job, SAC_F32, 1);
        break;
    default:
        sac_interp_take_by(out, in, at, n, job, SAC_F32, 2);
        sac_interp_take_by(out + 1, in + sizeof(float), at, n, job, SAC_F32, 2);
    }
}

/* Places of n points of a layer from p on. */
typedef void (*sac_interp_place_fn)(sac_interp_places *restrict at, const sac_interp_job *job,
                                    const char *delays, int64_t p, int n);

/* The whole job, given the first half, and the second. */
static inline void
sac_interp_by_blocks(void *out, const sac_interp_job *job, sac_interp_place_fn place,
                     void (*take)(float *out, const char *in, const sac_interp_places *at, int n,
                                  const sac_interp_job *job))
{
    sac_interp_places at;
    const int step = job->dtype == SAC_C64 ? 2 : 1;
    for (int64_t l = 0; l < job->n_layers; l++) {
        float *to = (float *)(void *)((char *)out + l * job->out_layer);
        const char *in = (const char *)job->in + l * job->in_layer;
        const char *delays = (const char *)job->delays + l * job->delays_layer;
        for (int64_t p = 0; p < job->n_points; p += SAC_INTERP_BLOCK) {
            const int64_t left = job->n_points - p;
            const int n = (int)(left < SAC_INTERP_BLOCK ? left : SAC_INTERP_BLOCK);
            place(&at, job, delays, p, n);
            take(to + p * step, in, &at, n, job);
        }
    }
}

#endif
