/*
 * Running a flow plan: filter, autocorrelation, average, and what is asked of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/array_check.h"
#include "flow/plan.h"

static int64_t block_points(const sac_flow *plan, int64_t p)
{
    return plan->end - p < plan->block ? plan->end - p : plan->block;
}

static void filter_block(const sac_flow *plan, sac_flow_block *b)
{
    sac_mix_job jobs[2];
    const int n = sac_flow_filter_jobs(jobs, plan, b);
    for (int i = 0; i < n; i++)
        plan->mix(&jobs[i]);
}

/* Power above and below frequency 0, into the first two maps. */
static void split_block(const sac_flow *plan, const sac_flow_block *b, int64_t p)
{
    const sac_mix_job job = sac_flow_spectrum_job(plan, b);
    const int32_t n = plan->n, rows[] = {plan->n_below, plan->n_between, plan->n_below};
    const float *lines = b->lines;
    float *above = plan->maps + p, *below = above + plan->n_points;
    float *between = below + plan->n_points, *const to[] = {below, between, above};
    plan->mix(&job);
    for (int k = 0; k < 3; k++) {
        if (rows[k])
            plan->lag(to[k], 0, lines, job.out_row, b->n_points, rows[k], 0);
        else
            memset(to[k], 0, (size_t)b->n_points * sizeof(float));
        lines += rows[k] * 2 * b->size;
    }
    for (int64_t i = 0; i < b->n_points; i++) {
        const float half = 0.5f * between[i] * (float)rows[1];
        above[i] = (above[i] * (float)rows[0] + half) / (float)n;
        below[i] = (below[i] * (float)rows[0] + half) / (float)n;
    }
}

static void work_on_blocks(void *arg, int32_t task)
{
    sac_flow *plan = arg;
    const ptrdiff_t form = 2 * plan->n * plan->block;
    float *own = plan->blocks + task * 3 * form;
    const ptrdiff_t map_row = plan->n_points * (ptrdiff_t)sizeof(float);
    const int lag = plan->desc.kind == SAC_FLOW_POWER ? 0 : plan->desc.lag;
    for (int64_t p = plan->from + task * plan->block; p < plan->end;
         p += plan->n_tasks * plan->block) {
        sac_flow_block b = {plan->first, plan->second,         plan->spectrum, own,
                            own + form,  own + 2 * form,       plan->block,    plan->x + 2 * p,
                            plan->row,   block_points(plan, p)};
        filter_block(plan, &b);
        if (plan->desc.kind == SAC_FLOW_DIRECTIONAL)
            split_block(plan, &b, p);
        else
            plan->lag(plan->maps + p, map_row, b.x, b.row, b.n_points, plan->n, lag);
    }
}

/* Means over the points at most `half` places away along an axis: `inner` values a place, n places,
 * `outer` times. */
static void average_along(double *to, const float *from, int64_t outer, int64_t n, int64_t inner,
                          int64_t half)
{
    for (int64_t o = 0; o < outer; o++)
        for (int64_t k = 0; k < n; k++) {
            const int64_t first = k > half ? k - half : 0, last = k + half < n ? k + half : n - 1;
            double *sums = to + (o * n + k) * inner;
            memset(sums, 0, (size_t)inner * sizeof *sums);
            for (int64_t j = first; j <= last; j++)
                for (int64_t i = 0; i < inner; i++)
                    sums[i] += (double)from[(o * n + j) * inner + i];
            for (int64_t i = 0; i < inner; i++)
                sums[i] /= (double)(last - first + 1);
        }
}

static void average_map(sac_flow *plan, float *map)
{
    const sac_flow_desc *d = &plan->desc;
    const int64_t points = plan->n_points, across = d->shape[d->n_axes - 1];
    const int64_t down = d->n_axes > 1 ? d->shape[0] : 1;
    for (int i = 0; i < 2; i++) {
        if (d->average[i] == 1)
            continue;
        if (i == 0)
            average_along(plan->column_sums, map, points / across, across, 1, d->average[0] / 2);
        else
            average_along(plan->column_sums, map, 1, down, points / down, d->average[1] / 2);
        for (int64_t p = 0; p < points; p++)
            map[p] = (float)plan->column_sums[p];
    }
}

/* The greatest of n values that are finite. */
static double greatest(const float *a, int64_t n)
{
    float most = 0;
    for (int64_t i = 0; i < n; i++)
        most = a[i] > most && isfinite(a[i]) ? a[i] : most;
    return (double)most;
}

static void put_power(const sac_flow *plan, float *out, const float *power, double most)
{
    const double range = plan->desc.dynamic_range_db;
    for (int64_t p = 0; p < plan->n_points; p++) {
        const double share = (double)power[p] / most;
        out[p] = plan->desc.scale == SAC_FLOW_LINEAR ? power[p]
                 : !isfinite(power[p])               ? NAN
                 : share > 0                         ? (float)fmax(-range, 10 * log10(share))
                                                     : (float)-range; /* nothing, or all of it 0 */
    }
}

static void put_velocity(const sac_flow *plan, float *out)
{
    for (int64_t p = 0; p < plan->n_points; p++)
        out[p] = (float)sac_flow_velocity(plan, p);
}

static void put_variance(const sac_flow *plan, float *out)
{
    const float *power = plan->maps, *re = power + plan->n_points, *im = re + plan->n_points;
    const double scale = sac_flow_variance_scale(plan);
    for (int64_t p = 0; p < plan->n_points; p++) {
        const double a = hypot((double)re[p], (double)im[p]), share = a / (double)power[p];
        out[p] = power[p] == 0 ? 0.0f : share > 1 ? 0.0f : (float)(scale * (1 - share));
    }
}

static void put(sac_flow *plan, float *out)
{
    const int64_t n = plan->n_points;
    const sac_flow_desc *d = &plan->desc;
    float *maps = plan->maps;
    if (d->kind == SAC_FLOW_DIRECTIONAL) {
        const bool swapped = d->phase_sign < 0;
        const double most = fmax(greatest(maps, n), greatest(maps + n, n));
        put_power(plan, out, maps + (swapped ? n : 0), most);
        put_power(plan, out + n, maps + (swapped ? 0 : n), most);
    } else if (d->kind == SAC_FLOW_POWER) {
        put_power(plan, out, maps, greatest(maps, n));
    } else if (d->kind == SAC_FLOW_VARIANCE) {
        put_variance(plan, out);
    } else if (d->kind == SAC_FLOW_VECTOR) {
        for (int64_t p = 0; p < 2 * n; p++)
            out[p] = (float)plan->components[p];
    } else {
        put_velocity(plan, out);
        if (d->kind == SAC_FLOW_COLOR_POWER)
            put_power(plan, out + n, maps, greatest(maps, n));
    }
}

sac_array sac_flow_get_output_array(const sac_flow *plan)
{
    sac_array array = {0};
    int64_t shape[SAC_MAX_DIMS];
    int32_t n = 0;
    if (!plan)
        return array;
    shape[n++] = plan->n_ensembles;
    if (plan->n_planes == 2)
        shape[n++] = 2;
    for (int32_t i = 0; i < plan->desc.n_axes; i++)
        shape[n++] = plan->desc.shape[i];
    return sac_array_view(&array, NULL, SAC_F32, n, shape, NULL) == SAC_OK ? array : (sac_array){0};
}

sac_status sac_flow_check_arrays(const sac_flow *plan, const sac_array *out, const sac_array *in,
                                 sac_error *err)
{
    const sac_array want = sac_flow_get_output_array(plan);
    int64_t shape[SAC_MAX_DIMS] = {plan->desc.n_frames};
    int32_t n = 1;
    if (plan->desc.kind == SAC_FLOW_VECTOR)
        shape[n++] = plan->n_transmits;
    for (int32_t i = 0; i < plan->desc.n_axes; i++)
        shape[n++] = plan->desc.shape[i];
    sac_status st = sac_array_expect(in, "in", SAC_C64, n, shape, err);
    st = st ? st : sac_array_expect(out, "out", SAC_F32, want.n_dims, want.shape, err);
    if (st != SAC_OK || (sac_array_is_contiguous(in) && sac_array_is_contiguous(out)))
        return st;
    return sac_fail(err, SAC_E_SHAPE, "%s: expected contiguous samples",
                    sac_array_is_contiguous(in) ? "out" : "in");
}

/* An ensemble of one transmit, from image `first` on: its averaged maps. */
static void make_maps(sac_flow *plan, const sac_array *in, int64_t first)
{
    const int maps = sac_flow_count_maps(plan);
    const double from = plan->gram ? sac_flow_share_of_vectors(plan) : 0;
    plan->x = (const float *)in->data + 2 * plan->n_points * first;
    sac_flow_filter_adapt(plan);
    sac_flow_run_points(plan, work_on_blocks, plan->block * plan->n_tasks, sac_flow_cost(plan),
                        (const double[]){from, 1});
    for (int k = 0; k < maps && !plan->cancelled; k++)
        average_map(plan, plan->maps + k * plan->n_points);
}

static sac_status run_cpu(sac_flow *plan, const sac_array *out, const sac_array *in, sac_error *err)
{
    sac_status st = sac_array_expect_on(in, "in", SAC_CPU, err);
    st = st ? st : sac_array_expect_on(out, "out", SAC_CPU, err);
    if (st != SAC_OK)
        return st;
    const int32_t n_tx = plan->n_transmits;
    plan->row = n_tx * plan->n_points * 2 * (ptrdiff_t)sizeof(float);
    plan->told = 0;
    plan->cancelled = false;
    for (int64_t e = 0; e < plan->n_ensembles && !plan->cancelled; e++) {
        for (int32_t t = 0; t < n_tx && !plan->cancelled; t++) {
            plan->at = e * n_tx + t;
            make_maps(plan, in, plan->desc.step * e * n_tx + t);
            if (plan->desc.kind == SAC_FLOW_VECTOR && !plan->cancelled)
                sac_flow_vector_add(plan, t);
        }
        if (!plan->cancelled)
            put(plan, (float *)out->data + e * plan->n_planes * plan->n_points);
        (void)sac_flow_tell(plan, 1);
    }
    return plan->cancelled ? sac_fail(err, SAC_CANCELLED, "flow: cancelled") : SAC_OK;
}

sac_status sac_flow_run(sac_flow *plan, const sac_array *out, const sac_array *in, sac_error *err)
{
    if (!plan)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    const sac_status st = sac_flow_check_arrays(plan, out, in, err);
    return st ? st : (plan->gpu ? sac_flow_gpu_run : run_cpu)(plan, out, in, err);
}
