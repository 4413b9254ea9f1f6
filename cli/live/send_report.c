/*
 * What saccade send tells each second and at its end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/video/video.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "send.h"
#include "videos.h"

#define PATIENCE_S 5.0 /* then it is said what is waited for */
#define SLOW 0.9       /* of the wanted rate */

/* Says once, each time that it lasts for so long, what is waited for. */
static void tell_waits(cli_sending *s, const cli_live_rates *rates)
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
        cli_warn("no frame from %s for %.0f s", s->job->shown, s->quiet_s);
    }
}

static int64_t skipped(cli_sending *s)
{
    guint waiting = 0;
    g_object_get(s->queue, "current-level-buffers", &waiting, NULL);
    const int64_t n =
        (int64_t)g_atomic_int_get(&s->n_in) - (int64_t)cli_live_frames(&s->status) - waiting;
    return s->job->kind == CLI_LIVE_FILE || s->job->options.frames || n < 0 ? 0 : n;
}

static double wanted_rate(const cli_sending *s)
{
    GstPad *pad = gst_element_get_static_pad(s->encoder, "sink");
    GstCaps *caps = gst_pad_get_current_caps(pad);
    GstVideoInfo info;
    const bool is_known =
        caps && gst_video_info_from_caps(&info, caps) && GST_VIDEO_INFO_FPS_N(&info) > 0;
    gst_clear_caps(&caps);
    gst_object_unref(pad);
    const double rate =
        is_known ? (double)GST_VIDEO_INFO_FPS_N(&info) / GST_VIDEO_INFO_FPS_D(&info) : 0;
    const int32_t most = s->job->options.fps; /* which what frames are left out for keeps */
    return most && rate > most ? most : rate;
}

static void tell_rate(cli_sending *s, const cli_live_rates *rates)
{
    const double wanted = wanted_rate(s), before_s = s->slow_s;
    const bool is_slow = rates->frames_s > 0 && rates->frames_s < SLOW * wanted;
    s->slow_s = is_slow ? before_s + rates->seconds : 0;
    if (before_s >= PATIENCE_S || s->slow_s < PATIENCE_S) {
        return;
    }
    const bool is_outer = s->job->kind == CLI_LIVE_CAMERA || s->job->kind == CLI_LIVE_RTSP;
    if (skipped(s) > 0 || !is_outer) {
        cli_warn("%.3g frames/s leave instead of %.3g: this machine is too slow for %dx%d (--size, "
                 "--fps, --fast)",
                 rates->frames_s, wanted, s->status.w, s->status.h);
    } else {
        cli_warn("%s gives %.3g frames/s instead of %.3g (cameras give less in little light)",
                 s->job->shown, rates->frames_s, wanted);
    }
}

void cli_send_second(cli_sending *s)
{
    const cli_live_rates rates = cli_live_status_second(&s->status);
    GstStructure *stats = cli_live_stats(s->sink);
    s->n_clients = cli_live_number(stats, "clients");
    tell_waits(s, &rates);
    tell_rate(s, &rates);
    cli_live_line(&s->status,
                  g_strdup_printf("%" PRIu64 " frames, %.1f/s, %.3g Mbit/s, ratio %.1f, %" PRId64
                                  " receiver%s, rtt %.1f ms, resent %" PRId64 ", dropped %" PRId64
                                  ", skipped %" PRId64,
                                  rates.all.frames, rates.frames_s, rates.mbit_s, rates.ratio,
                                  s->n_clients, cli_s(s->n_clients), cli_live_real(stats, "rtt-ms"),
                                  cli_live_number(stats, "resent"),
                                  cli_live_number(stats, "dropped"), skipped(s)));
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

static void print(cli_sending *s, const cli_live_rates *total)
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
        printf("  skipped        %" PRId64 " frame%s that this machine was too slow for\n",
               skipped(s), cli_s(skipped(s)));
    }
    if (s->n_lost > 0) {
        printf("  source         lost %" PRId64 " time%s\n", s->n_lost, cli_s(s->n_lost));
    }
}

int cli_send_report(cli_sending *s, int status)
{
    const char *path = s->status.json_path;
    const cli_live_rates total = cli_live_status_total(&s->status);
    if (path) {
        cli_json own;
        cli_json *json = cli_json_begin_row(&own, NULL, s->job->plan.encode.device);
        char shape[48];
        cli_json_string(json, "pipeline", "send");
        cli_json_string(json, "source", s->job->shown);
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
    if (!cli_is_dash(path) && (status == CLI_DONE || s->n_served > 0)) {
        print(s, &total);
    }
    return status;
}
