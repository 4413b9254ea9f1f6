/*
 * Heat maps, noise views, filters and adjusted frames on a GPU give the CPU's bytes: random sizes,
 * layouts, strides, options, places of the arrays, streams, batches of one video and of several,
 * previous frames given or kept. Nothing is written between rows or around.
 *
 *     gpu_motion [--thin] [SEED [CASES]]
 *
 * --thin: few cases, for tools that slow it down.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/motion.h>

#include "gpu/gpu.h"
#include "skip.h"

#define MOST 6    /* pictures of a batch */
#define AROUND 64 /* bytes around an array */
#define CASES 1000
#define FEW_CASES 60

static void must(sac_status status, const char *what, const sac_error *err)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, sac_status_name(status), err->text);
    exit(1);
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

static int64_t upto(uint64_t *state, int64_t n)
{
    return (int64_t)(next(state) >> 33) % n;
}

typedef enum place { DEVICE, PINNED, PAGEABLE, N_PLACES } place;
typedef enum lie { PACKED, PADDED, UPSIDE_DOWN, SPARSE, PLANAR, N_LIES } lie;
static const char *const places[] = {"device", "page-locked", "pageable"};
static const char *const lies[] = {"packed", "padded", "upside down", "sparse", "planar"};

typedef enum job { HEAT, NOISE, DENOISE, ADJUST, N_JOBS } job;
static const char *const jobs[] = {"heat map", "noise", "denoise", "adjust"};

/* An array's memory here, and, where it is there, on the device. */
typedef struct memory {
    sac_array array; /* as the plan is given it */
    uint8_t *here, *there;
    size_t n_bytes;
    place place;
} memory;

typedef struct test {
    int64_t w, h;
    int32_t n_channels, n;
    lie lie, out_lie;
    place place;
    bool video, in_place; /* in place: outs are the current frames, or of noise the previous */
    bool keeps;           /* the GPU's plan keeps the previous frames */
    bool streamed;        /* on the caller's stream */
    job job;
    size_t offset;
    uint64_t seed;
} test;

static sac_array array_of(const test *t, lie how, int64_t w, int32_t c, size_t *n_bytes)
{
    const ptrdiff_t n = c, step = how == PLANAR ? 1 : n + (how == SPARSE);
    const ptrdiff_t row = step * w + (how == PADDED ? 5 : how == UPSIDE_DOWN ? 16 : 0);
    sac_array a = {.dtype = SAC_U8, .n_dims = 3, .shape = {t->h, w, c}};
    a.stride[0] = row;
    a.stride[1] = step;
    a.stride[2] = how == PLANAR ? row * t->h : 1;
    *n_bytes = (size_t)(row * t->h * (how == PLANAR ? n : 1)) + t->offset + 2 * AROUND;
    return a;
}

static memory new_memory(sac_gpu *gpu, const test *t, lie how, int64_t w, int32_t c,
                         uint64_t *state)
{
    memory m = {.place = t->place};
    sac_error err = {0};
    m.array = array_of(t, how, w, c, &m.n_bytes);
    if (t->place == PINNED)
        must(sac_gpu_alloc_pinned(gpu, (void **)&m.here, m.n_bytes, &err), "pinned", &err);
    else
        m.here = malloc(m.n_bytes);
    const uint64_t kind = next(state) >> 40;
    for (size_t k = 0; k < m.n_bytes; k++)
        m.here[k] = (uint8_t)(kind % 3 == 0   ? next(state) >> 32
                              : kind % 3 == 1 ? 100 + (next(state) >> 32) % 40
                                              : (next(state) >> 63) * 255);
    if (t->place == DEVICE) {
        must(sac_gpu_alloc(gpu, (void **)&m.there, m.n_bytes, &err), "device", &err);
        m.array.device = (sac_device){SAC_DEVICE_CUDA, 0};
    }
    m.array.data = (t->place == DEVICE ? m.there : m.here) + AROUND + t->offset;
    if (how == UPSIDE_DOWN)
        must(sac_array_flip(&m.array, &m.array, 0, &err), "flip", &err);
    return m;
}

static void copy(sac_gpu *gpu, void *to, const void *from, size_t bytes)
{
    const sac_error err = {.text = "a copy"};
    must(sac_gpu_enter(gpu), "enter", &err);
    must(sac_gpu_copy(to, from, bytes, sac_gpu_main_stream(gpu)), "copy", &err);
    must(sac_gpu_wait(sac_gpu_main_stream(gpu)), "copy", &err);
    sac_gpu_leave(gpu);
}

static void free_memory(sac_gpu *gpu, memory *m)
{
    if (m->place == PINNED)
        sac_gpu_free_pinned(gpu, m->here);
    else
        free(m->here);
    sac_gpu_free(gpu, m->there);
}

/* The same array in memory of the CPU that begins at `here`. */
static sac_array at(const memory *m, uint8_t *here)
{
    sac_array a = m->array;
    const uint8_t *base = m->place == DEVICE ? m->there : m->here;
    a.data = here + ((uint8_t *)m->array.data - base);
    a.device = (sac_device){SAC_DEVICE_CPU, 0};
    return a;
}

typedef struct pictures {
    memory frame[2 * MOST], out[MOST];
    int32_t n_frames;
} pictures;

static int32_t current_of(const test *t, int32_t i)
{
    return t->video ? i + 1 : 2 * i;
}

static int32_t previous_of(const test *t, int32_t i)
{
    return t->video ? i : 2 * i + 1;
}

static sac_heatmap_desc heat_desc(const test *t, uint64_t *state)
{
    sac_heatmap_desc d;
    sac_heatmap_desc_init(&d);
    d.w = t->w, d.h = t->h, d.n_channels = t->n_channels;
    d.order = (sac_pixel_order)upto(state, 3);
    d.map = (int32_t)upto(state, 5);
    d.scale = upto(state, 2) ? 765 : 510;
    d.n_threads = 2;
    return d;
}

static sac_noise_desc noise_desc(const test *t, uint64_t *state)
{
    static const int32_t thresholds[] = {0, 1, 20, 127, 128, 254, 255};
    sac_noise_desc d;
    sac_noise_desc_init(&d);
    d.w = t->w, d.h = t->h, d.n_channels = t->n_channels;
    d.order = (sac_pixel_order)upto(state, 3);
    d.view = (int32_t)upto(state, 4);
    d.threshold = thresholds[upto(state, 7)];
    d.n_threads = 2;
    return d;
}

static sac_denoise_desc denoise_desc(const test *t, uint64_t *state)
{
    sac_denoise_desc d;
    sac_denoise_desc_init(&d);
    d.w = t->w, d.h = t->h, d.n_channels = t->n_channels;
    d.method = (int32_t)upto(state, 4);
    d.size = upto(state, 2) ? 3 : 5;
    d.sigma = upto(state, 2) ? 0 : 0.3 * (double)(1 + upto(state, 10));
    d.strength = upto(state, 2) ? 0.8 : 0.1 * (double)upto(state, 11);
    d.noise = upto(state, 2) ? 0 : 0.7 * (double)(1 + upto(state, 20));
    d.n_threads = 2;
    return d;
}

static sac_adjust_desc adjust_desc(const test *t, uint64_t *state)
{
    sac_adjust_desc d;
    sac_adjust_desc_init(&d);
    d.w = t->w, d.h = t->h, d.n_channels = t->n_channels;
    d.order = (sac_pixel_order)upto(state, 3);
    d.brightness = upto(state, 2) ? 0 : (double)upto(state, 201) - 100;
    d.contrast = upto(state, 2) ? 1 : 0.1 * (double)upto(state, 41);
    d.saturation = upto(state, 2) ? 1 : 0.1 * (double)upto(state, 41);
    d.gain = upto(state, 2) ? 1 : 0.1 * (double)upto(state, 161);
    d.n_threads = 2;
    return d;
}

typedef struct descs {
    sac_heatmap_desc heat;
    sac_noise_desc noise;
    sac_denoise_desc denoise;
    sac_adjust_desc adjust;
} descs;

/* Frames of a video; after a reset, again: more than are between two estimates. */
static uint64_t denoise(const test *t, const sac_denoise_desc *desc, const sac_array *outs,
                        const sac_array *ins)
{
    sac_error err = {0};
    sac_denoise *plan = NULL;
    must(sac_denoise_open(&plan, desc, &err), "open", &err);
    for (int32_t i = 0; i < 20; i += t->n)
        must(sac_denoise_run_batch(plan, outs, ins, t->n, &err), "run", &err);
    if (t->seed % 2) {
        sac_denoise_reset(plan);
        must(sac_denoise_run_batch(plan, outs, ins, t->n, &err), "run", &err);
    }
    const double noise = sac_denoise_get_noise(plan);
    sac_denoise_close(&plan);
    uint64_t bits;
    memcpy(&bits, &noise, sizeof bits);
    return bits;
}

/* With the controls as they are after open, or moved to where they are to be. */
static void adjust(const test *t, const sac_adjust_desc *desc, const sac_array *outs,
                   const sac_array *ins)
{
    sac_error err = {0};
    sac_adjust *plan = NULL;
    sac_adjust_desc first = *desc;
    if (t->seed % 2)
        first.gain = 3, first.saturation = 0;
    must(sac_adjust_open(&plan, &first, &err), "open", &err);
    must(sac_adjust_set(plan, desc, &err), "set", &err);
    must(sac_adjust_run_batch(plan, outs, ins, t->n, &err), "run", &err);
    sac_adjust_close(&plan);
}

typedef sac_status batch_fn(void *plan, const sac_array *outs, const sac_array *currents,
                            const sac_array *previouses, int32_t n, sac_error *err);

static sac_status draw_heat(void *plan, const sac_array *outs, const sac_array *currents,
                            const sac_array *previouses, int32_t n, sac_error *err)
{
    return sac_heatmap_run_batch(plan, outs, currents, previouses, n, err);
}

static sac_status draw_noise(void *plan, const sac_array *outs, const sac_array *currents,
                             const sac_array *previouses, int32_t n, sac_error *err)
{
    return sac_noise_run_batch(plan, outs, currents, previouses, n, err);
}

/* The batch; of a plan that keeps the previous frames, the video in two pieces. */
static void draw(const test *t, batch_fn *batch, void *plan, bool keeps, const sac_array *outs,
                 const sac_array *currents, const sac_array *previouses)
{
    sac_error err = {0};
    if (!keeps) {
        must(batch(plan, outs, currents, previouses, t->n, &err), "run", &err);
        return;
    }
    const int32_t cut = (int32_t)(t->seed % (uint64_t)(t->n + 1));
    if (batch(plan, outs, previouses, NULL, t->n, &err) != SAC_AGAIN)
        must(SAC_E_INVALID, "a first frame", &err);
    must(batch(plan, outs, currents, NULL, cut, &err), "run", &err);
    must(batch(plan, outs + cut, currents + cut, NULL, t->n - cut, &err), "run", &err);
}

/* Runs the batch on one device: arrays (3 n) are outs, currents, previouses. Of noise, the count;
 * of filters, the bits of the estimate. */
static uint64_t run(const test *t, const descs *d, const sac_array *arrays)
{
    const sac_array *outs = arrays, *currents = arrays + t->n, *previouses = arrays + 2 * t->n;
    sac_error err = {0};
    uint64_t count = 0;
    if (t->job == DENOISE)
        return denoise(t, &d->denoise, outs, currents);
    if (t->job == ADJUST) {
        adjust(t, &d->adjust, outs, currents);
        return 0;
    }
    if (t->job == NOISE) {
        sac_noise *plan = NULL;
        must(sac_noise_open(&plan, &d->noise, &err), "open", &err);
        draw(t, draw_noise, plan, d->noise.keep_previous, outs, currents, previouses);
        count = sac_noise_get_count(plan);
        sac_noise_close(&plan);
    } else {
        sac_heatmap *plan = NULL;
        must(sac_heatmap_open(&plan, &d->heat, &err), "open", &err);
        draw(t, draw_heat, plan, d->heat.keep_previous, outs, currents, previouses);
        sac_heatmap_close(&plan);
    }
    return count;
}

static test random_test(uint64_t seed)
{
    uint64_t state = seed * 2654435761 + 1;
    test t = {.seed = seed};
    next(&state);
    const int64_t most = upto(&state, 4) ? 80 : 700;
    t.w = 1 + upto(&state, most);
    t.h = 1 + upto(&state, most / 2);
    if (upto(&state, 4) == 0)
        t.w = (t.w + 15) / 16 * 16;
    t.n_channels = (int32_t[]){1, 3, 4}[upto(&state, 3)];
    t.n = 1 + (int32_t)upto(&state, MOST);
    t.lie = (lie)upto(&state, N_LIES);
    t.out_lie = upto(&state, 3) ? t.lie : (lie)upto(&state, N_LIES);
    t.place = (place)upto(&state, N_PLACES);
    t.video = upto(&state, 2);
    t.job = (job)upto(&state, N_JOBS);
    t.offset = upto(&state, 2) ? 0 : (size_t)upto(&state, AROUND);
    if (t.job == DENOISE)
        t.n_channels = 1 + (int32_t)upto(&state, 4);
    t.in_place = t.job != DENOISE && !t.video && upto(&state, 4) == 0;
    t.keeps = t.video && upto(&state, 2);
    t.streamed = t.place == DEVICE && upto(&state, 2);
    return t;
}

/* How many bytes of out i differ, guards included; and says the first. */
static size_t compare(const test *t, int32_t i, const memory *got, const uint8_t *want)
{
    size_t n = 0, first = 0;
    for (size_t k = got->n_bytes; k-- > 0;)
        if (got->here[k] != want[k]) {
            n++;
            first = k;
        }
    if (n)
        fprintf(stderr,
                "seed %" PRIu64 ": %s, %" PRId64 "x%" PRId64
                "x%d, %s to %s, %s, %s, %s%s, picture %d of %d: "
                "%zu bytes differ, first %zu: wanted %d, got %d\n",
                t->seed, jobs[t->job], t->w, t->h, t->n_channels, lies[t->lie], lies[t->out_lie],
                places[t->place], t->in_place ? "in place" : "apart", t->keeps ? "kept" : "given",
                t->streamed ? ", on a stream" : "", i, t->n, n, first, want[first],
                got->here[first]);
    return n;
}

static bool try_one(sac_gpu *gpu, uint64_t seed)
{
    test t = random_test(seed);
    uint64_t state = seed * 7919 + 3;
    descs d = {heat_desc(&t, &state), noise_desc(&t, &state), denoise_desc(&t, &state),
               adjust_desc(&t, &state)};
    const bool bits = t.job == NOISE && d.noise.view == SAC_NOISE_BITS;
    const bool widens = bits || (t.job == HEAT && t.n_channels == 1);
    t.in_place = t.in_place && !widens;
    pictures p = {.n_frames = t.video ? t.n + 1 : 2 * t.n};
    for (int32_t i = 0; i < p.n_frames; i++)
        p.frame[i] = new_memory(gpu, &t, t.lie, t.w, t.n_channels, &state);
    uint8_t *want[MOST] = {0};
    sac_array there[3 * MOST], here[3 * MOST];
    for (int32_t i = 0; i < t.n; i++) {
        const int32_t out_channels = bits                                ? 1
                                     : t.job != HEAT || t.n_channels > 1 ? t.n_channels
                                                                         : 3;
        const int32_t target = t.job == NOISE ? previous_of(&t, i) : current_of(&t, i);
        if (!t.in_place)
            p.out[i] =
                new_memory(gpu, &t, t.out_lie, bits ? (t.w + 7) / 8 : t.w, out_channels, &state);
        const memory *out = t.in_place ? &p.frame[target] : &p.out[i];
        want[i] = malloc(out->n_bytes);
        memcpy(want[i], out->here, out->n_bytes);
        there[i] = out->array;
        here[i] = at(out, want[i]);
        there[t.n + i] = p.frame[current_of(&t, i)].array;
        there[2 * t.n + i] = p.frame[previous_of(&t, i)].array;
        here[t.n + i] = at(&p.frame[current_of(&t, i)], p.frame[current_of(&t, i)].here);
        here[2 * t.n + i] = at(&p.frame[previous_of(&t, i)], p.frame[previous_of(&t, i)].here);
        if (t.in_place)
            here[(t.job == NOISE ? 2 : 1) * t.n + i] = here[i];
    }
    const uint64_t wanted = run(&t, &d, here);
    for (int32_t i = 0; t.place == DEVICE && i < p.n_frames; i++)
        copy(gpu, p.frame[i].there, p.frame[i].here, p.frame[i].n_bytes);
    for (int32_t i = 0; t.place == DEVICE && !t.in_place && i < t.n; i++)
        copy(gpu, p.out[i].there, p.out[i].here, p.out[i].n_bytes);
    d.heat.device = d.noise.device = d.denoise.device = d.adjust.device =
        (sac_device){SAC_DEVICE_CUDA, 0};
    d.heat.keep_previous = d.noise.keep_previous = t.keeps;
    if (t.streamed)
        d.heat.stream = d.noise.stream = d.denoise.stream = d.adjust.stream =
            sac_gpu_main_stream(gpu);
    const uint64_t count = run(&t, &d, there);
    size_t n_bad = 0;
    for (int32_t i = 0; i < t.n; i++) {
        const int32_t target = t.job == NOISE ? previous_of(&t, i) : current_of(&t, i);
        memory *out = t.in_place ? &p.frame[target] : &p.out[i];
        if (t.place == DEVICE)
            copy(gpu, out->here, out->there, out->n_bytes);
        n_bad += compare(&t, i, out, want[i]);
        free(want[i]);
        if (!t.in_place)
            free_memory(gpu, &p.out[i]);
    }
    for (int32_t i = 0; i < p.n_frames; i++)
        free_memory(gpu, &p.frame[i]);
    if (count != wanted)
        fprintf(stderr, "seed %" PRIu64 ": %s: counted %" PRIu64 ", wanted %" PRIu64 "\n", seed,
                jobs[t.job], count, wanted);
    return n_bad == 0 && count == wanted;
}

int main(int argc, char **argv)
{
    const int thin = argc > 1 && strcmp(argv[1], "--thin") == 0;
    argc -= thin;
    argv += thin;
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int n = argc > 2 ? atoi(argv[2]) : thin ? FEW_CASES : CASES;
    sac_gpu *gpu = NULL;
    sac_error err = {0};
    if (sac_gpu_open(&gpu, 0, &err) != SAC_OK)
        return skip_all("no GPU, or a build without CUDA");
    int n_faults = 0;
    for (int i = 0; i < n && n_faults < 20; i++)
        n_faults += !try_one(gpu, seed + (uint64_t)i);
    sac_gpu_close(&gpu);
    printf("%d cases, %d faults\n", n, n_faults);
    return n_faults > 0;
}
