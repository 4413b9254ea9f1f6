/*
 * What to ask a camera for, of all that it can do, and what its controls are set to.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "origin.h"

#include <math.h>

#define JPEG_COST 0.05  /* of a picture that was compressed once, against one of another size */
#define OTHER_COST 0.10 /* of one that depends on others, such as H.264 */

/* How far a is from b: 0 of the same, 1 of twice or half as much. */
static double distance(double a, double b)
{
    return a > b ? a / b - 1 : b / a - 1;
}

/* What is not fixed becomes what is nearest to the wanted. */
static void fixate(GstStructure *s, int w, int h, int fps)
{
    gst_structure_fixate_field_nearest_int(s, "width", w);
    gst_structure_fixate_field_nearest_int(s, "height", h);
    if (gst_structure_has_field(s, "framerate")) {
        gst_structure_fixate_field_nearest_fraction(s, "framerate", fps, 1);
    }
}

static double cost_of(const GstStructure *s, int w, int h, int fps)
{
    gint has_w = 0, has_h = 0, num = 0, den = 1;
    if (!gst_structure_get_int(s, "width", &has_w) || !gst_structure_get_int(s, "height", &has_h) ||
        has_w <= 0 || has_h <= 0) {
        return G_MAXDOUBLE;
    }
    const bool has_rate = gst_structure_get_fraction(s, "framerate", &num, &den) && num > 0;
    const double rate = has_rate ? (double)num / den : fps;
    const double kind = gst_structure_has_name(s, "video/x-raw")  ? 0
                        : gst_structure_has_name(s, "image/jpeg") ? JPEG_COST
                                                                  : OTHER_COST;
    return distance((double)has_w * has_h, (double)w * h) + distance(rate, fps) + kind;
}

static bool is_video(const GstStructure *s)
{
    return gst_structure_has_field(s, "width") && gst_structure_has_field(s, "height") &&
           (gst_structure_has_name(s, "video/x-raw") || gst_structure_has_name(s, "image/jpeg") ||
            gst_structure_has_name(s, "video/x-h264") || gst_structure_has_name(s, "video/x-h265"));
}

GstCaps *cli_live_choose_caps(const GstCaps *all, int w, int h, int fps)
{
    GstCaps *best = NULL;
    double least = G_MAXDOUBLE;
    for (guint i = 0; i < gst_caps_get_size(all); i++) {
        const GstStructure *s = gst_caps_get_structure(all, i);
        const GstCapsFeatures *features = gst_caps_get_features(all, i);
        if (!is_video(s) ||
            !gst_caps_features_is_equal(features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)) {
            continue;
        }
        GstStructure *fixed = gst_structure_copy(s);
        fixate(fixed, w, h, fps);
        const double cost = cost_of(fixed, w, h, fps);
        if (cost < least) {
            least = cost;
            gst_clear_caps(&best);
            best = gst_caps_new_full(fixed, NULL);
        } else {
            gst_structure_free(fixed);
        }
    }
    return best ? gst_caps_fixate(best) : NULL;
}

int32_t cli_live_camera_value(const sac_param *param, double value, int32_t min, int32_t def,
                              int32_t max)
{
    const bool is_less = value < param->def;
    const double end = is_less ? min : max;
    const double way = (value - param->def) / ((is_less ? param->min : param->max) - param->def);
    return (int32_t)floor(def + way * (end - def) + 0.5);
}
