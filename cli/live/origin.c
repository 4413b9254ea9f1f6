/*
 * Where a sender's frames come from: a test picture, a camera, a file, an RTSP address.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "origin.h"

#include <string.h>

#include "loop.h"

#define USUAL_W 1280
#define USUAL_H 720
#define USUAL_FPS 30
#define LEAD (20 * GST_MSECOND) /* of a file's first frame: it is still decoded and encoded */
#define RTSP_LATENCY_MS 100     /* rtspsrc's default, 2 s, is for films */

static int or_usual(int wanted, int usual)
{
    return wanted ? wanted : usual;
}

/* The bin's row of elements, the last of which has its source pad. */
static bool finish(GstElement *bin, GstElement *const *row, int n)
{
    if (!cli_live_extend(bin, NULL, row, n)) {
        return false;
    }
    GstPad *pad = gst_element_get_static_pad(row[n - 1], "src");
    gst_element_add_pad(bin, gst_ghost_pad_new("src", pad));
    gst_object_unref(pad);
    return true;
}

static GstElement *caps_filter(GstCaps *caps)
{
    GstElement *filter = cli_live_element("capsfilter");
    if (filter) {
        g_object_set(filter, "caps", caps, NULL);
    }
    gst_caps_unref(caps);
    return filter;
}

static bool fill_test(GstElement *bin, const cli_live_send_options *o)
{
    GstElement *test = cli_live_element("videotestsrc");
    GstElement *const row[] = {test, caps_filter(gst_caps_new_simple(
                                         "video/x-raw", "format", G_TYPE_STRING, "RGB", "width",
                                         G_TYPE_INT, or_usual(o->size[0], USUAL_W), "height",
                                         G_TYPE_INT, or_usual(o->size[1], USUAL_H), "framerate",
                                         GST_TYPE_FRACTION, or_usual(o->fps, USUAL_FPS), 1, NULL))};
    if (test) {
        gst_util_set_object_arg(G_OBJECT(test), "pattern", "ball");
        g_object_set(test, "is-live", TRUE, NULL);
    }
    return finish(bin, row, 2);
}

/* What a decoder finds: the first video goes on, whatever else there is. */
static void on_pad(GstElement *decoder, GstPad *pad, gpointer next)
{
    GstPad *sink = gst_element_get_static_pad(next, "sink");
    (void)decoder;
    if (!gst_pad_is_linked(sink)) {
        gst_pad_link(pad, sink);
    }
    gst_object_unref(sink);
}

static bool fill_camera(GstElement *bin, const cli_live_send_job *job)
{
    const cli_live_send_options *o = &job->options;
    GstElement *camera = cli_live_element("v4l2src");
    GstElement *decoder = cli_live_element("decodebin"), *out = cli_live_element("identity");
    if (!camera || !decoder || !out) {
        return false;
    }
    gst_object_set_name(GST_OBJECT(camera), "camera");
    g_object_set(camera, "device", job->source, "do-timestamp", TRUE, NULL);
    gst_element_set_state(camera, GST_STATE_READY); /* which opens it: what can it do? */
    GstPad *pad = gst_element_get_static_pad(camera, "src");
    GstCaps *all = gst_pad_query_caps(pad, NULL);
    GstCaps *caps =
        cli_live_choose_caps(all, or_usual(o->size[0], USUAL_W), or_usual(o->size[1], USUAL_H),
                             or_usual(o->fps, USUAL_FPS));
    gst_caps_unref(all);
    gst_object_unref(pad);
    GstElement *filter = caps_filter(caps ? caps : gst_caps_new_any());
    if (!filter) {
        return false;
    }
    gst_bin_add_many(GST_BIN(bin), camera, filter, decoder, NULL);
    g_signal_connect_object(decoder, "pad-added", G_CALLBACK(on_pad), out, (GConnectFlags)0);
    return gst_element_link_many(camera, filter, decoder, NULL) && finish(bin, &out, 1);
}

/* RTSP keeps its own buffer against jitter: a small one. */
static void on_source(GstElement *decoder, GstElement *source, gpointer data)
{
    (void)decoder;
    (void)data;
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(source), "latency")) {
        g_object_set(source, "latency", RTSP_LATENCY_MS, NULL);
    }
}

/* The rest of the row of a file and of RTSP: scaled, and with no more frames than wanted. */
static int add_limits(GstElement **row, int n, const cli_live_send_options *o)
{
    if (o->size[0]) {
        row[n++] = cli_live_element("videoscale");
        row[n++] = caps_filter(gst_caps_new_simple("video/x-raw", "width", G_TYPE_INT, o->size[0],
                                                   "height", G_TYPE_INT, o->size[1], NULL));
    }
    if (o->fps) {
        GstElement *rate = cli_live_element("videorate");
        if (rate) {
            g_object_set(rate, "drop-only", TRUE, "max-rate", o->fps, NULL);
        }
        row[n++] = rate;
    }
    return n;
}

/* The pad of a file begins at 0, wherever the pipeline's time is; its first frame can be decoded
 * now, and shall not be late. */
static void on_file_pad(GstElement *decoder, GstPad *pad, gpointer next)
{
    const cli_live_from *from = g_object_get_data(G_OBJECT(decoder), "from");
    const GstClockTime now = cli_live_running_time(from->pipeline) + LEAD;
    gst_pad_set_offset(pad, (gint64)MAX(now, from->least));
    on_pad(decoder, pad, next);
}

static bool fill_decoded(GstElement *bin, const cli_live_send_job *job, const cli_live_from *from)
{
    const bool is_file = job->kind == CLI_LIVE_FILE;
    GstElement *decoder = cli_live_element("uridecodebin"), *row[5];
    char *uri = is_file ? gst_filename_to_uri(job->source, NULL) : g_strdup(job->source);
    if (!decoder || !uri) {
        g_free(uri);
        return false;
    }
    GstCaps *video = gst_caps_from_string("video/x-raw(ANY)");
    g_object_set(decoder, "uri", uri, "caps", video, "expose-all-streams", FALSE, NULL);
    g_object_set_data_full(G_OBJECT(decoder), "from", g_memdup2(from, sizeof *from), g_free);
    gst_caps_unref(video);
    g_free(uri);
    int n = add_limits(row, 1, &job->options);
    row[0] = cli_live_element("identity");
    if (!row[0]) {
        return false;
    }
    gst_bin_add(GST_BIN(bin), decoder);
    g_signal_connect(decoder, "source-setup", G_CALLBACK(on_source), NULL);
    g_signal_connect_object(decoder, "pad-added", G_CALLBACK(is_file ? on_file_pad : on_pad),
                            row[0], (GConnectFlags)0);
    return finish(bin, row, n);
}

GstElement *cli_live_origin_new(const cli_live_send_job *job, const cli_live_from *from)
{
    GstElement *bin = gst_bin_new("origin");
    g_object_set(bin, "async-handling", TRUE, NULL); /* the rest plays on while it makes ready */
    const bool is_made = job->kind == CLI_LIVE_TEST     ? fill_test(bin, &job->options)
                         : job->kind == CLI_LIVE_CAMERA ? fill_camera(bin, job)
                                                        : fill_decoded(bin, job, from);
    if (!is_made) {
        gst_object_unref(gst_object_ref_sink(bin));
        return NULL;
    }
    return bin;
}
