/*
 * sacnoise: which pixels differ from the frame before by more than a threshold.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "filter.h"

static void init(void *desc)
{
    sac_noise_desc_init(desc);
}

static sac_status open_plan(void **plan, void *of_desc, const SacPixels *pixels, gboolean keeps,
                            sac_error *err)
{
    sac_noise_desc *desc = of_desc;
    sac_noise *opened = NULL;
    desc->w = pixels->w;
    desc->h = pixels->h;
    desc->n_channels = pixels->n_channels;
    desc->order = pixels->order;
    desc->keep_previous = keeps;
    const sac_status status = sac_noise_open(&opened, desc, err);
    *plan = opened;
    return status;
}

static sac_status run(void *plan, const SacRun *run, sac_error *err)
{
    return sac_noise_run(plan, run->out, run->current, run->previous, err);
}

static void close_plan(void **plan)
{
    sac_noise *opened = *plan;
    sac_noise_close(&opened);
    *plan = NULL;
}

static void count(void *plan, const SacRun *run, GstStructure *counts)
{
    const guint64 n = sac_noise_get_count(plan);
    const gint64 n_pixels = run->current->shape[0] * run->current->shape[1];
    gst_structure_set(counts, "changed-pixels", G_TYPE_UINT64, n, "changed-share", G_TYPE_DOUBLE,
                      (double)n / (double)n_pixels, NULL);
}

/* A byte has the bits of 8 pixels: the least and the most pixels of w bytes. */
static gint least_pixels(gint w)
{
    return w <= G_MAXINT / 8 ? 8 * w - 7 : G_MAXINT;
}

static gint most_pixels(gint w)
{
    return w <= G_MAXINT / 8 ? 8 * w : G_MAXINT;
}

static gint bytes_of(gint w)
{
    return w / 8 + (w % 8 > 0);
}

/* The width on the other side of a pad. */
static void change_width(GstStructure *structure, GstPadDirection from)
{
    const GValue *width = gst_structure_get_value(structure, "width");
    gint least = 1, most = G_MAXINT;
    if (width && G_VALUE_HOLDS_INT(width)) {
        least = most = g_value_get_int(width);
    } else if (width && GST_VALUE_HOLDS_INT_RANGE(width)) {
        least = gst_value_get_int_range_min(width);
        most = gst_value_get_int_range_max(width);
    }
    least = from == GST_PAD_SINK ? bytes_of(least) : least_pixels(least);
    most = from == GST_PAD_SINK ? bytes_of(most) : most_pixels(most);
    if (least < most)
        gst_structure_set(structure, "width", GST_TYPE_INT_RANGE, least, most, NULL);
    else
        gst_structure_set(structure, "width", G_TYPE_INT, most, NULL);
}

/* Bits are gray frames, 8 pixels in a byte. */
static GstCaps *transform(const void *desc, GstPadDirection from, GstCaps *caps)
{
    static const char gray[] = "{ GRAY8 }";
    if (sac_options_int(sac_noise_params(), desc, "view") != SAC_NOISE_BITS)
        return gst_caps_ref(caps);
    GstCaps *other = from == GST_PAD_SINK ? sac_caps_replace(caps, SAC_GST_FORMATS, gray)
                                          : sac_caps_replace(caps, gray, SAC_GST_FORMATS);
    for (guint i = 0; i < gst_caps_get_size(other); i++)
        change_width(gst_caps_get_structure(other, i), from);
    return other;
}

const SacPipeline sac_gst_noise = {
    .element = "sacnoise",
    .type_name = "GstSacNoise",
    .long_name = "Changes beyond a threshold (saccade)",
    .class = "Filter/Effect/Video",
    .description = "Marks the pixels of which a color differs from the frame before by more than "
                   "threshold, in a mask or on the picture, or as one bit for each pixel",
    .has_previous = TRUE,
    .params = sac_noise_params,
    .init = init,
    .open = open_plan,
    .run = run,
    .close = close_plan,
    .count = count,
    .transform = transform,
};
