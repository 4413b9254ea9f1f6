/*
 * saccade send at work: origin ! queue ! videoconvert ! sacadjust [! sacdenoise] ! sacdeltaenc !
 * sacdeltasink. The origin may come and go; the rest stays, and so do the receivers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/video/video.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "options.h"
#include "origin.h"
#include "source.h"
#include "status.h"

#define FIRST_RETRY_MS 500
#define LAST_RETRY_MS 10000
#define PATIENCE_S 5.0 /* then it is said what is waited for */
#define SLOW 0.9       /* of the wanted rate */
#define QUEUE 2        /* frames that wait; older ones of a camera give way */

typedef struct sending {
    const cli_live_send_job *job;
    cli_live_loop loop;
    cli_live_status status;
    GstElement *origin; /* NULL: there is none now */
    GstElement *queue, *adjust, *encoder, *sink;
    GstCaps *caps; /* of frames that are encoded */

    sac_adjust_desc controls;
    bool is_set[CLI_LIVE_CONTROLS]; /* of them; by anyone */

    gint n_in;        /* frames that the origin gave; atomic */
    gint n_since;     /* the same since it was made; atomic */
    bool has_worked;  /* a frame ever came */
    bool is_retrying; /* it went away, and frames have not come again */
    bool awaits;      /* a file that begins with the first receiver */
    guint retry, retry_ms;
    int64_t n_lost;                 /* times that it went away */
    int64_t n_clients, n_served;    /* receivers now, and all that came */
    GstStructure *stats;            /* of the sink, at the end */
    double idle_s, quiet_s, slow_s; /* without receiver, without frame, below the wanted rate */
} sending;

/* Probes of pads, in threads of the pipeline. */

static GstPadProbeReturn on_origin(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    sending *s = data;
    (void)pad;
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
        g_atomic_int_inc(&s->n_in);
        g_atomic_int_inc(&s->n_since);
        return GST_PAD_PROBE_OK;
    }
    const bool is_end = GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS;
    if (!is_end || (s->job->kind == CLI_LIVE_FILE && !s->job->options.loop)) {
        return GST_PAD_PROBE_OK;
    }
    /* The end of a camera is not the end of what is sent. */
    GstStructure *over = gst_structure_new_empty("saccade-origin-ended");
    gst_element_post_message(s->loop.pipeline,
                             gst_message_new_application(GST_OBJECT(s->origin), over));
    return GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    sending *s = data;
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
    sending *s = data;
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

/* Controls. */

static void control(sending *s)
{
    sac_adjust_desc left = s->controls;
    cli_live_origin_control(s->origin, &left, s->is_set);
    g_object_set(s->adjust, "brightness", left.brightness, "contrast", left.contrast, "saturation",
                 left.saturation, "gain", left.gain, NULL);
}

/* A control by its name and value as text; a line says what is wrong, or what was done. */
static void set_control(sending *s, const char *name, const char *value, const char *who)
{
    sac_error err = {0};
    if (cli_live_set_control(&s->controls, name, value, &err) != SAC_OK) {
        cli_warn("%s%s", who, err.text);
        return;
    }
    for (int i = 0; i < CLI_LIVE_CONTROLS; i++) {
        s->is_set[i] |= strcmp(name, cli_live_control(i)->name) == 0;
    }
    control(s);
    cli_note("%s%s %s", who, name, value);
}

static void on_line(void *ctx, const char *line)
{
    char name[32] = "", value[32] = "";
    if (cli_live_parse_control(name, value, line) == CLI_DONE) {
        set_control(ctx, name, value, "");
    }
}

static void on_control(sending *s, const GstStructure *what)
{
    const char *name = gst_structure_get_string(what, "name");
    const char *value = gst_structure_get_string(what, "value");
    set_control(s, name ? name : "", value ? value : "", "from a receiver: ");
}

/* The origin. */

static GstClockTime running_time(const sending *s)
{
    GstClock *clock = gst_element_get_clock(s->loop.pipeline);
    const GstClockTime base = gst_element_get_base_time(s->loop.pipeline);
    const GstClockTime now = clock ? gst_clock_get_time(clock) : 0;
    g_clear_object(&clock);
    return now > base ? now - base : 0;
}

static bool add_origin(sending *s, GstClockTime from)
{
    s->origin = cli_live_origin_new(s->job, from);
    if (!s->origin) {
        return false;
    }
    g_atomic_int_set(&s->n_since, 0);
    gst_bin_add(GST_BIN(s->loop.pipeline), s->origin);
    cli_live_probe(s->origin, "src",
                   GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_origin, s);
    gst_element_link(s->origin, s->queue);
    return true;
}

static void remove_origin(sending *s)
{
    if (s->origin) {
        gst_element_set_locked_state(s->origin, TRUE);
        gst_element_set_state(s->origin, GST_STATE_NULL);
        gst_bin_remove(GST_BIN(s->loop.pipeline), s->origin);
        s->origin = NULL;
    }
}

static bool play_origin(sending *s)
{
    if (!add_origin(s, running_time(s))) {
        cli_live_loop_end(&s->loop, CLI_FAILED);
        return false;
    }
    gst_element_sync_state_with_parent(s->origin);
    return true;
}

static gboolean try_again(gpointer data)
{
    sending *s = data;
    s->retry = 0;
    if (!s->loop.is_ending && play_origin(s)) {
        control(s);
    }
    return G_SOURCE_REMOVE;
}

/* What has worked is awaited; what never did is wrong. */
static void lose_origin(sending *s, const char *why)
{
    remove_origin(s);
    if (s->loop.is_ending || s->retry) {
        return;
    }
    if (!s->is_retrying) {
        s->is_retrying = true;
        s->n_lost++;
        s->retry_ms = FIRST_RETRY_MS;
        cli_warn("%s: %s; trying again until it is back", s->job->source, why);
    }
    s->retry = g_timeout_add(s->retry_ms, try_again, s);
    s->retry_ms = MIN(2 * s->retry_ms, LAST_RETRY_MS);
}

static bool is_of_origin(const sending *s, GstObject *part)
{
    return s->origin && (part == GST_OBJECT(s->origin) ||
                         gst_object_has_as_ancestor(part, GST_OBJECT(s->origin)));
}

static bool on_failure(void *ctx, GstObject *part, const char *why)
{
    sending *s = ctx;
    if (s->origin && !is_of_origin(s, part)) {
        return false;
    }
    if (s->has_worked && s->job->kind != CLI_LIVE_FILE) {
        lose_origin(s, why);
    } else if (s->origin) {
        s->loop.status = cli_fail("%s: %s", s->job->source, why);
    }
    return s->has_worked && s->job->kind != CLI_LIVE_FILE;
}

static void on_state(sending *s, const GstStructure *what)
{
    const char *state = gst_structure_get_string(what, "state");
    const char *peer = gst_structure_get_string(what, "peer");
    if (s->loop.is_ending || !state) {
        return;
    }
    if (!strcmp(state, "connected")) {
        s->n_served++;
        cli_note("receiver %s is connected", peer);
    } else if (!strcmp(state, "lost")) {
        cli_warn("receiver %s is silent or gone", peer);
    } else if (!strcmp(state, "ended")) {
        cli_note("receiver %s has ended", peer);
    } else if (!strcmp(state, "refused")) {
        cli_warn("a receiver is refused: %s", gst_structure_get_string(what, "reason"));
    }
}

static void on_told(void *ctx, GstObject *part, const GstStructure *what)
{
    sending *s = ctx;
    if (gst_structure_has_name(what, "saccade-state")) {
        on_state(s, what);
    } else if (gst_structure_has_name(what, "saccade-control")) {
        on_control(s, what);
    } else if (!gst_structure_has_name(what, "saccade-origin-ended")) {
        return;
    } else if (s->job->kind != CLI_LIVE_FILE) {
        lose_origin(s, "has ended");
    } else if (part == GST_OBJECT(s->origin)) {
        remove_origin(s);
        if (!s->loop.is_ending) {
            play_origin(s);
        }
    }
}

/* Each second. */

/* Says once, each time that it lasts for so long, what is waited for. */
static void tell_waits(sending *s, const cli_live_rates *rates)
{
    const bool is_idle = s->n_clients == 0, is_quiet = rates->frames_s <= 0 && !s->awaits;
    const double idle_s = s->idle_s, quiet_s = s->quiet_s;
    s->idle_s = is_idle ? idle_s + rates->seconds : 0;
    s->quiet_s = is_quiet && !s->is_retrying ? quiet_s + rates->seconds : 0;
    if (idle_s < PATIENCE_S && s->idle_s >= PATIENCE_S) {
        cli_warn("no receiver at %s yet%s", s->status.uri,
                 s->awaits ? ": the file begins with the first one" : "");
    }
    if (quiet_s < PATIENCE_S && s->quiet_s >= PATIENCE_S) {
        cli_warn("no frame from %s for %.0f s", s->job->source, s->quiet_s);
    }
}

static int64_t skipped(const sending *s)
{
    guint waiting = 0;
    g_object_get(s->queue, "current-level-buffers", &waiting, NULL);
    const int64_t n =
        (int64_t)g_atomic_int_get(&s->n_in) - (int64_t)s->status.counts.frames - waiting;
    return s->job->options.frames || n < 0 ? 0 : n;
}

static double wanted_rate(const sending *s)
{
    GstPad *pad = gst_element_get_static_pad(s->encoder, "sink");
    GstCaps *caps = gst_pad_get_current_caps(pad);
    GstVideoInfo info;
    const bool is_known =
        caps && gst_video_info_from_caps(&info, caps) && GST_VIDEO_INFO_FPS_N(&info) > 0;
    gst_clear_caps(&caps);
    gst_object_unref(pad);
    return is_known ? (double)GST_VIDEO_INFO_FPS_N(&info) / GST_VIDEO_INFO_FPS_D(&info) : 0;
}

static void tell_rate(sending *s, const cli_live_rates *rates)
{
    const double wanted = wanted_rate(s), before_s = s->slow_s;
    const bool is_slow = rates->frames_s > 0 && rates->frames_s < SLOW * wanted;
    s->slow_s = is_slow ? before_s + rates->seconds : 0;
    if (before_s >= PATIENCE_S || s->slow_s < PATIENCE_S) {
        return;
    }
    if (skipped(s) > 0 || s->job->kind == CLI_LIVE_FILE) {
        cli_warn("%.3g frames/s leave instead of %.3g: this machine is too slow for %dx%d (--size, "
                 "--fps, --fast)",
                 rates->frames_s, wanted, s->status.w, s->status.h);
    } else {
        cli_warn("%s gives %.3g frames/s instead of %.3g (cameras give less in little light)",
                 s->job->source, rates->frames_s, wanted);
    }
}

static void tell_return(sending *s)
{
    if (g_atomic_int_get(&s->n_since) > 0) {
        s->has_worked = true;
        if (s->is_retrying) {
            cli_note("%s is back", s->job->source);
        }
        s->is_retrying = false;
    }
}

static void on_second(void *ctx)
{
    sending *s = ctx;
    const cli_live_rates rates = cli_live_status_second(&s->status);
    GstStructure *stats = cli_live_stats(s->sink);
    tell_return(s);
    s->n_clients = cli_live_number(stats, "clients");
    tell_waits(s, &rates);
    tell_rate(s, &rates);
    cli_live_line(&s->status,
                  "%" PRIu64 " frames, %.1f/s, %.3g Mbit/s, ratio %.1f, %" PRId64
                  " receiver%s, rtt %.1f ms, resent %" PRId64 ", dropped %" PRId64
                  ", skipped %" PRId64,
                  rates.all.frames, rates.frames_s, rates.mbit_s, rates.ratio, s->n_clients,
                  cli_s(s->n_clients), cli_live_real(stats, "rtt-ms"),
                  cli_live_number(stats, "resent"), cli_live_number(stats, "dropped"), skipped(s));
    if (s->status.json_path) {
        cli_json_line(&s->status.rows);
        cli_live_put_rates(&s->status.rows, &rates);
        cli_json_int(&s->status.rows, "skipped", skipped(s));
        cli_live_put_stats(&s->status.rows, stats);
        cli_json_end_line(&s->status.rows);
    }
    if (stats) {
        gst_structure_free(stats);
    }
}

static bool is_over(void *ctx)
{
    sending *s = ctx;
    const cli_live_send_options *o = &s->job->options;
    const double seconds = 1e-9 * (double)(cli_clock_ns() - s->status.since_ns);
    if (s->awaits) {
        GstStructure *stats = cli_live_stats(s->sink);
        s->awaits = stats && cli_live_number(stats, "clients") == 0;
        if (stats) {
            gst_structure_free(stats);
        }
        if (!s->awaits) {
            play_origin(s);
        }
    }
    if (!s->has_worked || s->is_retrying) {
        tell_return(s);
    }
    return (o->seconds > 0 && seconds >= o->seconds) ||
           (o->frames > 0 && s->status.counts.frames >= (uint64_t)o->frames);
}

static void on_stopping(void *ctx)
{
    sending *s = ctx;
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

static bool build(sending *s)
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

/* The end. */

static void print(sending *s, const cli_live_rates *total)
{
    const GstStructure *stats = s->stats;
    char shape[48];
    if (total->all.frames == 0) {
        return;
    }
    printf("%s: %" PRIu64 " frame%s of %s in %.3g s, %.3g/s\n", s->status.uri, total->all.frames,
           cli_s((int64_t)total->all.frames), cli_live_shape(shape, &s->status), total->seconds,
           total->frames_s);
    printf("  packets        %" PRIu64 " bytes, %.3g Mbit/s, %.1f times smaller than raw; %" PRIu64
           " keyframe%s, %" PRId64 " asked for\n",
           total->all.packet_bytes, total->mbit_s, total->ratio, total->all.keys,
           cli_s((int64_t)total->all.keys), cli_live_number(stats, "key-requests"));
    printf("  receivers      %" PRId64 " came; %" PRId64 " fragments sent again, %" PRId64
           " packets dropped, %" PRId64 " refused\n",
           s->n_served, cli_live_number(stats, "resent"), cli_live_number(stats, "dropped"),
           cli_live_number(stats, "refused"));
    if (skipped(s) > 0) {
        printf("  skipped        %" PRId64 " frames that this machine was too slow for\n",
               skipped(s));
    }
    if (s->n_lost > 0) {
        printf("  source         lost %" PRId64 " time%s\n", s->n_lost, cli_s(s->n_lost));
    }
}

static int report(sending *s, int status)
{
    const char *path = s->status.json_path;
    const cli_live_rates total = cli_live_status_total(&s->status);
    if (path) {
        cli_json own;
        cli_json *json = cli_json_begin_row(&own, NULL, s->job->plan.encode.device);
        char shape[48];
        cli_json_string(json, "pipeline", "send");
        cli_json_string(json, "source", s->job->source);
        cli_json_string(json, "to", s->status.uri);
        cli_json_string(json, "shape", cli_live_shape(shape, &s->status));
        cli_live_put_rates(json, &total);
        cli_json_int(json, "skipped", skipped(s));
        cli_json_int(json, "receivers", s->n_served);
        cli_json_int(json, "source_lost", s->n_lost);
        cli_live_put_stats(json, s->stats);
        const int written = cli_json_end_row(&own, NULL, &s->status.rows, path);
        status = status ? status : written;
    }
    if (!path || strcmp(path, "-") != 0) {
        print(s, &total);
    }
    return status;
}

static int send_all(sending *s)
{
    const bool is_file = s->job->kind == CLI_LIVE_FILE;
    s->awaits = is_file; /* of which nobody shall miss the beginning */
    if (!s->awaits && !add_origin(s, 0)) {
        return CLI_FAILED;
    }
    control(s);
    int status = cli_live_loop_run(&s->loop);
    if (status == CLI_DONE && s->status.counts.frames == 0 && !s->awaits) {
        status = cli_fail("%s: no frame came", s->job->source);
    }
    return report(s, status);
}

int cli_live_send_run(const cli_live_send_job *job)
{
    static const cli_live_calls calls = {on_failure, on_told,   on_line,
                                         is_over,    on_second, on_stopping};
    if (job->options.list) {
        return cli_live_list_cameras();
    }
    sending *s = cli_grow(NULL, 0, 1, sizeof *s);
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
