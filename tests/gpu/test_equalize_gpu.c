/*
 * equalize on a GPU gives the CPU's bytes: every layout, type and way of handing over pictures.
 * Needs no library for tests, which a GPU machine seldom has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/equalize.h>

#include "gpu/gpu.h"
#include "skip.h"

#define N 5 /* pictures of a case: more than there are frames on the device */

static int n_cases, n_faults;

static void must(sac_status status, const char *what, const sac_error *err)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, sac_status_name(status), err ? err->text : "");
    exit(1);
}

/* How a picture lies in memory. */
typedef enum lie { PACKED, PADDED, UPSIDE_DOWN, SPARSE, BACKWARD, N_LIES } lie;
static const char *const lies[] = {"packed", "padded rows", "upside down", "sparse", "BGR"};

typedef struct picture {
    sac_array array;
    uint8_t *memory;
    size_t n_bytes;
    bool pinned;
} picture;

typedef struct test {
    sac_equalize_desc desc;
    lie lie;
    uint64_t seed;
    const char *name; /* of what is tried */
} test;

static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Strides of the picture; memory begins where the first sample would, packed. */
static void lay_out(picture *p, const sac_equalize_desc *d, lie how)
{
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(d->dtype);
    sac_array *a = &p->array;
    const bool planar = d->layout == SAC_PLANAR;
    const int y = planar ? 1 : 0, x = y + 1, c = planar ? 0 : 2;
    *a = (sac_array){.dtype = d->dtype, .n_dims = 3};
    a->shape[y] = d->h;
    a->shape[x] = d->w;
    a->shape[c] = d->n_channels;
    a->stride[x] = (planar ? size : size * d->n_channels) + (how == SPARSE ? size : 0);
    a->stride[y] = a->stride[x] * d->w + (how == PADDED ? 3 * size : 0);
    a->stride[c] = planar ? a->stride[y] * d->h : size;
    p->n_bytes = (size_t)(a->stride[y] * d->h * (planar ? d->n_channels : 1));
}

static void turn(picture *p, const sac_equalize_desc *d, lie how)
{
    const int y = d->layout == SAC_PLANAR ? 1 : 0;
    sac_array *a = &p->array;
    a->data = p->memory;
    if (how == UPSIDE_DOWN)
        must(sac_array_flip(a, a, y, NULL), "flip", NULL);
    if (how == BACKWARD && d->layout == SAC_INTERLEAVED && d->n_channels == 3)
        must(sac_array_flip(a, a, 2, NULL), "flip", NULL);
}

static picture new_picture(sac_gpu *gpu, const test *t, int i, bool pinned)
{
    picture p = {.pinned = pinned};
    lay_out(&p, &t->desc, t->lie);
    sac_error err = {0};
    if (pinned)
        must(sac_gpu_alloc_pinned(gpu, (void **)&p.memory, p.n_bytes, &err), "pinned", &err);
    else
        p.memory = malloc(p.n_bytes);
    uint64_t state = t->seed + (uint64_t)i * 977 + 1;
    for (size_t k = 0; k < p.n_bytes; k++)
        p.memory[k] = (uint8_t)(next(&state) % 190 + k / 4096 % 40);
    turn(&p, &t->desc, t->lie);
    return p;
}

static void free_picture(sac_gpu *gpu, picture *p)
{
    if (p->pinned)
        sac_gpu_free_pinned(gpu, p->memory);
    else
        free(p->memory);
}

static void compare(const test *t, int i, const picture *want, const picture *got)
{
    n_cases++;
    if (!memcmp(want->memory, got->memory, want->n_bytes))
        return;
    size_t k = 0, n = 0;
    for (size_t b = want->n_bytes; b-- > 0;)
        if (want->memory[b] != got->memory[b]) {
            k = b;
            n++;
        }
    const sac_equalize_desc *d = &t->desc;
    if (n_faults++ < 20)
        fprintf(stderr,
                "%s: seed %" PRIu64 ", %" PRId64 "x%" PRId64 "x%d %s, %s, %s, bins %d, scale %d, "
                "clahe %d, smooth %g, picture %d: %zu bytes differ, first %zu: wanted %d, got %d\n",
                t->name, t->seed, d->w, d->h, d->n_channels, sac_dtype_name(d->dtype),
                d->layout == SAC_PLANAR ? "planar" : "interleaved", lies[t->lie], d->bins, d->scale,
                d->clahe[0], d->smooth, i, n, k, want->memory[k], got->memory[k]);
}

static void compare_counts(const test *t, const sac_equalize *cpu, const sac_equalize *gpu)
{
    int32_t bins = 0;
    const uint64_t *want = sac_equalize_get_counts(cpu, &bins);
    const uint64_t *got = sac_equalize_get_counts(gpu, NULL);
    if (got && !memcmp(want, got, (size_t)bins * sizeof *want))
        return;
    n_faults++;
    fprintf(stderr, "%s: the counts of %d bins differ\n", t->name, bins);
}

/* N pictures of the CPU's memory in a batch, page-locked or not; each in place, one by one. */
static void try_host(sac_gpu *gpu, const test *t, sac_equalize *cpu, sac_equalize *plan,
                     bool pinned)
{
    picture in[N], want[N], got[N];
    sac_array ins[N], outs[N];
    for (int i = 0; i < N; i++) {
        in[i] = new_picture(gpu, t, i, pinned);
        want[i] = new_picture(gpu, t, 99, false);
        got[i] = new_picture(gpu, t, 99, pinned && i != 2);
        ins[i] = in[i].array;
        outs[i] = got[i].array;
        must(sac_equalize_run(cpu, &want[i].array, &in[i].array, NULL), "run on the CPU", NULL);
    }
    must(sac_equalize_run_batch(plan, outs, ins, N, NULL), "batch", NULL);
    for (int i = 0; i < N; i++)
        compare(t, i, &want[i], &got[i]);
    compare_counts(t, cpu, plan);
    sac_equalize_reset(cpu);
    sac_equalize_reset(plan);
    for (int i = 0; i < N; i++) {
        memcpy(want[i].memory, in[i].memory, in[i].n_bytes);
        must(sac_equalize_run(cpu, &want[i].array, &want[i].array, NULL), "in place", NULL);
        must(sac_equalize_run(plan, &ins[i], &ins[i], NULL), "in place", NULL);
        compare(t, i, &want[i], &in[i]);
        free_picture(gpu, &in[i]);
        free_picture(gpu, &want[i]);
        free_picture(gpu, &got[i]);
    }
    sac_equalize_reset(cpu);
    sac_equalize_reset(plan);
}

/* N pictures in device memory, on a stream of the caller's, in the same strides. */
static void try_device(sac_gpu *gpu, const test *t, sac_equalize *cpu, sac_equalize *plan,
                       sac_gpu_stream stream, bool in_place)
{
    picture in[N], want[N], got[N];
    sac_array ins[N], outs[N];
    void *memory[2 * N];
    sac_error err = {0};
    for (int i = 0; i < N; i++) {
        in[i] = new_picture(gpu, t, i, false);
        want[i] = new_picture(gpu, t, 99, false);
        got[i] = new_picture(gpu, t, 99, false);
        const size_t n = in[i].n_bytes;
        must(sac_gpu_alloc(gpu, &memory[i], n, &err), "device memory", &err);
        must(sac_gpu_alloc(gpu, &memory[N + i], n, &err), "device memory", &err);
        must(sac_gpu_copy(memory[i], in[i].memory, n, stream), "copy", NULL);
        must(sac_gpu_copy(memory[N + i], got[i].memory, n, stream), "copy", NULL);
        if (in_place)
            memcpy(want[i].memory, in[i].memory, n);
        must(sac_equalize_run(cpu, &want[i].array, in_place ? &want[i].array : &in[i].array, NULL),
             "run on the CPU", NULL);
        const ptrdiff_t first = (uint8_t *)in[i].array.data - in[i].memory;
        ins[i] = outs[i] = in[i].array;
        ins[i].device = outs[i].device = t->desc.device;
        ins[i].data = (char *)memory[i] + first;
        outs[i].data = (char *)memory[in_place ? i : N + i] + first;
        if (stream != sac_gpu_main_stream(gpu)) /* the plan works on another */
            must(sac_gpu_wait(stream), "wait", NULL);
        must(sac_equalize_run(plan, &outs[i], &ins[i], NULL), "run on the GPU", NULL);
    }
    for (int i = 0; i < N; i++) {
        must(sac_gpu_copy(got[i].memory, memory[in_place ? i : N + i], got[i].n_bytes, stream),
             "copy", NULL);
        must(sac_gpu_wait(stream), "wait", NULL);
        compare(t, i, &want[i], &got[i]);
    }
    compare_counts(t, cpu, plan);
    for (int i = 0; i < N; i++) {
        sac_gpu_free(gpu, memory[i]);
        sac_gpu_free(gpu, memory[N + i]);
        free_picture(gpu, &in[i]);
        free_picture(gpu, &want[i]);
        free_picture(gpu, &got[i]);
    }
    sac_equalize_reset(cpu);
    sac_equalize_reset(plan);
}

static void try_desc(sac_gpu *gpu, test *t)
{
    sac_equalize *cpu = NULL, *own = NULL, *asynchronous = NULL;
    sac_error err = {0};
    sac_equalize_desc desc = t->desc;
    desc.device = (sac_device){SAC_DEVICE_CPU, 0};
    must(sac_equalize_open(&cpu, &desc, &err), "open", &err);
    must(sac_equalize_open(&own, &t->desc, &err), "open on the GPU", &err);
    desc = t->desc;
    desc.stream = sac_gpu_main_stream(gpu);
    must(sac_equalize_open(&asynchronous, &desc, &err), "open on a stream", &err);
    t->name = "host";
    try_host(gpu, t, cpu, own, false);
    t->name = "page-locked";
    try_host(gpu, t, cpu, own, true);
    t->name = "device";
    try_device(gpu, t, cpu, own, sac_gpu_copy_stream(gpu), false);
    t->name = "device, on a stream";
    try_device(gpu, t, cpu, asynchronous, desc.stream, false);
    t->name = "device, in place";
    try_device(gpu, t, cpu, asynchronous, desc.stream, true);
    sac_equalize_close(&cpu);
    sac_equalize_close(&own);
    sac_equalize_close(&asynchronous);
}

static void try_shape(sac_gpu *gpu, test *t, int i)
{
    static const int32_t bins8[] = {0, 100, 2, 65536}, bins16[] = {0, 256, 1000, 4096};
    sac_equalize_desc *d = &t->desc;
    d->scale = i % 3;
    d->bins = (d->dtype == SAC_U8 ? bins8 : bins16)[i % 4];
    d->clahe[0] = d->clahe[1] = 0;
    d->smooth = i % 5 == 1 ? 0.7 : 0;
    try_desc(gpu, t);
    if (d->w < 4 || d->h < 3)
        return;
    d->clahe[0] = 4;
    d->clahe[1] = 3;
    d->bins = d->dtype == SAC_U8 ? 0 : 1024;
    try_desc(gpu, t);
}

/* --thin: one small size, for tools that slow it down. */
int main(int argc, char **argv)
{
    static const int64_t sizes[][2] = {{64, 33}, {1, 1}, {17, 5}, {641, 479}, {1920, 300}};
    const bool thin = argc == 2 && !strcmp(argv[1], "--thin");
    sac_gpu *gpu = NULL;
    sac_error err = {0};
    if (sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    must(sac_gpu_open(&gpu, 0, &err), "open", &err);
    test t = {.seed = 1};
    sac_equalize_desc_init(&t.desc);
    t.desc.device = (sac_device){SAC_DEVICE_CUDA, 0};
    t.desc.n_threads = 3;
    int i = 0;
    const size_t n_sizes = thin ? 1 : sizeof sizes / sizeof sizes[0];
    for (size_t s = 0; s < n_sizes; s++)
        for (int deep = 0; deep < 2; deep++)
            for (int32_t c = 1; c <= 4; c++)
                for (int planar = 0; planar < 2; planar++, i++) {
                    t.desc.w = sizes[s][0];
                    t.desc.h = sizes[s][1];
                    t.desc.dtype = deep ? SAC_U16 : SAC_U8;
                    t.desc.n_channels = c;
                    t.desc.layout = planar ? SAC_PLANAR : SAC_INTERLEAVED;
                    t.lie = (lie)(i % N_LIES);
                    t.seed++;
                    try_shape(gpu, &t, i);
                }
    sac_gpu_close(&gpu);
    printf("%d pictures compared with the CPU's, %d differ\n", n_cases, n_faults);
    return n_faults > 0;
}
