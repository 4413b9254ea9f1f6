/*
 * What saccade meltpool --listen shows while it runs, and says at its end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "listen.h"
#include "tables.h"

#define SILENT_NS INT64_C(2000000000) /* from so long on it is told */

static const char *const names[SAC_MELTPOOL_PREDICTIONS] = {"lack of fusion", "keyhole"};

static double sum_of(const cli_listen *l, int k)
{
    return atomic_load_explicit(&l->sums[k], memory_order_relaxed);
}

/* Of processed frames, pores / mm^2; NAN without any. */
static double mean_density(const cli_listen *l, int k)
{
    return sum_of(l, k) / (double)l->job.counts.processed;
}

/* How many pores the densities let expect; NAN where nobody knows what a frame stands for. */
static double expected_pores(const cli_listen *l, int k)
{
    double um2 = l->options.frame_um2;
    return um2 > 0 ? 1e-6 * um2 * sum_of(l, k) : (double)NAN;
}

/* A time that a share of frames does not exceed, as text. */
static const char *time_of(char text[16], const cli_listen *l, double share)
{
    return cli_time_text(text, 16,
                         sac_histogram_get_quantile(sac_stream_get_latency(l->stream), share));
}

int64_t cli_listen_silent_ns(const cli_listen *l, const sac_frame_counts *came)
{
    const int64_t last_ns = came->taken_ns > l->since_ns ? came->taken_ns : l->since_ns;
    return cli_clock_ns() - last_ns;
}

/* What a user can do about datagrams that are not taken; free() it. NULL: nothing to say. */
static char *trouble_of(const cli_listen *l, const sac_frame_counts *n, int32_t kind)
{
    const char *many = n->kinds[kind] == 1 ? "" : "s";
    const long long count = (long long)n->kinds[kind];
    const int w = l->job.desc.w, h = l->job.desc.h;
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
        return cli_text("%lld datagram%s longer than a frame of --size %dx%d", count, many, w, h);
    case SAC_PACKET_WRONG_SHAPE:
        return cli_text("%lld datagram%s of another size than --size %dx%d; the last: %dx%d", count,
                        many, w, h, n->other_w, n->other_h);
    default:
        return NULL;
    }
}

/* Of all that can be done something about, what there is most of; free() it. */
static char *worst_trouble(const cli_listen *l, const sac_frame_counts *n)
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
static void show_silence(const cli_listen *l, const sac_frame_counts *came)
{
    const int64_t silent_ns = cli_listen_silent_ns(l, came);
    if (silent_ns < SILENT_NS) {
        return;
    }
    fprintf(stderr, ", silent for %.0f s", floor(1e-9 * (double)silent_ns));
    char *why = worst_trouble(l, came);
    if (why) {
        fprintf(stderr, " (%s)", why);
    }
    free(why);
}

void cli_listen_live(const cli_listen *l, cli_listen_shown *shown)
{
    char p50[16], p99[16], max[16];
    sac_frame_counts came = {.struct_size = sizeof came};
    sac_frame_receiver_get_counts(l->receiver, &came);
    sac_stream_counts c = {.struct_size = sizeof c};
    sac_stream_get_counts(l->stream, &c);
    const int64_t now_ns = cli_clock_ns();
    const double rate =
        1e9 * (double)(c.received - shown->received) / (double)(now_ns - shown->at_ns);
    *shown = (cli_listen_shown){now_ns, c.received};
    fprintf(stderr, "\r\033[K%" PRId64 " frames, %.0f/s, p50 %s, p99 %s, max %s, lost %" PRId64,
            c.received, rate, time_of(p50, l, 0.5), time_of(p99, l, 0.99), time_of(max, l, 1),
            came.lost);
    fprintf(stderr, ", dropped %" PRId64 ", late %" PRId64 ", empty %" PRId64, c.dropped, c.late,
            c.empty);
    if (l->job.model && l->options.frame_um2 > 0) {
        fprintf(stderr, ", pores %.1f", expected_pores(l, 0) + expected_pores(l, 1));
    } else if (l->job.model && c.processed > 0) {
        fprintf(stderr, ", pores %.3g / mm^2", (sum_of(l, 0) + sum_of(l, 1)) / (double)c.processed);
    }
    show_silence(l, &came);
    fflush(stderr);
}

static void print_network(const cli_listen *l)
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

static void print_stream(const cli_listen *l)
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

/* Nothing of none. */
static void print_dropped(int64_t n)
{
    if (n > 0) {
        printf(", %" PRId64 " dropped: no room for %s", n, n == 1 ? "it" : "them");
    }
}

void cli_listen_print(const cli_listen *l)
{
    const sac_meltpool_counts *m = &l->job.counts;
    double seconds = 1e-9 * (double)l->took_ns;
    printf("%s: %" PRId64 " frame%s of %d x %d in %.3g s, %.0f/s\n", l->options.listen,
           l->counts.received, cli_s(l->counts.received), l->job.desc.w, l->job.desc.h, seconds,
           (double)l->counts.received / seconds);
    print_network(l);
    print_stream(l);
    printf("  pools          %" PRId64 " found, %" PRId64 " frames without; %" PRId64
           " clipped; %" PRId64 " gaps; %" PRId64 " spatters\n",
           m->processed - m->no_pool, m->no_pool, m->clipped, m->gaps, m->spatters);
    cli_meltpool_print_doubts(&l->job);
    if (m->failed > 0) {
        printf("  failed         %" PRId64 " frames without an answer, which count as refused\n",
               m->failed);
    }
    cli_meltpool_print_device(&l->job);
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS && l->job.model; k++) {
        if (m->processed == 0) {
            continue;
        }
        printf("  %-14s %.3g pores / mm^2 on average", names[k], mean_density(l, k));
        if (l->options.frame_um2 > 0) {
            printf(", %.0f expected", expected_pores(l, k));
        }
        putchar('\n');
    }
    if (l->reply) {
        const int64_t replied = atomic_load_explicit(&l->replied, memory_order_relaxed);
        printf("  replies        %" PRId64 " result%s sent", replied, cli_s(replied));
        print_dropped(atomic_load_explicit(&l->unreplied, memory_order_relaxed));
        putchar('\n');
    }
    if (l->recorder) {
        printf("  written        %" PRId64 " frame%s", l->recorded.processed,
               cli_s(l->recorded.processed));
        print_dropped(l->recorded.dropped);
        if (l->recorded.refused > 0) {
            printf("; %" PRId64 " not, since writing failed", l->recorded.refused);
        }
        putchar('\n');
    }
}

static void put_network(const cli_listen *l, cli_json *json)
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
    cli_json_int(json, "silent_ns", cli_listen_silent_ns(l, n));
}

static void put_stream(const cli_listen *l, cli_json *json)
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

int cli_listen_json(const cli_listen *l)
{
    const sac_meltpool_counts *m = &l->job.counts;
    static const char *const keys[] = {"lof", "keyhole"};
    cli_json json;
    cli_json_open_rows(&json, 0, l->job.desc.device);
    cli_json_object(&json, NULL);
    cli_json_string(&json, "pipeline", "meltpool");
    cli_json_string(&json, "listen", l->options.listen);
    char *shape = cli_text("%dx%d u8", l->job.desc.w, l->job.desc.h);
    cli_json_string(&json, "shape", shape);
    free(shape);
    cli_json_int(&json, "took_ns", l->took_ns);
    put_network(l, &json);
    put_stream(l, &json);
    cli_json_int(&json, "no_pool", m->no_pool);
    cli_json_int(&json, "clipped", m->clipped);
    cli_json_int(&json, "gaps", m->gaps);
    cli_json_int(&json, "spatters", m->spatters);
    cli_json_int(&json, "outside", m->outside);
    cli_meltpool_put_doubts(&l->job, &json);
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS && l->job.model; k++) {
        cli_json_object(&json, keys[k]);
        cli_json_real(&json, "mean_density_mm2", mean_density(l, k));
        cli_json_real(&json, "expected_pores", expected_pores(l, k));
        cli_json_end_object(&json);
    }
    cli_json_int(&json, "replied", atomic_load_explicit(&l->replied, memory_order_relaxed));
    cli_json_int(&json, "not_replied", atomic_load_explicit(&l->unreplied, memory_order_relaxed));
    cli_json_int(&json, "written", l->recorded.processed);
    cli_json_int(&json, "not_written", l->recorded.dropped + l->recorded.refused);
    cli_json_int(&json, "failed", m->failed);
    cli_json_string(&json, "variant", sac_meltpool_get_variant(l->job.plan));
    if (l->job.chosen) {
        cli_json_string(&json, "chosen", l->job.chosen);
    }
    cli_json_int(&json, "batch_max", l->plan.stream.batch_max);
    cli_json_end_object(&json);
    return cli_json_write(&json, l->options.json);
}
