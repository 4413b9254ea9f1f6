/*
 * sacdeltadec: packets of what changed to frames. A picture comes out whole or not at all.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/video/gstvideodecoder.h>
#include <saccade/delta.h>
#include <string.h>

#include "delta.h"

#define ASK_AGAIN (250 * GST_MSECOND) /* for a keyframe, where none comes */
#define ASK_AGAIN_PACKETS 8           /* the same, where packets have no times */

typedef struct SacDeltaDec {
    GstVideoDecoder parent;
    SacOptions *options;
    sac_delta_decode *plan;
    GstVideoCodecState *input; /* NULL: no caps came */
    GstVideoInfo output;       /* that is negotiated */
    gboolean is_negotiated;

    gboolean has_asked; /* for a keyframe, at this running time, so many packets ago */
    GstClockTime asked_at;
    guint asked_before;

    sac_delta_counts before; /* of plans that are closed */
    guint64 n_asked;
} SacDeltaDec;

typedef GstVideoDecoderClass SacDeltaDecClass;

G_DEFINE_TYPE(SacDeltaDec, sac_deltadec, GST_TYPE_VIDEO_DECODER)

static SacDeltaDec *self_of(gpointer instance)
{
    return instance;
}

static void init_desc(void *desc)
{
    sac_delta_decode_desc_init(desc);
}

static sac_delta_counts counts_of(const SacDeltaDec *self)
{
    sac_delta_counts all = self->before, now = {.struct_size = sizeof now};
    sac_delta_decode_get_counts(self->plan, &now);
    all.frames += now.frames;
    all.damaged += now.damaged;
    all.foreign += now.foreign;
    all.truncated += now.truncated;
    all.lost += now.lost;
    all.late += now.late;
    return all;
}

static void close_plan(SacDeltaDec *self)
{
    self->before = counts_of(self);
    sac_delta_decode_close(&self->plan);
    self->has_asked = FALSE;
}

static GstFlowReturn open_plan(SacDeltaDec *self)
{
    sac_error err = {SAC_OK, ""};
    close_plan(self);
    sac_delta_decode_desc *desc = sac_options_take(self->options, &err);
    if (!desc)
        return sac_gst_fail(GST_ELEMENT(self), err.status, &err);
    const sac_status status = sac_delta_decode_open(&self->plan, desc, &err);
    sac_options_free(self->options->table, desc);
    return status ? sac_gst_fail(GST_ELEMENT(self), status, &err) : GST_FLOW_OK;
}

static gboolean set_format(GstVideoDecoder *decoder, GstVideoCodecState *input)
{
    SacDeltaDec *self = self_of(decoder);
    g_clear_pointer(&self->input, gst_video_codec_state_unref);
    self->input = gst_video_codec_state_ref(input);
    self->is_negotiated = FALSE;
    return TRUE;
}

/* RGBA and BGRx are what the command's --format has, too. Caps may tell more than packets do. */
static GstVideoFormat format_of(const SacDeltaDec *self, const sac_delta_frame *frame)
{
    const gint64 n_channels = frame->picture.n_dims == 2 ? 1 : frame->picture.shape[2];
    const gboolean is_bgr = frame->order == SAC_ORDER_BGR;
    const GstVideoFormat usual = n_channels == 1 ? GST_VIDEO_FORMAT_GRAY8
                                 : n_channels == 3
                                     ? is_bgr ? GST_VIDEO_FORMAT_BGR : GST_VIDEO_FORMAT_RGB
                                 : is_bgr ? GST_VIDEO_FORMAT_BGRx
                                          : GST_VIDEO_FORMAT_RGBA;
    const char *name =
        self->input
            ? gst_structure_get_string(gst_caps_get_structure(self->input->caps, 0), "format")
            : NULL;
    const GstVideoFormat told =
        name ? gst_video_format_from_string(name) : GST_VIDEO_FORMAT_UNKNOWN;
    GstVideoInfo a, b;
    if (told == GST_VIDEO_FORMAT_UNKNOWN || !gst_video_info_set_format(&a, told, 16, 16) ||
        !gst_video_info_set_format(&b, usual, 16, 16) || GST_VIDEO_INFO_N_PLANES(&a) != 1 ||
        !GST_VIDEO_INFO_IS_RGB(&a) || frame->order == SAC_ORDER_UNKNOWN)
        return usual;
    const SacPixels by_caps = sac_pixels_of(&a), by_packet = sac_pixels_of(&b);
    return by_caps.n_channels == by_packet.n_channels && by_caps.order == by_packet.order ? told
                                                                                          : usual;
}

static gboolean negotiate(SacDeltaDec *self, const sac_delta_frame *frame)
{
    GstVideoDecoder *decoder = GST_VIDEO_DECODER(self);
    const GstVideoFormat format = format_of(self, frame);
    const guint w = (guint)frame->picture.shape[1], h = (guint)frame->picture.shape[0];
    if (self->is_negotiated && format == GST_VIDEO_INFO_FORMAT(&self->output) &&
        w == (guint)GST_VIDEO_INFO_WIDTH(&self->output) &&
        h == (guint)GST_VIDEO_INFO_HEIGHT(&self->output))
        return TRUE;
    GstVideoCodecState *output =
        gst_video_decoder_set_output_state(decoder, format, w, h, self->input);
    self->output = output->info;
    gst_video_codec_state_unref(output);
    self->is_negotiated = gst_video_decoder_negotiate(decoder);
    return self->is_negotiated;
}

/* Asks upstream for a keyframe: at once, and again where none comes. */
static void ask(SacDeltaDec *self, GstVideoCodecFrame *frame)
{
    const GstClockTime now = frame->deadline;
    const gboolean is_timed =
        GST_CLOCK_TIME_IS_VALID(now) && GST_CLOCK_TIME_IS_VALID(self->asked_at);
    if (self->has_asked && (is_timed ? now >= self->asked_at && now - self->asked_at < ASK_AGAIN
                                     : ++self->asked_before < ASK_AGAIN_PACKETS))
        return;
    self->has_asked = TRUE;
    self->asked_at = now;
    self->asked_before = 0;
    self->n_asked++;
    gst_video_decoder_request_sync_point(GST_VIDEO_DECODER(self), frame,
                                         (GstVideoDecoderRequestSyncPointFlags)0);
}

static void report(SacDeltaDec *self, const sac_delta_frame *frame, gsize size, GstClockTime pts)
{
    GstStructure *structure =
        sac_report_begin(self->options, &GST_VIDEO_DECODER(self)->input_segment, pts);
    if (!structure)
        return;
    const sac_delta_counts all = counts_of(self);
    gst_structure_set(structure, "bytes", G_TYPE_UINT64, (guint64)size, "keyframe", G_TYPE_BOOLEAN,
                      frame->is_key, "waiting", G_TYPE_BOOLEAN, frame->wants_key, "frames",
                      G_TYPE_UINT64, all.frames, "lost", G_TYPE_UINT64, all.lost, "damaged",
                      G_TYPE_UINT64, all.damaged + all.foreign + all.truncated, "late",
                      G_TYPE_UINT64, all.late, "key-requests", G_TYPE_UINT64, self->n_asked, NULL);
    if (frame->picture.data) {
        const gint64 *shape = frame->picture.shape;
        const gint64 n = shape[0] * shape[1] * (frame->picture.n_dims == 2 ? 1 : shape[2]);
        gst_structure_set(structure, "ratio", G_TYPE_DOUBLE, (double)n / (double)size, "threshold",
                          G_TYPE_INT, frame->threshold, NULL);
    }
    sac_report_post(self->options, structure);
}

/* The decoder keeps its picture for the next packet: the buffer gets a copy. */
static gboolean copy_picture(SacDeltaDec *self, GstBuffer *buffer, const sac_array *picture)
{
    GstVideoFrame out;
    if (!sac_frame_map(&out, &self->output, buffer, GST_MAP_WRITE))
        return FALSE;
    const sac_array to = sac_array_of(&out);
    const gsize row = (gsize)(picture->shape[1] * picture->stride[1]);
    for (gint64 y = 0; y < picture->shape[0]; y++)
        memcpy((char *)to.data + y * to.stride[0],
               (const char *)picture->data + y * picture->stride[0], row);
    gst_video_frame_unmap(&out);
    return TRUE;
}

static GstFlowReturn finish(SacDeltaDec *self, GstVideoCodecFrame *frame,
                            const sac_delta_frame *decoded)
{
    GstVideoDecoder *decoder = GST_VIDEO_DECODER(self);
    GstFlowReturn flow = GST_FLOW_NOT_NEGOTIATED;
    self->has_asked = FALSE;
    if (gst_video_decoder_get_max_decode_time(decoder, frame) < 0)
        return gst_video_decoder_drop_frame(decoder, frame);
    if (decoded->is_key)
        GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT(frame);
    if (negotiate(self, decoded))
        flow = gst_video_decoder_allocate_output_frame(decoder, frame);
    if (flow == GST_FLOW_OK && !copy_picture(self, frame->output_buffer, &decoded->picture)) {
        const sac_error err = {SAC_E_SHAPE, "an output buffer cannot be mapped as a frame"};
        flow = sac_gst_fail(GST_ELEMENT(self), err.status, &err);
    }
    if (flow != GST_FLOW_OK) {
        gst_video_decoder_release_frame(decoder, frame);
        return flow;
    }
    return gst_video_decoder_finish_frame(decoder, frame);
}

/* A packet that gave no picture: nothing is shown in its place. */
static GstFlowReturn pass_over(SacDeltaDec *self, GstVideoCodecFrame *frame,
                               const sac_delta_frame *decoded, sac_status status)
{
    GstVideoDecoder *decoder = GST_VIDEO_DECODER(self);
    GST_INFO_OBJECT(self, "no picture: %s", sac_status_name(status));
    if (decoded->wants_key)
        ask(self, frame);
    /* To drop a frame that has no time would move the times of those after it. */
    if (decoded->wants_key && GST_CLOCK_TIME_IS_VALID(frame->pts))
        return gst_video_decoder_drop_frame(decoder, frame);
    gst_video_decoder_release_frame(decoder, frame);
    return GST_FLOW_OK;
}

static GstFlowReturn handle_frame(GstVideoDecoder *decoder, GstVideoCodecFrame *frame)
{
    SacDeltaDec *self = self_of(decoder);
    sac_error err = {SAC_OK, ""};
    sac_delta_frame decoded;
    GstMapInfo map;
    if ((!self->plan || sac_options_are_new(self->options)) && open_plan(self) != GST_FLOW_OK) {
        gst_video_decoder_release_frame(decoder, frame);
        return GST_FLOW_ERROR;
    }
    if (!gst_buffer_map(frame->input_buffer, &map, GST_MAP_READ)) {
        gst_video_decoder_release_frame(decoder, frame);
        return sac_gst_fail(GST_ELEMENT(self), SAC_E_IO, &err);
    }
    const gsize size = map.size;
    const sac_status status = sac_delta_decode_run(
        self->plan, &decoded, map.data ? map.data : (const void *)"", size, &err);
    gst_buffer_unmap(frame->input_buffer, &map);
    report(self, &decoded, size, frame->pts);
    if (status == SAC_OK)
        return finish(self, frame, &decoded);
    if (status == SAC_AGAIN || status == SAC_E_FORMAT)
        return pass_over(self, frame, &decoded, status);
    gst_video_decoder_release_frame(decoder, frame);
    return sac_gst_fail(GST_ELEMENT(self), status, &err);
}

static gboolean flush(GstVideoDecoder *decoder)
{
    close_plan(self_of(decoder));
    return TRUE;
}

static gboolean start(GstVideoDecoder *decoder)
{
    SacDeltaDec *self = self_of(decoder);
    self->options->report.last = GST_CLOCK_TIME_NONE;
    self->before = (sac_delta_counts){.struct_size = sizeof self->before};
    self->n_asked = 0;
    return TRUE;
}

static gboolean stop(GstVideoDecoder *decoder)
{
    SacDeltaDec *self = self_of(decoder);
    close_plan(self);
    g_clear_pointer(&self->input, gst_video_codec_state_unref);
    self->is_negotiated = FALSE;
    return TRUE;
}

static gboolean transform_meta(GstVideoDecoder *decoder, GstVideoCodecFrame *frame, GstMeta *meta)
{
    (void)decoder, (void)frame;
    return sac_meta_stays(meta, TRUE);
}

static void sac_deltadec_class_init(SacDeltaDecClass *class)
{
    GstElementClass *element = GST_ELEMENT_CLASS(class);
    GstVideoDecoderClass *decoder = GST_VIDEO_DECODER_CLASS(class);
    GstCaps *packets = gst_caps_from_string(SAC_GST_DELTA_PACKETS),
            *raw = gst_caps_from_string(GST_VIDEO_CAPS_MAKE(SAC_GST_FORMATS));
    sac_options_install(G_OBJECT_CLASS(class), sac_delta_decode_params(), TRUE);
    gst_element_class_add_pad_template(
        element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, packets));
    gst_element_class_add_pad_template(
        element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, raw));
    gst_caps_unref(packets);
    gst_caps_unref(raw);
    gst_element_class_set_metadata(
        element, "Delta stream decoder (saccade)", "Codec/Decoder/Video",
        "Decodes packets of sacdeltaenc (of a file: after sacdeltaparse). After a lost or damaged "
        "packet it asks upstream for a keyframe (force-key-unit) and gives no picture until one "
        "comes: no wrong picture is ever shown",
        SAC_GST_AUTHOR);
    decoder->start = start;
    decoder->stop = stop;
    decoder->flush = flush;
    decoder->set_format = set_format;
    decoder->handle_frame = handle_frame;
    decoder->transform_meta = transform_meta;
}

static void sac_deltadec_init(SacDeltaDec *self)
{
    self->options = sac_options_add(GST_ELEMENT(self), sac_delta_decode_params(), init_desc);
}
