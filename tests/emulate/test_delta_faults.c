/*
 * The delta stream on a GPU that is full or gets lost: at each call of an encoder or decoder in
 * turn. The plan says so with the right status and one line, and nothing waits for ever or stays
 * open. Where the GPU is mended, the same plan goes on: its next packet is a keyframe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/delta.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated.h"
#include "skip.h"

enum { W = 70, H = 35, CHANNELS = 3, N = 4, BYTES = W * H * CHANNELS };

typedef enum job { PAGEABLE, PINNED, DEVICE, STREAM, COPIED, ON_DEVICE, N_JOBS } job;
static const char *const jobs[] = {"encode pageable frames",      "encode page-locked frames",
                                   "encode frames on the device", "encode on a stream",
                                   "decode to the CPU's memory",  "decode on the device"};
static const char *const faults[] = {NULL, "full", "lost"};

static int64_t n_tried, n_faults;

/* What a plan is at, for its faults. */
typedef struct life {
    job job;
    emulated_fault how;
    int64_t at;
} life;

static void want(bool is, const life *l, const char *what)
{
    if (!is && ++n_faults < 20)
        fprintf(stderr, "%s, %s from call %" PRId64 " on: no %s\n", jobs[l->job], faults[l->how],
                l->at, what);
}

static void must(sac_status status, const char *what, const sac_error *err)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, sac_status_name(status), err->text);
    exit(1);
}

typedef struct packet {
    uint8_t *data;
    size_t size;
} packet;

/* Frames and the CPU's packets of them. */
typedef struct scene {
    uint8_t *frames; /* (N, H, W, CHANNELS) */
    packet packets[N];
    int32_t n;
} scene;

static sac_array array_of(uint8_t *data, sac_device device)
{
    return (sac_array){.data = data,
                       .dtype = SAC_U8,
                       .n_dims = 3,
                       .shape = {H, W, CHANNELS},
                       .stride = {W * CHANNELS, CHANNELS, 1},
                       .device = device};
}

static sac_status open_encoder(sac_delta_encode **plan, sac_device device, void *stream,
                               sac_error *err)
{
    sac_delta_encode_desc d;
    sac_delta_encode_desc_init(&d);
    d.w = W, d.h = H, d.threshold = 3, d.n_threads = 1, d.device = device, d.stream = stream;
    return sac_delta_encode_open(plan, &d, err);
}

static sac_status open_decoder(sac_delta_decode **plan, sac_device device, bool on_device,
                               sac_error *err)
{
    sac_delta_decode_desc d;
    sac_delta_decode_desc_init(&d);
    d.n_threads = 1, d.device = device, d.on_device = on_device;
    return sac_delta_decode_open(plan, &d, err);
}

static sac_status keep(void *ctx, const sac_delta_packet *got, sac_error *err)
{
    (void)err;
    scene *s = ctx;
    packet *p = &s->packets[s->n++];
    *p = (packet){malloc(got->size), got->size};
    memcpy(p->data, got->data, got->size);
    return SAC_OK;
}

static sac_status encode_all(sac_delta_encode *plan, uint8_t *frames, sac_device device,
                             sac_delta_take_fn take, void *ctx, sac_error *err)
{
    sac_array arrays[N];
    uint64_t times_ns[N];
    for (int i = 0; i < N; i++) {
        arrays[i] = array_of(frames + i * BYTES, device);
        times_ns[i] = (uint64_t)i * 1000000;
    }
    return sac_delta_encode_run_batch(plan, take, ctx, arrays, times_ns, N, err);
}

static bool is_a_line(const sac_error *err)
{
    const bool names =
        strncmp(err->text, "device: ", 8) == 0 || strncmp(err->text, "delta: ", 7) == 0;
    return names && strlen(err->text) < 100 && strchr(err->text, '\n') == NULL;
}

/* What comes of a plan that goes on. */
typedef struct going {
    sac_delta_decode *decode; /* the CPU's */
    const scene *scene;
    const life *life;
    int32_t n;
} going;

static sac_status go_on(void *ctx, const sac_delta_packet *got, sac_error *err)
{
    going *g = ctx;
    sac_delta_frame frame;
    const sac_status status = sac_delta_decode_run(g->decode, &frame, got->data, got->size, err);
    want(got->is_key || g->n > 0, g->life, "keyframe");
    want(status == SAC_OK, g->life, "packet that follows");
    const uint8_t *sent = g->scene->frames + g->n++ * BYTES, *rows = frame.picture.data;
    bool near = rows != NULL;
    for (int i = 0; near && i < BYTES; i++)
        near = abs(rows[i / (W * CHANNELS) * frame.picture.stride[0] + i % (W * CHANNELS)] -
                   sent[i]) <= 3;
    want(near, g->life, "picture within the threshold");
    return SAC_OK;
}

static sac_status count(void *ctx, const sac_delta_packet *got, sac_error *err)
{
    (void)err;
    *(int32_t *)ctx += got->size > 0;
    return SAC_OK;
}

/* An encoder's life on a GPU that fails at that call; whether it had no such call. */
static bool live_encoder(const scene *s, uint8_t *frames, void *stream, const life *l)
{
    const sac_status expected = l->how == EMULATED_FULL ? SAC_E_NOMEM : SAC_E_DEVICE;
    const sac_device gpu = {SAC_DEVICE_CUDA, 0}, cpu = {SAC_DEVICE_CPU, 0};
    const sac_device place = l->job == DEVICE || l->job == STREAM ? gpu : cpu;
    sac_delta_encode *plan = NULL;
    sac_error err = {0};
    int32_t n = 0;
    emulated_break(l->how, l->at);
    sac_status status = open_encoder(&plan, gpu, stream, &err);
    want((status == SAC_OK) == (plan != NULL), l, "plan, or one though open failed");
    if (plan)
        status = encode_all(plan, frames, place, count, &n, &err);
    const bool failed = status != SAC_OK;
    want(failed || n == N, l, "packet of each frame");
    if (failed) {
        want(status == expected, l, sac_status_name(expected));
        want(is_a_line(&err), l, "line that says so");
    }
    want(emulated_mend() == failed, l, "word of a call that failed");
    if (plan && l->how == EMULATED_FULL) {
        going g = {NULL, s, l, 0};
        must(open_decoder(&g.decode, cpu, false, &err), "open", &err);
        if (failed)
            want(encode_all(plan, frames, place, go_on, &g, &err) == SAC_OK, l, "run when mended");
        sac_delta_decode_close(&g.decode);
    }
    sac_delta_encode_close(&plan);
    return !failed;
}

static bool live_decoder(const scene *s, const life *l)
{
    const sac_status expected = l->how == EMULATED_FULL ? SAC_E_NOMEM : SAC_E_DEVICE;
    sac_delta_decode *plan = NULL;
    sac_error err = {0};
    sac_delta_frame frame;
    emulated_break(l->how, l->at);
    sac_status status =
        open_decoder(&plan, (sac_device){SAC_DEVICE_CUDA, 0}, l->job == ON_DEVICE, &err);
    want((status == SAC_OK) == (plan != NULL), l, "plan, or one though open failed");
    for (int i = 0; plan && i < N && status == SAC_OK; i++)
        status = sac_delta_decode_run(plan, &frame, s->packets[i].data, s->packets[i].size, &err);
    const bool failed = status != SAC_OK;
    if (failed) {
        want(status == expected, l, sac_status_name(expected));
        want(is_a_line(&err), l, "line that says so");
    }
    want(emulated_mend() == failed, l, "word of a call that failed");
    if (plan && failed) {
        want(frame.picture.data == NULL && frame.wants_key, l, "wish for a keyframe");
        status = SAC_OK;
        for (int i = 0; l->how == EMULATED_FULL && i < N; i++)
            status =
                sac_delta_decode_run(plan, &frame, s->packets[i].data, s->packets[i].size, NULL);
        want(status == SAC_OK || status == SAC_AGAIN, l, "run when mended");
    }
    sac_delta_decode_close(&plan);
    return !failed;
}

static bool live(const scene *s, uint8_t *frames, void *stream, const life *l)
{
    const int64_t n_open = emulated_open_things();
    const bool whole = l->job < COPIED ? live_encoder(s, frames, stream, l) : live_decoder(s, l);
    n_tried++;
    want(emulated_open_things() == n_open, l, "end of all that was opened");
    if (stream)
        (void)!sac_gpu_wait(stream);
    return whole;
}

static void run_job(const scene *s, job j, sac_gpu *gpu, int step)
{
    uint8_t *frames = s->frames;
    sac_error err = {0};
    if (j == PINNED) {
        must(sac_pinned_alloc((void **)&frames, N * BYTES, (sac_device){SAC_DEVICE_CUDA, 0}, &err),
             "memory", &err);
        memcpy(frames, s->frames, N * BYTES);
    }
    for (emulated_fault how = EMULATED_FULL; how <= EMULATED_LOST; how++) {
        life l = {j, how, 0};
        while (!live(s, frames, j == STREAM ? sac_gpu_main_stream(gpu) : NULL, &l))
            l.at += how == EMULATED_LOST ? step : 1;
        want(l.at > 0, &l, "call that fails");
    }
    if (j == PINNED)
        sac_pinned_free(frames, (sac_device){SAC_DEVICE_CUDA, 0});
}

/* --thin: lost at every fifth call. */
int main(int argc, char **argv)
{
    const int step = argc > 1 && strcmp(argv[1], "--thin") == 0 ? 5 : 1;
    static uint8_t frames[N * BYTES];
    scene s = {.frames = frames};
    sac_delta_encode *plan = NULL;
    sac_error err = {0};
    sac_gpu *gpu = NULL;
    uint32_t random = 1;
    if (!strstr(sac_delta_parts(), "zstd"))
        return skip_all("this build has no zstd");
    for (size_t i = 0; i < sizeof frames; i++) {
        random = random * 1664525 + 1013904223;
        frames[i] = (uint8_t)(100 + (random >> 24) % 12);
    }
    must(open_encoder(&plan, (sac_device){SAC_DEVICE_CPU, 0}, NULL, &err), "open", &err);
    must(encode_all(plan, frames, (sac_device){SAC_DEVICE_CPU, 0}, keep, &s, &err), "run", &err);
    sac_delta_encode_close(&plan);
    must(sac_gpu_open(&gpu, 0, &err), "open", &err);
    for (job j = 0; j < N_JOBS; j++)
        run_job(&s, j, gpu, step);
    sac_gpu_close(&gpu);
    for (int i = 0; i < N; i++)
        free(s.packets[i].data);
    printf("%" PRId64 " plans on a GPU that fails, %" PRId64 " faults\n", n_tried, n_faults);
    return n_faults > 0 || emulated_open_things() != 0;
}
