/*
 * Frames into .mp4 or .mkv: appsrc ! videoconvert ! encoder ! muxer ! filesink, a pipeline by
 * itself, so that a slow encoder delays nothing else.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "film.h"

#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "loop.h"

#define BITS_PER_PIXEL 0.1
#define MOST_RATE 1e9 /* of what an encoder is told */
#define USUAL_FPS 30
#define MOST_BYTES (128u << 20)  /* of frames that wait for the encoder */
#define STEP GST_MSECOND         /* between two frames at least: what Matroska can tell apart */
#define END_NS (10 * GST_SECOND) /* for the file to be completed, */
#define END_BYTES (1u << 20)     /* and what that takes at most, */
#define FRAME_BYTES 64           /* with so much for each frame */

/* In the order in which they are taken. Parsers are needed where an encoder's stream is not what a
 * file has. Keyframes each 2 s or so: a film can be entered there. */
static const struct {
    const char *name, *launch; /* %d: bits per second over `unit` */
    int unit;
    bool in_mp4;
} encoders[] = {
    {"x264enc",
     "x264enc name=encoder speed-preset=veryfast tune=zerolatency key-int-max=60 bitrate=%d ! "
     "h264parse",
     1000, true},
    {"openh264enc", "openh264enc name=encoder complexity=low gop-size=60 bitrate=%d ! h264parse", 1,
     true},
    {"vp8enc", "vp8enc name=encoder deadline=1 cpu-used=8 keyframe-max-dist=60 target-bitrate=%d",
     1, false},
    {"vp9enc",
     "vp9enc name=encoder deadline=1 cpu-used=8 keyframe-max-dist=60 target-bitrate=%d ! vp9parse",
     1, true},
    {"av1enc",
     "av1enc name=encoder cpu-used=8 usage-profile=realtime keyframe-max-dist=60 "
     "target-bitrate=%d ! av1parse",
     1000, true},
};

/* A file whose program was killed can be played, too: MP4 is written in fragments, and becomes an
 * ordinary one at its end. */
static const char *const muxers[] = {
    [CLI_LIVE_MP4] = "mp4mux fragment-duration=1000 fragment-mode=first-moov-then-finalise",
    [CLI_LIVE_MKV] = "matroskamux",
};

struct cli_live_film {
    const char *path;
    GstElement *pipeline, *in;
    GstClockTime first, next; /* PTS of the first frame; the least of the next in the file */
    uint64_t n_frames;
    bool has_failed;
};

/* Whether there is an element of this name, which ends at a blank. */
static bool has(const char *text)
{
    char *name = g_strndup(text, strcspn(text, " "));
    GstElementFactory *factory = gst_element_factory_find(name);
    const bool is_there = factory != NULL;
    g_clear_object(&factory);
    g_free(name);
    return is_there;
}

/* An index of `encoders`; -1: none. */
static int find_encoder(cli_live_format format)
{
    for (size_t i = 0; i < G_N_ELEMENTS(encoders); i++) {
        const char *parser = strstr(encoders[i].launch, "! ");
        if (has(encoders[i].name) && (!parser || has(parser + 2)) &&
            (encoders[i].in_mp4 || format != CLI_LIVE_MP4)) {
            return (int)i;
        }
    }
    return -1;
}

const char *cli_live_film_encoder(cli_live_format format)
{
    const bool is_mp4 = format == CLI_LIVE_MP4;
    const int i = has(muxers[format]) ? find_encoder(format) : -1;
    if (i < 0) {
        cli_fail(
            "GStreamer has nothing here that writes %s: it takes %s and one of x264enc, "
            "openh264enc, %svp9enc and av1enc (Debian: gstreamer1.0-plugins-good, -bad, -ugly)",
            is_mp4 ? ".mp4" : ".mkv", is_mp4 ? "mp4mux" : "matroskamux", is_mp4 ? "" : "vp8enc, ");
    }
    return i < 0 ? NULL : encoders[i].name;
}

static sac_status fail(sac_error *err, const char *path, const char *why)
{
    err->status = SAC_E_IO;
    snprintf(err->text, sizeof err->text, "`%s`: %s", path, why);
    return err->status;
}

/* Caps whose rate is known, for encoders that need one; frames have their own times. */
static GstCaps *rated(const GstCaps *caps, GstVideoInfo *info)
{
    GstCaps *copy = gst_caps_copy(caps);
    gst_video_info_from_caps(info, caps);
    if (GST_VIDEO_INFO_FPS_N(info) <= 0) {
        gst_caps_set_simple(copy, "framerate", GST_TYPE_FRACTION, USUAL_FPS, 1, NULL);
        GST_VIDEO_INFO_FPS_N(info) = USUAL_FPS;
        GST_VIDEO_INFO_FPS_D(info) = 1;
    }
    return copy;
}

/* What ended the pipeline, as text; NULL: nothing. Waits at most so long for an error or the end,
 * and says through *is_over whether one came. */
static char *trouble(cli_live_film *film, GstClockTime wait, bool *is_over)
{
    GstBus *bus = gst_element_get_bus(film->pipeline);
    GstMessage *message =
        gst_bus_timed_pop_filtered(bus, wait, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    char *text = NULL;
    *is_over = message != NULL;
    if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
        GError *error = NULL;
        gst_message_parse_error(message, &error, NULL);
        text = cli_live_one_line(error->message);
        g_error_free(error);
    }
    g_clear_pointer(&message, gst_message_unref);
    gst_object_unref(bus);
    return text;
}

sac_status cli_live_film_open(cli_live_film **out, const char *path, cli_live_format format,
                              const GstCaps *caps, sac_error *err)
{
    GstVideoInfo info;
    GError *error = NULL;
    GstCaps *in = rated(caps, &info);
    const int i = find_encoder(format);
    const double bits = BITS_PER_PIXEL * GST_VIDEO_INFO_WIDTH(&info) *
                        GST_VIDEO_INFO_HEIGHT(&info) * GST_VIDEO_INFO_FPS_N(&info) /
                        GST_VIDEO_INFO_FPS_D(&info);
    char *launch =
        g_strdup_printf(encoders[i].launch, (int)CLAMP(bits / encoders[i].unit, 1, MOST_RATE));
    char *line = g_strdup_printf("appsrc name=in format=time max-bytes=0 ! videoconvert ! "
                                 "video/x-raw,format=I420 ! %s ! %s ! filesink name=out",
                                 launch, muxers[format]);
    cli_live_film *film = cli_grow(NULL, 0, 1, sizeof *film);
    film->pipeline = gst_parse_launch_full(line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
    film->path = path;
    film->first = GST_CLOCK_TIME_NONE;
    g_free(launch);
    g_free(line);
    *out = film;
    if (!film->pipeline) {
        fail(err, path, error->message);
        g_error_free(error);
        gst_caps_unref(in);
        return err->status;
    }
    GstElement *to = gst_bin_get_by_name(GST_BIN(film->pipeline), "out");
    film->in = gst_bin_get_by_name(GST_BIN(film->pipeline), "in");
    g_object_set(to, "location", path, NULL);
    g_object_set(film->in, "caps", in, NULL);
    gst_object_unref(to);
    gst_caps_unref(in);
    gst_element_set_state(film->pipeline, GST_STATE_PLAYING); /* a failure is a message */
    return SAC_OK;
}

sac_status cli_live_film_write(cli_live_film *film, GstBuffer *frame, sac_error *err)
{
    guint64 waiting = 0;
    GstFlowReturn flow = GST_FLOW_OK;
    bool is_over;
    char *text = trouble(film, 0, &is_over);
    if (text) {
        film->has_failed = true;
        fail(err, film->path, text);
        g_free(text);
        return err->status;
    }
    g_object_get(film->in, "current-level-bytes", &waiting, NULL);
    if (waiting >= MOST_BYTES) {
        return SAC_AGAIN;
    }
    GstBuffer *copy = gst_buffer_copy(frame);
    if (!GST_CLOCK_TIME_IS_VALID(film->first)) {
        film->first = GST_BUFFER_PTS(frame);
    }
    const GstClockTime since =
        GST_BUFFER_PTS(frame) > film->first ? GST_BUFFER_PTS(frame) - film->first : 0;
    GST_BUFFER_PTS(copy) = MAX(since, film->next);
    film->next = GST_BUFFER_PTS(copy) + STEP;
    GST_BUFFER_DTS(copy) = GST_CLOCK_TIME_NONE;
    g_signal_emit_by_name(film->in, "push-buffer", copy, &flow);
    film->n_frames++;
    gst_buffer_unref(copy);
    return SAC_OK;
}

/* Whether the index at a film's end still fits. MP4 overwrites the beginning for it: one that does
 * not fit would leave a file that nobody can play. */
static bool has_room(const cli_live_film *film)
{
    struct statvfs disk;
    return statvfs(film->path, &disk) != 0 ||
           (uint64_t)disk.f_bavail * disk.f_frsize >= END_BYTES + film->n_frames * FRAME_BYTES;
}

/* NULL: the file is complete. */
static char *complete(cli_live_film *film)
{
    GstFlowReturn flow = GST_FLOW_OK;
    bool is_over;
    char *text = trouble(film, 0, &is_over);
    if (film->has_failed || text) {
        return text ? text : g_strdup("it is not complete");
    }
    if (!has_room(film)) {
        return g_strdup("too little space is left to complete it; all but its last second can be "
                        "played");
    }
    g_signal_emit_by_name(film->in, "end-of-stream", &flow);
    text = trouble(film, END_NS, &is_over);
    return text || is_over ? text : g_strdup("the encoder did not come to an end");
}

sac_status cli_live_film_close(cli_live_film **out, sac_error *err)
{
    cli_live_film *film = *out;
    sac_status st = SAC_OK;
    if (film && film->pipeline) {
        const int kept = cli_live_hush();
        char *text = complete(film);
        st = text ? fail(err, film->path, text) : SAC_OK;
        g_free(text);
        gst_element_set_state(film->pipeline, GST_STATE_NULL);
        cli_live_speak(kept);
        g_clear_object(&film->in);
        g_clear_object(&film->pipeline);
    }
    free(film);
    *out = NULL;
    return st;
}
