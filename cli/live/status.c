/*
 * Counts of a live stream, each second and in all.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "status.h"

#include <gst/video/video.h>
#include <stdlib.h>
#include <unistd.h>

#include "live.h"
#include "loop.h"

static sac_histogram *histogram(void)
{
    sac_error err = {0};
    sac_histogram *opened = NULL;
    if (sac_histogram_open(&opened, &err) != SAC_OK) {
        exit(cli_error(&err));
    }
    return opened;
}

void cli_live_status_open(cli_live_status *status, const char *uri, const char *json_path)
{
    *status = (cli_live_status){.uri = uri, .json_path = json_path};
    status->is_terminal = isatty(STDERR_FILENO) == 1;
    status->since_ns = status->at_ns = cli_clock_ns();
    status->latency = histogram();
    status->latency_now = histogram();
    g_mutex_init(&status->lock);
    cli_json_open_part(&status->rows);
}

void cli_live_status_close(cli_live_status *status)
{
    if (status->is_terminal) {
        fputs("\r\033[K", stderr);
    }
    sac_histogram_close(&status->latency);
    sac_histogram_close(&status->latency_now);
    g_mutex_clear(&status->lock);
    cli_json_discard(&status->rows);
}

static cli_live_rates rates_of(const cli_live_counts *now, const cli_live_counts *before,
                               int64_t ns)
{
    const double seconds = ns > 0 ? 1e-9 * (double)ns : 1e-9;
    const uint64_t bytes = now->packet_bytes - before->packet_bytes;
    const uint64_t raw = now->raw_bytes - before->raw_bytes;
    return (cli_live_rates){.seconds = seconds,
                            .frames_s = (double)(now->frames - before->frames) / seconds,
                            .packets_s = (double)(now->packets - before->packets) / seconds,
                            .mbit_s = 8e-6 * (double)bytes / seconds,
                            .ratio = bytes ? (double)raw / (double)bytes : 0,
                            .all = *now};
}

cli_live_rates cli_live_status_second(cli_live_status *status)
{
    const int64_t now_ns = cli_clock_ns();
    g_mutex_lock(&status->lock);
    const cli_live_counts now = status->counts;
    g_mutex_unlock(&status->lock);
    const cli_live_rates rates = rates_of(&now, &status->before, now_ns - status->at_ns);
    status->before = now;
    status->at_ns = now_ns;
    return rates;
}

cli_live_rates cli_live_status_total(cli_live_status *status)
{
    const cli_live_counts none = {0};
    g_mutex_lock(&status->lock);
    const cli_live_counts now = status->counts;
    const int64_t ns = status->last_ns - status->first_ns;
    g_mutex_unlock(&status->lock);
    cli_live_rates rates = rates_of(&now, &none, ns);
    if (now.frames < 2) { /* there is no time between one */
        rates.seconds = rates.frames_s = rates.packets_s = rates.mbit_s = 0;
    } else {
        rates.frames_s *= (double)(now.frames - 1) / (double)now.frames;
    }
    return rates;
}

uint64_t cli_live_frames(cli_live_status *status)
{
    g_mutex_lock(&status->lock);
    const uint64_t frames = status->counts.frames;
    g_mutex_unlock(&status->lock);
    return frames;
}

double cli_live_silent_s(cli_live_status *status)
{
    g_mutex_lock(&status->lock);
    const int64_t last_ns = status->last_ns ? status->last_ns : status->since_ns;
    g_mutex_unlock(&status->lock);
    return 1e-9 * (double)(cli_clock_ns() - last_ns);
}

void cli_live_status_set_caps(cli_live_status *status, const GstCaps *caps)
{
    GstVideoInfo info;
    if (caps && gst_video_info_from_caps(&info, caps)) {
        g_mutex_lock(&status->lock);
        status->w = GST_VIDEO_INFO_WIDTH(&info);
        status->h = GST_VIDEO_INFO_HEIGHT(&info);
        status->n_channels = GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0);
        g_mutex_unlock(&status->lock);
    }
}

void cli_live_count_frame(cli_live_status *status)
{
    g_mutex_lock(&status->lock);
    status->last_ns = cli_clock_ns();
    status->first_ns = status->first_ns ? status->first_ns : status->last_ns;
    status->counts.frames++;
    status->counts.raw_bytes +=
        (uint64_t)status->w * (uint64_t)status->h * (uint64_t)status->n_channels;
    g_mutex_unlock(&status->lock);
}

void cli_live_count_packet(cli_live_status *status, GstBuffer *buffer)
{
    g_mutex_lock(&status->lock);
    status->counts.packets++;
    status->counts.keys += !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    status->counts.packet_bytes += gst_buffer_get_size(buffer);
    g_mutex_unlock(&status->lock);
}

void cli_live_line(const cli_live_status *status, char *line)
{
    if (status->is_terminal) {
        fprintf(stderr, "\r\033[K%s", line);
        fflush(stderr);
    }
    g_free(line);
}

void cli_live_put_rates(cli_json *json, const cli_live_rates *rates)
{
    cli_json_real(json, "seconds", rates->seconds);
    cli_json_uint(json, "frames", rates->all.frames);
    cli_json_uint(json, "packets", rates->all.packets);
    cli_json_uint(json, "keyframes", rates->all.keys);
    cli_json_uint(json, "bytes", rates->all.packet_bytes);
    cli_json_real(json, "frames_s", rates->frames_s);
    cli_json_real(json, "mbit_s", rates->mbit_s);
    cli_json_real(json, "ratio", rates->ratio);
}

/* What both count, under other names. */
static bool is_ours(const char *name)
{
    static const char *const ours[] = {"packets", "bytes", NULL};
    return g_strv_contains(ours, name);
}

static gboolean put_stat(GQuark id, const GValue *value, gpointer data)
{
    cli_json *json = data;
    if (is_ours(g_quark_to_string(id))) {
        return TRUE;
    }
    char *name = g_strdelimit(g_strdup(g_quark_to_string(id)), "-", '_');
    if (G_VALUE_HOLDS_STRING(value)) {
        cli_json_string(json, name, g_value_get_string(value));
    } else if (G_VALUE_HOLDS_DOUBLE(value)) {
        cli_json_real(json, name, g_value_get_double(value));
    } else if (G_VALUE_HOLDS_BOOLEAN(value)) {
        cli_json_bool(json, name, g_value_get_boolean(value));
    } else if (G_VALUE_HOLDS_UINT64(value)) {
        cli_json_uint(json, name, g_value_get_uint64(value));
    } else if (G_VALUE_HOLDS_INT64(value)) {
        cli_json_int(json, name, g_value_get_int64(value));
    } else if (G_VALUE_HOLDS_INT(value)) {
        cli_json_int(json, name, g_value_get_int(value));
    } else if (G_VALUE_HOLDS_UINT(value)) {
        cli_json_uint(json, name, g_value_get_uint(value));
    }
    g_free(name);
    return TRUE;
}

void cli_live_put_stats(cli_json *json, const GstStructure *stats)
{
    if (stats) {
        gst_structure_foreach(stats, put_stat, json);
    }
}

GstStructure *cli_live_stats(GstElement *element)
{
    GstStructure *stats = NULL;
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats")) {
        g_object_get(element, "stats", &stats, NULL);
    }
    return stats;
}

void cli_live_tell_port(cli_live_status *status, GstElement *transport)
{
    if (status->has_port || !cli_live_is_waiting(status->uri)) {
        return;
    }
    GstStructure *stats = cli_live_stats(transport);
    const int64_t port = cli_live_number(stats, "port");
    if (port > 0) {
        status->has_port = true;
        cli_note("waiting at port %d", (int)port);
    }
    g_clear_pointer(&stats, gst_structure_free);
}

const char *cli_live_shape(char text[48], const cli_live_status *status)
{
    if (status->w) {
        g_snprintf(text, 48, "%dx%dx%d", status->w, status->h, status->n_channels);
    } else {
        g_snprintf(text, 48, "no size");
    }
    return text;
}
