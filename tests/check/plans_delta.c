/*
 * delta through its plans: packets beside those of a reference plan, byte by byte, one by one or in
 * batches, which may end early; pictures that come out beside those that went in, within the
 * threshold.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/delta.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plans.h"

#define FRAME_NS 16666667
#define MOST_SIDE 16384 /* of the format */
#define MOST_BATCH 6

/* The reference's packet of a frame. */
typedef struct wanted {
    uint8_t *data;
    size_t size;
    bool is_key;
} wanted;

typedef struct stream {
    plan_check *c;
    sac_delta_encode_desc desc;
    sac_delta_encode *encode, *reference; /* the reference: one thread, every room's ref, the CPU */
    sac_delta_decode *decode;
    size_t bytes;     /* of a frame */
    uint8_t *frames;  /* of a batch, packed, as they went in; */
    uint8_t *picture; /* as it came out, packed; */
    uint8_t *rows;    /* and as it lay in the device's memory */
    wanted want[MOST_BATCH];
    int32_t done, at; /* frames of earlier batches; packets of this one */
    int32_t last;     /* the packet after which the batch is ended; -1: none */
} stream;

static void draw_desc(plan_check *c, sac_delta_encode_desc *d, int32_t n)
{
    static const int32_t channels[] = {1, 3, 4}, thresholds[] = {0, 0, 0, 3, 16, 254};
    static const int32_t threads[] = {1, 2, 3, 7};
    sac_delta_encode_desc_init(d);
    d->w = 1 + plan_draw(c, plan_draw(c, 3) ? 200 : 1300);
    d->h = 1 + plan_draw(c, 1 + 90000 / (d->w * n));
    d->h = d->h < MOST_SIDE ? d->h : MOST_SIDE;
    d->n_channels = PLAN_ONE_OF(c, channels);
    d->threshold = PLAN_ONE_OF(c, thresholds);
    d->key_interval_s = plan_draw(c, 2) ? 0.1 : 0;
    d->refresh_s = plan_draw(c, 2) ? 0.2 : 0;
    d->scene_change = plan_draw(c, 2);
    d->fast = plan_draw(c, 2);
    d->n_threads = PLAN_ONE_OF(c, threads);
    d->variant = c->gpu ? NULL : plan_variant(c);
    d->device.kind = c->gpu ? SAC_DEVICE_CUDA : SAC_DEVICE_CPU;
}

/* False where the round ends here: a rung or codec that is not there, or a fault that was told. */
static bool open_plans(plan_check *c, stream *s)
{
    static const int32_t threads[] = {1, 2, 5};
    sac_delta_encode_desc of_reference = s->desc;
    sac_delta_decode_desc decode;
    sac_error err = {0};
    of_reference.variant = "ref";
    of_reference.n_threads = 1;
    of_reference.device.kind = SAC_DEVICE_CPU;
    sac_delta_decode_desc_init(&decode);
    decode.n_threads = PLAN_ONE_OF(c, threads);
    decode.variant = c->gpu ? NULL : plan_variant(c);
    if (c->gpu && plan_draw(c, 4)) {
        decode.device.kind = SAC_DEVICE_CUDA;
        decode.on_device = plan_draw(c, 2);
    }
    sac_status status = sac_delta_encode_open(&s->reference, &of_reference, &err);
    if (status == SAC_E_UNSUPPORTED) { /* this build lacks the codec */
        c->n_skipped++;
        return false;
    }
    plan_must(status, "the reference's plan", &err);
    status = sac_delta_encode_open(&s->encode, &s->desc, &err);
    if (plan_lacks(status, s->desc.variant)) {
        c->n_skipped++;
        return false;
    }
    if (status == SAC_OK)
        status = sac_delta_decode_open(&s->decode, &decode, &err);
    if (plan_lacks(status, decode.variant)) {
        decode.variant = NULL;
        status = sac_delta_decode_open(&s->decode, &decode, &err);
    }
    if (status != SAC_OK)
        plan_fault(c, "open: %s", err.text);
    return status == SAC_OK;
}

/* Some of the picture changes, by little or much; at times all of it. */
static void next_frame(plan_check *c, const stream *s, uint8_t *frame, bool is_first)
{
    const int64_t n = (int64_t)s->bytes, few = 1 + plan_draw(c, 40);
    const int64_t first = plan_draw(c, 3) ? 0 : plan_draw(c, n);
    const int64_t end = plan_draw(c, 3) ? n : first + plan_draw(c, n - first);
    if (is_first || plan_draw(c, 12) == 0)
        plan_fill(c, frame, SAC_U8, n);
    for (int64_t k = first + plan_draw(c, few); k < end; k += 1 + plan_draw(c, few)) {
        const int64_t by = plan_draw(c, 4) ? plan_draw(c, 9) - 4 : plan_draw(c, 256);
        frame[k] = (uint8_t)(frame[k] + by);
    }
}

static void compare_packets(plan_check *c, int32_t i, const wanted *want,
                            const sac_delta_packet *got)
{
    size_t at = 0;
    while (at < want->size && at < got->size && want->data[at] == got->data[at])
        at++;
    if (want->size != got->size || at < want->size)
        plan_fault(c, "packet %d: wanted %zu bytes, got %zu, which differ from byte %zu on", i,
                   want->size, got->size, at);
    if (want->is_key != got->is_key || got->frame != (uint64_t)i)
        plan_fault(c, "packet %d: number %" PRIu64 ", key %d, wanted key %d", i, got->frame,
                   got->is_key, want->is_key);
}

/* What came out, packed. */
static void pack(stream *s, const sac_array *a)
{
    const int32_t n = s->desc.n_channels;
    const uint8_t *data = a->data;
    if (a->device.kind != SAC_DEVICE_CPU) {
        const sac_gpu_stream copy = sac_gpu_copy_stream(s->c->gpu);
        const size_t bytes = (size_t)(a->shape[0] * a->stride[0]);
        free(s->rows);
        data = s->rows = plan_memory(bytes, 1);
        plan_must(sac_gpu_enter(s->c->gpu), "enter", NULL);
        plan_must(sac_gpu_copy(s->rows, a->data, bytes, copy), "copy", NULL);
        plan_must(sac_gpu_wait(copy), "copy", NULL);
        sac_gpu_leave(s->c->gpu);
    }
    for (int64_t y = 0; y < s->desc.h; y++)
        for (int64_t x = 0; x < s->desc.w; x++)
            for (int32_t ch = 0; ch < n; ch++)
                s->picture[(y * s->desc.w + x) * n + ch] =
                    data[y * a->stride[0] + x * a->stride[1] +
                         (a->n_dims == 3 ? ch * a->stride[2] : 0)];
}

static void compare_pictures(plan_check *c, stream *s, int32_t i, const sac_delta_frame *frame)
{
    const uint8_t *sent = s->frames + (size_t)(i - s->done) * s->bytes;
    const sac_array *a = &frame->picture;
    size_t n_zero = 0;
    if (!a->data || a->shape[0] != s->desc.h || a->shape[1] != s->desc.w ||
        (a->n_dims == 3 ? a->shape[2] : 1) != s->desc.n_channels || a->dtype != SAC_U8) {
        plan_fault(c, "frame %d: no picture of this size came out", i);
        return;
    }
    pack(s, a);
    for (size_t k = 0; k < s->bytes; k++) {
        n_zero += sent[k] == 0;
        if (abs(s->picture[k] - sent[k]) <= s->desc.threshold)
            continue;
        plan_fault(c, "frame %d, sample %zu: wanted %d within %d, got %d", i, k, sent[k],
                   s->desc.threshold, s->picture[k]);
        break;
    }
    c->n_compared++;
    c->n_blank += n_zero == s->bytes;
}

/* Makes the frames of a batch, and the reference's packets of them. */
static void refer(plan_check *c, stream *s, int32_t n)
{
    const int64_t shape[] = {s->desc.h, s->desc.w, s->desc.n_channels};
    for (int32_t i = 0; i < n; i++) {
        uint8_t *frame = s->frames + (size_t)i * s->bytes;
        const uint8_t *before = s->frames + (size_t)(i > 0 ? i - 1 : MOST_BATCH) * s->bytes;
        sac_delta_packet packet;
        sac_array packed;
        sac_error err = {0};
        memcpy(frame, before, s->bytes);
        next_frame(c, s, frame, s->done + i == 0);
        plan_must(sac_array_view(&packed, frame, SAC_U8, 3, shape, &err), "view", &err);
        plan_must(sac_delta_encode_run(s->reference, &packet, &packed,
                                       (uint64_t)(s->done + i) * FRAME_NS, &err),
                  "the reference's run", &err);
        s->want[i] = (wanted){plan_memory(packet.size, 1), packet.size, packet.is_key};
        memcpy(s->want[i].data, packet.data, packet.size);
    }
    memcpy(s->frames + MOST_BATCH * s->bytes, s->frames + (size_t)(n - 1) * s->bytes, s->bytes);
}

static sac_status take(void *ctx, const sac_delta_packet *got, sac_error *err)
{
    stream *s = ctx;
    plan_check *c = s->c;
    const int32_t i = s->done + s->at;
    sac_delta_frame frame;
    compare_packets(c, i, &s->want[s->at], got);
    const sac_status status = sac_delta_decode_run(s->decode, &frame, got->data, got->size, err);
    if (status == SAC_OK)
        compare_pictures(c, s, i, &frame);
    return status != SAC_OK || s->at++ != s->last ? status : SAC_CANCELLED;
}

/* The batch from frame s->at on. */
static sac_status run(plan_check *c, stream *s, const sac_array *frames, int32_t n, sac_error *err)
{
    uint64_t times_ns[MOST_BATCH];
    sac_delta_packet packet;
    for (int32_t i = 0; i < n; i++)
        times_ns[i] = (uint64_t)(s->done + i) * FRAME_NS;
    if (plan_draw(c, 3))
        return sac_delta_encode_run_batch(s->encode, take, s, frames + s->at, times_ns + s->at,
                                          n - s->at, err);
    const sac_status status =
        sac_delta_encode_run(s->encode, &packet, &frames[s->at], times_ns[s->at], err);
    return status ? status : take(s, &packet, err);
}

/* Frames in memory of one kind, of the CPU's or the device's. */
static bool pass_batch(plan_check *c, stream *s, int32_t n)
{
    const int64_t shape[] = {s->desc.h, s->desc.w, s->desc.n_channels};
    const bool on_device = c->gpu && plan_draw(c, 2);
    plan_lay in[MOST_BATCH];
    sac_array arrays[MOST_BATCH];
    sac_error err = {0};
    sac_status status = SAC_OK;
    refer(c, s, n);
    for (int32_t i = 0; i < n; i++) {
        const bool flat = s->desc.n_channels == 1 && plan_draw(c, 2);
        const plan_place place = on_device ? PLAN_DEVICE
                                 : c->gpu  ? (plan_place)plan_draw(c, 2)
                                           : PLAN_HOST;
        in[i] = plan_lay_open(c, SAC_U8, flat ? 2 : 3, shape, false, place);
        plan_lay_write(c, &in[i], s->frames + (size_t)i * s->bytes);
        arrays[i] = in[i].array;
    }
    for (s->at = 0; s->at < n && (status == SAC_OK || status == SAC_CANCELLED);) {
        s->last = plan_draw(c, 4) ? -1 : (int32_t)plan_draw(c, n);
        status = run(c, s, arrays, n, &err);
    }
    if (status != SAC_OK && status != SAC_CANCELLED)
        plan_fault(c, "frame %d: %s", s->done + s->at, err.text);
    for (int32_t i = 0; i < n; i++) {
        plan_lay_compare(c, &in[i], s->frames + (size_t)i * s->bytes, "in, afterwards");
        plan_lay_close(c, &in[i]);
        free(s->want[i].data);
    }
    s->done += n;
    return status == SAC_OK || status == SAC_CANCELLED;
}

/* n frames in batches; at times a keyframe is asked for. */
static void pass(plan_check *c, stream *s, int32_t n)
{
    bool passed = true;
    while (s->done < n && passed) {
        const int32_t left = n - s->done, most = left < MOST_BATCH ? left : MOST_BATCH;
        passed = pass_batch(c, s, 1 + (int32_t)plan_draw(c, most));
        if (plan_draw(c, 8) == 0) {
            sac_delta_encode_key(s->encode);
            sac_delta_encode_key(s->reference);
        }
    }
}

void check_delta_plans(plan_check *c)
{
    const int32_t n = 1 + (int32_t)plan_draw(c, plan_draw(c, 2) ? 5 : PLAN_MOST_BATCH);
    stream s = {.c = c};
    draw_desc(c, &s.desc, n);
    const sac_delta_encode_desc *d = &s.desc;
    plan_about(c,
               "%d frames %" PRId64 "x%" PRId64
               "x%d, threshold %d, keys %g s, refresh %g s, scenes "
               "%d, fast %d, threads %d, variant %s",
               n, d->w, d->h, d->n_channels, d->threshold, d->key_interval_s, d->refresh_s,
               d->scene_change, d->fast, d->n_threads, d->variant ? d->variant : "-");
    s.bytes = (size_t)(d->w * d->h * d->n_channels);
    s.frames = plan_memory(MOST_BATCH + 1, s.bytes); /* the last: the frame before a batch */
    s.picture = plan_memory(s.bytes, 1);
    if (open_plans(c, &s))
        pass(c, &s, n);
    sac_delta_encode_close(&s.encode);
    sac_delta_encode_close(&s.reference);
    sac_delta_decode_close(&s.decode);
    free(s.frames);
    free(s.picture);
    free(s.rows);
}
