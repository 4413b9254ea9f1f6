/*
 * An ensemble's work on a GPU: filter, autocorrelation, average, and what is asked of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "flow/gpu_plan.h"

#define SAMPLE (2 * (ptrdiff_t)sizeof(float)) /* bytes */

/* The similarity of the components' magnitudes, in page-locked memory; and from there where tissue
 * ends. */
static sac_status find_cut(sac_flow *plan, const float *x, int32_t *cut)
{
    sac_flow_gpu *g = plan->gpu;
    const int32_t n = plan->n;
    const int64_t points = plan->n_picked;
    const size_t bytes = 2 * (size_t)n * (size_t)n * sizeof(double);
    const sac_mix_job job = sac_flow_shares_job(plan, g->shares, g->picked, g->first);
    sac_status st =
        sac_flow_cuda_basis(g->stream, g->first, g->second, g->vectors, n, n, 0, n, true);
    st =
        st ? st : sac_flow_cuda_pick(g->stream, g->picked, points, x, plan->row, plan->n_points, n);
    st = st ? st : sac_mix_c64_cuda(g->stream, &job);
    st = st ? st : sac_flow_cuda_shares(g->stream, g->shares, points, n);
    st = st ? st : sac_gpu_set(g->gram_of, 0, bytes, g->stream);
    st = st ? st
            : sac_gram_c64_cuda(g->stream, g->gram_of, g->parts, g->shares, points * SAMPLE,
                                points / 2, n, 0, n);
    st = st ? st : sac_gpu_copy(g->host + n, g->gram_of, bytes, g->stream);
    st = st ? st : sac_gpu_wait(g->stream);
    if (st != SAC_OK)
        return st;
    memcpy(plan->similarity, g->host + n, bytes);
    *cut = sac_flow_fit_squares(plan);
    return SAC_OK;
}

/* Vectors, and their values in page-locked memory; Jacobi's were raised before. Waits. */
static sac_status decompose(const sac_flow *plan)
{
    const sac_flow_gpu *g = plan->gpu;
    const int32_t n = plan->n;
    double sum = 0;
    sac_status st = g->cusolver
                        ? sac_flow_cusolver_run(g->cusolver, g->values, g->vectors, g->gram_of)
                        : sac_flow_cuda_raise(g->stream, g->gram_of, n, SAC_FLOW_RAISED);
    if (st == SAC_OK && !g->cusolver)
        st = sac_eigen_c128_cuda(g->stream, g->values, g->vectors, g->gram_of, &g->eigen);
    st = st ? st : sac_gpu_copy(g->host, g->values, (size_t)n * sizeof(double), g->stream);
    st = st ? st : sac_gpu_wait(g->stream);
    if (st != SAC_OK || g->cusolver)
        return st;
    for (int32_t k = 0; k < n; k++)
        sum += g->host[k] / (1 + n * SAC_FLOW_RAISED);
    sac_flow_lower(g->host, n, sum);
    return SAC_OK;
}

/* Decomposes the ensemble where the filter asks for it, as sac_flow_filter_adapt does. */
static sac_status adapt(sac_flow *plan, const float *x, int64_t at)
{
    sac_flow_gpu *g = plan->gpu;
    const int32_t n = plan->n, high = plan->filter.high;
    const size_t bytes = 2 * (size_t)n * (size_t)n * sizeof(double);
    int32_t low = plan->filter.low;
    if (!sac_flow_is_svd(plan))
        return SAC_OK;
    sac_status st = sac_gpu_set(g->gram_of, 0, bytes, g->stream);
    st = st ? st
            : sac_gram_c64_cuda(g->stream, g->gram_of, g->parts, x, plan->row, plan->n_points, n, 0,
                                n);
    st = st ? st : decompose(plan);
    for (int32_t k = 0; k < n && st == SAC_OK; k++)
        plan->singular[at * n + k] = sqrt(g->host[k]);
    if (st == SAC_OK && plan->filter.kind == SAC_FILTER_SVD_AUTO)
        st = find_cut(plan, x, &low);
    if (st != SAC_OK)
        return st;
    plan->cuts[2 * at] = low;
    plan->cuts[2 * at + 1] = high;
    sac_flow_choose_basis(plan, low, high);
    return sac_flow_cuda_basis(g->stream, g->first, g->second, g->vectors, n, plan->n_basis, low,
                               high, plan->keeps);
}

static sac_status filter_block(const sac_flow *plan, sac_flow_block *b)
{
    sac_mix_job jobs[2];
    const int n = sac_flow_filter_jobs(jobs, plan, b);
    sac_status st = SAC_OK;
    for (int i = 0; i < n && st == SAC_OK; i++)
        st = sac_mix_c64_cuda(plan->gpu->stream, &jobs[i]);
    return st;
}

/* Power above and below frequency 0, into the first two maps. */
static sac_status split_block(const sac_flow *plan, const sac_flow_block *b, int64_t p)
{
    const sac_flow_gpu *g = plan->gpu;
    const sac_mix_job job = sac_flow_spectrum_job(plan, b);
    const int32_t rows[] = {plan->n_below, plan->n_between, plan->n_below};
    const float *lines = b->lines;
    float *above = g->maps + p;
    float *const to[] = {above + plan->n_points, above + 2 * plan->n_points, above};
    sac_status st = sac_mix_c64_cuda(g->stream, &job);
    for (int k = 0; k < 3 && st == SAC_OK; k++) {
        if (rows[k])
            st = sac_lag_c64_cuda(g->stream, to[k], 0, lines, job.out_row, b->n_points, rows[k], 0);
        lines += rows[k] * 2 * b->size;
    }
    return st ? st
              : sac_flow_cuda_split(g->stream, above, plan->n_points * (ptrdiff_t)sizeof(float),
                                    b->n_points, plan->n, plan->n_below);
}

static sac_status work_on_blocks(const sac_flow *plan, const float *ensemble)
{
    const sac_flow_gpu *g = plan->gpu;
    const int lag = plan->desc.kind == SAC_FLOW_POWER ? 0 : plan->desc.lag;
    sac_status st = SAC_OK;
    for (int64_t p = 0; p < plan->n_points && st == SAC_OK; p += g->block) {
        const int64_t left = plan->n_points - p, n = left < g->block ? left : g->block;
        sac_flow_block b = sac_flow_gpu_block(plan, ensemble + 2 * p, n);
        st = filter_block(plan, &b);
        if (st == SAC_OK && plan->desc.kind == SAC_FLOW_DIRECTIONAL)
            st = split_block(plan, &b, p);
        else if (st == SAC_OK)
            st = sac_lag_c64_cuda(g->stream, g->maps + p, plan->n_points * (ptrdiff_t)sizeof(float),
                                  b.x, b.row, n, plan->n, lag);
    }
    return st;
}

static sac_status average_map(const sac_flow *plan, float *map)
{
    const sac_flow_gpu *g = plan->gpu;
    const sac_flow_desc *d = &plan->desc;
    const int64_t points = plan->n_points, across = d->shape[d->n_axes - 1];
    const int64_t down = d->n_axes > 1 ? d->shape[0] : 1;
    sac_status st = SAC_OK;
    for (int i = 0; i < 2 && st == SAC_OK; i++) {
        if (d->average[i] == 1)
            continue;
        st = i == 0 ? sac_flow_cuda_average(g->stream, g->averaged, map, points / across, across, 1,
                                            d->average[0] / 2)
                    : sac_flow_cuda_average(g->stream, g->averaged, map, 1, down, points / down,
                                            d->average[1] / 2);
        st = st ? st : sac_gpu_copy(map, g->averaged, (size_t)points * sizeof *map, g->stream);
    }
    return st;
}

sac_status sac_flow_gpu_work(sac_flow *plan, const float *x, int64_t at)
{
    const int maps = sac_flow_count_maps(plan);
    sac_status st = adapt(plan, x, at);
    st = st ? st : work_on_blocks(plan, x);
    for (int k = 0; k < maps && st == SAC_OK; k++)
        st = average_map(plan, plan->gpu->maps + k * plan->n_points);
    const int64_t transmit = at % plan->n_transmits;
    if (st != SAC_OK || plan->desc.kind != SAC_FLOW_VECTOR)
        return st;
    return sac_flow_cuda_add(plan->gpu->stream, plan->gpu->components, plan->gpu->maps,
                             plan->n_points, sac_flow_velocity_scale(plan),
                             plan->weights + 2 * transmit, transmit == 0);
}

/* The power of one map or, of directional, two: in the order given, of the greatest of all. */
static sac_status put_power(const sac_flow *plan, float *out, const float *const *maps, int n_maps)
{
    const sac_flow_gpu *g = plan->gpu;
    const double range = plan->desc.scale == SAC_FLOW_LINEAR ? 0 : plan->desc.dynamic_range_db;
    sac_status st = sac_gpu_set(g->most, 0, sizeof *g->most, g->stream);
    for (int k = 0; k < n_maps && st == SAC_OK; k++)
        st = sac_flow_cuda_greatest(g->stream, g->most, maps[k], plan->n_points);
    for (int k = 0; k < n_maps && st == SAC_OK; k++)
        st = sac_flow_cuda_power(g->stream, out + k * plan->n_points, maps[k], g->most,
                                 plan->n_points, range);
    return st;
}

sac_status sac_flow_gpu_put(const sac_flow *plan, float *out)
{
    const sac_flow_gpu *g = plan->gpu;
    const int64_t n = plan->n_points;
    const bool swapped = plan->desc.phase_sign < 0;
    const float *const power[] = {g->maps}, *const both[] = {g->maps + (swapped ? n : 0),
                                                             g->maps + (swapped ? 0 : n)};
    sac_status st;
    switch (plan->desc.kind) {
    case SAC_FLOW_DIRECTIONAL:
        return put_power(plan, out, both, 2);
    case SAC_FLOW_POWER:
        return put_power(plan, out, power, 1);
    case SAC_FLOW_VARIANCE:
        return sac_flow_cuda_variance(g->stream, out, g->maps, n, sac_flow_variance_scale(plan));
    case SAC_FLOW_VECTOR:
        return sac_flow_cuda_round(g->stream, out, g->components, 2 * n);
    default:
        st = sac_flow_cuda_velocity(g->stream, out, g->maps, n, sac_flow_velocity_scale(plan));
        return st || plan->desc.kind == SAC_FLOW_COLOR ? st : put_power(plan, out + n, power, 1);
    }
}
