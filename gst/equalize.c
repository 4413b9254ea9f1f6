/*
 * sacequalize: histogram equalization of each frame, in place.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/equalize.h>

#include "filter.h"

static void init(void *desc)
{
    sac_equalize_desc_init(desc);
}

static sac_status open_plan(void **plan, void *of_desc, const SacPixels *pixels, gboolean keeps,
                            sac_error *err)
{
    sac_equalize_desc *desc = of_desc;
    sac_equalize *opened = NULL;
    (void)keeps;
    desc->dtype = SAC_U8;
    desc->w = pixels->w;
    desc->h = pixels->h;
    desc->n_channels = pixels->n_channels;
    const sac_status status = sac_equalize_open(&opened, desc, err);
    *plan = opened;
    return status;
}

static sac_status run(void *plan, const SacRun *run, sac_error *err)
{
    return sac_equalize_run(plan, run->out, run->current, err);
}

static void close_plan(void **plan)
{
    sac_equalize *opened = *plan;
    sac_equalize_close(&opened);
    *plan = NULL;
}

static void reset(void *plan)
{
    sac_equalize_reset(plan);
}

const SacPipeline sac_gst_equalize = {
    .element = "sacequalize",
    .type_name = "GstSacEqualize",
    .long_name = "Histogram equalizer (saccade)",
    .class = "Filter/Effect/Video",
    .description = "Spreads the brightness of each frame over the whole range, or that of each "
                   "tile (clahe); colors keep their hue, a fourth channel stays as it is. Works in "
                   "place",
    .is_in_place = TRUE,
    .params = sac_equalize_params,
    .init = init,
    .open = open_plan,
    .run = run,
    .close = close_plan,
    .reset = reset,
};
