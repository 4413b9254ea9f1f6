/*
 * Running a denoise plan: strips of rows, each reading what it needs of the whole input.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/array_check.h"
#include "motion/denoise.h"

sac_status sac_denoise_samples(sac_samples *p, const sac_array *a, const char *name,
                               const sac_denoise_desc *desc, sac_error *err)
{
    const sac_status status =
        sac_array_expect_frame(a, name, desc->h, desc->w, desc->n_channels, err);
    if (status)
        return status;
    sac_known(a);
    *p = (sac_samples){
        .data = a->data,
        .channel = a->n_dims == 2 ? 1 : a->stride[2],
        .pixel = a->stride[1],
        .row = a->stride[0],
        .w = desc->w,
        .h = desc->h,
        .n_channels = desc->n_channels,
    };
    return SAC_OK;
}

static sac_samples rows(const sac_samples *p, int64_t y, int64_t end)
{
    sac_samples part = *p;
    part.data += y * p->row;
    part.h = end - y;
    return part;
}

static void work_strip(void *arg, int32_t i)
{
    sac_denoise *plan = arg;
    const int64_t h = plan->desc.h, n = plan->n_strips;
    const int64_t y = h * i / n, end = h * (i + 1) / n;
    sac_samples out = rows(&plan->out, y, end);
    if (plan->filter) {
        plan->filter(&out, &plan->in, y, &plan->window);
        return;
    }
    sac_samples in = rows(&plan->in, y, end);
    plan->temporal(&out, plan->state + y * plan->desc.w * plan->desc.n_channels, &in, plan->keep);
}

/* Noise and table for this frame; the first has no past to keep. */
static void prepare(sac_denoise *plan)
{
    const bool estimate = plan->desc.noise == 0 && plan->n_frames % SAC_ESTIMATE_EVERY == 0;
    if (estimate)
        plan->noise = sac_denoise_estimate(&plan->in);
    if (plan->n_frames == 0)
        memset(plan->keep, 0, sizeof plan->keep);
    else if (plan->n_frames == 1 || estimate)
        sac_denoise_keep(plan->keep, plan->desc.strength, plan->noise);
    plan->n_frames++;
}

static sac_status run_cpu(sac_denoise *plan, const sac_array *out, const sac_array *in,
                          sac_error *err)
{
    sac_status status = sac_denoise_samples(&plan->in, in, "in", &plan->desc, err);
    if (status == SAC_OK)
        status = sac_array_expect_on(in, "in", SAC_CPU, err);
    if (status == SAC_OK)
        status = sac_denoise_samples(&plan->out, out, "out", &plan->desc, err);
    if (status == SAC_OK)
        status = sac_array_expect_on(out, "out", SAC_CPU, err);
    if (status == SAC_OK)
        status = sac_frame_apart(out, in, err);
    if (status)
        return status;
    if (plan->temporal)
        prepare(plan);
    sac_pool_run(plan->pool, plan->n_strips, work_strip, plan);
    return SAC_OK;
}

sac_status sac_denoise_run_batch(sac_denoise *plan, const sac_array *outs, const sac_array *ins,
                                 int32_t n, sac_error *err)
{
    const char *missing = !plan ? "plan" : n < 1 ? NULL : !outs ? "out" : !ins ? "in" : NULL;
    if (missing)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", missing);
    if (plan->gpu)
        return sac_motion_gpu_run(plan->gpu, plan, outs, ins, NULL, n, err);
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++)
        status = run_cpu(plan, &outs[i], &ins[i], err);
    return status;
}

sac_status sac_denoise_run(sac_denoise *plan, const sac_array *out, const sac_array *in,
                           sac_error *err)
{
    return sac_denoise_run_batch(plan, out, in, 1, err);
}
