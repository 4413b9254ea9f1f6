/*
 * The noise view: which pixels of a frame changed beyond a threshold.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "base/alloc.h"
#include "base/struct.h"
#include "motion/kernels/noise_u8/noise_u8.h"
#include "motion/frame.h"

struct sac_noise {
    sac_frames frames;
    sac_noise_view view;
    int32_t threshold;
    sac_pool *pool;
    int32_t n_strips;
    sac_noise_u8_fn draw;
    char variant[64];
    uint64_t *strip_counts; /* (n_strips) */
    uint64_t count;
};

static sac_status check_desc(const sac_noise_desc *desc, sac_error *err)
{
    const sac_frame_shape shape = {desc->w, desc->h, desc->n_channels, desc->order};
    return sac_frame_check(&shape, desc->device, "the noise view", err);
}

static sac_status prepare(sac_noise *plan, const sac_noise_desc *desc, sac_error *err)
{
    const sac_room *room = &sac_noise_u8_room;
    sac_any_fn fn = NULL;
    sac_status status = sac_pool_open(&plan->pool, desc->n_threads, desc->executor, err);
    if (status == SAC_OK)
        status = sac_variant_choose_all(&fn, plan->variant, sizeof plan->variant, &room, 1,
                                        SAC_TIER_EXACT, desc->variant, err);
    if (status)
        return status;
    plan->draw = (sac_noise_u8_fn)fn;
    plan->view = (sac_noise_view)desc->view;
    plan->threshold = desc->threshold;
    plan->frames.shape = (sac_frame_shape){desc->w, desc->h, desc->n_channels, desc->order};
    plan->frames.out_shape = plan->frames.shape;
    if (plan->view == SAC_NOISE_BITS)
        plan->frames.out_shape = (sac_frame_shape){(desc->w + 7) / 8, desc->h, 1, SAC_ORDER_RGB};
    plan->n_strips = sac_frame_strips(plan->pool, desc->h);
    plan->strip_counts = sac_alloc((size_t)plan->n_strips, sizeof *plan->strip_counts);
    if (!plan->strip_counts)
        return sac_fail(err, SAC_E_NOMEM, "noise: no memory for %d counts", plan->n_strips);
    sac_log_line(desc->log, SAC_LOG_INFO, "noise: %s, %d threads", plan->variant,
                 sac_pool_threads(plan->pool));
    return SAC_OK;
}

sac_status sac_noise_open(sac_noise **out, const sac_noise_desc *desc, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    *out = NULL;
    sac_noise_desc own;
    sac_noise_desc_init(&own);
    sac_status status = sac_desc_take(&own, sac_noise_params(), desc, err);
    if (status == SAC_OK)
        status = check_desc(&own, err);
    if (status)
        return status;
    sac_noise *plan = sac_alloc(1, sizeof *plan);
    if (!plan)
        return sac_fail(err, SAC_E_NOMEM, "noise: no memory for a plan");
    status = prepare(plan, &own, err);
    if (status)
        sac_noise_close(&plan);
    *out = plan;
    return status;
}

static void draw_strip(void *arg, int32_t i)
{
    sac_noise *plan = arg;
    const sac_frames f = sac_frames_strip(&plan->frames, i, plan->n_strips);
    plan->strip_counts[i] =
        plan->draw(&f.out, &f.current, &f.previous, plan->view, plan->threshold);
}

sac_status sac_noise_run(sac_noise *plan, const sac_array *out, const sac_array *current,
                         const sac_array *previous, sac_error *err)
{
    const sac_status status = sac_frames_take(&plan->frames, out, current, previous, err);
    if (status)
        return status;
    sac_pool_run(plan->pool, plan->n_strips, draw_strip, plan);
    plan->count = 0;
    for (int32_t i = 0; i < plan->n_strips; i++)
        plan->count += plan->strip_counts[i];
    return SAC_OK;
}

uint64_t sac_noise_get_count(const sac_noise *plan)
{
    return plan->count;
}

const char *sac_noise_get_variant(const sac_noise *plan)
{
    return plan->variant;
}

void sac_noise_close(sac_noise **plan)
{
    if (!plan || !*plan)
        return;
    sac_pool_close(&(*plan)->pool);
    sac_free((*plan)->strip_counts);
    sac_free(*plan);
    *plan = NULL;
}
