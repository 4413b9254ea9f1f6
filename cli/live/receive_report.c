/*
 * What saccade receive tells each second and at its end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "receive.h"
#include "tables.h"
#include "videos.h"

#define PATIENCE_S 5.0 /* then it is said what is waited for */

/* "p50 8.1 ms, p99 12 ms" of times so far; what a second had is begun anew. */
static void latency_text(cli_receiving *r, char text[64], bool is_total)
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

static void put_latency(cli_receiving *r, cli_json *json, bool is_total)
{
    g_mutex_lock(&r->status.lock);
    sac_histogram *of = is_total ? r->status.latency : r->status.latency_now;
    const double none = sac_histogram_get_count(of) > 0 ? 0 : (double)NAN; /* which is null */
    cli_json_real(json, "latency_p50_ns", none + sac_histogram_get_quantile(of, 0.5));
    cli_json_real(json, "latency_p99_ns", none + sac_histogram_get_quantile(of, 0.99));
    cli_json_real(json, "latency_max_ns", none + (double)sac_histogram_get_max(of));
    g_mutex_unlock(&r->status.lock);
}

static void begin_second(cli_receiving *r)
{
    sac_error err = {0};
    g_mutex_lock(&r->status.lock);
    sac_histogram_close(&r->status.latency_now);
    if (sac_histogram_open(&r->status.latency_now, &err) != SAC_OK) {
        exit(cli_error(&err));
    }
    g_mutex_unlock(&r->status.lock);
}

static void tell_silence(cli_receiving *r, const cli_live_rates *rates)
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
static void keep_clocks(cli_receiving *r, GstStructure *stats)
{
    if (r->is_connected) {
        r->offset_ms = 1e-6 * (double)cli_live_number(stats, "clock-offset-ns");
        r->rtt_ms = cli_live_real(stats, "rtt-ms");
    }
}

void cli_receive_second(cli_receiving *r)
{
    const cli_live_rates rates = cli_live_status_second(&r->status);
    GstStructure *stats = cli_live_stats(r->source);
    char latency[64];
    tell_silence(r, &rates);
    keep_clocks(r, stats);
    latency_text(r, latency, false);
    cli_live_line(
        &r->status,
        g_strdup_printf(
            "%" PRIu64 " frames, %.1f/s, %.3g Mbit/s, ratio %.1f, latency %s, clock offset "
            "%.2f ms, lost %" PRId64 ", repaired %" PRId64 "%s",
            rates.all.frames, rates.frames_s, rates.mbit_s, rates.ratio, latency, r->offset_ms,
            cli_live_number(stats, "lost"), cli_live_number(stats, "repaired"),
            rates.frames_s <= 0 && rates.packets_s > 0 ? ", waiting for a keyframe"
            : r->is_connected                          ? ""
                                                       : ", no sender"));
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

void cli_receive_keep(cli_receiving *r)
{
    r->stats = cli_live_stats(r->source);
    if (r->stats) {
        keep_clocks(r, r->stats);
        gst_structure_set(r->stats, "clock-offset-ns", G_TYPE_INT64, (gint64)(1e6 * r->offset_ms),
                          "rtt-ms", G_TYPE_DOUBLE, r->rtt_ms, NULL);
    }
}

static int64_t not_written(const cli_receiving *r)
{
    return (int64_t)(g_atomic_int_get(&r->n_given) - g_atomic_int_get(&r->n_taken)) +
           (int64_t)cli_live_recorder_counts(r->recorder).dropped;
}

static void print(cli_receiving *r, const cli_live_rates *total)
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
    printf("  latency        %s from capture to %s; clock offset %.2f ms, round trip %.2f ms\n",
           latency, r->window ? "display" : "the decoded frame", r->offset_ms, r->rtt_ms);
    if (r->recorder) {
        const cli_live_recorded c = cli_live_recorder_counts(r->recorder);
        printf("  written        %s: %s%" PRIu64 " %s%s%s%s%s, %" PRId64 " not\n",
               r->job->options.output, c.is_cut ? "at most " : "", c.written,
               cli_live_recorder_takes_packets(r->recorder) ? "packet" : "frame",
               cli_s((int64_t)c.written), c.encoder ? " by " : "", c.encoder ? c.encoder : "",
               c.encoder ? ", which are not exact" : "", not_written(r));
    }
}

int cli_receive_report(cli_receiving *r, int status)
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
    if (!cli_is_dash(path) && !cli_is_dash(r->job->options.output)) {
        print(r, &total);
    }
    return status;
}
