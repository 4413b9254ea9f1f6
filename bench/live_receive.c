/*
 * bench_live's receivers: when pictures come, and whether they are right.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/video/video.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "live_bench.h"

/* What the receiver has seen. */
typedef struct seen {
    int64_t *latency_ns, n, room, n_wrong, last;
    int64_t gap_ns, last_ns;
} seen;

static bool is_exact(GstBuffer *buffer, int64_t i)
{
    GstMapInfo map;
    const uint8_t *wanted = frame_at(i);
    bool is_good = gst_buffer_map(buffer, &map, GST_MAP_READ);
    for (gsize k = 0; is_good && k < map.size; k++)
        is_good = abs(map.data[k] - wanted[k]) <= options->threshold;
    gst_buffer_unmap(buffer, &map);
    return is_good;
}

/* The frame of this time; -1: none. */
static int64_t frame_of(int64_t captured_ns, int64_t from)
{
    const int64_t n = atomic_load(&sent->n_frames);
    int64_t best = -1;
    for (int64_t i = from; i < n; i++)
        if (best < 0 || llabs(sent->captured_ns[i] - captured_ns) <
                            llabs(sent->captured_ns[best] - captured_ns))
            best = i;
    return best;
}

/* The frame that this picture is of, near the one that its time tells; -1: none. */
static int64_t exact_near(GstBuffer *buffer, int64_t i)
{
    const int64_t order[] = {i, i - 1, i + 1, i - 2, i + 2, i - 3, i + 3};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (order[k] >= 0 && order[k] < atomic_load(&sent->n_frames) && is_exact(buffer, order[k]))
            return order[k];
    return -1;
}

static GstPadProbeReturn take_picture(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    seen *s = data;
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    const int64_t now = sac_clock_ns();
    const GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta(buffer, NULL);
    const int64_t i = meta ? frame_of((int64_t)meta->timestamp, s->last) : -1;
    (void)pad;
    if (i < 0) {
        s->n_wrong++;
        return GST_PAD_PROBE_OK;
    }
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->latency_ns = g_renew(int64_t, s->latency_ns, s->room);
    }
    const int64_t right = options->check ? exact_near(buffer, i) : i;
    s->n_wrong += right < 0;
    s->latency_ns[s->n++] = now - sent->left_ns[right < 0 ? i : right];
    s->gap_ns = s->last_ns && now - s->last_ns > s->gap_ns ? now - s->last_ns : s->gap_ns;
    s->last_ns = now;
    s->last = i;
    return GST_PAD_PROBE_OK;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int receive(int index, int32_t port)
{
    char text[600], who[32];
    seen s = {0};
    signal(SIGTERM, on_signal);
    gst_init(NULL, NULL);
    snprintf(who, sizeof who, "receiver %d", index);
    snprintf(text, sizeof text,
             "sacdeltasrc name=link uri=%s://127.0.0.1:%d latency=%d %s%s ! sacdeltadec ! fakesink "
             "name=end sync=false",
             live_transports[options->kind], port, options->latency_ms,
             options->passphrase_file ? "passphrase-file=" : "",
             options->passphrase_file ? options->passphrase_file : "");
    GstElement *pipeline = launch(text), *end = gst_bin_get_by_name(GST_BIN(pipeline), "end");
    GstPad *pad = gst_element_get_static_pad(end, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, take_picture, &s, NULL);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    const int64_t begin = sac_clock_ns();
    footprint early = {0};
    while (!stops && look_at_bus(pipeline, 100000000))
        if (early.threads == 0 && sac_clock_ns() - begin > EARLY_NS)
            early = footprint_now();
    print_stats(pipeline, "link", who);
    const footprint late = footprint_now();
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pad);
    gst_object_unref(end);
    gst_object_unref(pipeline);
    print_footprint(who, early, late, (double)(sac_clock_ns() - begin) / 1e9);
    qsort(s.latency_ns, (size_t)s.n, sizeof *s.latency_ns, compare);
    if (s.n > 0)
        printf("%s: %lld pictures, %lld wrong%s, longest gap %.0f ms; latency ms p50 %.1f, p90 "
               "%.1f, p99 %.1f, most %.1f\n",
               who, (long long)s.n, (long long)s.n_wrong, options->check ? "" : " (not compared)",
               (double)s.gap_ns / 1e6, (double)s.latency_ns[s.n / 2] / 1e6,
               (double)s.latency_ns[s.n * 9 / 10] / 1e6, (double)s.latency_ns[s.n * 99 / 100] / 1e6,
               (double)s.latency_ns[s.n - 1] / 1e6);
    (void)fflush(stdout);
    const bool is_good = s.n > 0 && s.n_wrong == 0;
    g_free(s.latency_ns);
    return is_good ? 0 : 1;
}
