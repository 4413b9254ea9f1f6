/*
 * sacadjust: brightness, contrast, saturation and gain of each frame, in place.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "filter.h"

static void say(void *ctx, sac_log_level level, const char *line)
{
    (void)ctx;
    if (level == SAC_LOG_WARNING)
        GST_WARNING("%s", line);
}

static const sac_log to_gst = {say, NULL};

static void init(void *of_desc)
{
    sac_adjust_desc *desc = of_desc;
    sac_adjust_desc_init(desc);
    desc->log = &to_gst;
}

static sac_status open_plan(void **plan, void *of_desc, const SacPixels *pixels, gboolean keeps,
                            sac_error *err)
{
    sac_adjust_desc *desc = of_desc;
    sac_adjust *opened = NULL;
    (void)keeps;
    desc->w = pixels->w;
    desc->h = pixels->h;
    desc->n_channels = pixels->n_channels;
    desc->order = pixels->order;
    const sac_status status = sac_adjust_open(&opened, desc, err);
    *plan = opened;
    return status;
}

static gboolean set(void *plan, const void *old, const void *new)
{
    const sac_adjust_desc *was = old, *is = new;
    return was->n_threads == is->n_threads && was->device.kind == is->device.kind &&
           was->device.index == is->device.index && g_strcmp0(was->variant, is->variant) == 0 &&
           sac_adjust_set(plan, is, NULL) == SAC_OK;
}

static sac_status run(void *plan, const SacRun *run, sac_error *err)
{
    return sac_adjust_run(plan, run->out, run->current, err);
}

static void close_plan(void **plan)
{
    sac_adjust *opened = *plan;
    sac_adjust_close(&opened);
    *plan = NULL;
}

const SacPipeline sac_gst_adjust = {
    .element = "sacadjust",
    .type_name = "GstSacAdjust",
    .long_name = "Brightness, contrast, saturation, gain (saccade)",
    .class = "Filter/Effect/Video",
    .description = "A camera's controls in software, all of which may be moved while playing; the "
                   "defaults change nothing, and a fourth channel stays as it is. Works in place",
    .is_in_place = TRUE,
    .params = sac_adjust_params,
    .init = init,
    .open = open_plan,
    .set = set,
    .run = run,
    .close = close_plan,
};
