/*
 * sacdenoise: removes noise from frames, by their neighborhood or by the frames before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "filter.h"

static void init(void *desc)
{
    sac_denoise_desc_init(desc);
}

static sac_status open_plan(void **plan, void *of_desc, const SacPixels *pixels, gboolean keeps,
                            sac_error *err)
{
    sac_denoise_desc *desc = of_desc;
    sac_denoise *opened = NULL;
    (void)keeps;
    desc->w = pixels->w;
    desc->h = pixels->h;
    desc->n_channels = pixels->n_channels;
    const sac_status status = sac_denoise_open(&opened, desc, err);
    *plan = opened;
    return status;
}

static sac_status run(void *plan, const SacRun *run, sac_error *err)
{
    return sac_denoise_run(plan, run->out, run->current, err);
}

static void close_plan(void **plan)
{
    sac_denoise *opened = *plan;
    sac_denoise_close(&opened);
    *plan = NULL;
}

static void reset(void *plan)
{
    sac_denoise_reset(plan);
}

static void count(void *plan, const SacRun *run, GstStructure *counts)
{
    (void)run;
    gst_structure_set(counts, "noise", G_TYPE_DOUBLE, sac_denoise_get_noise(plan), NULL);
}

const SacPipeline sac_gst_denoise = {
    .element = "sacdenoise",
    .type_name = "GstSacDenoise",
    .long_name = "Noise filter (saccade)",
    .class = "Filter/Effect/Video",
    .description = "Removes noise: over time where nothing moves (the default), or by a mean, "
                   "Gaussian or median of 3 x 3 or 5 x 5 pixels. Frames are not delayed; a fourth "
                   "channel is filtered, too",
    .params = sac_denoise_params,
    .init = init,
    .open = open_plan,
    .run = run,
    .close = close_plan,
    .reset = reset,
    .count = count,
};
