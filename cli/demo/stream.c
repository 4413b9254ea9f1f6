/*
 * Both ends of the delta stream, one after the other, at the threshold that the report's program
 * has and at 0, and what comes of it: size, times, errors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>

#include <saccade/delta.h>

#include "command.h"
#include "tables.h"

static const int32_t thresholds[] = {20, 0};

enum { N_STREAMS = sizeof thresholds / sizeof *thresholds };

enum { THRESHOLD, RATIO, ENCODE, DECODE, WORST, KEYS, N_COLUMNS };

static const char *const heads[N_COLUMNS] = {
    [THRESHOLD] = "threshold", [RATIO] = "smaller",       [ENCODE] = "encode",
    [DECODE] = "decode",       [WORST] = "largest error", [KEYS] = "keyframes"};

typedef struct stream {
    sac_delta_encode *encoder;
    sac_delta_decode *decoder;
    int32_t worst, n_keys; /* error, in levels */
    uint64_t bytes;
    cli_demo_times encode, decode;
} stream;

struct cli_demo_streams {
    sac_video_info info;
    stream stream[N_STREAMS];
    uint64_t raw_bytes;
    int64_t n_frames;
};

static int compare_ns(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x > *y) - (*x < *y);
}

double cli_demo_median_ns(cli_demo_times *times)
{
    qsort(times->ns, (size_t)times->n, sizeof *times->ns, compare_ns);
    return times->n ? (double)times->ns[times->n / 2] : 0;
}

static sac_status open_stream(stream *t, const sac_video_info *info, int32_t threshold,
                              int32_t n_threads, sac_error *err)
{
    sac_delta_encode_desc encode;
    sac_delta_decode_desc decode;
    sac_delta_encode_desc_init(&encode);
    sac_delta_decode_desc_init(&decode);
    encode.w = info->w;
    encode.h = info->h;
    encode.n_channels = 3;
    encode.threshold = threshold;
    encode.n_threads = decode.n_threads = n_threads;
    sac_status st = sac_delta_encode_open(&t->encoder, &encode, err);
    return st ? st : sac_delta_decode_open(&t->decoder, &decode, err);
}

sac_status cli_demo_streams_open(cli_demo_streams **out, const sac_video_info *info,
                                 int32_t n_threads, sac_error *err)
{
    sac_status st = SAC_OK;
    *out = cli_grow(NULL, 0, 1, sizeof **out);
    (*out)->info = *info;
    for (int i = 0; i < N_STREAMS && st == SAC_OK; i++) {
        st = open_stream(&(*out)->stream[i], info, thresholds[i], n_threads, err);
    }
    if (st != SAC_OK) {
        cli_demo_streams_close(out);
    }
    if (st == SAC_E_UNSUPPORTED) {
        printf("  No delta stream: %s\n", err->text);
        st = SAC_OK;
    }
    return st;
}

static int32_t largest_error(const sac_array *a, const sac_array *b)
{
    int32_t worst = 0;
    for (int64_t y = 0; y < a->shape[0]; y++) {
        const uint8_t *p = (const uint8_t *)a->data + y * a->stride[0];
        const uint8_t *q = (const uint8_t *)b->data + y * b->stride[0];
        for (int64_t i = 0; i < 3 * a->shape[1]; i++) {
            int32_t error = abs(p[i] - q[i]);
            worst = error > worst ? error : worst;
        }
    }
    return worst;
}

static sac_status run_stream(stream *t, const sac_array *frame, uint64_t time_ns)
{
    sac_delta_packet packet;
    sac_delta_frame decoded;
    int64_t start_ns = cli_clock_ns();
    sac_status st = sac_delta_encode_run(t->encoder, &packet, frame, time_ns, NULL);
    int64_t middle_ns = cli_clock_ns();
    st = st ? st : sac_delta_decode_run(t->decoder, &decoded, packet.data, packet.size, NULL);
    if (st != SAC_OK) {
        return st;
    }
    t->encode.ns[t->encode.n++] = middle_ns - start_ns;
    t->decode.ns[t->decode.n++] = cli_clock_ns() - middle_ns;
    t->bytes += packet.size;
    t->n_keys += packet.is_key;
    int32_t error = largest_error(frame, &decoded.picture);
    t->worst = error > t->worst ? error : t->worst;
    return st;
}

sac_status cli_demo_streams_run(cli_demo_streams *streams, const sac_array *frame)
{
    const int64_t usual = 25; /* frames a second, where the clip does not tell */
    const sac_video_info *info = &streams->info;
    double rate = info->rate_num > 0 && info->rate_den > 0
                      ? (double)info->rate_num / (double)info->rate_den
                      : (double)usual;
    uint64_t time_ns = (uint64_t)(1e9 * (double)streams->n_frames / rate);
    sac_status st = SAC_OK;
    for (int i = 0; i < N_STREAMS && st == SAC_OK; i++) {
        st = run_stream(&streams->stream[i], frame, time_ns);
    }
    streams->raw_bytes += (uint64_t)sac_array_count(frame);
    streams->n_frames++;
    return st;
}

int cli_demo_streams_report(cli_demo_streams *streams)
{
    cli_table table;
    int status = CLI_DONE;
    cli_table_open(&table, heads, N_COLUMNS);
    for (int i = 0; i < N_STREAMS; i++) {
        stream *t = &streams->stream[i];
        cli_table_row(&table);
        cli_table_cell(&table, THRESHOLD, "%d", thresholds[i]);
        cli_table_cell(&table, RATIO, "%.1fx", (double)streams->raw_bytes / (double)t->bytes);
        cli_table_time(&table, ENCODE, cli_demo_median_ns(&t->encode));
        cli_table_time(&table, DECODE, cli_demo_median_ns(&t->decode));
        cli_table_cell(&table, WORST, "%d", t->worst);
        cli_table_cell(&table, KEYS, "%d", t->n_keys);
    }
    puts("\n  The delta stream, there and back:");
    cli_table_print(&table, stdout);
    fflush(stdout);
    for (int i = 0; i < N_STREAMS; i++) {
        if (streams->stream[i].worst > thresholds[i]) {
            status = cli_fail("motion: the stream of threshold %d is off by %d", thresholds[i],
                              streams->stream[i].worst);
        }
    }
    return status;
}

void cli_demo_streams_close(cli_demo_streams **streams)
{
    if (!*streams) {
        return;
    }
    for (int i = 0; i < N_STREAMS; i++) {
        sac_delta_encode_close(&(*streams)->stream[i].encoder);
        sac_delta_decode_close(&(*streams)->stream[i].decoder);
    }
    free(*streams);
    *streams = NULL;
}
