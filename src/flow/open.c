/*
 * Opening and closing a flow plan: all checks, all choices, all memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "flow/plan.h"
#include "room/plan.h"

#define MAX_POINTS (INT64_C(1) << 28)
#define BLOCK_BYTES (INT64_C(1) << 18) /* of an ensemble that a task works on at a time */
#define MAX_PICKED 8192                /* points that svd:auto looks at */

static bool has_velocity(const sac_flow_desc *d)
{
    return d->kind != SAC_FLOW_POWER && d->kind != SAC_FLOW_DIRECTIONAL;
}

static sac_status check_rates(const sac_flow_desc *d, sac_error *err)
{
    if (d->phase_sign != 1 && d->phase_sign != -1)
        return sac_fail(err, SAC_E_INVALID, "phase_sign: expected 1 or -1, got %d", d->phase_sign);
    if (!isfinite(d->fc_hz) || d->fc_hz < 0)
        return sac_fail(err, SAC_E_INVALID, "fc_hz: expected 0 or more, got %g", d->fc_hz);
    if (!has_velocity(d))
        return SAC_OK;
    if (!(d->prf_hz > 0))
        return sac_fail(err, SAC_E_INVALID,
                        "prf: is missing: velocities need the frames a second, in Hz");
    if (!(d->fc_hz > 0))
        return sac_fail(err, SAC_E_INVALID,
                        "fc: is missing: velocities need the center frequency of the pulse");
    return isfinite(d->c_m_s) && d->c_m_s > 0
               ? SAC_OK
               : sac_fail(err, SAC_E_INVALID, "c_m_s: expected a speed, got %g", d->c_m_s);
}

static sac_status check_shape(sac_flow *plan, sac_error *err)
{
    const sac_flow_desc *d = &plan->desc;
    if (d->n_axes < 1 || d->n_axes > SAC_FLOW_MAX_AXES)
        return sac_fail(err, SAC_E_SHAPE, "n_axes: expected 1 to %d, got %d", SAC_FLOW_MAX_AXES,
                        d->n_axes);
    plan->n_points = 1;
    for (int i = 0; i < d->n_axes; i++) {
        if (d->shape[i] < 1 || d->shape[i] > MAX_POINTS / plan->n_points)
            return sac_fail(err, SAC_E_SHAPE, "shape: expected 1 to 2^28 points");
        plan->n_points *= d->shape[i];
    }
    return d->n_frames >= 2 && d->n_frames <= INT32_MAX
               ? SAC_OK
               : sac_fail(err, SAC_E_SHAPE, "n_frames: expected 2 or more, got %lld",
                          (long long)d->n_frames);
}

static sac_status check_ensemble(sac_flow *plan, sac_error *err)
{
    sac_flow_desc *d = &plan->desc;
    if (d->ensemble == 0 && d->n_frames > SAC_FLOW_MAX_ENSEMBLE)
        return sac_fail(err, SAC_E_INVALID,
                        "ensemble: %lld frames are too many for one, of at most %d",
                        (long long)d->n_frames, SAC_FLOW_MAX_ENSEMBLE);
    d->ensemble = d->ensemble ? d->ensemble : (int32_t)d->n_frames;
    d->step = d->step ? d->step : d->ensemble;
    if (d->ensemble < 2 || d->ensemble > d->n_frames)
        return sac_fail(err, SAC_E_INVALID, "ensemble: expected 2 to the %lld frames, got %d",
                        (long long)d->n_frames, d->ensemble);
    if (d->lag >= d->ensemble)
        return sac_fail(err, SAC_E_INVALID, "lag: expected less than the ensemble's %d, got %d",
                        d->ensemble, d->lag);
    for (int i = 0; i < 2; i++)
        if (d->average[i] % 2 == 0)
            return sac_fail(err, SAC_E_INVALID,
                            "average: expected odd numbers of points, got %dx%d", d->average[0],
                            d->average[1]);
    plan->n = d->ensemble;
    plan->n_ensembles = (d->n_frames - d->ensemble) / d->step + 1;
    return SAC_OK;
}

static sac_status check_desc(sac_flow *plan, sac_error *err)
{
    sac_status st = check_shape(plan, err);
    st = st ? st : check_ensemble(plan, err);
    st = st ? st : check_rates(&plan->desc, err);
    st = st ? st : sac_flow_vector_check(&plan->desc, err);
    return st ? st : sac_flow_filter_parse(&plan->filter, plan->desc.filter, plan->n, err);
}

static sac_status choose(sac_flow *plan, sac_error *err)
{
    const bool svd = sac_flow_is_svd(plan), mixes = plan->filter.kind != SAC_FILTER_NONE ||
                                                    plan->desc.kind == SAC_FLOW_DIRECTIONAL;
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc), .pipeline = "flow", .tier = SAC_TIER_FP32,
        .rooms = {svd ? &sac_gram_c64_room : NULL, svd ? &sac_eigen_c128_room : NULL,
                  mixes ? &sac_mix_c64_room : NULL, &sac_lag_c64_room}};
    sac_any_fn fn[SAC_MAX_ROOMS];
    const sac_status st =
        sac_plan_choose(&plan->pool, fn, plan->variant, sizeof plan->variant, &choice, err);
    plan->gram = (sac_gram_c64_fn)fn[0];
    plan->eigen = (sac_eigen_c128_fn)fn[1];
    plan->mix = (sac_mix_c64_fn)fn[2];
    plan->lag = (sac_lag_c64_fn)fn[3];
    return st;
}

static bool take(void *memory_of, size_t count, size_t size)
{
    void **memory = memory_of;
    *memory = sac_alloc(count, size);
    return *memory != NULL;
}

static bool allocate_filter(sac_flow *plan)
{
    const size_t n = (size_t)plan->n, squares = 2 * n * n;
    if (plan->filter.kind != SAC_FILTER_NONE && !(take(&plan->first, squares, sizeof(float)) &&
                                                  take(&plan->second, squares, sizeof(float))))
        return false;
    if (plan->desc.kind == SAC_FLOW_DIRECTIONAL && !take(&plan->spectrum, squares, sizeof(float)))
        return false;
    if (!sac_flow_is_svd(plan))
        return true;
    const size_t ensembles = (size_t)plan->n_ensembles * (size_t)plan->n_transmits;
    if (!(take(&plan->singular, ensembles * n, sizeof(double)) &&
          take(&plan->cuts, 2 * ensembles, sizeof(int32_t))))
        return false;
    return plan->filter.kind != SAC_FILTER_SVD_AUTO ||
           (take(&plan->similarity, squares, sizeof(double)) &&
            take(&plan->sums, (n + 1) * (n + 1), sizeof(double)));
}

/* What a plan of either device has. */
static sac_status allocate(sac_flow *plan, sac_error *err)
{
    plan->n_picked = (plan->n_points < MAX_PICKED ? plan->n_points : MAX_PICKED) + 1;
    plan->n_picked -= plan->n_picked % 2;
    return allocate_filter(plan) &&
                   (plan->desc.kind != SAC_FLOW_VECTOR ||
                    take(&plan->weights, 2 * (size_t)plan->n_transmits, sizeof(double)))
               ? SAC_OK
               : sac_fail(err, SAC_E_NOMEM, "flow: no memory for ensembles of %d frames", plan->n);
}

/* Whether LAPACK decomposes, and its memory. */
static sac_status choose_lapack(sac_flow *plan, sac_error *err)
{
    static const char room[] = "eigen_c128:", name[] = "eigen_c128:lapack";
    const bool may = plan->desc.eigen == SAC_FLOW_EIGEN_AUTO && plan->n >= SAC_FLOW_LAPACK_FROM;
    if (plan->desc.eigen == SAC_FLOW_EIGEN_CUSOLVER)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "eigen: cusolver is of a GPU, not of the CPU, which has lapack");
    if (!sac_flow_is_svd(plan) || (!may && plan->desc.eigen != SAC_FLOW_EIGEN_LAPACK))
        return SAC_OK;
    const sac_status st = sac_flow_lapack_open(&plan->lapack, plan->n, err);
    char *at = strstr(plan->variant, room), rest[sizeof plan->variant];
    if (st == SAC_OK && at) {
        snprintf(rest, sizeof rest, "%s", at + strcspn(at, " "));
        snprintf(at, sizeof plan->variant - (size_t)(at - plan->variant), "%s%s", name, rest);
    }
    return st == SAC_E_UNSUPPORTED && may ? SAC_OK : st;
}

static bool allocate_svd(sac_flow *plan)
{
    const size_t n = (size_t)plan->n, squares = 2 * n * n, points = (size_t)plan->n_picked;
    return take(&plan->gram_of, squares, sizeof(double)) &&
           take(&plan->vectors, squares, sizeof(double)) &&
           (plan->filter.kind != SAC_FILTER_SVD_AUTO ||
            (take(&plan->picked, 2 * n * points, sizeof(float)) &&
             take(&plan->shares, 2 * n * points, sizeof(float))));
}

static sac_status allocate_cpu(sac_flow *plan, sac_error *err)
{
    const int64_t fits = BLOCK_BYTES / (8 * plan->n) / 16 * 16, points = plan->n_points;
    const int64_t threads = sac_pool_threads(plan->pool);
    plan->block = fits < 64 ? 64 : fits > 2048 ? 2048 : fits;
    const int64_t n_blocks = (points + plan->block - 1) / plan->block;
    plan->n_tasks = (int32_t)(threads < n_blocks ? threads : n_blocks);
    const size_t a_task = (size_t)(2 * 3 * plan->n * plan->block);
    return (!sac_flow_is_svd(plan) || allocate_svd(plan)) &&
                   (plan->desc.kind != SAC_FLOW_VECTOR ||
                    take(&plan->components, 2 * (size_t)points, sizeof(double))) &&
                   take(&plan->blocks, (size_t)plan->n_tasks * a_task, 4) &&
                   take(&plan->maps, 6 * (size_t)points, 4) &&
                   take(&plan->column_sums, (size_t)points, 8)
               ? SAC_OK
               : sac_fail(err, SAC_E_NOMEM, "flow: no memory for %lld points in ensembles of %d",
                          (long long)points, plan->n);
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_flow *plan = opened;
    sac_flow_desc *d = &plan->desc;
    sac_status st = check_desc(plan, err);
    plan->n_transmits = d->kind == SAC_FLOW_VECTOR ? d->n_transmits : 1;
    st = st ? st : allocate(plan, err);
    if (st != SAC_OK)
        return st;
    plan->n_planes = d->kind == SAC_FLOW_DIRECTIONAL || d->kind == SAC_FLOW_COLOR_POWER ||
                             d->kind == SAC_FLOW_VECTOR
                         ? 2
                         : 1;
    plan->nyquist_m_s =
        d->prf_hz > 0 && d->fc_hz > 0 ? d->c_m_s * d->prf_hz / (4 * d->fc_hz * d->lag) : 0;
    sac_flow_filter_open(plan);
    if (d->kind == SAC_FLOW_VECTOR)
        sac_flow_vector_open(plan);
    if (d->device.kind != SAC_DEVICE_CPU) {
        st = sac_flow_gpu_open(plan, err);
    } else {
        st = choose(plan, err);
        st = st ? st : choose_lapack(plan, err);
        st = st ? st : allocate_cpu(plan, err);
    }
    d->filter = d->variant = NULL; /* the caller's strings are not kept, nor its angles */
    d->azimuth_rad = NULL;
    return st;
}

static void close_plan(void *closed)
{
    sac_flow *p = closed;
    sac_flow_gpu_close(&p->gpu);
    sac_flow_lapack_close(&p->lapack);
    sac_pool_close(&p->pool);
    void *memory[] = {p->first,      p->second,      p->gram_of, p->vectors,
                      p->singular,   p->cuts,        p->picked,  p->shares,
                      p->similarity, p->sums,        p->blocks,  p->maps,
                      p->spectrum,   p->column_sums, p->weights, p->components};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        sac_free(memory[i]);
}

SAC_PLAN(sac_flow, sac_flow_open, sac_flow_close, sac_flow_params, sac_flow_desc,
         sac_flow_desc_init)

double sac_flow_get_nyquist(const sac_flow *plan)
{
    return plan ? plan->nyquist_m_s : 0;
}

const double *sac_flow_get_singular_values(const sac_flow *plan, int64_t ensemble, int32_t *low,
                                           int32_t *high)
{
    const bool has =
        plan && plan->singular && ensemble >= 0 && ensemble < plan->n_ensembles * plan->n_transmits;
    if (low)
        *low = has ? plan->cuts[2 * ensemble] : 0;
    if (high)
        *high = has ? plan->cuts[2 * ensemble + 1] : plan ? plan->n : 0;
    return has ? plan->singular + ensemble * plan->n : NULL;
}

const char *sac_flow_get_variant(const sac_flow *plan)
{
    return plan ? plan->variant : "";
}
