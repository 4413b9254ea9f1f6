/*
 * sacdeltaenc: frames to packets of what changed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/video/gstvideoencoder.h>
#include <saccade/delta.h>

#include "delta.h"

typedef struct SacDeltaEnc {
    GstVideoEncoder parent;
    SacOptions *options;
    sac_delta_encode *plan;
    GstVideoCodecState *input;
    gboolean wants_key; /* of a frame that was dropped */
    guint64 time_ns;    /* of the last packet: time must not go back */
    guint64 n_packets;  /* since the element started, as the next two */
    guint64 bytes_in, bytes_out;
} SacDeltaEnc;

typedef GstVideoEncoderClass SacDeltaEncClass;

G_DEFINE_TYPE(SacDeltaEnc, sac_deltaenc, GST_TYPE_VIDEO_ENCODER)

static SacDeltaEnc *self_of(gpointer instance)
{
    return instance;
}

static void init_desc(void *desc)
{
    sac_delta_encode_desc_init(desc);
}

static GstFlowReturn open_plan(SacDeltaEnc *self)
{
    const SacPixels pixels = sac_pixels_of(&self->input->info);
    sac_error err = {SAC_OK, ""};
    sac_delta_encode_close(&self->plan);
    sac_delta_encode_desc *desc = sac_options_take(self->options, &err);
    if (!desc)
        return sac_gst_fail(GST_ELEMENT(self), err.status, &err);
    desc->w = pixels.w;
    desc->h = pixels.h;
    desc->n_channels = pixels.n_channels;
    desc->order = pixels.order;
    const sac_status status = sac_delta_encode_open(&self->plan, desc, &err);
    sac_options_free(self->options->table, desc);
    self->time_ns = 0;
    return status ? sac_gst_fail(GST_ELEMENT(self), status, &err) : GST_FLOW_OK;
}

static gboolean set_format(GstVideoEncoder *encoder, GstVideoCodecState *input)
{
    SacDeltaEnc *self = self_of(encoder);
    g_clear_pointer(&self->input, gst_video_codec_state_unref);
    self->input = gst_video_codec_state_ref(input);
    if (open_plan(self) != GST_FLOW_OK)
        return FALSE;
    GstCaps *caps = gst_caps_from_string(SAC_GST_DELTA_PACKETS);
    gst_caps_set_simple(caps, "format", G_TYPE_STRING,
                        gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&input->info)), NULL);
    gst_video_codec_state_unref(gst_video_encoder_set_output_state(encoder, caps, input));
    return gst_video_encoder_negotiate(encoder);
}

static void count(SacDeltaEnc *self, const sac_delta_packet *packet, GstClockTime pts)
{
    const SacPixels pixels = sac_pixels_of(&self->input->info);
    const guint64 n = (guint64)(pixels.w * pixels.h * pixels.n_channels);
    self->n_packets++;
    self->bytes_in += n;
    self->bytes_out += packet->size;
    GstStructure *counts =
        sac_report_begin(self->options, &GST_VIDEO_ENCODER(self)->input_segment, pts);
    if (!counts)
        return;
    gst_structure_set(counts, "bytes", G_TYPE_UINT64, (guint64)packet->size, "ratio", G_TYPE_DOUBLE,
                      (double)n / (double)packet->size, "keyframe", G_TYPE_BOOLEAN, packet->is_key,
                      "packets", G_TYPE_UINT64, self->n_packets, "total-bytes", G_TYPE_UINT64,
                      self->bytes_out, "total-ratio", G_TYPE_DOUBLE,
                      (double)self->bytes_in / (double)self->bytes_out, NULL);
    sac_report_post(self->options, counts);
}

static sac_status encode(SacDeltaEnc *self, GstVideoCodecFrame *frame, sac_error *err)
{
    GstVideoFrame picture;
    sac_delta_packet packet = {0};
    if (!sac_frame_map(&picture, &self->input->info, frame->input_buffer, GST_MAP_READ)) {
        g_strlcpy(err->text, "a buffer cannot be mapped as a frame of its caps", sizeof err->text);
        return SAC_E_SHAPE;
    }
    const sac_array array = sac_array_of(&picture);
    if (GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME(frame) || self->wants_key)
        sac_delta_encode_key(self->plan);
    self->wants_key = FALSE;
    if (GST_CLOCK_TIME_IS_VALID(frame->pts))
        self->time_ns = MAX(self->time_ns, frame->pts);
    const sac_status status = sac_delta_encode_run(self->plan, &packet, &array, self->time_ns, err);
    gst_video_frame_unmap(&picture);
    if (status)
        return status;
    frame->output_buffer = gst_buffer_new_memdup(packet.data, packet.size);
    frame->dts = frame->pts;
    if (packet.is_key)
        GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT(frame);
    count(self, &packet, frame->pts);
    return SAC_OK;
}

static GstFlowReturn handle_frame(GstVideoEncoder *encoder, GstVideoCodecFrame *frame)
{
    SacDeltaEnc *self = self_of(encoder);
    sac_error err = {SAC_OK, ""};
    GstFlowReturn flow = GST_FLOW_OK;
    if (!self->plan || sac_options_are_new(self->options))
        flow = open_plan(self);
    if (flow == GST_FLOW_OK && gst_video_encoder_get_max_encode_time(encoder, frame) < 0) {
        /* Too late: no packet, and the next one is coded against the picture before. */
        self->wants_key |= GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME(frame) != 0;
        return gst_video_encoder_finish_frame(encoder, frame);
    }
    const sac_status status = flow == GST_FLOW_OK ? encode(self, frame, &err) : SAC_OK;
    if (status)
        flow = sac_gst_fail(GST_ELEMENT(self), status, &err);
    const GstFlowReturn finished = gst_video_encoder_finish_frame(encoder, frame);
    return flow == GST_FLOW_OK ? finished : flow;
}

/* What comes next begins a new stream: with a keyframe, at any time. */
static gboolean flush(GstVideoEncoder *encoder)
{
    sac_delta_encode_close(&self_of(encoder)->plan);
    return TRUE;
}

static gboolean start(GstVideoEncoder *encoder)
{
    SacDeltaEnc *self = self_of(encoder);
    self->options->report.last = GST_CLOCK_TIME_NONE;
    self->n_packets = self->bytes_in = self->bytes_out = 0;
    return TRUE;
}

static gboolean stop(GstVideoEncoder *encoder)
{
    SacDeltaEnc *self = self_of(encoder);
    sac_delta_encode_close(&self->plan);
    g_clear_pointer(&self->input, gst_video_codec_state_unref);
    self->wants_key = FALSE;
    return TRUE;
}

static gboolean propose_allocation(GstVideoEncoder *encoder, GstQuery *query)
{
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
    return GST_VIDEO_ENCODER_CLASS(sac_deltaenc_parent_class)->propose_allocation(encoder, query);
}

static gboolean transform_meta(GstVideoEncoder *encoder, GstVideoCodecFrame *frame, GstMeta *meta)
{
    (void)encoder, (void)frame;
    return sac_meta_stays(meta, TRUE);
}

static void sac_deltaenc_class_init(SacDeltaEncClass *class)
{
    GstElementClass *element = GST_ELEMENT_CLASS(class);
    GstVideoEncoderClass *encoder = GST_VIDEO_ENCODER_CLASS(class);
    GstCaps *raw = gst_caps_from_string(GST_VIDEO_CAPS_MAKE(SAC_GST_FORMATS)),
            *packets = gst_caps_from_string(SAC_GST_DELTA_PACKETS);
    sac_options_install(G_OBJECT_CLASS(class), sac_delta_encode_params(), TRUE);
    gst_element_class_add_pad_template(
        element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, raw));
    gst_element_class_add_pad_template(
        element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, packets));
    gst_caps_unref(raw);
    gst_caps_unref(packets);
    gst_element_class_set_metadata(
        element, "Delta stream encoder (saccade)", "Codec/Encoder/Video",
        "Encodes video as packets of only what changed by more than threshold: no channel of a "
        "pixel is ever off by more; 0 is lossless. A force-key-unit event makes the next packet a "
        "keyframe. Packets in a file one after the other are an .sdv file",
        SAC_GST_AUTHOR);
    encoder->start = start;
    encoder->stop = stop;
    encoder->flush = flush;
    encoder->set_format = set_format;
    encoder->handle_frame = handle_frame;
    encoder->propose_allocation = propose_allocation;
    encoder->transform_meta = transform_meta;
}

static void sac_deltaenc_init(SacDeltaEnc *self)
{
    self->options = sac_options_add(GST_ELEMENT(self), sac_delta_encode_params(), init_desc);
}
