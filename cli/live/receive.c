/*
 * saccade receive at work: sacdeltasrc ! tee ! queue ! sacdeltadec [! view] ! tee ! queue ! window,
 * with a branch of the first tee for packets that are recorded, or of the second for frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "options.h"
#include "recorder.h"
#include "status.h"
#include "tables.h"
#include "videos.h"

#define PATIENCE_S 5.0          /* then it is said what is waited for */
#define MOST_BYTES (128u << 20) /* that wait in a queue */
#define MAX_PIXELS (UINT64_C(1) << 26)

typedef struct receiving {
    const cli_live_receive_job *job;
    cli_live_loop loop;
    cli_live_status status;
    GstElement *source, *packets, *window;
    GstCaps *capture;            /* of the meta that tells when a frame was taken */
    cli_live_recorder *recorder; /* NULL: nothing is recorded */

    /* Of the threads of the pipeline, under the lock of the status. */
    uint64_t packet_time, packet_number;
    bool has_packet; /* those are of one */

    GstElement *recording; /* the queue to the recorder */
    gint n_given, n_taken; /* buffers that went into and came out of it; atomic */
    bool is_connected;
    double quiet_s;
    int64_t n_lost;           /* connections */
    double offset_ms, rtt_ms; /* as long as they were known */
    GstStructure *stats;      /* of the source, at the end */
} receiving;

/* Probes of pads and other calls in threads of the pipeline. */

/* The time between two frames is that between two packets that follow each other. */
static void learn_period(receiving *r, GstBuffer *buffer)
{
    GstMapInfo map;
    sac_delta_packet packet;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        return;
    }
    if (sac_delta_peek(&packet, map.data, map.size, MAX_PIXELS, NULL) == SAC_OK) {
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
    receiving *r = data;
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
    receiving *r = data;
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
    receiving *r = data;
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
    receiving *r = data;
    (void)pad;
    (void)info;
    g_atomic_int_inc(&r->n_given);
    return GST_PAD_PROBE_OK;
}

static void on_record(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
    receiving *r = data;
    GstCaps *caps = gst_pad_get_current_caps(pad);
    (void)sink;
    g_atomic_int_inc(&r->n_taken);
    cli_live_recorder_take(r->recorder, buffer, caps);
    gst_clear_caps(&caps);
}

static void on_record_failed(void *ctx, const char *why)
{
    receiving *r = ctx;
    GstStructure *what =
        gst_structure_new("saccade-record-failed", "why", G_TYPE_STRING, why, NULL);
    gst_element_post_message(r->loop.pipeline, gst_message_new_application(NULL, what));
}

/* Messages and lines. */

static void on_state(receiving *r, const GstStructure *what)
{
    const char *state = gst_structure_get_string(what, "state");
    const char *peer = gst_structure_get_string(what, "peer");
    if (r->loop.is_ending || !state) {
        return;
    }
    r->is_connected = strcmp(state, "connected") == 0;
    if (r->is_connected) {
        cli_note("sender %s is connected", peer);
    } else if (!strcmp(state, "lost")) {
        r->n_lost++;
        cli_warn("sender %s is silent or gone; waiting for it", peer);
    } else if (!strcmp(state, "ended")) {
        cli_note("sender %s has ended; waiting for the next", peer);
    } else if (!strcmp(state, "refused")) {
        cli_warn("refused: %s", gst_structure_get_string(what, "reason"));
    }
}

static void on_told(void *ctx, GstObject *part, const GstStructure *what)
{
    receiving *r = ctx;
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
    receiving *r = ctx;
    const bool is_window = r->window && (part == GST_OBJECT(r->window) ||
                                         gst_object_has_as_ancestor(part, GST_OBJECT(r->window)));
    if (!is_window || !strstr(why, "window was closed")) {
        return false;
    }
    cli_live_loop_end(&r->loop, CLI_DONE);
    return true;
}

static void on_line(void *ctx, const char *line)
{
    receiving *r = ctx;
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

/* Each second. */

/* "p50 8.1 ms, p99 12 ms" of times so far; what a second had is begun anew. */
static void latency_text(receiving *r, char text[64], bool is_total)
{
    char p50[16], p99[16];
    g_mutex_lock(&r->status.lock);
    sac_histogram *of = is_total ? r->status.latency : r->status.latency_now;
    if (sac_histogram_get_count(of) == 0) {
        g_strlcpy(text, "unknown", 64);
    } else {
        g_snprintf(text, 64, "p50 %s, p99 %s",
                   cli_time_text(p50, sizeof p50, sac_histogram_get_quantile(of, 0.5)),
                   cli_time_text(p99, sizeof p99, sac_histogram_get_quantile(of, 0.99)));
    }
    g_mutex_unlock(&r->status.lock);
}

static void put_latency(receiving *r, cli_json *json, bool is_total)
{
    g_mutex_lock(&r->status.lock);
    sac_histogram *of = is_total ? r->status.latency : r->status.latency_now;
    const double none = sac_histogram_get_count(of) > 0 ? 0 : (double)NAN; /* which is null */
    cli_json_real(json, "latency_p50_ns", none + sac_histogram_get_quantile(of, 0.5));
    cli_json_real(json, "latency_p99_ns", none + sac_histogram_get_quantile(of, 0.99));
    cli_json_real(json, "latency_max_ns", none + (double)sac_histogram_get_max(of));
    g_mutex_unlock(&r->status.lock);
}

static void begin_second(receiving *r)
{
    sac_error err = {0};
    g_mutex_lock(&r->status.lock);
    sac_histogram_close(&r->status.latency_now);
    if (sac_histogram_open(&r->status.latency_now, &err) != SAC_OK) {
        exit(cli_error(&err));
    }
    g_mutex_unlock(&r->status.lock);
}

static void tell_silence(receiving *r, const cli_live_rates *rates)
{
    const double before_s = r->quiet_s;
    r->quiet_s = rates->frames_s > 0 ? 0 : before_s + rates->seconds;
    if (before_s < PATIENCE_S && r->quiet_s >= PATIENCE_S) {
        cli_warn("no frame for %.0f s: %s", r->quiet_s,
                 rates->packets_s > 0 ? "waiting for a keyframe"
                 : r->is_connected    ? "the sender is connected and sends nothing"
                                      : "waiting for a sender");
    }
}

/* What nobody knows once the sender is gone. */
static void keep_clocks(receiving *r, GstStructure *stats)
{
    if (r->is_connected) {
        r->offset_ms = 1e-6 * (double)cli_live_number(stats, "clock-offset-ns");
        r->rtt_ms = cli_live_real(stats, "rtt-ms");
    }
}

static void on_second(void *ctx)
{
    receiving *r = ctx;
    const cli_live_rates rates = cli_live_status_second(&r->status);
    GstStructure *stats = cli_live_stats(r->source);
    char latency[64];
    tell_silence(r, &rates);
    keep_clocks(r, stats);
    latency_text(r, latency, false);
    cli_live_line(&r->status,
                  "%" PRIu64 " frames, %.1f/s, %.3g Mbit/s, ratio %.1f, latency %s, clock offset "
                  "%.3g ms, lost %" PRId64 ", repaired %" PRId64 "%s",
                  rates.all.frames, rates.frames_s, rates.mbit_s, rates.ratio, latency,
                  r->offset_ms, cli_live_number(stats, "lost"), cli_live_number(stats, "repaired"),
                  rates.frames_s <= 0 && rates.packets_s > 0 ? ", waiting for a keyframe"
                  : r->is_connected                          ? ""
                                                             : ", no sender");
    if (r->status.json_path) {
        cli_json_line(&r->status.rows);
        cli_live_put_rates(&r->status.rows, &rates);
        put_latency(r, &r->status.rows, false);
        cli_live_put_stats(&r->status.rows, stats);
        cli_json_end_line(&r->status.rows);
    }
    begin_second(r);
    if (stats) {
        gst_structure_free(stats);
    }
}

static bool is_over(void *ctx)
{
    receiving *r = ctx;
    const cli_live_receive_options *o = &r->job->options;
    const double seconds = 1e-9 * (double)(cli_clock_ns() - r->status.since_ns);
    return (o->seconds > 0 && seconds >= o->seconds) ||
           (o->silence_s > 0 && cli_live_silent_s(&r->status) >= o->silence_s) ||
           (o->frames > 0 && r->status.counts.frames >= (uint64_t)o->frames);
}

static void on_stopping(void *ctx)
{
    receiving *r = ctx;
    r->stats = cli_live_stats(r->source);
    if (r->stats) {
        keep_clocks(r, r->stats);
        gst_structure_set(r->stats, "clock-offset-ns", G_TYPE_INT64, (gint64)(1e6 * r->offset_ms),
                          "rtt-ms", G_TYPE_DOUBLE, r->rtt_ms, NULL);
    }
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
static bool add_recorder(receiving *r, GstElement *tee)
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

static bool add_window(receiving *r, GstElement *tee)
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

static bool build(receiving *r)
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

/* The end. */

static int64_t not_written(const receiving *r)
{
    return (int64_t)(g_atomic_int_get(&r->n_given) - g_atomic_int_get(&r->n_taken)) +
           (int64_t)cli_live_recorder_counts(r->recorder).dropped;
}

static void print(receiving *r, const cli_live_rates *total)
{
    const GstStructure *stats = r->stats;
    char shape[48], latency[64];
    if (total->all.frames == 0) {
        return;
    }
    latency_text(r, latency, true);
    printf("%s: %" PRIu64 " frame%s of %s in %.3g s, %.3g/s\n", r->status.uri, total->all.frames,
           cli_s((int64_t)total->all.frames), cli_live_shape(shape, &r->status), total->seconds,
           total->frames_s);
    printf("  packets        %" PRIu64 ", %" PRIu64 " bytes, %.3g Mbit/s, %.1f times smaller than "
           "raw\n",
           total->all.packets, total->all.packet_bytes, total->mbit_s, total->ratio);
    printf("  on the way     %" PRId64 " lost, %" PRId64 " repaired, %" PRId64 " late, %" PRId64
           " damaged; the connection was lost %" PRId64 " time%s\n",
           cli_live_number(stats, "lost"), cli_live_number(stats, "repaired"),
           cli_live_number(stats, "late"), cli_live_number(stats, "damaged"), r->n_lost,
           cli_s(r->n_lost));
    printf("  latency        %s from capture to %s; clock offset %.3g ms, round trip %.3g ms\n",
           latency, r->window ? "display" : "the decoded frame", r->offset_ms, r->rtt_ms);
    if (r->recorder) {
        const cli_live_recorded c = cli_live_recorder_counts(r->recorder);
        printf("  written        %s: %" PRIu64 " %s%s%s%s, %" PRId64 " not\n",
               r->job->options.output, c.written,
               cli_live_recorder_takes_packets(r->recorder) ? "packets" : "frames",
               c.encoder ? " by " : "", c.encoder ? c.encoder : "",
               c.encoder ? ", which are not exact" : "", not_written(r));
    }
}

static int report(receiving *r, int status)
{
    const char *path = r->status.json_path;
    const cli_live_rates total = cli_live_status_total(&r->status);
    if (path) {
        cli_json own;
        char shape[48];
        cli_json *json = cli_json_begin_row(&own, NULL, r->job->decode.device);
        cli_json_string(json, "pipeline", "receive");
        cli_json_string(json, "from", r->status.uri);
        cli_json_string(json, "shape", cli_live_shape(shape, &r->status));
        cli_live_put_rates(json, &total);
        put_latency(r, json, true);
        cli_json_int(json, "connections_lost", r->n_lost);
        if (r->recorder) {
            const cli_live_recorded c = cli_live_recorder_counts(r->recorder);
            cli_json_string(json, "output", r->job->options.output);
            cli_json_string(json, "encoder", c.encoder);
            cli_json_uint(json, "written", c.written);
            cli_json_int(json, "not_written", not_written(r));
        }
        cli_live_put_stats(json, r->stats);
        const int written = cli_json_end_row(&own, NULL, &r->status.rows, path);
        status = status ? status : written;
    }
    if (!cli_is_dash(path)) {
        print(r, &total);
    }
    return status;
}

static int receive_all(receiving *r)
{
    int status = cli_live_loop_run(&r->loop);
    if (r->recorder) {
        const int finished = cli_live_recorder_finish(r->recorder);
        status = status ? status : finished;
    }
    if (status == CLI_DONE && r->status.counts.frames == 0) {
        status = cli_fail("%s: no frame came", r->status.uri);
    }
    return report(r, status);
}

int cli_live_receive_run(const cli_live_receive_job *job)
{
    static const cli_live_calls calls = {on_failure, on_told,   on_line,
                                         is_over,    on_second, on_stopping};
    receiving *r = cli_grow(NULL, 0, 1, sizeof *r);
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
