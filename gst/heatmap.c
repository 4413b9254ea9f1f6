/*
 * sacheatmap: how much each pixel differs from the frame before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/measure_video.h>
#include <saccade/motion.h>

#include "filter.h"

static void init(void *desc)
{
    sac_heatmap_desc_init(desc);
}

static sac_status open_plan(void **plan, void *of_desc, const SacPixels *pixels, gboolean keeps,
                            sac_error *err)
{
    sac_heatmap_desc *desc = of_desc;
    sac_heatmap *opened = NULL;
    desc->w = pixels->w;
    desc->h = pixels->h;
    desc->n_channels = pixels->n_channels;
    desc->order = pixels->order;
    desc->keep_previous = keeps;
    const sac_status status = sac_heatmap_open(&opened, desc, err);
    *plan = opened;
    return status;
}

static sac_status run(void *plan, const SacRun *run, sac_error *err)
{
    return sac_heatmap_run(plan, run->out, run->current, run->previous, err);
}

static void close_plan(void **plan)
{
    sac_heatmap *opened = *plan;
    sac_heatmap_close(&opened);
    *plan = NULL;
}

static void count(void *plan, const SacRun *run, GstStructure *counts)
{
    sac_frame_difference d;
    const gint64 n_pixels = run->current->shape[0] * run->current->shape[1];
    (void)plan;
    if (sac_measure_difference(&d, run->current, run->previous, NULL) != SAC_OK)
        return;
    gst_structure_set(counts, "changed-pixels", G_TYPE_UINT64, d.n_changed, "changed-share",
                      G_TYPE_DOUBLE, (double)d.n_changed / (double)n_pixels, "difference-sum",
                      G_TYPE_UINT64, d.sum, "difference-max", G_TYPE_INT, d.max, NULL);
}

/* Heat maps of gray frames have colors. */
static GstCaps *transform(const void *desc, GstPadDirection from, GstCaps *caps)
{
    static const char gray[] = "{ GRAY8 }", colors[] = "{ RGB, BGR }";
    GstCaps *same =
        gst_caps_from_string(GST_VIDEO_CAPS_MAKE("{ RGB, BGR, RGBx, BGRx, RGBA, BGRA }"));
    GstCaps *other = gst_caps_intersect_full(caps, same, GST_CAPS_INTERSECT_FIRST);
    (void)desc;
    gst_caps_unref(same);
    gst_caps_append(other, from == GST_PAD_SINK ? sac_caps_replace(caps, gray, colors)
                                                : sac_caps_replace(caps, colors, gray));
    return other;
}

const SacPipeline sac_gst_heatmap = {
    .element = "sacheatmap",
    .type_name = "GstSacHeatmap",
    .long_name = "Heat map of changes (saccade)",
    .class = "Filter/Effect/Video",
    .description = "Colors each pixel by how much it differs from the frame before, from blue "
                   "(not at all) by green to red; other colors by map. The first frame is compared "
                   "with itself",
    .has_previous = TRUE,
    .params = sac_heatmap_params,
    .init = init,
    .open = open_plan,
    .run = run,
    .close = close_plan,
    .count = count,
    .transform = transform,
};
