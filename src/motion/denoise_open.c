/*
 * Opening and closing a denoise plan: all checks, all choices, all memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "motion/kernels/gaussian_u8/gaussian_u8.h"
#include "motion/kernels/mean_u8/mean_u8.h"
#include "motion/kernels/median3_u8/median3_u8.h"
#include "motion/kernels/median5_u8/median5_u8.h"
#include "motion/denoise.h"
#include "motion/frame.h"

static sac_status check_desc(const sac_denoise_desc *desc, sac_error *err)
{
    const sac_status status = sac_plan_check_sides(desc->w, desc->h, SAC_PLAN_MAX_SIDE, err);
    if (status)
        return status;
    if (desc->n_channels < 1 || desc->n_channels > 4)
        return sac_fail(err, SAC_E_SHAPE, "n_channels: expected 1 to 4, got %d", desc->n_channels);
    if (desc->size == 4)
        return sac_fail(err, SAC_E_INVALID, "window: expected 3 or 5, got 4");
    if (desc->device.kind == SAC_DEVICE_CPU && desc->stream)
        return sac_fail(err, SAC_E_INVALID, "stream: is for a GPU, and the device is cpu");
    return SAC_OK;
}

static const sac_room *room_of(const sac_denoise_desc *desc)
{
    switch (desc->method) {
    case SAC_DENOISE_MEAN:
        return &sac_mean_u8_room;
    case SAC_DENOISE_GAUSSIAN:
        return &sac_gaussian_u8_room;
    case SAC_DENOISE_MEDIAN:
        return desc->size == 3 ? &sac_median3_u8_room : &sac_median5_u8_room;
    default:
        return &sac_temporal_u8_room;
    }
}

static sac_status choose(sac_denoise *plan, sac_error *err)
{
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
        SAC_PLAN_SHAPE(&plan->desc),
        .pipeline = "denoise",
        .rooms = {room_of(&plan->desc)},
    };
    sac_any_fn fn[SAC_MAX_ROOMS];
    const sac_status status =
        sac_plan_choose(&plan->pool, fn, plan->variant, sizeof plan->variant, &choice, err);
    if (plan->desc.method == SAC_DENOISE_TEMPORAL)
        plan->temporal = (sac_temporal_u8_fn)fn[0];
    else
        plan->filter = (sac_filter_u8_fn)fn[0];
    return status;
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_denoise *plan = opened;
    const sac_denoise_desc *d = &plan->desc;
    sac_status status = check_desc(d, err);
    if (status)
        return status;
    plan->window.size = d->size;
    sac_denoise_weights(&plan->window,
                        d->sigma > 0 ? d->sigma : 0.3 * ((d->size - 1) / 2.0 - 1) + 0.8);
    plan->noise = d->method == SAC_DENOISE_TEMPORAL ? d->noise : 0;
    status = d->device.kind == SAC_DEVICE_CPU ? choose(plan, err) : sac_denoise_gpu_open(plan, err);
    plan->desc.variant = NULL; /* the caller's string is not kept */
    if (status || plan->gpu)
        return status;
    plan->n_strips = sac_frame_strips(plan->pool, d->h);
    if (!plan->temporal)
        return SAC_OK;
    plan->state =
        sac_alloc((size_t)d->w * (size_t)d->h, sizeof *plan->state * (size_t)d->n_channels);
    return plan->state ? SAC_OK
                       : sac_fail(err, SAC_E_NOMEM, "denoise: no memory for a frame of %lld x %lld",
                                  (long long)d->w, (long long)d->h);
}

static void close_plan(void *closed)
{
    sac_denoise *p = closed;
    sac_pool_close(&p->pool);
    if (!p->gpu)
        sac_free(p->state);
    sac_motion_gpu_close(&p->gpu);
}

SAC_PLAN(sac_denoise, sac_denoise_open, sac_denoise_close, sac_denoise_params, sac_denoise_desc,
         sac_denoise_desc_init)

void sac_denoise_reset(sac_denoise *plan)
{
    plan->n_frames = 0;
    plan->noise = plan->desc.method == SAC_DENOISE_TEMPORAL ? plan->desc.noise : 0;
}

double sac_denoise_get_noise(const sac_denoise *plan)
{
    const bool estimated = plan->gpu && plan->kept && plan->n_frames > 0 && plan->desc.noise == 0;
    return estimated ? sac_denoise_gpu_noise(plan) : plan->noise;
}

const char *sac_denoise_get_variant(const sac_denoise *plan)
{
    return plan->variant;
}
