/*
 * pack_c64, pack_f32 and pack_i16 for the harness: records of w samples and h frames, as acquired,
 * frames innermost, and one frame. Out is one row: the packed records, as sac_das_layout lays them
 * out. A room's kind is its sac_dtype.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "beamform/kernels/das/cuda/das_cuda.h"
#include "beamform/kernels/pack_c64/pack_c64.h"
#include "beamform/kernels/pack_f32/pack_f32.h"
#include "beamform/kernels/pack_i16/pack_i16.h"
#include "room/check.h"

enum { OUT, IN };
enum { ACQUIRED, INNER, ONE_FRAME };

#define MAX_FRAMES 64 /* of a check: h of any size is folded into it */

static const char *const modes[] = {"acquired", "frames-inner", "one-frame", NULL};
static const char *const contents[] = {"noise", NULL};
/* 128 records of 334 samples, 32 frames; 75 x 128 of 2,048, one frame. */
static const sac_check_task tasks[] = {
    {"A", 334, 32, .mode = ACQUIRED}, {"C", 2048, 1, .mode = ONE_FRAME}, {0}};

typedef struct state {
    sac_das das;
    int parts;   /* of a sample: scalars */
    size_t size; /* of a scalar */
} state;

static bool is_task(const sac_check_case *c)
{
    const sac_check_task *t = &tasks[c->mode == ONE_FRAME];
    return c->mode == t->mode && c->w == t->w && c->h == t->h;
}

/* The run, and the scalars of its packed records. */
static size_t layout(state *s, const sac_check_case *c)
{
    const bool one = c->mode == ONE_FRAME;
    s->parts = c->kind == SAC_C64 ? 2 : 1;
    s->size = c->kind == SAC_I16 ? sizeof(int16_t) : sizeof(float);
    s->das = (sac_das){.n_tx = one && is_task(c) ? 75 : 1,
                       .n_rx = is_task(c) ? 128 : 2,
                       .n_samples = (int32_t)c->w,
                       .n_frames = one ? 1 : 1 + (int32_t)(c->h % MAX_FRAMES)};
    if (is_task(c) && !one)
        s->das.n_frames = 32;
    return sac_das_layout(&s->das, s->parts, s->size);
}

/* The run on a GPU, and its samples. */
static sac_das_cuda run_of(int64_t *n_samples, const state *s)
{
    const int32_t element = (int32_t)s->size * s->parts;
    sac_das_cuda run = {.das = s->das};
    const int32_t unit = 16 / element, n = s->das.n_frames;
    const int32_t units = n <= 4 * unit ? 4 : n <= 8 * unit ? 8 : 16;
    *n_samples = sac_das_cuda_pack_layout(&run, n > 1 && element >= 4 ? units * unit : 1);
    return run;
}

static void shape(sac_check_case *c)
{
    state s;
    const size_t n = layout(&s, c);
    const int64_t records = (int64_t)s.das.n_tx * s.das.n_rx, frames = s.das.n_frames;
    const bool inner = c->mode == INNER;
    c->n_args = 2;
    c->arg[OUT] =
        (sac_check_arg){"out",           SAC_CHECK_OUT, .size = s.size, .align = SAC_ALIGNMENT,
                        .w = (int64_t)n, .h = 1,        .packed = true};
    int64_t on_gpu;
    (void)run_of(&on_gpu, &s);
    if (SAC_CUDA && on_gpu * s.parts > c->arg[OUT].w)
        c->arg[OUT].w = on_gpu * s.parts;
    c->arg[IN] = (sac_check_arg){"in",
                                 SAC_CHECK_IN,
                                 .size = s.size,
                                 .align = s.size * (size_t)s.parts,
                                 .w = (inner ? frames : c->w) * s.parts,
                                 .h = records * (inner ? c->w : frames)};
}

static sac_status open(sac_check_case *c)
{
    c->state = sac_alloc(1, sizeof(state));
    if (!c->state)
        return SAC_E_NOMEM;
    (void)layout(c->state, c);
    return SAC_OK;
}

static void fill(sac_check_case *c)
{
    const sac_check_arg *a = &c->arg[IN];
    uint64_t random = c->seed | 1;
    for (int64_t y = 0; y < a->h; y++)
        for (size_t x = 0; x < (size_t)a->w * a->size; x++)
            a->data[y * a->row + (ptrdiff_t)x] = (uint8_t)(sac_check_random(&random) >> 56);
}

/* Records follow each other; a record's rows are its frames, or its samples. */
static void call(sac_any_fn fn, const sac_check_case *c)
{
    const state *s = c->state;
    const sac_das *das = &s->das;
    const sac_check_arg *in = &c->arg[IN];
    ptrdiff_t element = (ptrdiff_t)s->size * s->parts;
    bool inner = c->mode == INNER;
    ptrdiff_t record = in->row * (inner ? das->n_samples : das->n_frames);
    for (int32_t r = 0; r < das->n_tx * das->n_rx; r++)
        ((sac_pack_fn)fn)(c->arg[OUT].data + r * das->rx * (ptrdiff_t)s->size,
                          in->data + r * record, das, das->n_frames, inner ? element : in->row,
                          inner ? in->row : element);
}

static uint64_t bytes(const sac_check_case *c)
{
    const state *s = c->state;
    uint64_t samples = (uint64_t)s->das.n_tx * (uint64_t)s->das.n_rx * (uint64_t)s->das.n_samples;
    return samples * s->size * (uint64_t)s->parts * (uint64_t)(s->das.n_frames + s->das.n_packed);
}

/* Counts an element of out that is wrong. */
static void add_fault(sac_check_diff *d, int64_t index, const void *wanted, const void *got,
                      size_t size)
{
    uint64_t a = 0, b = 0;
    memcpy(&a, wanted, size);
    memcpy(&b, got, size);
    d->n_differ += a != b;
    if (a == b || !d->ok)
        return;
    *d = (sac_check_diff){
        .n_differ = 1, .arg = OUT, .index = index, .wanted = (double)a, .got = (double)b};
}

#if SAC_CUDA
/* Sample s of frame f of record r, packed on the device: every scalar of the CPU's is there, what
 * has no frame or no sample is 0, and what lies behind was left alone. */
static void compare_device(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got)
{
    const state *st = want->state;
    const sac_das *das = &st->das;
    int64_t n_run;
    const sac_das_cuda run = run_of(&n_run, st);
    const int32_t group = run.group, n_frames = (das->n_frames + group - 1) / group * group;
    const int64_t n = n_run * st->parts;
    const int64_t n_samples = run.rx / group;
    const uint8_t *a = want->arg[OUT].data, *b = got->arg[OUT].data;
    const uint64_t zero = 0;
    for (int64_t i = 0; i < (int64_t)das->n_rx * das->n_tx * n_frames * n_samples; i++) {
        const int64_t f = i % n_frames, s = i / n_frames % n_samples, r = i / n_frames / n_samples;
        const bool is_there = s < das->n_samples && f < das->n_frames;
        for (int part = 0; part < st->parts; part++) {
            const int64_t at = f / group * run.frame + r * run.rx + s * group + f % group;
            const ptrdiff_t from = r * das->rx + s * das->sample + f + part * das->imag;
            add_fault(d, at * st->parts + part,
                      is_there ? a + from * (ptrdiff_t)st->size : (const void *)&zero,
                      b + (at * st->parts + part) * (ptrdiff_t)st->size, st->size);
        }
    }
    uint64_t poison;
    memset(&poison, got->poison, sizeof poison);
    for (int64_t i = n; i < got->arg[OUT].w; i++)
        add_fault(d, i, &poison, b + i * (ptrdiff_t)st->size, st->size);
}

typedef sac_status (*pack_cuda_fn)(sac_gpu_stream stream, void *out, const void *in,
                                   const sac_das_cuda_strides *from, const sac_das_cuda *run,
                                   int32_t n_frames, int32_t size, int32_t from_size);

static const sac_variant cuda[] = {{"groups", 0, true, SAC_FN(pack_cuda_fn, sac_das_cuda_pack)},
                                   {0}};

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    const state *s = c->state;
    const sac_check_arg *in = &c->arg[IN];
    int64_t n_run;
    const sac_das_cuda run = run_of(&n_run, s);
    const int32_t element = (int32_t)s->size * s->parts;
    const ptrdiff_t row = in->row / element;
    const bool inner = c->mode == INNER;
    const ptrdiff_t record = row * (inner ? s->das.n_samples : s->das.n_frames);
    const sac_das_cuda_strides from = {inner ? 1 : row, record * s->das.n_rx, record,
                                       inner ? row : 1};
    return ((pack_cuda_fn)fn)(stream, c->arg[OUT].data, in->data, &from, &run, s->das.n_frames,
                              element, element);
}
#endif

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    const sac_check_arg *a = &want->arg[OUT], *b = &got->arg[OUT];
    (void)v;
#if SAC_CUDA
    if (v->fn == cuda[0].fn) {
        compare_device(d, want, got);
        return;
    }
#endif
    if (memcmp(a->data, b->data, (size_t)a->w * a->size) != 0)
        for (int64_t i = 0; i < a->w; i++)
            add_fault(d, i, a->data + (size_t)i * a->size, b->data + (size_t)i * a->size, a->size);
}

#define PACK                                                                                       \
    .modes = modes, .contents = contents, .max_pixels = 20000, .shape = shape, .open = open,       \
    .fill = fill, .call = call, .compare = compare, .bytes = bytes, .tasks = tasks,                \
    SAC_CHECK_CUDA(.cuda = cuda, .call_cuda = call_cuda)

const sac_room_check sac_pack_c64_check = {.room = &sac_pack_c64_room, .kind = SAC_C64, PACK};

const sac_room_check sac_pack_f32_check = {.room = &sac_pack_f32_room, .kind = SAC_F32, PACK};

const sac_room_check sac_pack_i16_check = {.room = &sac_pack_i16_room, .kind = SAC_I16, PACK};
