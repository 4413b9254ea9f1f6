/*
 * sacdeltasrc: packets of a delta stream from a sender over a network.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>

#include "live.h"

typedef struct SacDeltaSrc {
    GstPushSrc parent;
    SacLive live;
    GstCaps *capture; /* of the meta with the time of capture */
    GstClockTime last_pts;
    gint32 latency_ms;
} SacDeltaSrc;

typedef GstPushSrcClass SacDeltaSrcClass;

G_DEFINE_TYPE(SacDeltaSrc, sac_deltasrc, GST_TYPE_PUSH_SRC)

static SacDeltaSrc *self_of(gpointer instance)
{
    return instance;
}

static gboolean start(GstBaseSrc *src)
{
    SacDeltaSrc *self = self_of(src);
    self->last_pts = 0;
    g_object_get(self, "latency", &self->latency_ms, NULL);
    return sac_live_start(&self->live);
}

static gboolean stop(GstBaseSrc *src)
{
    sac_live_stop(&self_of(src)->live);
    return TRUE;
}

static gboolean set_form(SacDeltaSrc *self, const sac_link_form *form)
{
    GstCaps *caps = gst_caps_from_string(SAC_GST_DELTA_PACKETS);
    gst_caps_set_simple(caps, "width", G_TYPE_INT, (gint)form->w, "height", G_TYPE_INT,
                        (gint)form->h, "framerate", GST_TYPE_FRACTION, (gint)form->rate_n,
                        (gint)form->rate_d, "pixel-aspect-ratio", GST_TYPE_FRACTION,
                        (gint)form->pixel_n, (gint)form->pixel_d, NULL);
    if (gst_video_format_from_string(form->format) != GST_VIDEO_FORMAT_UNKNOWN)
        gst_caps_set_simple(caps, "format", G_TYPE_STRING, form->format, NULL);
    GstCaps *now = gst_pad_get_current_caps(GST_BASE_SRC_PAD(self));
    const gboolean is_set =
        (now && gst_caps_is_equal(now, caps)) || gst_base_src_set_caps(GST_BASE_SRC(self), caps);
    gst_clear_caps(&now);
    gst_caps_unref(caps);
    return is_set;
}

static void free_packet(gpointer packet)
{
    sac_link_packet_unref(packet);
}

/* A packet's time is that of its capture: with the latency that the source tells, a display shows
 * all pictures equally late. */
static GstBuffer *buffer_of(SacDeltaSrc *self, sac_link_packet *packet)
{
    GstBuffer *buffer =
        gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, packet->bytes, packet->size, 0,
                                    packet->size, packet, free_packet);
    const GstClockTime pts = sac_live_running(GST_ELEMENT(self), packet->captured_ns);
    if (GST_CLOCK_TIME_IS_VALID(pts)) {
        self->last_pts = MAX(self->last_pts, pts); /* the estimate of the other clock may move */
        GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = self->last_pts;
    }
    if (packet->captured_ns >= 0)
        gst_buffer_add_reference_timestamp_meta(
            buffer, self->capture, (GstClockTime)packet->captured_ns, GST_CLOCK_TIME_NONE);
    if (!(packet->flags & SAC_LINK_IS_KEY))
        GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    if (packet->is_discont)
        GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    return buffer;
}

static void report(SacDeltaSrc *self, GstClockTime pts)
{
    GstStructure *structure =
        sac_report_begin(self->live.options, &GST_BASE_SRC(self)->segment, pts);
    if (!structure)
        return;
    sac_live_count(&self->live, structure);
    sac_report_post(self->live.options, structure);
}

static GstFlowReturn create(GstPushSrc *src, GstBuffer **buffer)
{
    SacDeltaSrc *self = self_of(src);
    sac_link_packet *packet = NULL;
    for (;;) {
        const sac_status status = sac_link_take(self->live.link, &packet, GST_SECOND);
        if (status == SAC_CANCELLED)
            return GST_FLOW_FLUSHING;
        if (status == SAC_END)
            return GST_FLOW_EOS;
        if (status == SAC_E_IO) /* the link said why */
            return GST_FLOW_ERROR;
        if (status == SAC_OK && !(packet->flags & SAC_LINK_IS_FORM))
            break;
        const gboolean is_set = status != SAC_OK || set_form(self, &packet->form);
        sac_link_packet_unref(packet);
        if (!is_set)
            return GST_FLOW_NOT_NEGOTIATED;
    }
    *buffer = buffer_of(self, packet);
    report(self, GST_BUFFER_PTS(*buffer));
    return GST_FLOW_OK;
}

static gboolean event(GstBaseSrc *src, GstEvent *event)
{
    SacDeltaSrc *self = self_of(src);
    const GstStructure *structure = gst_event_get_structure(event);
    if (self->live.link && gst_video_event_is_force_key_unit(event)) {
        sac_link_ask_key(self->live.link);
        return TRUE;
    }
    if (self->live.link && GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_UPSTREAM && structure &&
        gst_structure_has_name(structure, SAC_GST_CONTROL)) {
        char *text = gst_structure_to_string(structure);
        const sac_status status = sac_link_control(self->live.link, text);
        g_free(text);
        return status == SAC_OK;
    }
    return GST_BASE_SRC_CLASS(sac_deltasrc_parent_class)->event(src, event);
}

static gboolean query(GstBaseSrc *src, GstQuery *query)
{
    if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY)
        return GST_BASE_SRC_CLASS(sac_deltasrc_parent_class)->query(src, query);
    gst_query_set_latency(query, TRUE, (GstClockTime)self_of(src)->latency_ms * GST_MSECOND,
                          GST_CLOCK_TIME_NONE);
    return TRUE;
}

static void get_times(GstBaseSrc *src, GstBuffer *buffer, GstClockTime *from, GstClockTime *to)
{
    (void)src, (void)buffer;
    *from = *to = GST_CLOCK_TIME_NONE; /* packets go on when they come */
}

static gboolean is_seekable(GstBaseSrc *src)
{
    (void)src;
    return FALSE;
}

static gboolean unlock(GstBaseSrc *src)
{
    sac_live_wake(&self_of(src)->live, TRUE);
    return TRUE;
}

static gboolean unlock_stop(GstBaseSrc *src)
{
    sac_live_wake(&self_of(src)->live, FALSE);
    return TRUE;
}

static void finalize(GObject *object)
{
    gst_clear_caps(&self_of(object)->capture);
    G_OBJECT_CLASS(sac_deltasrc_parent_class)->finalize(object);
}

static void sac_deltasrc_class_init(SacDeltaSrcClass *class)
{
    GstElementClass *element = GST_ELEMENT_CLASS(class);
    GstBaseSrcClass *base = GST_BASE_SRC_CLASS(class);
    GstCaps *packets = gst_caps_from_string(SAC_GST_DELTA_PACKETS);
    sac_live_install(G_OBJECT_CLASS(class));
    G_OBJECT_CLASS(class)->finalize = finalize;
    gst_element_class_add_pad_template(
        element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, packets));
    gst_caps_unref(packets);
    gst_element_class_set_metadata(
        element, "Delta stream receiver (saccade)", "Source/Network/Video",
        "Receives packets of a sacdeltasink on another machine for sacdeltadec, over UDP, TCP or "
        "SRT. Asks for lost packets and for keyframes, tells when each frame was captured, and "
        "with passphrase-file takes nothing from others",
        SAC_GST_AUTHOR);
    base->start = start;
    base->stop = stop;
    base->event = event;
    base->query = query;
    base->get_times = get_times;
    base->is_seekable = is_seekable;
    base->unlock = unlock;
    base->unlock_stop = unlock_stop;
    class->create = create;
}

static void sac_deltasrc_init(SacDeltaSrc *self)
{
    sac_live_init(&self->live, GST_ELEMENT(self), FALSE);
    self->capture = gst_caps_new_empty_simple("timestamp/x-saccade-capture");
    gst_base_src_set_live(GST_BASE_SRC(self), TRUE);
    gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
}
