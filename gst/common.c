/*
 * Frames, caps and errors of all elements.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common.h"

#include <string.h>

SacPixels sac_pixels_of(const GstVideoInfo *info)
{
    const GstVideoFormat format = GST_VIDEO_INFO_FORMAT(info);
    const gboolean is_rgb = format == GST_VIDEO_FORMAT_RGB || format == GST_VIDEO_FORMAT_RGBx ||
                            format == GST_VIDEO_FORMAT_RGBA;
    return (SacPixels){
        .w = GST_VIDEO_INFO_WIDTH(info),
        .h = GST_VIDEO_INFO_HEIGHT(info),
        .n_channels = GST_VIDEO_INFO_COMP_PSTRIDE(info, 0),
        .order = format == GST_VIDEO_FORMAT_GRAY8 ? SAC_ORDER_UNKNOWN
                 : is_rgb                         ? SAC_ORDER_RGB
                                                  : SAC_ORDER_BGR,
    };
}

sac_array sac_array_of(const GstVideoFrame *frame)
{
    const gint32 n_channels = GST_VIDEO_FRAME_COMP_PSTRIDE(frame, 0);
    sac_array array = {
        .data = GST_VIDEO_FRAME_PLANE_DATA(frame, 0),
        .dtype = SAC_U8,
        .n_dims = n_channels == 1 ? 2 : 3,
        .shape = {GST_VIDEO_FRAME_HEIGHT(frame), GST_VIDEO_FRAME_WIDTH(frame)},
        .stride = {GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0), n_channels},
    };
    if (n_channels > 1) {
        array.shape[2] = n_channels;
        array.stride[2] = 1;
    }
    return array;
}

gboolean sac_frame_map(GstVideoFrame *frame, const GstVideoInfo *info, GstBuffer *buffer,
                       GstMapFlags flags)
{
    const GstMapFlags unreferenced =
        (GstMapFlags)((guint)flags | (guint)GST_VIDEO_FRAME_MAP_FLAG_NO_REF);
    if (!gst_video_frame_map(frame, info, buffer, unreferenced))
        return FALSE;
    /* A buffer's meta overrides the caps. */
    if (GST_VIDEO_FRAME_FORMAT(frame) == GST_VIDEO_INFO_FORMAT(info) &&
        GST_VIDEO_FRAME_WIDTH(frame) == GST_VIDEO_INFO_WIDTH(info) &&
        GST_VIDEO_FRAME_HEIGHT(frame) == GST_VIDEO_INFO_HEIGHT(info))
        return TRUE;
    gst_video_frame_unmap(frame);
    return FALSE;
}

GstCaps *sac_caps_replace(GstCaps *caps, const char *formats, const char *other)
{
    char *wanted = g_strconcat("video/x-raw, format = (string) ", formats, NULL);
    GstCaps *some = gst_caps_from_string(wanted);
    GstCaps *found =
        gst_caps_make_writable(gst_caps_intersect_full(caps, some, GST_CAPS_INTERSECT_FIRST));
    GValue list = G_VALUE_INIT;
    g_value_init(&list, GST_TYPE_LIST);
    gst_value_deserialize(&list, other);
    for (guint i = 0; i < gst_caps_get_size(found); i++) {
        GstStructure *structure = gst_caps_get_structure(found, i);
        gst_structure_set_value(structure, "format", &list);
        gst_structure_remove_fields(structure, "colorimetry", "chroma-site", NULL);
    }
    g_value_unset(&list);
    gst_caps_unref(some);
    g_free(wanted);
    return found;
}

gboolean sac_meta_stays(const GstMeta *meta, gboolean is_same_size)
{
    static const char *const kept[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_ORIENTATION_STR,
                                       GST_META_TAG_VIDEO_SIZE_STR, NULL};
    const gchar *const *tags = gst_meta_api_type_get_tags(meta->info->api);
    for (; tags && *tags; tags++)
        if (!is_same_size || !g_strv_contains(kept, *tags))
            return FALSE;
    return TRUE;
}

GstFlowReturn sac_gst_fail(GstElement *element, sac_status status, const sac_error *err)
{
    const char *text = err->text[0] ? err->text : sac_status_name(status);
    if (status == SAC_E_INVALID || status == SAC_E_UNSUPPORTED)
        GST_ELEMENT_ERROR(element, LIBRARY, SETTINGS, ("%s", text),
                          ("%s", sac_status_name(status)));
    else
        GST_ELEMENT_ERROR(element, LIBRARY, FAILED, ("%s", text), ("%s", sac_status_name(status)));
    return GST_FLOW_ERROR;
}
