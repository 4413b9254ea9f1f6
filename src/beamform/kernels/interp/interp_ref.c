/*
 * interp: the specification, in double.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "interp.h"

static double sample(const sac_interp_job *job, int64_t layer, int64_t i, int component)
{
    const char *row = (const char *)job->in + layer * job->in_layer;
    if (job->dtype == SAC_I16)
        return ((const int16_t *)(const void *)row)[i];
    return ((const float *)(const void *)row)[job->dtype == SAC_C64 ? 2 * i + component : i];
}

static double delay(const sac_interp_job *job, int64_t layer, int64_t p)
{
    const char *row = (const char *)job->delays + layer * job->delays_layer;
    return job->delays_dtype == SAC_F64 ? ((const double *)(const void *)row)[p]
                                        : (double)((const float *)(const void *)row)[p];
}

/* s within the record; u > 0 only where sample i + 1 exists. */
static double inside(const sac_interp_job *job, int64_t layer, double s, int component)
{
    const int64_t i = (int64_t)floor(s), last = job->n_samples - 1;
    const double u = s - floor(s);
    const double b = sample(job, layer, i, component);
    if (i == last || (job->interp == SAC_INTERP_NEAREST && u < 0.5))
        return b;
    const double c = sample(job, layer, i + 1, component);
    if (job->interp == SAC_INTERP_NEAREST)
        return c;
    if (job->interp == SAC_INTERP_LINEAR || i < 1 || i + 2 > last)
        return b + u * (c - b);
    const double a = sample(job, layer, i - 1, component);
    const double d = sample(job, layer, i + 2, component);
    return b + u / 2 * (c - a) + u * u / 2 * (2 * a - 5 * b + 4 * c - d) +
           u * u * u / 2 * (3 * (b - c) + d - a);
}

static double at(const sac_interp_job *job, int64_t layer, double s, int component)
{
    const double last = job->n_samples - 1;
    if (job->outside == SAC_OUTSIDE_CLAMP)
        s = s > 0 ? fmin(s, last) : 0;
    return s >= 0 && s <= last ? inside(job, layer, s, component) : 0;
}

void sac_interp_ref(void *out, const sac_interp_job *job)
{
    const int n_components = job->dtype == SAC_C64 ? 2 : 1;
    for (int64_t l = 0; l < job->n_layers; l++) {
        float *to = (float *)(void *)((char *)out + l * job->out_layer);
        for (int64_t p = 0; p < job->n_points; p++)
            for (int k = 0; k < n_components; k++)
                *to++ = (float)at(job, l, delay(job, l, p), k);
    }
}
