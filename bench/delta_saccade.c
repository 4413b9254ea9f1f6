/*
 * saccade's delta stream as bench_delta drives it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include <saccade/delta.h>

#include "command.h"
#include "delta_bench.h"

#define FRAME_NS UINT64_C(40000000)

typedef struct stream {
    uint8_t *data; /* packets one behind the other */
    size_t used, room;
    size_t *sizes;
    int64_t n;
} stream;

static void discard(void *memory)
{
    stream *s = memory;
    if (s) {
        free(s->data);
        free(s->sizes);
        free(s);
    }
}

static void keep(stream *s, const sac_delta_packet *packet)
{
    if (s->used + packet->size > s->room) {
        size_t room = 2 * s->room + packet->size;
        s->data = cli_grow(s->data, room, room, 1);
        s->room = room;
    }
    memcpy(s->data + s->used, packet->data, packet->size);
    s->used += packet->size;
    s->sizes[s->n++] = packet->size;
}

static sac_delta_encode *open_encoder(const bench_coder *coder, const bench_clip *clip,
                                      int32_t n_threads, sac_error *err)
{
    sac_delta_encode *plan = NULL;
    sac_delta_encode_desc desc;
    sac_delta_encode_desc_init(&desc);
    desc.w = clip->w;
    desc.h = clip->h;
    desc.order = SAC_ORDER_BGR;
    desc.threshold = coder->threshold;
    desc.fast = coder->fast;
    desc.n_threads = n_threads;
    (void)!sac_delta_encode_open(&plan, &desc, err);
    return plan;
}

static const char *missing(const bench_coder *coder)
{
    static sac_error err;
    const bench_clip probe = {.w = 64, .h = 16};
    sac_delta_encode *plan = open_encoder(coder, &probe, 1, &err);
    const char *why = plan ? NULL : err.text;
    sac_delta_encode_close(&plan);
    return why;
}

static void *encode(const bench_coder *coder, const bench_clip *clip, int32_t n_threads,
                    uint64_t *bytes, bench_time *time)
{
    sac_error err = {0};
    sac_delta_encode *plan = open_encoder(coder, clip, n_threads, &err);
    if (!plan)
        return cli_fail("%s", err.text), NULL;
    stream *s = cli_grow(NULL, 0, 1, sizeof *s);
    s->room = bench_frame_bytes(clip);
    s->data = cli_grow(NULL, 0, s->room, 1);
    s->sizes = cli_grow(NULL, 0, (size_t)clip->n_frames, sizeof *s->sizes);
    const int64_t shape[] = {clip->h, clip->w, 3};
    sac_status status = SAC_OK;
    const bench_time start = bench_now();
    for (int64_t i = 0; i < clip->n_frames && status == SAC_OK; i++) {
        uint8_t *data = clip->frames + (size_t)i * bench_frame_bytes(clip);
        sac_array frame;
        sac_delta_packet packet;
        status = sac_array_view(&frame, data, SAC_U8, 3, shape, &err);
        if (status == SAC_OK)
            status = sac_delta_encode_run(plan, &packet, &frame, (uint64_t)i * FRAME_NS, NULL);
        if (status == SAC_OK)
            keep(s, &packet);
    }
    *time = bench_since(start);
    *bytes = s->used;
    sac_delta_encode_close(&plan);
    if (status == SAC_OK)
        return s;
    discard(s);
    return NULL;
}

static int compare(const bench_clip *clip, int64_t i, const sac_array *picture, int worst)
{
    const size_t row = (size_t)clip->w * 3;
    const uint8_t *want = clip->frames + (size_t)i * bench_frame_bytes(clip);
    for (int64_t y = 0; y < clip->h; y++, want += row)
        worst =
            bench_worst(want, (const uint8_t *)picture->data + y * picture->stride[0], row, worst);
    return worst;
}

static int64_t decode(const bench_coder *coder, const bench_clip *clip, int32_t n_threads,
                      void *memory, int *worst, bench_time *time)
{
    (void)coder;
    const stream *s = memory;
    sac_error err = {0};
    sac_delta_decode *plan = NULL;
    sac_delta_decode_desc desc;
    sac_delta_decode_desc_init(&desc);
    desc.n_threads = n_threads;
    if (sac_delta_decode_open(&plan, &desc, &err) != SAC_OK)
        return cli_fail("%s", err.text), -1;
    const uint8_t *at = s->data;
    int64_t n = 0;
    const bench_time start = bench_now();
    for (int64_t i = 0; i < s->n; at += s->sizes[i++]) {
        sac_delta_frame frame;
        if (sac_delta_decode_run(plan, &frame, at, s->sizes[i], NULL) != SAC_OK)
            break;
        n++;
        if (worst)
            *worst = compare(clip, i, &frame.picture, *worst);
    }
    *time = bench_since(start);
    sac_delta_decode_close(&plan);
    return n;
}

#define SACCADE(text, t, with_lz4)                                                                 \
    {                                                                                              \
        .name = text, .threshold = t, .fast = with_lz4, BENCH_CODER                                \
    }

const bench_coder bench_saccade_coders[] = {
    SACCADE("saccade, T = 20", 20, false),
    SACCADE("saccade, T = 20, fast", 20, true),
    SACCADE("saccade, lossless", 0, false),
    SACCADE("saccade, lossless, fast", 0, true),
};
const int bench_n_saccade_coders = sizeof bench_saccade_coders / sizeof *bench_saccade_coders;
