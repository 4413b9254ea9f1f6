/*
 * The heat map: two frames to a picture of how much they differ.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "motion/frame.h"
#include "motion/kernels/heat_maps.h"
#include "motion/kernels/heat_u8/heat_u8.h"

struct sac_heatmap {
    sac_heatmap_desc desc;
    sac_frame_pair pair;
    sac_heat_table table;
};

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_heatmap *plan = opened;
    sac_heatmap_desc *d = &plan->desc;
    const sac_frame_shape shape = {d->w, d->h, d->n_channels, d->order};
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(d),
        .pipeline = "heatmap",
        .rooms = {&sac_heat_u8_room},
    };
    const sac_status status = sac_frame_pair_open(&plan->pair, &shape, d->device, &choice, err);
    d->variant = NULL; /* the caller's string is not kept */
    if (d->n_channels == 1)
        plan->pair.out_shape.n_channels = 3;
    sac_heat_table_make(&plan->table, (sac_heat_map)d->map, d->scale);
    return status;
}

static void close_plan(void *closed)
{
    sac_heatmap *p = closed;
    sac_pool_close(&p->pair.pool);
}

SAC_PLAN(sac_heatmap, sac_heatmap_open, sac_heatmap_close, sac_heatmap_params, sac_heatmap_desc,
         sac_heatmap_desc_init)

static void draw_strip(void *arg, int32_t i)
{
    const sac_heatmap *plan = arg;
    const sac_frame_pair f = sac_frame_pair_strip(&plan->pair, i);
    ((sac_heat_u8_fn)f.draw)(&f.out, &f.current, &f.previous, &plan->table);
}

sac_status sac_heatmap_run(sac_heatmap *plan, const sac_array *out, const sac_array *current,
                           const sac_array *previous, sac_error *err)
{
    if (!plan)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    return sac_frame_pair_run(&plan->pair, out, current, previous, draw_strip, plan, err);
}

const char *sac_heatmap_get_variant(const sac_heatmap *plan)
{
    return plan->pair.variant;
}
