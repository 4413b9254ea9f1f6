/*
 * FFmpeg's codecs as bench_delta drives them, through libavcodec and on frames in memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

#include "command.h"
#include "delta_bench.h"

typedef struct stream {
    AVPacket **packets;
    int64_t n, room;
    AVCodecParameters *parameters;
} stream;

static int quantizer; /* of coders with a threshold, for the clip at hand */

static void discard(void *memory)
{
    stream *s = memory;
    if (!s)
        return;
    for (int64_t i = 0; i < s->n; i++)
        av_packet_free(&s->packets[i]);
    avcodec_parameters_free(&s->parameters);
    free(s->packets);
    free(s);
}

/* Copies a frame in or out; where `worst` is given, compares instead. Any RGB of 8 bits. */
static void exchange(AVFrame *frame, uint8_t *bgr, bool is_in, int *worst)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get((enum AVPixelFormat)frame->format);
    for (int c = 0; c < 3; c++) {
        const AVComponentDescriptor *p = &d->comp[2 - c]; /* the first is red */
        for (int y = 0; y < frame->height; y++) {
            uint8_t *theirs = frame->data[p->plane] + y * frame->linesize[p->plane] + p->offset;
            uint8_t *ours = bgr + (ptrdiff_t)y * frame->width * 3 + c;
            for (int x = 0; x < frame->width; x++, theirs += p->step, ours += 3) {
                if (is_in)
                    *theirs = *ours;
                else
                    *worst = bench_worst(theirs, ours, 1, *worst);
            }
        }
    }
}

static bool is_rgb(enum AVPixelFormat format)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);
    return d && (d->flags & AV_PIX_FMT_FLAG_RGB) && d->nb_components == 3 && d->comp[0].depth == 8;
}

/* The first of an encoder's pixel formats that holds RGB of 8 bits. */
static enum AVPixelFormat format_of(const AVCodec *codec)
{
    const enum AVPixelFormat *format = codec->pix_fmts;
    while (format && *format != AV_PIX_FMT_NONE && !is_rgb(*format))
        format++;
    return format ? *format : AV_PIX_FMT_NONE;
}

static const char *missing(const bench_coder *coder)
{
    const AVCodec *codec = avcodec_find_encoder_by_name(coder->codec);
    if (!codec)
        return "this libavcodec has no such encoder";
    if (!avcodec_find_decoder(codec->id))
        return "this libavcodec has no decoder of it";
    return format_of(codec) == AV_PIX_FMT_NONE ? "it takes no RGB" : NULL;
}

static AVCodecContext *open_encoder(const bench_coder *coder, const bench_clip *clip,
                                    int32_t n_threads)
{
    const AVCodec *codec = avcodec_find_encoder_by_name(coder->codec);
    AVCodecContext *context = avcodec_alloc_context3(codec);
    AVDictionary *options = NULL;
    av_log_set_level(AV_LOG_ERROR);
    context->width = clip->w;
    context->height = clip->h;
    context->pix_fmt = format_of(codec);
    context->time_base = (AVRational){1, 25};
    context->thread_count = n_threads;
    int status = av_dict_parse_string(&options, coder->options, "=", ":", 0);
    if (status >= 0 && coder->threshold)
        status = av_dict_set_int(&options, "qp", quantizer, 0);
    if (status >= 0)
        status = avcodec_open2(context, codec, &options);
    if (status < 0 || av_dict_count(options) > 0) /* some it did not know */
        avcodec_free_context(&context);
    av_dict_free(&options);
    return context;
}

static void free_frames(AVFrame **frames, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        av_frame_free(&frames[i]);
    free(frames);
}

/* All frames of the clip in the encoder's own format. */
static AVFrame **make_frames(const bench_clip *clip, const AVCodecContext *context)
{
    AVFrame **frames = cli_grow(NULL, 0, (size_t)clip->n_frames, sizeof(AVFrame *));
    for (int64_t i = 0; i < clip->n_frames; i++) {
        AVFrame *frame = frames[i] = av_frame_alloc();
        frame->width = clip->w;
        frame->height = clip->h;
        frame->format = context->pix_fmt;
        frame->pts = i;
        if (av_frame_get_buffer(frame, 0) < 0)
            exit(cli_fail("out of memory for %lld frames", (long long)clip->n_frames));
        exchange(frame, clip->frames + (size_t)i * bench_frame_bytes(clip), true, NULL);
    }
    return frames;
}

/* Takes the packets that are ready. */
static bool take_packets(AVCodecContext *context, stream *s)
{
    int status = 0;
    while (status >= 0) {
        AVPacket *packet = av_packet_alloc();
        status = avcodec_receive_packet(context, packet);
        if (status < 0 || s->n == s->room)
            av_packet_free(&packet);
        else
            s->packets[s->n++] = packet;
    }
    return status == AVERROR(EAGAIN) || status == AVERROR_EOF;
}

static void *encode(const bench_coder *coder, const bench_clip *clip, int32_t n_threads,
                    uint64_t *bytes, bench_time *time)
{
    AVCodecContext *context = open_encoder(coder, clip, n_threads);
    if (!context)
        return cli_fail("%s: the encoder does not open", coder->name), NULL;
    AVFrame **frames = make_frames(clip, context);
    stream *s = cli_grow(NULL, 0, 1, sizeof *s);
    s->room = clip->n_frames;
    s->packets = cli_grow(NULL, 0, (size_t)s->room, sizeof *s->packets);
    bool ok = true;
    const bench_time start = bench_now();
    for (int64_t i = 0; i <= clip->n_frames && ok; i++) /* the last is none: no more come */
        ok = avcodec_send_frame(context, i < clip->n_frames ? frames[i] : NULL) >= 0 &&
             take_packets(context, s);
    *time = bench_since(start);
    s->parameters = avcodec_parameters_alloc();
    ok = ok && avcodec_parameters_from_context(s->parameters, context) >= 0;
    *bytes = (uint64_t)context->extradata_size;
    for (int64_t i = 0; i < s->n; i++)
        *bytes += (uint64_t)s->packets[i]->size;
    free_frames(frames, clip->n_frames);
    avcodec_free_context(&context);
    if (ok)
        return s;
    discard(s);
    return NULL;
}

/* Takes the frames that are ready; returns how many there are then, -1 where one is wrong. */
static int64_t take_frames(AVCodecContext *context, AVFrame *frame, const bench_clip *clip,
                           int64_t n, int *worst)
{
    int status;
    while ((status = avcodec_receive_frame(context, frame)) >= 0) {
        if (n >= clip->n_frames || frame->width != clip->w || frame->height != clip->h ||
            !is_rgb((enum AVPixelFormat)frame->format))
            return -1;
        if (worst)
            exchange(frame, clip->frames + (size_t)n * bench_frame_bytes(clip), false, worst);
        n++;
    }
    return status == AVERROR(EAGAIN) || status == AVERROR_EOF ? n : -1;
}

static int64_t decode(const bench_coder *coder, const bench_clip *clip, int32_t n_threads,
                      void *memory, int *worst, bench_time *time)
{
    const stream *s = memory;
    const AVCodec *codec = avcodec_find_decoder(s->parameters->codec_id);
    AVCodecContext *context = avcodec_alloc_context3(codec);
    AVFrame *frame = av_frame_alloc();
    int64_t n = -1;
    if (avcodec_parameters_to_context(context, s->parameters) >= 0) {
        context->thread_count = n_threads;
        n = avcodec_open2(context, codec, NULL) >= 0 ? 0 : -1;
    }
    if (n < 0)
        cli_fail("%s: the decoder does not open", coder->name);
    const bench_time start = bench_now();
    for (int64_t i = 0; i <= s->n && n >= 0; i++) {
        int sent = avcodec_send_packet(context, i < s->n ? s->packets[i] : NULL);
        n = sent >= 0 ? take_frames(context, frame, clip, n, worst) : -1;
    }
    *time = bench_since(start);
    av_frame_free(&frame);
    avcodec_free_context(&context);
    return n;
}

/* The largest error at a quantizer; INT_MAX where the coder fails. */
static int worst_at(const bench_coder *coder, const bench_clip *clip, int qp)
{
    uint64_t bytes;
    bench_time unused;
    int worst = 0;
    quantizer = qp;
    void *s = encode(coder, clip, 1, &bytes, &unused);
    if (!s || decode(coder, clip, 1, s, &worst, &unused) != clip->n_frames)
        worst = INT_MAX;
    discard(s);
    return worst;
}

/* The coarsest quantizer whose pictures are all within the threshold: the error grows with it. */
static bool find_quantizer(const bench_coder *coder, const bench_clip *clip, FILE *text)
{
    int good = 0, bad = 52; /* 0 is lossless, and there is no 52 */
    while (bad - good > 1) {
        const int middle = (good + bad) / 2;
        if (worst_at(coder, clip, middle) <= coder->threshold)
            good = middle;
        else
            bad = middle;
    }
    quantizer = good;
    fprintf(text, "%s, %s: qp %d\n", clip->name, coder->name, good);
    return worst_at(coder, clip, good) <= coder->threshold;
}

#define FFMPEG(text, encoder, with)                                                                \
    {                                                                                              \
        .name = text, .codec = encoder, .options = with, BENCH_CODER                               \
    }

const bench_coder bench_ffmpeg_coders[] = {
    FFMPEG("FFmpeg ffv1", "ffv1", ""),
    FFMPEG("FFmpeg utvideo, median", "utvideo", "pred=median"),
    FFMPEG("FFmpeg huffyuv", "huffyuv", ""),
    FFMPEG("x264 lossless, ultrafast", "libx264rgb", "preset=ultrafast:qp=0"),
    {.name = "x264 zerolatency, T = 20",
     .threshold = 20,
     .codec = "libx264rgb",
     .options = "preset=superfast:tune=zerolatency",
     .prepare = find_quantizer,
     BENCH_CODER},
};
const int bench_n_ffmpeg_coders = sizeof bench_ffmpeg_coders / sizeof *bench_ffmpeg_coders;

const char *bench_ffmpeg_version(void)
{
    return av_version_info();
}
