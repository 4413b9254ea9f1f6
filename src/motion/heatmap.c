/*
 * The heat map: two frames to a picture of how much they differ.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "motion/gpu.h"
#include "motion/kernels/heat_maps.h"
#include "motion/kernels/heat_u8/heat_u8.h"

struct sac_heatmap {
    sac_heatmap_desc desc;
    sac_frame_pair pair;
    sac_heat_table table;
    uint32_t *words; /* the same on a GPU */
};

static sac_status enqueue(void *arg, sac_gpu_stream stream, const sac_motion_arrays *calls,
                          int32_t n)
{
    const sac_heatmap *plan = arg;
    sac_pair pairs[SAC_MOTION_CALLS];
    const sac_status status = sac_frame_pairs_of(pairs, &plan->pair, calls, n);
    return status ? status : sac_heat_u8_pairs(stream, pairs, n, plan->words);
}

static sac_status open_gpu(sac_heatmap *plan, sac_error *err)
{
    const sac_motion_gpu_desc gpu = {
        SAC_MOTION_GPU(&plan->desc), .pipeline = "heatmap", .frame = plan->pair.shape,
        .out = plan->pair.out_shape, .pairs = true,         .keeps = plan->desc.keep_previous,
        .enqueue = enqueue,
    };
    uint32_t words[SAC_HEAT_WORDS];
    sac_heat_words(words, &plan->table);
    sac_status status = sac_motion_gpu_open(&plan->pair.gpu, &gpu, err);
    if (status == SAC_OK)
        status =
            sac_motion_gpu_keep(plan->pair.gpu, (void **)&plan->words, sizeof words, words, err);
    if (status == SAC_OK)
        sac_motion_gpu_say(&gpu, plan->pair.variant, sizeof plan->pair.variant, "heat_u8:cuda");
    return status;
}

static sac_status open_cpu(sac_heatmap *plan, sac_error *err)
{
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
        SAC_PLAN_SHAPE(&plan->desc),
        .pipeline = "heatmap",
        .rooms = {&sac_heat_u8_room},
    };
    return sac_frame_pair_open(&plan->pair, &choice, plan->desc.keep_previous, err);
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_heatmap *plan = opened;
    sac_heatmap_desc *d = &plan->desc;
    sac_frame_pair *pair = &plan->pair;
    pair->shape = pair->out_shape = (sac_frame_shape){d->w, d->h, d->n_channels, d->order};
    if (d->n_channels == 1)
        pair->out_shape.n_channels = 3;
    sac_heat_table_make(&plan->table, (sac_heat_map)d->map, d->scale);
    sac_status status = sac_frame_shape_check(&pair->shape, d->device, d->stream, err);
    if (status == SAC_OK)
        status = d->device.kind == SAC_DEVICE_CPU ? open_cpu(plan, err) : open_gpu(plan, err);
    d->variant = NULL; /* the caller's string is not kept */
    return status;
}

static void close_plan(void *closed)
{
    sac_frame_pair_close(&((sac_heatmap *)closed)->pair);
}

SAC_PLAN(sac_heatmap, sac_heatmap_open, sac_heatmap_close, sac_heatmap_params, sac_heatmap_desc,
         sac_heatmap_desc_init)

static void draw_strip(void *arg, int32_t i)
{
    const sac_heatmap *plan = arg;
    const sac_frame_pair f = sac_frame_pair_strip(&plan->pair, i);
    ((sac_heat_u8_fn)f.draw)(&f.out, &f.current, &f.previous, &plan->table);
}

sac_status sac_heatmap_run_batch(sac_heatmap *plan, const sac_array *outs,
                                 const sac_array *currents, const sac_array *previouses, int32_t n,
                                 sac_error *err)
{
    sac_status status = sac_frame_batch_check(plan, outs, currents, previouses,
                                              plan && plan->desc.keep_previous, n, err);
    if (status)
        return status;
    sac_known(plan);
    if (plan->pair.gpu)
        return sac_motion_gpu_run(plan->pair.gpu, plan, outs, currents, previouses, n, err);
    for (int32_t i = 0; i < n && status == SAC_OK; i++)
        status = sac_frame_pair_run(&plan->pair, &outs[i], &currents[i],
                                    previouses ? &previouses[i] : NULL, draw_strip, plan, err);
    return status;
}

sac_status sac_heatmap_run(sac_heatmap *plan, const sac_array *out, const sac_array *current,
                           const sac_array *previous, sac_error *err)
{
    return sac_heatmap_run_batch(plan, out, current, previous, 1, err);
}

const char *sac_heatmap_get_variant(const sac_heatmap *plan)
{
    return plan->pair.variant;
}
