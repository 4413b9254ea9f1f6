/*
 * The noise view: which pixels of a frame changed beyond a threshold.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "base/alloc.h"
#include "motion/frame.h"
#include "motion/kernels/noise_u8/noise_u8.h"

struct sac_noise {
    sac_noise_desc desc;
    sac_frame_pair pair;
    uint64_t *strip_counts; /* (n_strips) */
    uint64_t count;
};

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_noise *plan = opened;
    sac_noise_desc *d = &plan->desc;
    const sac_frame_shape shape = {d->w, d->h, d->n_channels, d->order};
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(d),
        .pipeline = "noise",
        .rooms = {&sac_noise_u8_room},
    };
    const sac_status status = sac_frame_pair_open(&plan->pair, &shape, d->device, &choice, err);
    d->variant = NULL; /* the caller's string is not kept */
    if (status)
        return status;
    if (d->view == SAC_NOISE_BITS)
        plan->pair.out_shape = (sac_frame_shape){(d->w + 7) / 8, d->h, 1, SAC_ORDER_RGB};
    plan->strip_counts = sac_alloc((size_t)plan->pair.n_strips, sizeof *plan->strip_counts);
    return plan->strip_counts
               ? SAC_OK
               : sac_fail(err, SAC_E_NOMEM, "noise: no memory for %d counts", plan->pair.n_strips);
}

static void close_plan(void *closed)
{
    sac_noise *p = closed;
    sac_pool_close(&p->pair.pool);
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

sac_status sac_noise_run(sac_noise *plan, const sac_array *out, const sac_array *current,
                         const sac_array *previous, sac_error *err)
{
    if (!plan)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    const sac_status status =
        sac_frame_pair_run(&plan->pair, out, current, previous, draw_strip, plan, err);
    if (status)
        return status;
    plan->count = 0;
    for (int32_t i = 0; i < plan->pair.n_strips; i++)
        plan->count += plan->strip_counts[i];
    return SAC_OK;
}

uint64_t sac_noise_get_count(const sac_noise *plan)
{
    return plan->count;
}

const char *sac_noise_get_variant(const sac_noise *plan)
{
    return plan->pair.variant;
}
