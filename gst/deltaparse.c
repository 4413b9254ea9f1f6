/*
 * sacdeltaparse: the bytes of a file or a connection to packets, a buffer each.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/base/gstbaseparse.h>
#include <saccade/delta.h>
#include <string.h>

#include "delta.h"

#define HEADER 64                                /* bytes of the smallest packet */
#define MAX_PIXELS (G_GUINT64_CONSTANT(1) << 26) /* the decoder's default */
#define SEARCH_FREE                                                                                \
    (G_GUINT64_CONSTANT(64) << 20) /* bytes that may be searched twice for nothing */

typedef struct SacDeltaParse {
    GstBaseParse parent;
    gboolean has_caps;
    guint64 time_ns;    /* of the packet that is being cut */
    gboolean has_times; /* a packet had this time of its own, and this one in the stream */
    guint64 known_ns;
    GstClockTime known_pts;
    guint64 passed, searched; /* bytes: all, and those that damaged packets claimed to have */
} SacDeltaParse;

typedef GstBaseParseClass SacDeltaParseClass;

G_DEFINE_TYPE(SacDeltaParse, sac_deltaparse, GST_TYPE_BASE_PARSE)

static SacDeltaParse *self_of(gpointer instance)
{
    return instance;
}

/* Bytes in front of the next ones that may begin a packet. */
static gsize before_magic(const guint8 *bytes, gsize n)
{
    static const char magic[] = "SACD";
    const gsize n_magic = sizeof magic - 1;
    for (gsize at = 0; at < n; at++) {
        const guint8 *found = memchr(bytes + at, magic[0], n - at);
        if (!found)
            return n;
        at = (gsize)(found - bytes);
        if (memcmp(found, magic, MIN(n - at, n_magic)) == 0)
            return at;
    }
    return n;
}

/* How far to go on behind what looked like a packet: its bytes are searched for another one, but
 * not without end. */
static gsize behind(SacDeltaParse *self, gsize claimed)
{
    self->searched += claimed;
    return self->searched <= SEARCH_FREE + 4 * self->passed ? 1 : MAX(claimed, 1);
}

static void set_caps(SacDeltaParse *self)
{
    GstBaseParse *parse = GST_BASE_PARSE(self);
    if (self->has_caps)
        return;
    GstCaps *given = gst_pad_get_current_caps(GST_BASE_PARSE_SINK_PAD(parse)),
            *caps = given ? gst_caps_make_writable(given)
                          : gst_caps_new_empty_simple(SAC_GST_DELTA_CAPS);
    gst_caps_set_simple(caps, "parsed", G_TYPE_BOOLEAN, TRUE, NULL);
    gst_pad_set_caps(GST_BASE_PARSE_SRC_PAD(parse), caps);
    gst_caps_unref(caps);
    self->has_caps = TRUE;
}

/* A packet's time in the stream: 0 of the first one. */
static GstClockTime time_of(SacDeltaParse *self)
{
    if (!self->has_times) {
        self->has_times = TRUE;
        self->known_ns = self->time_ns;
        self->known_pts = 0;
    }
    const gint64 since = (gint64)(self->time_ns - self->known_ns);
    const gboolean is_before = since < 0 && (guint64)-since > self->known_pts;
    return is_before ? 0 : self->known_pts + (guint64)since;
}

/* Of a connection that tells when bytes came, the base class has set that time; of a packet that
 * came with others it has not. */
static GstFlowReturn pre_push_frame(GstBaseParse *parse, GstBaseParseFrame *frame)
{
    SacDeltaParse *self = self_of(parse);
    if (!GST_BUFFER_PTS_IS_VALID(frame->buffer))
        GST_BUFFER_PTS(frame->buffer) = time_of(self);
    self->has_times = TRUE;
    self->known_ns = self->time_ns;
    self->known_pts = GST_BUFFER_PTS(frame->buffer);
    return GST_FLOW_OK;
}

/* What to do with the bytes: pass *skip of them, wait until packet->size are there, or cut one. */
static sac_status look(SacDeltaParse *self, const GstMapInfo *map, gboolean is_all,
                       sac_delta_packet *packet, gsize *skip, sac_error *err)
{
    *skip = before_magic(map->data, map->size);
    if (*skip > 0)
        return SAC_E_FORMAT;
    const sac_status status = sac_delta_peek(packet, map->data, map->size, MAX_PIXELS, err);
    if (status == SAC_E_FORMAT)
        *skip = MIN(behind(self, packet->size), map->size);
    else if (status == SAC_AGAIN && is_all) /* no more come */
        *skip = 1;
    return *skip ? SAC_E_FORMAT : status;
}

static GstFlowReturn handle_frame(GstBaseParse *parse, GstBaseParseFrame *frame, gint *skip)
{
    SacDeltaParse *self = self_of(parse);
    sac_delta_packet packet;
    sac_error err = {SAC_OK, ""};
    GstMapInfo map;
    gsize n_skip = 0;
    if (!gst_buffer_map(frame->buffer, &map, GST_MAP_READ))
        return sac_gst_fail(GST_ELEMENT(self), SAC_E_IO, &err);
    const sac_status status =
        look(self, &map, GST_BASE_PARSE_DRAINING(parse), &packet, &n_skip, &err);
    gst_buffer_unmap(frame->buffer, &map);
    gst_base_parse_set_min_frame_size(parse, status == SAC_AGAIN ? (guint)packet.size : HEADER);
    *skip = (gint)n_skip;
    self->passed += n_skip;
    if (status == SAC_E_UNSUPPORTED)
        return sac_gst_fail(GST_ELEMENT(self), status, &err);
    if (status != SAC_OK)
        return GST_FLOW_OK;
    self->passed += packet.size;
    set_caps(self);
    self->time_ns = packet.time_ns;
    GST_BUFFER_PTS(frame->buffer) = GST_BUFFER_DTS(frame->buffer) = time_of(self);
    if (packet.is_key)
        gst_buffer_unset_flags(frame->buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    else
        gst_buffer_set_flags(frame->buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    return gst_base_parse_finish_frame(parse, frame, (gint)packet.size);
}

static gboolean start(GstBaseParse *parse)
{
    SacDeltaParse *self = self_of(parse);
    self->has_times = self->has_caps = FALSE;
    self->passed = self->searched = 0;
    gst_base_parse_set_min_frame_size(parse, HEADER);
    gst_base_parse_set_has_timing_info(parse, TRUE);
    gst_base_parse_set_infer_ts(parse, FALSE);
    gst_base_parse_set_pts_interpolation(parse, FALSE);
    return TRUE;
}

static gboolean set_sink_caps(GstBaseParse *parse, GstCaps *caps)
{
    (void)caps;
    self_of(parse)->has_caps = FALSE;
    return TRUE;
}

static gboolean sink_event(GstBaseParse *parse, GstEvent *event)
{
    if (GST_EVENT_TYPE(event) == GST_EVENT_STREAM_START)
        self_of(parse)->has_times = FALSE;
    return GST_BASE_PARSE_CLASS(sac_deltaparse_parent_class)->sink_event(parse, event);
}

static void sac_deltaparse_class_init(SacDeltaParseClass *class)
{
    GstElementClass *element = GST_ELEMENT_CLASS(class);
    GstCaps *bytes = gst_caps_from_string(SAC_GST_DELTA_CAPS),
            *packets = gst_caps_from_string(SAC_GST_DELTA_PACKETS);
    gst_element_class_add_pad_template(
        element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, bytes));
    gst_element_class_add_pad_template(
        element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, packets));
    gst_caps_unref(bytes);
    gst_caps_unref(packets);
    gst_element_class_set_metadata(
        element, "Delta stream parser (saccade)", "Codec/Parser/Video",
        "Cuts the bytes of an .sdv file or of a connection into packets for sacdeltadec, and gives "
        "them their times. Damaged packets are left out",
        SAC_GST_AUTHOR);
    class->start = start;
    class->set_sink_caps = set_sink_caps;
    class->sink_event = sink_event;
    class->handle_frame = handle_frame;
    class->pre_push_frame = pre_push_frame;
}

static void sac_deltaparse_init(SacDeltaParse *self)
{
    GST_PAD_SET_ACCEPT_INTERSECT(GST_BASE_PARSE_SINK_PAD(self));
    GST_PAD_SET_ACCEPT_TEMPLATE(GST_BASE_PARSE_SINK_PAD(self));
}
