/*
 * saccade receive at work: sacdeltasrc ! tee ! queue ! sacdeltadec [! view] ! tee ! queue ! window,
 * with a branch of the first tee for packets that are recorded, or of the second for frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "options.h"
#include "receive.h"

#define MOST_BYTES (128u << 20) /* that wait in a queue */

/* Probes of pads and other calls in threads of the pipeline. */

/* The time between two frames is that between two packets that follow each other. */
static void learn_period(cli_receiving *r, GstBuffer *buffer)
{
    GstMapInfo map;
    sac_delta_packet packet;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        return;
    }
    if (sac_delta_peek(&packet, map.data, map.size, CLI_LIVE_MAX_PIXELS, NULL) == SAC_OK) {
        if (r->has_packet && packet.frame == r->packet_number + 1 &&
            packet.time_ns > r->packet_time) {
            cli_live_recorder_set_period(r->recorder, packet.time_ns - r->packet_time);
        }
        r->has_packet = true;
        r->packet_number = packet.frame;
        r->packet_time = packet.time_ns;
    }
    gst_buffer_unmap(buffer, &map);
}

static GstPadProbeReturn on_packet(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    cli_receiving *r = data;
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    (void)pad;
    cli_live_count_packet(&r->status, buffer);
    if (r->recorder && !cli_live_recorder_takes_packets(r->recorder)) {
        learn_period(r, buffer);
    }
    return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    cli_receiving *r = data;
    const uint64_t limit = (uint64_t)r->job->options.frames;
    (void)pad;
    if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
        GstCaps *caps = NULL;
        if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS) {
            gst_event_parse_caps(GST_PAD_PROBE_INFO_EVENT(info), &caps);
            cli_live_status_set_caps(&r->status, caps);
        }
        return GST_PAD_PROBE_OK;
    }
    if (limit && r->status.counts.frames >= limit) { /* which this thread alone counts */
        return GST_PAD_PROBE_DROP;
    }
    cli_live_count_frame(&r->status);
    return GST_PAD_PROBE_OK;
}

/* A frame is handed to the window: how old is it? */
static GstPadProbeReturn on_display(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    cli_receiving *r = data;
    const GstReferenceTimestampMeta *taken =
        gst_buffer_get_reference_timestamp_meta(GST_PAD_PROBE_INFO_BUFFER(info), r->capture);
    (void)pad;
    if (taken) {
        const int64_t ns = cli_clock_ns() - (int64_t)taken->timestamp;
        g_mutex_lock(&r->status.lock);
        sac_histogram_record(r->status.latency, ns);
        sac_histogram_record(r->status.latency_now, ns);
        g_mutex_unlock(&r->status.lock);
    }
    return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn on_given(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    cli_receiving *r = data;
    (void)pad;
    (void)info;
    g_atomic_int_inc(&r->n_given);
    return GST_PAD_PROBE_OK;
}

static void on_record(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
    cli_receiving *r = data;
    GstCaps *caps = gst_pad_get_current_caps(pad);
    (void)sink;
    g_atomic_int_inc(&r->n_taken);
    cli_live_recorder_take(r->recorder, buffer, caps);
    gst_clear_caps(&caps);
}

static void on_record_failed(void *ctx, const char *why)
{
    cli_receiving *r = ctx;
    GstStructure *what =
        gst_structure_new("saccade-record-failed", "why", G_TYPE_STRING, why, NULL);
    gst_element_post_message(r->loop.pipeline, gst_message_new_application(NULL, what));
}

/* Messages and lines. */

static void on_state(cli_receiving *r, const GstStructure *what)
{
    const char *state = gst_structure_get_string(what, "state");
    const char *peer = gst_structure_get_string(what, "peer");
    if (r->loop.is_ending || !state) {
        return;
    }
    if (strcmp(state, "refused") != 0) { /* which another sender was */
        r->is_connected = strcmp(state, "connected") == 0;
    }
    if (!strcmp(state, "connected")) {
        cli_note("sender %s is connected", peer);
    } else if (!strcmp(state, "lost")) {
        r->n_lost++;
        cli_warn("sender %s is silent or gone; waiting for it", peer);
    } else if (!strcmp(state, "ended")) {
        cli_note("sender %s has ended; waiting for the next", peer);
    } else if (!strcmp(state, "unknown")) {
        cli_warn("%s; trying again", gst_structure_get_string(what, "reason"));
    } else if (!strcmp(state, "refused") && cli_live_is_waiting(r->status.uri)) {
        cli_warn("a sender is refused: %s", gst_structure_get_string(what, "reason"));
    }
}

static void on_told(void *ctx, GstObject *part, const GstStructure *what)
{
    cli_receiving *r = ctx;
    (void)part;
    if (gst_structure_has_name(what, "saccade-state")) {
        on_state(r, what);
    } else if (gst_structure_has_name(what, "saccade-record-failed")) {
        cli_live_loop_end(&r->loop, cli_fail("%s", gst_structure_get_string(what, "why")));
    }
}

/* A window that is closed ends the command as Ctrl-C does. */
static bool on_failure(void *ctx, GstObject *part, const char *why)
{
    cli_receiving *r = ctx;
    const bool is_window = r->window && (part == GST_OBJECT(r->window) ||
                                         gst_object_has_as_ancestor(part, GST_OBJECT(r->window)));
    if (part == GST_OBJECT(r->source)) {
        r->loop.status = cli_live_fail_at(r->status.uri, why);
    }
    if (!is_window || !strstr(why, "window was closed")) {
        return false;
    }
    cli_live_loop_end(&r->loop, CLI_DONE);
    return true;
}

static void on_line(void *ctx, const char *line)
{
    cli_receiving *r = ctx;
    sac_adjust_desc any = {0};
    sac_error err = {0};
    char name[32] = "", value[32] = "";
    if (cli_live_parse_control(name, value, line) != CLI_DONE) {
        return;
    }
    if (cli_live_set_control(&any, name, value, &err) != SAC_OK) {
        cli_warn("%s", err.text);
        return;
    }
    GstStructure *what = gst_structure_new("saccade-control", "name", G_TYPE_STRING, name, "value",
                                           G_TYPE_STRING, value, NULL);
    GstPad *pad = gst_element_get_static_pad(r->source, "src");
    if (!gst_pad_send_event(pad, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, what))) {
        cli_warn("%s %s: no sender takes it now", name, value);
    }
    gst_object_unref(pad);
}

static bool is_over(void *ctx)
{
    cli_receiving *r = ctx;
    const cli_live_receive_options *o = &r->job->options;
    const double seconds = 1e-9 * (double)(cli_clock_ns() - r->status.since_ns);
    cli_live_tell_port(&r->status, r->source);
    return (o->seconds > 0 && seconds >= o->seconds) ||
           (o->silence_s > 0 && cli_live_silent_s(&r->status) >= o->silence_s) ||
           (o->frames > 0 && cli_live_frames(&r->status) >= (uint64_t)o->frames);
}

static void on_second(void *ctx)
{
    cli_receive_second(ctx);
}

static void on_stopping(void *ctx)
{
    cli_receive_keep(ctx);
}

/* The pipeline. */

/* A queue by bytes alone. */
static GstElement *queue(void)
{
    GstElement *element = cli_live_element("queue");
    if (element) {
        g_object_set(element, "max-size-bytes", MOST_BYTES, "max-size-buffers", 0, "max-size-time",
                     (guint64)0, NULL);
    }
    return element;
}

static GstElement *nowhere(void)
{
    GstElement *sink = cli_live_element("fakesink");
    if (sink) {
        g_object_set(sink, "sync", FALSE, "async", FALSE, NULL);
    }
    return sink;
}

/* A branch that records. Packets are never left out; frames are, where a disk is too slow. */
static bool add_recorder(cli_receiving *r, GstElement *tee)
{
    GstElement *const row[] = {queue(), nowhere()};
    if (!cli_live_extend(r->loop.pipeline, tee, row, 2)) {
        return false;
    }
    r->recording = row[0];
    if (!cli_live_recorder_takes_packets(r->recorder)) {
        gst_util_set_object_arg(G_OBJECT(row[0]), "leaky", "upstream");
    }
    cli_live_probe(row[0], "sink", GST_PAD_PROBE_TYPE_BUFFER, on_given, r);
    g_object_set(row[1], "signal-handoffs", TRUE, NULL);
    g_signal_connect(row[1], "handoff", G_CALLBACK(on_record), r);
    return true;
}

/* DirectFB's sink, which autovideosink would try last, brings the program down without a screen. */
static void leave_out(const char *sink)
{
    GstElementFactory *factory = gst_element_factory_find(sink);
    if (factory) {
        gst_plugin_feature_set_rank(GST_PLUGIN_FEATURE(factory), GST_RANK_NONE);
        gst_object_unref(factory);
    }
}

/* Where nothing can be shown autovideosink takes a sink that shows nothing. */
static bool is_fake(GstElement *window)
{
    GstIterator *children = gst_bin_iterate_sinks(GST_BIN(window));
    GValue child = G_VALUE_INIT;
    bool is = false;
    while (gst_iterator_next(children, &child) == GST_ITERATOR_OK) {
        is |= strstr(GST_OBJECT_NAME(g_value_get_object(&child)), "fake") != NULL;
        g_value_unset(&child);
    }
    gst_iterator_free(children);
    return is;
}

/* NULL: a line was said. */
static GstElement *open_window(void)
{
    leave_out("dfbvideosink");
    GstElement *window = cli_live_element("autovideosink");
    if (!window) {
        return NULL;
    }
    g_object_set(window, "sync", FALSE, NULL);
    const int kept = cli_live_hush();
    const GstStateChangeReturn opened = gst_element_set_state(window, GST_STATE_READY);
    cli_live_speak(kept);
    if (opened == GST_STATE_CHANGE_FAILURE || is_fake(window)) {
        cli_fail("--show: no window can be opened here (is DISPLAY or WAYLAND_DISPLAY set? Debian: "
                 "gstreamer1.0-x, gstreamer1.0-plugins-bad)");
        gst_element_set_state(window, GST_STATE_NULL);
        gst_object_unref(window);
        return NULL;
    }
    return window;
}

static bool add_window(cli_receiving *r, GstElement *tee)
{
    GstElement *row[3] = {queue()};
    int n = 1;
    if (r->job->options.show) {
        row[n++] = cli_live_element("videoconvert");
        row[n++] = r->window = open_window();
    } else {
        row[n++] = nowhere();
    }
    if (!cli_live_extend(r->loop.pipeline, tee, row, n)) {
        return false;
    }
    cli_live_probe(row[n - 1], "sink", GST_PAD_PROBE_TYPE_BUFFER, on_display, r);
    return true;
}

static bool build(cli_receiving *r)
{
    static const char *const views[] = {NULL, "sacheatmap", "sacnoise"};
    const cli_live_receive_options *o = &r->job->options;
    GstElement *row[6], *decoder, *frames;
    int n = 0;
    r->loop.pipeline = gst_pipeline_new(NULL);
    row[n++] = r->source = cli_live_transport("sacdeltasrc", r->job->from, o->passphrase_file);
    row[n++] = r->packets = cli_live_element("tee");
    row[n++] = queue();
    row[n++] = decoder = cli_live_element("sacdeltadec");
    if (views[o->view]) {
        row[n++] = cli_live_element(views[o->view]);
    }
    row[n++] = frames = cli_live_element("tee");
    if (!cli_live_extend(r->loop.pipeline, NULL, row, n)) {
        return false;
    }
    r->loop.first = r->packets;
    cli_live_set_options(decoder, sac_delta_decode_params(), &r->job->decode);
    cli_live_probe(r->source, "src", GST_PAD_PROBE_TYPE_BUFFER, on_packet, r);
    cli_live_probe(decoder, "src", GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                   on_frame, r);
    if (o->output) {
        r->recorder = cli_live_recorder_open(o->output, on_record_failed, r);
        if (!r->recorder ||
            !add_recorder(r, cli_live_recorder_takes_packets(r->recorder) ? r->packets : frames)) {
            return false;
        }
    }
    return add_window(r, frames);
}

static int receive_all(cli_receiving *r)
{
    int status = cli_live_loop_run(&r->loop);
    if (r->recorder) {
        const int finished = cli_live_recorder_finish(r->recorder);
        status = status ? status : finished;
    }
    if (status == CLI_DONE && cli_live_frames(&r->status) == 0) {
        status = cli_fail("%s: no frame came", r->status.uri);
    }
    return cli_receive_report(r, status);
}

/* What the first packet would fail at, which may come in hours. */
static int check_decoder(const cli_live_receive_job *job)
{
    sac_error err = {0};
    sac_delta_decode *plan = NULL;
    const sac_status st = sac_delta_decode_open(&plan, &job->decode, &err);
    sac_delta_decode_close(&plan);
    return cli_or_error(CLI_DONE, st, &err);
}

int cli_live_receive_run(const cli_live_receive_job *job)
{
    static const cli_live_calls calls = {on_failure, on_told,   on_line,
                                         is_over,    on_second, on_stopping};
    if (check_decoder(job) != CLI_DONE) {
        return CLI_FAILED;
    }
    cli_receiving *r = cli_grow(NULL, 0, 1, sizeof *r);
    r->job = job;
    r->loop.calls = &calls;
    r->loop.ctx = r;
    r->capture = gst_caps_new_empty_simple("timestamp/x-saccade-capture");
    cli_live_status_open(&r->status, job->from, job->options.json);
    const int status = build(r) ? receive_all(r) : CLI_FAILED;
    cli_live_status_close(&r->status);
    cli_live_recorder_close(&r->recorder);
    g_clear_object(&r->loop.pipeline);
    g_clear_pointer(&r->stats, gst_structure_free);
    gst_clear_caps(&r->capture);
    free(r);
    return status;
}
