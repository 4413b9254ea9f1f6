/*
 * Melt-pool frames for tests on a GPU: in each kind of memory, and beside what the CPU makes of
 * them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_MELTPOOL_SCENE_H
#define SAC_TESTS_MELTPOOL_SCENE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <signal.h>

#include "counts.h"
#include "gpu/gpu.h"
#include "meltpool/ladder/scenes.h"

enum { SIDE = SAC_MELTPOOL_SIM_SIZE };

static int64_t n_compared, n_faults;

/* Where frames lie. */
typedef enum place { ORDINARY, PINNED, DEVICE, N_PLACES } place;
static const char *const places[] = {"ordinary memory", "page-locked memory", "device memory"};

/* Frames of a stream, and what a plan on the CPU makes of them. */
typedef struct scene {
    int32_t n, h, w;
    uint8_t *pixels;               /* (n, h, w) */
    sac_meltpool_signals *signals; /* (n) */
    sac_meltpool_record *want;     /* (n) */
    sac_meltpool_counts counts;
} scene;

/* A copy of a scene's frames. */
typedef struct copy {
    place place;
    uint8_t *memory;
    sac_array frames; /* (n, h, w), rows `row` bytes apart, upside down where row < 0 */
} copy;

static inline void must(sac_status status, const char *what, const sac_error *err)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, sac_status_name(status), err ? err->text : "");
    exit(1);
}

static inline void want(bool good, const char *test, const char *what)
{
    if (!good)
        fprintf(stderr, "%s: wanted: %s\n", test, what);
    n_faults += !good;
}

static inline void on_alarm(int number)
{
    static const char line[] = "a call has not come back\n";
    (void)number;
    (void)!write(STDERR_FILENO, line, sizeof line - 1);
    _exit(1);
}

/* Ends the test where something hangs, which is a failure. */
static inline void limit_seconds(unsigned seconds)
{
    signal(SIGALRM, on_alarm);
    alarm(seconds);
}

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

static inline void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    must(memory ? SAC_OK : SAC_E_NOMEM, "memory", NULL);
    return memory;
}

static inline scene new_scene(int32_t n, int32_t h, int32_t w)
{
    scene s = {.n = n, .h = h, .w = w};
    s.pixels = allocate((size_t)n * (size_t)h, (size_t)w);
    s.signals = allocate((size_t)n, sizeof *s.signals);
    s.want = allocate((size_t)n, sizeof *s.want);
    return s;
}

/* Of sac_meltpool_scenes[index]. */
static inline scene open_scene(int32_t n, int32_t index)
{
    scene s = new_scene(n, SIDE, SIDE);
    must(sac_meltpool_scene_fill(s.pixels, SIDE, s.signals, n, index, 77 << 11), "frames", NULL);
    return s;
}

static inline void close_scene(scene *s)
{
    free(s->pixels);
    free(s->signals);
    free(s->want);
}

static inline sac_meltpool *open_plan(const sac_meltpool_desc *desc)
{
    sac_meltpool *plan = NULL;
    sac_error err = {0};
    must(sac_meltpool_open(&plan, desc, &err), "open", &err);
    return plan;
}

/* What the CPU says of the scene. */
static inline void run_on_cpu(scene *s, const sac_meltpool_desc *of)
{
    const int64_t shape[] = {s->n, s->h, s->w};
    sac_meltpool_desc desc = *of;
    sac_array frames;
    desc.device = (sac_device){SAC_DEVICE_CPU, 0};
    desc.variant = NULL;
    desc.n_threads = 1;
    sac_meltpool *plan = open_plan(&desc);
    must(sac_array_view(&frames, s->pixels, SAC_U8, 3, shape, NULL), "frames", NULL);
    must(sac_meltpool_run_batch(plan, s->want, &frames, s->signals, NULL), "the CPU's run", NULL);
    s->counts = counts_of_meltpool(plan);
    sac_meltpool_close(&plan);
}

/* Rows begin `first` bytes behind the memory's, and lie |row| bytes apart. */
static inline copy open_copy(sac_gpu *gpu, const scene *s, place where, int32_t first, int32_t row)
{
    const int32_t step = row < 0 ? -row : row;
    const size_t bytes = (size_t)first + (size_t)s->n * (size_t)s->h * (size_t)step;
    uint8_t *laid = allocate(bytes, 1);
    copy c = {.place = where, .memory = laid};
    sac_error err = {0};
    void *memory = laid;
    for (int64_t y = 0; y < (int64_t)s->n * s->h; y++) {
        const int64_t of_frame = y % s->h, at = row < 0 ? y - of_frame + s->h - 1 - of_frame : y;
        memcpy(laid + first + at * step, s->pixels + y * s->w, (size_t)s->w);
    }
    if (where == PINNED)
        must(sac_pinned_alloc(&memory, bytes, (sac_device){SAC_DEVICE_CUDA, 0}, &err), "pinned",
             &err);
    if (where == PINNED)
        memcpy(memory, laid, bytes);
    if (where == DEVICE) {
        must(sac_gpu_alloc(gpu, &memory, bytes, &err), "device memory", &err);
        must(sac_gpu_enter(gpu), "enter", NULL);
        must(sac_gpu_copy(memory, laid, bytes, sac_gpu_copy_stream(gpu)), "copy", NULL);
        must(sac_gpu_wait(sac_gpu_copy_stream(gpu)), "copy", NULL);
        sac_gpu_leave(gpu);
    }
    if (where != ORDINARY)
        free(laid);
    c.memory = memory;
    c.frames = (sac_array){.data = c.memory + first + (row < 0 ? (s->h - 1) * step : 0),
                           .dtype = SAC_U8,
                           .n_dims = 3,
                           .shape = {s->n, s->h, s->w},
                           .stride = {(ptrdiff_t)s->h * step, row, 1}};
    if (where == DEVICE)
        c.frames.device.kind = SAC_DEVICE_CUDA;
    return c;
}

static inline void close_copy(sac_gpu *gpu, copy *c)
{
    if (c->place == PINNED)
        sac_pinned_free(c->memory, (sac_device){SAC_DEVICE_CUDA, 0});
    else if (c->place == DEVICE)
        sac_gpu_free(gpu, c->memory);
    else
        free(c->memory);
}

/* Frames at .. at + n - 1, or one by itself where n is 0. */
static inline sac_array part_of(const sac_array *frames, int32_t at, int32_t n)
{
    sac_array part = *frames;
    part.data = (char *)frames->data + at * frames->stride[0];
    part.shape[0] = n;
    if (n == 0) {
        part.n_dims = 2;
        memmove(part.shape, frames->shape + 1, 2 * sizeof part.shape[0]);
        memmove(part.stride, frames->stride + 1, 2 * sizeof part.stride[0]);
    }
    return part;
}

/* All frames in batches of n; n = 0: each by a run of its own; n < 0: in batches of 1 to -n and
 * single runs, as it comes. Ends at the first that fails. */
static inline sac_status run_frames(sac_meltpool *plan, sac_meltpool_record *records,
                                    const sac_array *frames, const sac_meltpool_signals *signals,
                                    int32_t n)
{
    uint64_t random = 12345;
    const int32_t all = (int32_t)frames->shape[0];
    sac_status status = SAC_OK;
    for (int32_t at = 0, count; at < all && status == SAC_OK; at += count > 0 ? count : 1) {
        count = n < 0 ? (int32_t)(next_random(&random) % (uint64_t)(1 - n)) : n;
        count = count < all - at ? count : all - at;
        const sac_array part = part_of(frames, at, count);
        const sac_meltpool_signals *of = signals ? signals + at : NULL;
        status = count > 0 ? sac_meltpool_run_batch(plan, records + at, &part, of, NULL)
                           : sac_meltpool_run(plan, records + at, &part, of, NULL);
    }
    return status;
}

/* Tells the first faults of a test. */
static inline void compare(const char *test, const scene *s, const sac_meltpool_record *got,
                           const sac_meltpool_model *model)
{
    for (int32_t i = 0; i < s->n; i++) {
        const char *what = sac_meltpool_scene_differs(&s->want[i], &got[i], model);
        n_compared++;
        if (!what)
            continue;
        for (int k = 0; n_faults < 20 && k < SAC_MELTPOOL_FEATURES; k++)
            if (memcmp(&s->want[i].features[k], &got[i].features[k], sizeof(float)) != 0) {
                fprintf(stderr, "%s: frame %d: %s: feature %d: wanted %.9g, got %.9g\n", test, i,
                        what, k, (double)s->want[i].features[k], (double)got[i].features[k]);
                break;
            }
        if (n_faults++ < 20)
            fprintf(stderr, "%s: frame %d: %s: flags wanted %u, got %u; predicted %g, got %g\n",
                    test, i, what, s->want[i].flags, got[i].flags, (double)s->want[i].prediction[0],
                    (double)got[i].prediction[0]);
    }
}

static inline void compare_counts(const char *test, const sac_meltpool_counts *wanted,
                                  const sac_meltpool *plan)
{
    const sac_meltpool_counts c = counts_of_meltpool(plan);
    want(memcmp(&c, wanted, sizeof c) == 0, test, "the CPU's counts");
}

#endif
