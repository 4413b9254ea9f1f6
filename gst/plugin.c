/*
 * The GStreamer plugin: its elements, and the type of .sdv files. docs/live.md is for its users.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "delta.h"
#include "filter.h"
#include "live.h"

static void find_delta(GstTypeFind *find, gpointer data)
{
    static const char magic[] = "SACD";
    const guint8 *bytes = gst_type_find_peek(find, 0, sizeof magic - 1);
    (void)data;
    if (bytes && memcmp(bytes, magic, sizeof magic - 1) == 0)
        gst_type_find_suggest_empty_simple(find, GST_TYPE_FIND_MAXIMUM, SAC_GST_DELTA_CAPS);
}

static gboolean init(GstPlugin *plugin)
{
    const SacPipeline *const filters[] = {&sac_gst_equalize, &sac_gst_heatmap, &sac_gst_noise,
                                          &sac_gst_denoise, &sac_gst_adjust};
    GstCaps *caps = gst_caps_new_empty_simple(SAC_GST_DELTA_CAPS);
    gboolean is_done = gst_type_find_register(plugin, SAC_GST_DELTA_CAPS, GST_RANK_PRIMARY,
                                              find_delta, "sdv", caps, NULL, NULL);
    gst_caps_unref(caps);
    for (guint i = 0; i < G_N_ELEMENTS(filters); i++)
        is_done = is_done && sac_filter_register(plugin, filters[i]);
#ifdef SAC_GST_LIVE
    is_done =
        is_done &&
        gst_element_register(plugin, "sacdeltasink", GST_RANK_NONE, sac_deltasink_get_type()) &&
        gst_element_register(plugin, "sacdeltasrc", GST_RANK_NONE, sac_deltasrc_get_type());
#endif
    return is_done &&
           gst_element_register(plugin, "sacdeltaenc", GST_RANK_NONE, sac_deltaenc_get_type()) &&
           gst_element_register(plugin, "sacdeltadec", GST_RANK_PRIMARY, sac_deltadec_get_type()) &&
           gst_element_register(plugin, "sacdeltaparse", GST_RANK_PRIMARY + 1,
                                sac_deltaparse_get_type());
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, saccade,
                  "What changes in a video: heat map, noise, denoising, equalization, adjustment, "
                  "packets of changes",
                  init, SAC_GST_VERSION, "Apache 2.0", "saccade", "saccade")
