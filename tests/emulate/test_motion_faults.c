/*
 * Heat maps, noise views, filters and adjusted frames on a GPU that is full or gets lost: at each
 * call of a plan's in turn. The plan says so with the right status and one line, nothing waits for
 * ever or stays open, and the next plan gives the CPU's bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated.h"

enum { W = 37, H = 21, CHANNELS = 3, N = 4, BYTES = W * H * CHANNELS };

typedef enum job { HEAT, NOISE, SMOOTH, TEMPORAL, ADJUST, N_JOBS } job;
typedef enum place { PAGEABLE, PINNED, DEVICE, STREAM, N_PLACES } place; /* STREAM: the caller's */
static const char *const jobs[] = {"heat map", "noise", "median", "temporal", "adjust"};
static const char *const places[] = {"pageable", "page-locked", "device", "a stream"};
static const char *const faults[] = {NULL, "full", "lost"};

static int64_t n_tried, n_faults;

static void want(bool is, job j, place p, emulated_fault how, int64_t at, const char *what)
{
    if (!is && ++n_faults < 20)
        fprintf(stderr, "%s, %s, %s from call %" PRId64 " on: no %s\n", jobs[j], places[p],
                faults[how], at, what);
}

static void must(sac_status status, const char *what, const sac_error *err)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, sac_status_name(status), err->text);
    exit(1);
}

/* N frames, each of which is the next one's previous one, and pictures. */
typedef struct scene {
    uint8_t *frames, *outs; /* (N + 1, H, W, CHANNELS); (N, H, W, CHANNELS) */
    sac_device device;
} scene;

static sac_array array_of(const scene *s, uint8_t *data)
{
    return (sac_array){.data = data,
                       .dtype = SAC_U8,
                       .n_dims = 3,
                       .shape = {H, W, CHANNELS},
                       .stride = {W * CHANNELS, CHANNELS, 1},
                       .device = s->device};
}

typedef union plan {
    sac_heatmap *heat;
    sac_noise *noise;
    sac_denoise *denoise;
    sac_adjust *adjust;
} plan;

static sac_status open_plan(plan *p, job j, sac_device device, void *stream, sac_error *err)
{
    if (j == HEAT) {
        sac_heatmap_desc d;
        sac_heatmap_desc_init(&d);
        d.w = W, d.h = H, d.n_channels = CHANNELS, d.device = device, d.stream = stream;
        return sac_heatmap_open(&p->heat, &d, err);
    }
    if (j == NOISE) {
        sac_noise_desc d;
        sac_noise_desc_init(&d);
        d.w = W, d.h = H, d.n_channels = CHANNELS, d.device = device, d.stream = stream;
        return sac_noise_open(&p->noise, &d, err);
    }
    if (j == ADJUST) {
        sac_adjust_desc d;
        sac_adjust_desc_init(&d);
        d.w = W, d.h = H, d.n_channels = CHANNELS, d.device = device, d.stream = stream;
        d.contrast = 1.5, d.saturation = 2;
        return sac_adjust_open(&p->adjust, &d, err);
    }
    sac_denoise_desc d;
    sac_denoise_desc_init(&d);
    d.w = W, d.h = H, d.n_channels = CHANNELS, d.device = device, d.stream = stream;
    d.method = j == TEMPORAL ? SAC_DENOISE_TEMPORAL : SAC_DENOISE_MEDIAN;
    return sac_denoise_open(&p->denoise, &d, err);
}

static sac_status run_plan(plan *p, job j, const scene *s, sac_error *err)
{
    sac_array outs[N], currents[N], previouses[N];
    for (int i = 0; i < N; i++) {
        outs[i] = array_of(s, s->outs + i * BYTES);
        currents[i] = array_of(s, s->frames + (i + 1) * BYTES);
        previouses[i] = array_of(s, s->frames + i * BYTES);
    }
    return j == HEAT     ? sac_heatmap_run_batch(p->heat, outs, currents, previouses, N, err)
           : j == NOISE  ? sac_noise_run_batch(p->noise, outs, currents, previouses, N, err)
           : j == ADJUST ? sac_adjust_run_batch(p->adjust, outs, currents, N, err)
                         : sac_denoise_run_batch(p->denoise, outs, currents, N, err);
}

/* What a plan tells of its last run: 0 where it has no number. */
static double number_of(const plan *p, job j)
{
    return j == NOISE      ? (double)sac_noise_get_count(p->noise)
           : j == TEMPORAL ? sac_denoise_get_noise(p->denoise)
                           : 0;
}

static void close_plan(plan *p, job j)
{
    if (j == HEAT)
        sac_heatmap_close(&p->heat);
    else if (j == NOISE)
        sac_noise_close(&p->noise);
    else if (j == ADJUST)
        sac_adjust_close(&p->adjust);
    else
        sac_denoise_close(&p->denoise);
}

static bool is_a_line(const sac_error *err)
{
    return strncmp(err->text, "device: ", 8) == 0 && strlen(err->text) > 12 &&
           strlen(err->text) < 100 && strchr(err->text, '\n') == NULL;
}

/* A plan's life on a GPU that fails at that call; whether it had no such call. It is closed on a
 * GPU that still fails, or does no more. */
static bool live(job j, place p, const scene *s, void *stream, emulated_fault how, int64_t at)
{
    const sac_status expected = how == EMULATED_FULL ? SAC_E_NOMEM : SAC_E_DEVICE;
    const int64_t n_open = emulated_open_things();
    sac_error err = {0};
    plan made = {0};
    emulated_break(how, at);
    sac_status status = open_plan(&made, j, (sac_device){SAC_DEVICE_CUDA, 0}, stream, &err);
    const bool is_open = status == SAC_OK;
    want(is_open == (made.heat != NULL), j, p, how, at, "plan, or one though open failed");
    if (is_open)
        status = run_plan(&made, j, s, &err);
    const bool failed = status != SAC_OK;
    n_tried++;
    if (failed) {
        want(status == expected, j, p, how, at, sac_status_name(expected));
        want(is_a_line(&err), j, p, how, at, "line that says so");
        if (is_open) {
            want(run_plan(&made, j, s, &err) == expected, j, p, how, at, "failure again");
            want(how == EMULATED_FULL || number_of(&made, j) == 0, j, p, how, at, "count of 0");
        }
    }
    if (!failed || at % 2)
        want(emulated_mend() == failed, j, p, how, at, "word of a call that failed");
    if (!failed && stream)
        must(sac_gpu_wait(stream), "stream", &err);
    if (is_open)
        close_plan(&made, j);
    (void)emulated_mend();
    want(emulated_open_things() == n_open, j, p, how, at, "end of all that was opened");
    if (failed && stream)
        must(sac_gpu_wait(stream), "stream", &err);
    return !failed;
}

/* Of a CPU's plan: pictures and number. */
static double draw_here(job j, const scene *s)
{
    sac_error err = {0};
    plan p = {0};
    must(open_plan(&p, j, (sac_device){SAC_DEVICE_CPU, 0}, NULL, &err), "open", &err);
    must(run_plan(&p, j, s, &err), "run", &err);
    const double number = number_of(&p, j);
    close_plan(&p, j);
    return number;
}

static uint8_t *allocate(place p, size_t bytes)
{
    uint8_t *memory = malloc(bytes);
    sac_error err = {0};
    if (p == PINNED) {
        free(memory);
        must(sac_pinned_alloc((void **)&memory, bytes, (sac_device){SAC_DEVICE_CUDA, 0}, &err),
             "memory", &err);
    }
    return memory;
}

static void release(place p, uint8_t *memory)
{
    if (p == PINNED)
        sac_pinned_free(memory, (sac_device){SAC_DEVICE_CUDA, 0});
    else
        free(memory);
}

/* On the emulated GPU memory is the same everywhere. */
static void run_place(job j, place p, const scene *here, const uint8_t *expected, sac_gpu *gpu,
                      int step)
{
    scene s = {allocate(p, (N + 1) * BYTES), allocate(p, N * BYTES), {SAC_DEVICE_CPU, 0}};
    void *stream = p == STREAM ? sac_gpu_main_stream(gpu) : NULL;
    memcpy(s.frames, here->frames, (N + 1) * BYTES);
    if (p == DEVICE || p == STREAM)
        s.device = (sac_device){SAC_DEVICE_CUDA, 0};
    for (emulated_fault how = EMULATED_FULL; how <= EMULATED_LOST; how++) {
        int64_t at = 0;
        memset(s.outs, 0x5a, N * BYTES);
        while (!live(j, p, &s, stream, how, at))
            at += how == EMULATED_LOST ? step : 1;
        want(memcmp(s.outs, expected, N * BYTES) == 0, j, p, how, at, "picture of the CPU's");
        want(at > 0, j, p, how, at, "call that fails");
    }
    release(p, s.frames);
    release(p, s.outs);
}

/* --thin: lost at every third call. */
int main(int argc, char **argv)
{
    const int step = argc > 1 && strcmp(argv[1], "--thin") == 0 ? 3 : 1;
    static uint8_t frames[(N + 1) * BYTES], outs[N * BYTES];
    const scene here = {frames, outs, {SAC_DEVICE_CPU, 0}};
    sac_error err = {0};
    sac_gpu *gpu = NULL;
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof frames; i++) {
        random = random * 1664525 + 1013904223;
        frames[i] = (uint8_t)(100 + (random >> 24) % 50);
    }
    must(sac_gpu_open(&gpu, 0, &err), "open", &err);
    for (job j = 0; j < N_JOBS; j++) {
        (void)draw_here(j, &here);
        for (place p = 0; p < N_PLACES; p++)
            run_place(j, p, &here, outs, gpu, step);
    }
    sac_gpu_close(&gpu);
    want(emulated_open_things() == 0, 0, 0, EMULATED_LOST, 0, "end of all");
    printf("%" PRId64 " plans on a GPU that fails, %" PRId64 " faults\n", n_tried, n_faults);
    return n_faults > 0;
}
