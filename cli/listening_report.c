/*
 * What is told of frames over a network, while they come and at the end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listening.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tables.h"

#define SILENT_NS INT64_C(2000000000) /* from so long on it is told */

/* A time that a share of frames does not exceed, as text. */
static const char *time_of(char text[16], const cli_listening *l, double share)
{
    return cli_time_text(text, 16,
                         sac_histogram_get_quantile(sac_stream_get_latency(l->stream), share));
}

int64_t cli_listening_silent_ns(const cli_listening *l, const sac_frame_counts *came)
{
    const int64_t last_ns = came->taken_ns > l->since_ns ? came->taken_ns : l->since_ns;
    return cli_clock_ns() - last_ns;
}

/* Of pictures the last one's size, of other frames its axes and type; free() it. */
static char *text_of_other(const cli_listening *l, const sac_frame_counts *n)
{
    char *other = n->other_w ? cli_text("%dx%d", n->other_w, n->other_h)
                             : cli_axes_text(n->other_shape, n->other_n_dims, n->other_dtype, "x");
    const int64_t count = n->kinds[SAC_PACKET_WRONG_SHAPE];
    char *text = cli_text("%" PRId64 " datagram%s of another %s than %s; the last: %s", count,
                          cli_s(count), n->other_w ? "size" : "shape or type", l->expects, other);
    free(other);
    return text;
}

/* What a user can do about datagrams that are not taken; free() it. NULL: nothing to say. */
static char *trouble_of(const cli_listening *l, const sac_frame_counts *n, int32_t kind)
{
    const char *many = n->kinds[kind] == 1 ? "" : "s";
    const long long count = (long long)n->kinds[kind];
    if (count == 0) {
        return NULL;
    }
    switch (kind) {
    case SAC_PACKET_NO_TAG:
        return cli_text("%lld datagram%s without a tag: does the sender have --key?", count, many);
    case SAC_PACKET_BAD_TAG:
        return cli_text("%lld datagram%s with a wrong tag: has the sender the same --key?", count,
                        many);
    case SAC_PACKET_UNEXPECTED_TAG:
        return cli_text("%lld datagram%s with a tag, and no --key here", count, many);
    case SAC_PACKET_OVERSIZE:
        return cli_text("%lld datagram%s longer than a frame of %s", count, many, l->expects);
    case SAC_PACKET_WRONG_SHAPE:
        return text_of_other(l, n);
    default:
        return NULL;
    }
}

char *cli_listening_trouble(const cli_listening *l, const sac_frame_counts *n)
{
    char *worst = NULL;
    int64_t most = 0;
    for (int32_t i = 0; i < SAC_PACKET_KINDS; i++) {
        char *text = n->kinds[i] > most ? trouble_of(l, n, i) : NULL;
        if (text) {
            free(worst);
            worst = text;
            most = n->kinds[i];
        }
    }
    return worst;
}

/* Behind the live line: that nothing comes, and why nothing of what comes is taken. */
static void show_silence(const cli_listening *l, const sac_frame_counts *came)
{
    const int64_t silent_ns = cli_listening_silent_ns(l, came);
    if (silent_ns < SILENT_NS) {
        return;
    }
    fprintf(stderr, ", silent for %.0f s", floor(1e-9 * (double)silent_ns));
    char *why = cli_listening_trouble(l, came);
    if (why) {
        fprintf(stderr, " (%s)", why);
    }
    free(why);
}

void cli_listening_live(cli_listening *l, const cli_listening_watch *watch)
{
    char p50[16], p99[16], max[16];
    sac_frame_counts came = {.struct_size = sizeof came};
    sac_frame_receiver_get_counts(l->receiver, &came);
    sac_stream_counts c = {.struct_size = sizeof c};
    sac_stream_get_counts(l->stream, &c);
    const int64_t now_ns = cli_clock_ns();
    const double rate =
        1e9 * (double)(c.received - l->shown_received) / (double)(now_ns - l->shown_ns);
    l->shown_ns = now_ns;
    l->shown_received = c.received;
    fprintf(stderr, "\r\033[K%" PRId64 " frames, %.0f/s, p50 %s, p99 %s, max %s, lost %" PRId64,
            c.received, rate, time_of(p50, l, 0.5), time_of(p99, l, 0.99), time_of(max, l, 1),
            came.lost);
    fprintf(stderr, ", dropped %" PRId64 ", late %" PRId64, c.dropped, c.late);
    if (watch->show) {
        watch->show(watch->ctx);
    }
    show_silence(l, &came);
    fflush(stderr);
}

static void print_network(const cli_listening *l)
{
    const sac_frame_counts *n = &l->came;
    printf("  datagrams      %" PRId64 ":", n->datagrams);
    for (int32_t i = 0; i < SAC_PACKET_KINDS; i++) {
        if (n->kinds[i] > 0 || i == SAC_PACKET_TAKEN) {
            printf("%s %" PRId64 " %s", i == SAC_PACKET_TAKEN ? "" : ",", n->kinds[i],
                   sac_packet_kind_name(i));
        }
    }
    if (n->kernel_dropped >= 0) {
        printf("; %" PRId64 " more dropped by the system\n", n->kernel_dropped);
    } else {
        puts("; the system does not report what it dropped");
    }
    printf("  on the way     %" PRId64 " frame%s expected in %" PRId64 " stream%s, %" PRId64
           " lost (%" PRId64 " came in part), %" PRId64 " reordered\n",
           n->expected, cli_s(n->expected), n->streams, cli_s(n->streams), n->lost, n->incomplete,
           n->reordered);
    for (int32_t i = 0; i < SAC_PACKET_KINDS; i++) {
        char *text = trouble_of(l, n, i);
        if (text) {
            printf("  not taken      %s\n", text);
        }
        free(text);
    }
}

static void print_stream(const cli_listening *l)
{
    char p50[16], p99[16], p999[16], max[16];
    const sac_stream_counts *c = &l->counts;
    printf("  frames         %" PRId64 " received = %" PRId64 " accepted + %" PRId64 " refused\n",
           c->received, c->accepted, c->refused);
    printf("  accepted       %" PRId64 " processed + %" PRId64 " empty + %" PRId64
           " dropped; at most %" PRId64 " waited\n",
           c->processed, c->empty, c->dropped, c->most_waiting);
    if (c->processed + c->empty == 0) {
        puts("  latency        of no frame");
        return;
    }
    printf("  latency        p50 %s, p99 %s, p99.9 %s, max %s from a frame's last datagram to its "
           "result; %" PRId64 " late\n",
           time_of(p50, l, 0.5), time_of(p99, l, 0.99), time_of(p999, l, 0.999), time_of(max, l, 1),
           c->late);
}

void cli_listening_print(const cli_listening *l)
{
    print_network(l);
    print_stream(l);
}

void cli_listening_print_dropped(int64_t n)
{
    if (n > 0) {
        printf(", %" PRId64 " dropped: no room for %s", n, n == 1 ? "it" : "them");
    }
}

static void put_network(const cli_listening *l, cli_json *json)
{
    const sac_frame_counts *n = &l->came;
    cli_json_int(json, "datagrams", n->datagrams);
    cli_json_object(json, "kinds");
    for (int32_t i = 0; i < SAC_PACKET_KINDS; i++) {
        cli_json_int(json, sac_packet_kind_name(i), n->kinds[i]);
    }
    cli_json_end_object(json);
    cli_json_int(json, "kernel_dropped", n->kernel_dropped);
    cli_json_int(json, "streams", n->streams);
    cli_json_int(json, "expected", n->expected);
    cli_json_int(json, "whole", n->frames + n->refused);
    cli_json_int(json, "lost", n->lost);
    cli_json_int(json, "incomplete", n->incomplete);
    cli_json_int(json, "reordered", n->reordered);
    cli_json_int(json, "silent_ns", cli_listening_silent_ns(l, n));
}

static void put_stream(const cli_listening *l, cli_json *json)
{
    const sac_stream_counts *c = &l->counts;
    const sac_histogram *latency = sac_stream_get_latency(l->stream);
    cli_json_int(json, "received", c->received);
    cli_json_int(json, "accepted", c->accepted);
    cli_json_int(json, "refused", c->refused);
    cli_json_int(json, "processed", c->processed);
    cli_json_int(json, "empty", c->empty);
    cli_json_int(json, "dropped", c->dropped);
    cli_json_int(json, "late", c->late);
    cli_json_int(json, "batches", c->batches);
    cli_json_int(json, "most_waiting", c->most_waiting);
    const double none = c->processed + c->empty > 0 ? 0 : (double)NAN; /* which is null */
    cli_json_real(json, "p50_ns", none + sac_histogram_get_quantile(latency, 0.5));
    cli_json_real(json, "p99_ns", none + sac_histogram_get_quantile(latency, 0.99));
    cli_json_real(json, "p999_ns", none + sac_histogram_get_quantile(latency, 0.999));
    cli_json_real(json, "max_ns", none + (double)sac_histogram_get_max(latency));
}

void cli_listening_put(const cli_listening *l, cli_json *json)
{
    put_network(l, json);
    put_stream(l, json);
}
