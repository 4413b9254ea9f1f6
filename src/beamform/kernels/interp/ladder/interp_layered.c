/*
 * interp as two orders of the same work, after Jarosik, Lewandowski, Yiu (2023): each thread of
 * theirs is a turn of the inner loop here. f32 samples and delays, linear, 0 outside.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/interp/interp.h"

static inline float value(const sac_interp_job *job, int64_t layer, int64_t p)
{
    const char *samples = (const char *)job->in + layer * job->in_layer;
    const char *delays = (const char *)job->delays + layer * job->delays_layer;
    const float *in = (const float *)(const void *)samples;
    const float s = ((const float *)(const void *)delays)[p];
    const int32_t last = job->n_samples - 1;
    if (!(s >= 0 && (double)s <= last))
        return 0;
    const int32_t i = (int32_t)s;
    return i < last ? in[i] + (s - (float)i) * (in[i + 1] - in[i]) : in[last];
}

static inline float *place(void *out, const sac_interp_job *job, int64_t layer, int64_t p)
{
    return (float *)(void *)((char *)out + layer * job->out_layer) + p;
}

/* Neighbors in order lie in different records, delays and results. */
void sac_interp_layered_naive(void *out, const sac_interp_job *job)
{
    for (int64_t p = 0; p < job->n_points; p++)
        for (int64_t l = 0; l < job->n_layers; l++)
            *place(out, job, l, p) = value(job, l, p);
}

/* Neighbors in order are neighbors in memory. */
void sac_interp_layered_point_first(void *out, const sac_interp_job *job)
{
    for (int64_t l = 0; l < job->n_layers; l++)
        for (int64_t p = 0; p < job->n_points; p++)
            *place(out, job, l, p) = value(job, l, p);
}
