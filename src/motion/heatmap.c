/*
 * The heat map: two frames to a picture of how much they differ.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "base/alloc.h"
#include "base/struct.h"
#include "motion/kernels/heat_maps.h"
#include "motion/kernels/heat_u8/heat_u8.h"
#include "motion/frame.h"

struct sac_heatmap {
    sac_frames frames;
    sac_pool *pool;
    int32_t n_strips;
    sac_heat_u8_fn heat;
    char variant[64];
    sac_heat_table table;
};

static sac_status check_desc(const sac_heatmap_desc *desc, sac_error *err)
{
    const sac_frame_shape shape = {desc->w, desc->h, desc->n_channels, desc->order};
    return sac_frame_check(&shape, desc->device, "the heat map", err);
}

static sac_status prepare(sac_heatmap *plan, const sac_heatmap_desc *desc, sac_error *err)
{
    const sac_room *room = &sac_heat_u8_room;
    sac_any_fn fn = NULL;
    sac_status status = sac_pool_open(&plan->pool, desc->n_threads, desc->executor, err);
    if (status == SAC_OK)
        status = sac_variant_choose_all(&fn, plan->variant, sizeof plan->variant, &room, 1,
                                        SAC_TIER_EXACT, desc->variant, err);
    if (status)
        return status;
    plan->heat = (sac_heat_u8_fn)fn;
    plan->n_strips = sac_frame_strips(plan->pool, desc->h);
    plan->frames.shape = (sac_frame_shape){desc->w, desc->h, desc->n_channels, desc->order};
    plan->frames.out_shape = plan->frames.shape;
    if (desc->n_channels == 1)
        plan->frames.out_shape.n_channels = 3;
    sac_heat_table_make(&plan->table, (sac_heat_map)desc->map, desc->scale);
    sac_log_line(desc->log, SAC_LOG_INFO, "heatmap: %s, %d threads", plan->variant,
                 sac_pool_threads(plan->pool));
    return SAC_OK;
}

sac_status sac_heatmap_open(sac_heatmap **out, const sac_heatmap_desc *desc, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    *out = NULL;
    sac_heatmap_desc own;
    sac_heatmap_desc_init(&own);
    sac_status status = sac_desc_take(&own, sac_heatmap_params(), desc, err);
    if (status == SAC_OK)
        status = check_desc(&own, err);
    if (status)
        return status;
    sac_heatmap *plan = sac_alloc(1, sizeof *plan);
    if (!plan)
        return sac_fail(err, SAC_E_NOMEM, "heatmap: no memory for a plan");
    status = prepare(plan, &own, err);
    if (status)
        sac_heatmap_close(&plan);
    *out = plan;
    return status;
}

static void draw_strip(void *arg, int32_t i)
{
    sac_heatmap *plan = arg;
    const sac_frames f = sac_frames_strip(&plan->frames, i, plan->n_strips);
    plan->heat(&f.out, &f.current, &f.previous, &plan->table);
}

sac_status sac_heatmap_run(sac_heatmap *plan, const sac_array *out, const sac_array *current,
                           const sac_array *previous, sac_error *err)
{
    const sac_status status = sac_frames_take(&plan->frames, out, current, previous, err);
    if (status == SAC_OK)
        sac_pool_run(plan->pool, plan->n_strips, draw_strip, plan);
    return status;
}

const char *sac_heatmap_get_variant(const sac_heatmap *plan)
{
    return plan->variant;
}

void sac_heatmap_close(sac_heatmap **plan)
{
    if (!plan || !*plan)
        return;
    sac_pool_close(&(*plan)->pool);
    sac_free(*plan);
    *plan = NULL;
}
