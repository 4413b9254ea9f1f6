/*
 * sacdeltaenc and sacdeltadec, one after the other.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta_pair.h"

#include <saccade/delta.h>
#include <stdlib.h>
#include <string.h>

/* "threshold=0 level=2" */
static void set_options(GstElement *element, const char *options)
{
    char **all = g_strsplit(options, " ", -1);
    for (char **option = all; *option && **option; option++) {
        char **parts = g_strsplit(*option, "=", 2);
        gst_util_set_object_arg(G_OBJECT(element), parts[0], parts[1]);
        g_strfreev(parts);
    }
    g_strfreev(all);
}

void pair_open(Pair *pair, const Layout *layout, Size size, const char *options)
{
    *pair = (Pair){.enc = gst_harness_new("sacdeltaenc"), .dec = gst_harness_new("sacdeltadec")};
    g_object_set(pair->enc->element, "threads", 1, NULL);
    g_object_set(pair->dec->element, "threads", 1, NULL);
    set_options(pair->enc->element, options);
    watch_messages(pair->enc);
    watch_messages(pair->dec);
    pair_caps(pair, layout, size);
}

void pair_caps(Pair *pair, const Layout *layout, Size size)
{
    pair->layout = layout;
    pair->size = size;
    set_caps(pair->enc, layout->format, size.w, size.h);
}

void pair_close(Pair *pair)
{
    end_harness(pair->enc);
    end_harness(pair->dec);
}

GstBuffer *pair_encode(Pair *pair, int number)
{
    const Size size = pair->size;
    uint8_t *bytes = scene(size.w, size.h, pair->layout->n_channels, number);
    GstBuffer *frame = buffer_with(bytes, pair->layout->format, size.w, size.h, pair->gap);
    g_free(bytes);
    GST_BUFFER_PTS(frame) = (GstClockTime)number * FRAME_NS;
    GST_BUFFER_DURATION(frame) = FRAME_NS;
    return gst_harness_push_and_pull(pair->enc, frame);
}

GstBuffer *pair_decode(Pair *pair, GstBuffer *packet)
{
    GstCaps *caps = gst_pad_get_current_caps(pair->enc->sinkpad),
            *now = gst_pad_get_current_caps(pair->dec->srcpad);
    if (!now || !gst_caps_is_equal(caps, now))
        gst_harness_set_src_caps(pair->dec, gst_caps_ref(caps));
    gst_caps_unref(caps);
    gst_clear_caps(&now);
    assert_int_equal(gst_harness_push(pair->dec, packet), GST_FLOW_OK);
    return gst_harness_try_pull(pair->dec);
}

int pair_error(const Pair *pair, GstBuffer *picture, int number)
{
    const Size size = pair->size;
    const int n_channels = pair->layout->n_channels;
    GstCaps *caps = gst_pad_get_current_caps(pair->dec->sinkpad);
    GstVideoInfo info;
    int most = 0;
    assert_true(gst_video_info_from_caps(&info, caps));
    gst_caps_unref(caps);
    if (GST_VIDEO_INFO_FORMAT(&info) != pair->layout->format ||
        GST_VIDEO_INFO_WIDTH(&info) != size.w || GST_VIDEO_INFO_HEIGHT(&info) != size.h)
        return 256;
    uint8_t *got = bytes_of(picture, pair->layout->format, size.w, size.h),
            *wanted = scene(size.w, size.h, n_channels, number);
    for (int i = 0; i < size.w * size.h * n_channels; i++)
        most = MAX(most, abs(got[i] - wanted[i]));
    g_free(got);
    g_free(wanted);
    return most;
}

int pair_requests(Pair *pair, gboolean pass_on)
{
    int n = 0;
    for (GstEvent *event; (event = gst_harness_try_pull_upstream_event(pair->dec));) {
        if (gst_video_event_is_force_key_unit(event)) {
            n++;
            if (pass_on)
                gst_harness_push_upstream_event(pair->enc, gst_event_ref(event));
        }
        gst_event_unref(event);
    }
    return n;
}

gboolean has_delta(void)
{
    sac_delta_decode_desc desc;
    sac_delta_decode *plan = NULL;
    sac_delta_decode_desc_init(&desc);
    const sac_status status = sac_delta_decode_open(&plan, &desc, NULL);
    sac_delta_decode_close(&plan);
    return status != SAC_E_UNSUPPORTED;
}

gboolean is_key(GstBuffer *packet)
{
    return !GST_BUFFER_FLAG_IS_SET(packet, GST_BUFFER_FLAG_DELTA_UNIT);
}

GstBuffer *damaged(GstBuffer *packet, gsize bit)
{
    GstMapInfo map;
    GstBuffer *copy = gst_buffer_copy_deep(packet);
    gst_buffer_map(copy, &map, GST_MAP_READWRITE);
    map.data[bit / 8 % map.size] ^= (guint8)(1 << bit % 8);
    gst_buffer_unmap(copy, &map);
    return copy;
}
