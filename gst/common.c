/*
 * Frames, messages and errors of all elements.
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

void sac_report_install(GObjectClass *class, guint first_id)
{
    const GParamFlags flags =
        (GParamFlags)(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
    g_object_class_install_property(
        class, first_id,
        g_param_spec_boolean("post-messages", "post-messages",
                             "Post element messages with a structure \"saccade\", which has the "
                             "counts of a frame",
                             FALSE, flags));
    g_object_class_install_property(
        class, first_id + 1,
        g_param_spec_uint64("message-interval", "message-interval",
                            "With post-messages: shortest time between two messages (in ns); 0: a "
                            "message for each frame",
                            0, G_MAXUINT64 - 1, GST_SECOND, flags));
}

void sac_report_init(SacReport *report, guint first_id)
{
    *report =
        (SacReport){.first_id = first_id, .interval = GST_SECOND, .last = GST_CLOCK_TIME_NONE};
}

gboolean sac_report_set(SacReport *report, GstObject *element, guint id, const GValue *value)
{
    if (id != report->first_id && id != report->first_id + 1)
        return FALSE;
    GST_OBJECT_LOCK(element);
    if (id == report->first_id)
        report->is_on = g_value_get_boolean(value);
    else
        report->interval = g_value_get_uint64(value);
    GST_OBJECT_UNLOCK(element);
    return TRUE;
}

gboolean sac_report_get(SacReport *report, GstObject *element, guint id, GValue *value)
{
    if (id != report->first_id && id != report->first_id + 1)
        return FALSE;
    GST_OBJECT_LOCK(element);
    if (id == report->first_id)
        g_value_set_boolean(value, report->is_on);
    else
        g_value_set_uint64(value, report->interval);
    GST_OBJECT_UNLOCK(element);
    return TRUE;
}

GstStructure *sac_report_begin(SacReport *report, GstElement *element, const GstSegment *segment,
                               GstClockTime pts)
{
    GST_OBJECT_LOCK(element);
    const gboolean is_on = report->is_on;
    const GstClockTime interval = report->interval;
    GST_OBJECT_UNLOCK(element);
    if (!is_on)
        return NULL;
    const gboolean is_timed = segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID(pts);
    const guint64 running =
        is_timed ? gst_segment_to_running_time(segment, GST_FORMAT_TIME, pts) : GST_CLOCK_TIME_NONE;
    const guint64 stream =
        is_timed ? gst_segment_to_stream_time(segment, GST_FORMAT_TIME, pts) : GST_CLOCK_TIME_NONE;
    const GstClockTime last = report->last;
    if (interval > 0 && GST_CLOCK_TIME_IS_VALID(running) && GST_CLOCK_TIME_IS_VALID(last) &&
        running >= last && running - last < interval)
        return NULL;
    report->last = running;
    return gst_structure_new("saccade", "timestamp", G_TYPE_UINT64, pts, "running-time",
                             G_TYPE_UINT64, running, "stream-time", G_TYPE_UINT64, stream, NULL);
}

void sac_report_post(GstElement *element, GstStructure *counts)
{
    gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), counts));
}
