/*
 * The GStreamer plugin: its elements and its type of stream. docs/live.md is for its users.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filter.h"

static gboolean init(GstPlugin *plugin)
{
    const SacPipeline *const filters[] = {&sac_gst_equalize, &sac_gst_heatmap, &sac_gst_noise,
                                          &sac_gst_denoise};
    gboolean is_done = TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(filters); i++)
        is_done = is_done && sac_filter_register(plugin, filters[i]);
    return is_done;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, saccade,
                  "What changes in a video: heat map, noise, denoising, equalization, packets of "
                  "changes",
                  init, SAC_GST_VERSION, "Apache 2.0", "saccade", "saccade")
