/*
 * saccade send at work: origin ! queue ! videoconvert ! sacadjust [! sacdenoise] ! sacdeltaenc !
 * sacdeltasink. The origin may come and go; the rest stays, and so do the receivers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "options.h"
#include "origin.h"
#include "send.h"
#include "source.h"

#define QUEUE 2 /* frames that wait; older ones of a camera give way */

/* Probes of pads, in threads of the pipeline. */

static GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    cli_sending *s = data;
    const uint64_t limit = (uint64_t)s->job->options.frames;
    if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
        GstCaps *caps = NULL;
        if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS) {
            gst_event_parse_caps(GST_PAD_PROBE_INFO_EVENT(info), &caps);
            cli_live_status_set_caps(&s->status, caps);
        }
        return GST_PAD_PROBE_OK;
    }
    (void)pad;
    if (limit && s->status.counts.frames >= limit) { /* which this thread alone counts */
        return GST_PAD_PROBE_DROP;
    }
    cli_live_count_frame(&s->status);
    return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn on_packet(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    cli_sending *s = data;
    (void)pad;
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
        cli_live_count_packet(&s->status, GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
    }
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    const GstStructure *what = gst_event_get_structure(event);
    if (!what || !gst_structure_has_name(what, "saccade-control")) {
        return GST_PAD_PROBE_OK;
    }
    gst_element_post_message(s->loop.pipeline,
                             gst_message_new_application(NULL, gst_structure_copy(what)));
    return GST_PAD_PROBE_DROP;
}

/* Messages. */

static bool on_failure(void *ctx, GstObject *part, const char *why)
{
    cli_sending *s = ctx;
    GstObject *pipeline = GST_OBJECT(s->loop.pipeline);
    if (part == GST_OBJECT(s->sink)) {
        s->loop.status = cli_live_fail_at(s->status.uri, why);
    }
    if (!cli_send_is_of_origin(s,
                               part)) { /* of one that is gone, or what nothing goes on without */
        return part != pipeline && !gst_object_has_as_ancestor(part, pipeline);
    }
    return cli_send_origin_failed(s, why);
}

static void on_state(cli_sending *s, const GstStructure *what)
{
    const char *state = gst_structure_get_string(what, "state");
    const char *peer = gst_structure_get_string(what, "peer");
    const bool has_come = state && strcmp(state, "connected") == 0;
    s->n_served += has_come;
    if (s->loop.is_ending || !state) {
        return;
    }
    if (has_come) {
        cli_note("receiver %s is connected", peer);
    } else if (!strcmp(state, "lost")) {
        cli_warn("receiver %s is silent or gone", peer);
    } else if (!strcmp(state, "ended")) {
        cli_note("receiver %s has ended", peer);
    } else if (!strcmp(state, "unknown")) {
        cli_warn("%s; trying again", gst_structure_get_string(what, "reason"));
    } else if (!strcmp(state, "refused") && cli_live_is_waiting(s->status.uri)) {
        cli_warn("a receiver is refused: %s", gst_structure_get_string(what, "reason"));
    }
}

static void on_told(void *ctx, GstObject *part, const GstStructure *what)
{
    cli_sending *s = ctx;
    if (gst_structure_has_name(what, "saccade-state")) {
        on_state(s, what);
    } else if (gst_structure_has_name(what, "saccade-control")) {
        cli_send_on_control(s, what);
    } else if (gst_structure_has_name(what, "saccade-origin-ended") &&
               part == GST_OBJECT(s->origin)) {
        cli_send_origin_ended(s);
    }
}

static void on_second(void *ctx)
{
    cli_send_tell_return(ctx);
    cli_send_second(ctx);
}

static bool is_over(void *ctx)
{
    cli_sending *s = ctx;
    const cli_live_send_options *o = &s->job->options;
    const double seconds = 1e-9 * (double)(cli_clock_ns() - s->status.since_ns);
    cli_live_tell_port(&s->status, s->sink);
    if (s->awaits) {
        GstStructure *stats = cli_live_stats(s->sink);
        s->awaits = stats && cli_live_number(stats, "clients") == 0;
        if (stats) {
            gst_structure_free(stats);
        }
        if (!s->awaits) {
            (void)cli_send_play(s);
        }
    }
    if (!s->has_worked || s->is_retrying) {
        cli_send_tell_return(s);
    }
    return (o->seconds > 0 && seconds >= o->seconds) ||
           (o->frames > 0 && cli_live_frames(&s->status) >= (uint64_t)o->frames);
}

static void on_stopping(void *ctx)
{
    cli_sending *s = ctx;
    s->stats = cli_live_stats(s->sink);
}

/* The pipeline. */

static GstElement *denoiser(int32_t filter)
{
    GstElement *element = cli_live_element("sacdenoise");
    char *method = g_strdup(cli_source_filters[filter]);
    const size_t n = strlen(method);
    const bool is_wide = method[n - 1] == '5';
    if (is_wide) {
        method[n - 1] = '\0';
    }
    if (element) {
        gst_util_set_object_arg(G_OBJECT(element), "method", method);
        gst_util_set_object_arg(G_OBJECT(element), "window", is_wide ? "5" : "3");
    }
    g_free(method);
    return element;
}

static bool build(cli_sending *s)
{
    const cli_live_send_options *o = &s->job->options;
    GstElement *row[8];
    int n = 0;
    s->loop.pipeline = gst_pipeline_new(NULL);
    row[n++] = s->queue = cli_live_element("queue");
    row[n++] = cli_live_element("videoconvert");
    row[n++] = cli_live_element("capsfilter");
    row[n++] = s->adjust = cli_live_element("sacadjust");
    if (o->denoise) {
        row[n++] = denoiser(o->denoise);
    }
    row[n++] = s->encoder = cli_live_element("sacdeltaenc");
    row[n++] = s->sink = cli_live_transport("sacdeltasink", o->to, o->passphrase_file);
    if (!cli_live_extend(s->loop.pipeline, NULL, row, n)) {
        return false;
    }
    s->loop.first = s->queue;
    gst_util_set_object_arg(G_OBJECT(row[2]), "caps", "video/x-raw, format = { RGB, BGR, GRAY8 }");
    g_object_set(s->queue, "max-size-buffers", QUEUE, NULL);
    if (s->job->kind == CLI_LIVE_FILE) {
        g_object_set(s->sink, "sync", TRUE, NULL); /* it plays as fast as it was filmed */
    } else {
        gst_util_set_object_arg(G_OBJECT(s->queue), "leaky", "downstream");
    }
    cli_live_set_options(s->encoder, sac_delta_encode_params(), &s->job->plan.encode);
    cli_live_probe(s->encoder, "sink",
                   GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_frame, s);
    cli_live_probe(s->encoder, "src", GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
                   on_packet, s);
    return true;
}

static int send_all(cli_sending *s)
{
    const bool is_file = s->job->kind == CLI_LIVE_FILE;
    s->awaits = is_file; /* of which nobody shall miss the beginning */
    if (!s->awaits && !cli_send_add_origin(s, 0)) {
        return CLI_FAILED;
    }
    cli_send_control(s);
    int status = cli_live_loop_run(&s->loop);
    if (status == CLI_DONE && cli_live_frames(&s->status) == 0 && !s->awaits) {
        status = cli_fail("%s: no frame came", s->job->shown);
    } else if (status == CLI_DONE && s->n_served == 0 &&
               (is_file || !cli_live_is_waiting(s->status.uri))) {
        status = cli_fail("%s: no receiver came, so nothing was sent", s->status.uri);
    }
    return cli_send_report(s, status);
}

/* What the first frame would fail at, which may come in hours. */
static int check_encoder(const cli_live_send_job *job)
{
    sac_error err = {0};
    sac_delta_encode_desc desc;
    sac_delta_encode *plan = NULL;
    sac_delta_encode_desc_init(&desc);
    desc.w = desc.h = 16;
    desc.device = job->plan.encode.device;
    desc.variant = job->plan.encode.variant;
    desc.fast = job->plan.encode.fast;
    const sac_status st = sac_delta_encode_open(&plan, &desc, &err);
    sac_delta_encode_close(&plan);
    return cli_or_error(CLI_DONE, st, &err);
}

/* The command line that the report shows. */
static void hide_source(const cli_live_send_job *job)
{
    for (int i = 0; i < cli_argc; i++) {
        cli_argv[i] = cli_argv[i] == job->source ? job->shown : cli_argv[i];
    }
}

int cli_live_send_run(const cli_live_send_job *job)
{
    static const cli_live_calls calls = {on_failure, on_told,   cli_send_on_line,
                                         is_over,    on_second, on_stopping};
    if (job->options.list) {
        return cli_live_list_cameras();
    }
    if (cli_is_dash(job->options.to)) {
        return cli_live_frames_run(job);
    }
    if (check_encoder(job) != CLI_DONE) {
        return CLI_FAILED;
    }
    hide_source(job);
    cli_sending *s = cli_grow(NULL, 0, 1, sizeof *s);
    s->job = job;
    s->loop.calls = &calls;
    s->loop.ctx = s;
    s->controls = job->plan.adjust;
    for (int i = 0; i < CLI_LIVE_CONTROLS; i++) {
        s->is_set[i] = cli_was_given(cli_live_control(i)->name);
    }
    cli_live_status_open(&s->status, job->options.to, job->options.json);
    const int status = build(s) ? send_all(s) : CLI_FAILED;
    cli_live_status_close(&s->status);
    g_clear_object(&s->loop.pipeline);
    g_clear_pointer(&s->stats, gst_structure_free);
    free(s);
    return status;
}
