/*
 * sacdeltasink: packets of a delta stream to receivers over a network.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/base/gstbasesink.h>
#include <string.h>

#include "live.h"

#define DRAIN_NS (2 * GST_SECOND) /* at the end, receivers may still ask for what they lack */

typedef struct SacDeltaSink {
    GstBaseSink parent;
    SacLive live;
} SacDeltaSink;

typedef GstBaseSinkClass SacDeltaSinkClass;

G_DEFINE_TYPE(SacDeltaSink, sac_deltasink, GST_TYPE_BASE_SINK)

static SacDeltaSink *self_of(gpointer instance)
{
    return instance;
}

static gboolean start(GstBaseSink *sink)
{
    return sac_live_start(&self_of(sink)->live);
}

static gboolean stop(GstBaseSink *sink)
{
    sac_live_stop(&self_of(sink)->live);
    return TRUE;
}

static gboolean set_caps(GstBaseSink *sink, GstCaps *caps)
{
    SacDeltaSink *self = self_of(sink);
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    const char *format = gst_structure_get_string(structure, "format");
    gint w = 0, h = 0, rate_n = 0, rate_d = 1, pixel_n = 1, pixel_d = 1;
    sac_link_form form = {0};
    gst_structure_get_int(structure, "width", &w);
    gst_structure_get_int(structure, "height", &h);
    gst_structure_get_fraction(structure, "framerate", &rate_n, &rate_d);
    gst_structure_get_fraction(structure, "pixel-aspect-ratio", &pixel_n, &pixel_d);
    if (w < 1 || h < 1) /* of a file, whose packets alone say so */
        return TRUE;
    form = (sac_link_form){
        (guint16)w,       (guint16)h, (guint32)rate_n, (guint32)rate_d, (guint32)pixel_n,
        (guint32)pixel_d, {0}};
    if (format)
        g_strlcpy(form.format, format, sizeof form.format);
    return sac_link_set_form(self->live.link, &form) == SAC_OK;
}

static void report(SacDeltaSink *self, GstClockTime pts)
{
    GstStructure *structure =
        sac_report_begin(self->live.options, &GST_BASE_SINK(self)->segment, pts);
    if (!structure)
        return;
    sac_live_count(&self->live, structure);
    sac_report_post(self->live.options, structure);
}

static GstFlowReturn render(GstBaseSink *sink, GstBuffer *buffer)
{
    SacDeltaSink *self = self_of(sink);
    const GstClockTime pts = GST_BUFFER_PTS(buffer);
    const GstClockTime running =
        sink->segment.format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID(pts)
            ? gst_segment_to_running_time(&sink->segment, GST_FORMAT_TIME, pts)
            : GST_CLOCK_TIME_NONE;
    sac_error err = {SAC_OK, ""};
    GstMapInfo map;
    if (g_atomic_int_get(&self->live.is_failed))
        return GST_FLOW_ERROR;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ))
        return sac_gst_fail(GST_ELEMENT(self), SAC_E_IO, &err);
    const sac_status status =
        map.size == 0 ? SAC_OK
                      : sac_link_send(self->live.link, map.data, map.size,
                                      !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT),
                                      sac_live_captured(GST_ELEMENT(self), running));
    gst_buffer_unmap(buffer, &map);
    report(self, pts);
    return status ? sac_gst_fail(GST_ELEMENT(self), status, &err) : GST_FLOW_OK;
}

static gboolean event(GstBaseSink *sink, GstEvent *event)
{
    SacDeltaSink *self = self_of(sink);
    if (GST_EVENT_TYPE(event) == GST_EVENT_EOS && self->live.link)
        sac_link_drain(self->live.link, DRAIN_NS);
    return GST_BASE_SINK_CLASS(sac_deltasink_parent_class)->event(sink, event);
}

static gboolean unlock(GstBaseSink *sink)
{
    sac_live_wake(&self_of(sink)->live, TRUE);
    return TRUE;
}

static gboolean unlock_stop(GstBaseSink *sink)
{
    sac_live_wake(&self_of(sink)->live, FALSE);
    return TRUE;
}

static void sac_deltasink_class_init(SacDeltaSinkClass *class)
{
    GstElementClass *element = GST_ELEMENT_CLASS(class);
    GstCaps *packets = gst_caps_from_string(SAC_GST_DELTA_PACKETS);
    sac_live_install(G_OBJECT_CLASS(class));
    gst_element_class_add_pad_template(
        element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, packets));
    gst_caps_unref(packets);
    gst_element_class_set_metadata(
        element, "Delta stream sender (saccade)", "Sink/Network/Video",
        "Sends packets of sacdeltaenc to sacdeltasrc on other machines, over UDP, TCP or SRT. Lost "
        "packets are sent again, receivers ask for keyframes, and with passphrase-file all is "
        "encrypted and authenticated",
        SAC_GST_AUTHOR);
    class->start = start;
    class->stop = stop;
    class->set_caps = set_caps;
    class->render = render;
    class->event = event;
    class->unlock = unlock;
    class->unlock_stop = unlock_stop;
}

static void sac_deltasink_init(SacDeltaSink *self)
{
    sac_live_init(&self->live, GST_ELEMENT(self), TRUE);
    gst_base_sink_set_sync(GST_BASE_SINK(self), FALSE);
}
