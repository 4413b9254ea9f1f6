/*
 * The noise view: which pixels of a frame changed beyond a threshold.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "base/alloc.h"
#include "motion/gpu.h"
#include "motion/kernels/noise_u8/noise_u8.h"

struct sac_noise {
    sac_noise_desc desc;
    sac_frame_pair pair;
    uint64_t *strip_counts; /* (n_strips) */
    uint64_t count;

    /* On a GPU. */
    uint64_t *counts; /* (SAC_MOTION_CALLS) */
    sac_noise_scratch *scratch;
    int32_t last; /* where the last call's count is */
};

static sac_status enqueue(void *arg, sac_gpu_stream stream, const sac_motion_arrays *calls,
                          int32_t n)
{
    sac_noise *plan = arg;
    sac_pair pairs[SAC_MOTION_CALLS];
    sac_status status = sac_frame_pairs_of(pairs, &plan->pair, calls, n);
    if (status == SAC_OK)
        status = sac_noise_u8_pairs(stream, pairs, n, (sac_noise_view)plan->desc.view,
                                    plan->desc.threshold, plan->counts, plan->scratch);
    plan->last = n - 1;
    return status;
}

static sac_status open_gpu(sac_noise *plan, sac_error *err)
{
    const sac_motion_gpu_desc gpu = {
        SAC_MOTION_GPU(&plan->desc), .pipeline = "noise", .frame = plan->pair.shape,
        .out = plan->pair.out_shape, .pairs = true,       .keeps = plan->desc.keep_previous,
        .enqueue = enqueue,
    };
    sac_status status = sac_motion_gpu_open(&plan->pair.gpu, &gpu, err);
    if (status == SAC_OK)
        status = sac_motion_gpu_keep(plan->pair.gpu, (void **)&plan->counts,
                                     SAC_MOTION_CALLS * sizeof *plan->counts, NULL, err);
    if (status == SAC_OK)
        status = sac_motion_gpu_keep(plan->pair.gpu, (void **)&plan->scratch, sizeof *plan->scratch,
                                     NULL, err);
    if (status == SAC_OK)
        sac_motion_gpu_say(&gpu, plan->pair.variant, sizeof plan->pair.variant, "noise_u8:cuda");
    return status;
}

static sac_status open_cpu(sac_noise *plan, sac_error *err)
{
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
        SAC_PLAN_SHAPE(&plan->desc),
        .pipeline = "noise",
        .rooms = {&sac_noise_u8_room},
    };
    const sac_status status =
        sac_frame_pair_open(&plan->pair, &choice, plan->desc.keep_previous, err);
    if (status)
        return status;
    plan->strip_counts = sac_alloc((size_t)plan->pair.n_strips, sizeof *plan->strip_counts);
    return plan->strip_counts
               ? SAC_OK
               : sac_fail(err, SAC_E_NOMEM, "noise: no memory for %d counts", plan->pair.n_strips);
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_noise *plan = opened;
    sac_noise_desc *d = &plan->desc;
    sac_frame_pair *pair = &plan->pair;
    pair->shape = pair->out_shape = (sac_frame_shape){d->w, d->h, d->n_channels, d->order};
    if (d->view == SAC_NOISE_BITS)
        pair->out_shape = (sac_frame_shape){(d->w + 7) / 8, d->h, 1, SAC_ORDER_RGB};
    sac_status status = sac_frame_shape_check(&pair->shape, d->device, d->stream, err);
    if (status == SAC_OK)
        status = d->device.kind == SAC_DEVICE_CPU ? open_cpu(plan, err) : open_gpu(plan, err);
    d->variant = NULL; /* the caller's string is not kept */
    return status;
}

static void close_plan(void *closed)
{
    sac_noise *p = closed;
    sac_frame_pair_close(&p->pair);
    sac_free(p->strip_counts);
}

SAC_PLAN(sac_noise, sac_noise_open, sac_noise_close, sac_noise_params, sac_noise_desc,
         sac_noise_desc_init)

static void draw_strip(void *arg, int32_t i)
{
    const sac_noise *plan = arg;
    const sac_frame_pair f = sac_frame_pair_strip(&plan->pair, i);
    plan->strip_counts[i] = ((sac_noise_u8_fn)f.draw)(
        &f.out, &f.current, &f.previous, (sac_noise_view)plan->desc.view, plan->desc.threshold);
}

static sac_status run_cpu(sac_noise *plan, const sac_array *out, const sac_array *current,
                          const sac_array *previous, sac_error *err)
{
    const sac_status status =
        sac_frame_pair_run(&plan->pair, out, current, previous, draw_strip, plan, err);
    if (status)
        return status;
    plan->count = 0;
    for (int32_t i = 0; i < plan->pair.n_strips; i++)
        plan->count += plan->strip_counts[i];
    return SAC_OK;
}

sac_status sac_noise_run_batch(sac_noise *plan, const sac_array *outs, const sac_array *currents,
                               const sac_array *previouses, int32_t n, sac_error *err)
{
    sac_status status = sac_frame_batch_check(plan, outs, currents, previouses,
                                              plan && plan->desc.keep_previous, n, err);
    if (status)
        return status;
    sac_known(plan);
    if (plan->pair.gpu)
        return sac_motion_gpu_run(plan->pair.gpu, plan, outs, currents, previouses, n, err);
    for (int32_t i = 0; i < n && status == SAC_OK; i++)
        status = run_cpu(plan, &outs[i], &currents[i], previouses ? &previouses[i] : NULL, err);
    return status;
}

sac_status sac_noise_run(sac_noise *plan, const sac_array *out, const sac_array *current,
                         const sac_array *previous, sac_error *err)
{
    return sac_noise_run_batch(plan, out, current, previous, 1, err);
}

uint64_t sac_noise_get_count(const sac_noise *plan)
{
    uint64_t count = 0;
    if (!plan->pair.gpu)
        return plan->count;
    const sac_status status =
        sac_motion_gpu_read(plan->pair.gpu, &count, plan->counts + plan->last, sizeof count);
    return status ? 0 : count;
}

const char *sac_noise_get_variant(const sac_noise *plan)
{
    return plan->pair.variant;
}
