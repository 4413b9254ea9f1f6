/*
 * meltpool as a room: a stream of frames through whole plans, each against plans of references
 * alone, with every way to find the centre.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "meltpool/ladder/check_cuda.h"
#include "meltpool/ladder/scenes.h"
#include "room/check.h"

enum { OUT, FRAMES };
enum { SIDE = SAC_MELTPOOL_SIM_SIZE, FEATURES = SAC_MELTPOOL_FEATURES };
enum { OF_FRAME = SAC_MELTPOOL_OF_FRAME };
enum { VALUES = 1 + FEATURES + SAC_MELTPOOL_PREDICTIONS }; /* flags, features, prediction */
enum { TASK_FRAMES = 1000 };

/* A desc's other values; 0: as they are. */
static const struct {
    int32_t locate, roi, window, spatter_min;
    bool static_roi, scan;
} options[] = {
    {SAC_MELTPOOL_LASER, 0, 0, 0, false, false},
    {SAC_MELTPOOL_LASER, 37, 5, 3, false, true},
    {SAC_MELTPOOL_BRIGHTEST, 8, 1, 1, false, false},
    {SAC_MELTPOOL_PREVIOUS, 65, 100, 2, false, true},
    {SAC_MELTPOOL_LASER, 64, 0, 1, true, false},
    {SAC_MELTPOOL_FIXED, 16, 300, 1, false, false},
};
static const char *const modes[] = {
    "laser", "roi 37, scan frame", "brightest", "previous", "static roi 64", "fixed", NULL};

typedef struct stream {
    sac_meltpool *ref, *plain, *plan;
    const sac_meltpool_signals *signals; /* (n) */
    sac_meltpool_record *records;        /* (n) */
    sac_array frames;
} stream;

typedef void (*stream_fn)(const stream *s);

typedef struct state {
    sac_meltpool_scene_plan of;
    stream stream; /* all but frames, which call sets */
    sac_meltpool_signals *signals;
    int64_t n_on;
} state;

static void run_singles(sac_meltpool *plan, const stream *s)
{
    sac_array frame = s->frames;
    frame.n_dims = 2;
    frame.shape[0] = frame.shape[1] = SIDE;
    frame.stride[0] = s->frames.stride[1];
    frame.stride[1] = 1;
    for (int64_t i = 0; i < s->frames.shape[0]; i++) {
        frame.data = (uint8_t *)s->frames.data + i * s->frames.stride[0];
        if (sac_meltpool_run(plan, &s->records[i], &frame, &s->signals[i], NULL))
            abort(); /* a plan refused the frames that it was opened for */
    }
}

static void run_ref(const stream *s)
{
    run_singles(s->ref, s);
}

static void run_plain(const stream *s)
{
    run_singles(s->plain, s);
}

static void run_plan(const stream *s)
{
    run_singles(s->plan, s);
}

static void run_batch(const stream *s)
{
    if (sac_meltpool_run_batch(s->plan, s->records, &s->frames, s->signals, NULL))
        abort();
}

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(stream_fn, run_ref)},
    {"plan-plain", 0, true, SAC_FN(stream_fn, run_plain)},
    {"plan", 0, true, SAC_FN(stream_fn, run_plan)},
    {"batch", 0, true, SAC_FN(stream_fn, run_batch)},
    {0},
};

static const sac_room room = {"meltpool", variants};

static const sac_check_task tasks[] = {
    {"typical", TASK_FRAMES, 1, .content = 0},      {"comb", TASK_FRAMES, 1, .content = 1},
    {"checkerboard", TASK_FRAMES, 1, .content = 2}, {"salt", TASK_FRAMES, 1, .content = 3},
    {"all-on", TASK_FRAMES, 1, .content = 4},       {"all-off", TASK_FRAMES, 1, .content = 5},
    {"one-pixel", TASK_FRAMES, 1, .content = 6},    {0},
};

static void shape(sac_check_case *c)
{
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = VALUES, .h = c->w};
    c->arg[FRAMES] =
        (sac_check_arg){"frames", SAC_CHECK_IN, .size = 1, .w = SIDE, .h = c->w * SIDE};
    c->n_args = 2;
}

static void fill(sac_check_case *c)
{
    const sac_check_arg *in = &c->arg[FRAMES];
    if (sac_meltpool_scene_fill(in->data, in->row, NULL, c->w, c->content, c->seed))
        abort(); /* out of memory */
}

static void set_desc(sac_meltpool_desc *d, int32_t mode)
{
    d->locate = options[mode].locate;
    d->static_roi = options[mode].static_roi;
    d->scan_frame = options[mode].scan;
    d->roi = options[mode].roi ? options[mode].roi : d->roi;
    d->window = options[mode].window ? options[mode].window : d->window;
    d->spatter_min = options[mode].spatter_min ? options[mode].spatter_min : d->spatter_min;
}

static sac_status open_plans(state *s, int32_t n_threads)
{
    sac_meltpool_desc *d = &s->of.desc;
    sac_status status;
    d->n_threads = n_threads;
    status = sac_meltpool_open(&s->stream.plan, d, NULL);
    d->n_threads = 1;
    d->variant = "plain";
    if (status == SAC_OK)
        status = sac_meltpool_open(&s->stream.plain, d, NULL);
    d->variant = "ref";
    if (status == SAC_OK)
        status = sac_meltpool_open(&s->stream.ref, d, NULL);
    return status;
}

static void close_case(sac_check_case *c)
{
    state *s = c->state;
    if (!s)
        return;
    sac_meltpool_close(&s->stream.plan);
    sac_meltpool_close(&s->stream.plain);
    sac_meltpool_close(&s->stream.ref);
    sac_free(s->stream.records);
    sac_free(s->signals);
    sac_free(s);
    c->state = NULL;
}

/* The signals of the case's frames, drawn again with them. */
static sac_status make_signals(state *s, const sac_check_case *c)
{
    uint8_t *frames = sac_alloc((size_t)c->w, SIDE * SIDE);
    s->signals = sac_alloc((size_t)c->w, sizeof *s->signals);
    s->stream.signals = s->signals;
    sac_status status = SAC_E_NOMEM;
    if (frames && s->signals)
        status = sac_meltpool_scene_fill(frames, SIDE, s->signals, c->w, c->content, c->seed);
    for (int64_t i = 0; status == SAC_OK && i < c->w; i++)
        s->n_on += s->signals[i].laser_on != 0;
    sac_free(frames);
    return status;
}

static sac_status open_case(sac_check_case *c)
{
    state *s = sac_alloc(1, sizeof *s);
    if (!s)
        return SAC_E_NOMEM;
    c->state = s;
    sac_meltpool_scene_plan_init(&s->of);
    set_desc(&s->of.desc, c->mode);
    sac_status status = make_signals(s, c);
    if (status == SAC_OK)
        status = open_plans(s, c->n_threads);
    s->stream.records = sac_alloc((size_t)c->w, sizeof *s->stream.records);
    if (status == SAC_OK && !s->stream.records)
        status = SAC_E_NOMEM;
    if (status)
        close_case(c);
    return status;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    stream s = ((const state *)c->state)->stream;
    const sac_check_arg *in = &c->arg[FRAMES];
    s.frames = (sac_array){.data = in->data,
                           .dtype = SAC_U8,
                           .n_dims = 3,
                           .shape = {c->w, SIDE, SIDE},
                           .stride = {SIDE * in->row, in->row, 1}};
    sac_meltpool_reset(s.ref);
    sac_meltpool_reset(s.plain);
    sac_meltpool_reset(s.plan);
    ((stream_fn)fn)(&s);
    for (int64_t i = 0; i < c->w; i++) {
        float *values = sac_check_row(c, OUT, i);
        values[0] = (float)s.records[i].flags;
        memcpy(values + 1, s.records[i].features, sizeof s.records[i].features);
        memcpy(values + 1 + FEATURES, s.records[i].prediction, sizeof s.records[i].prediction);
    }
}

/* Rungs of several frames at once read them where they are, in page-locked memory. */
static bool passes(const sac_variant *v, const sac_check_case *c, int32_t arg, bool back)
{
    static const char *const in_place[] = {"grid-sync-", "persistent-"};
    (void)c;
    (void)arg;
    for (int i = 0; i < 2 && !back; i++)
        if (strncmp(v->name, in_place[i], strlen(in_place[i])) == 0)
            return false;
    return true;
}

static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    const state *s = c->state;
    return sac_meltpool_check_open_cuda(c, gpu, s->stream.plan, &c->arg[FRAMES], s->signals);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream queue, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* a rung's own */
    return sac_meltpool_check_call_cuda(fn, queue, c, &c->arg[OUT], &c->arg[FRAMES]);
}

/* Flags and features 0..19 exactly, variances within 1e-5, predictions as these let them. */
static double tolerance_of(const sac_check_case *c, const float *wanted, int64_t x)
{
    const state *s = c->state;
    if (x < 1 + OF_FRAME)
        return 0;
    if (x < 1 + FEATURES)
        return 1e-5 * fabs((double)wanted[x]);
    return 2e-5 * sac_meltpool_scene_sway(&s->of.model, wanted + 1, (int32_t)(x - 1 - FEATURES));
}

/* Relative errors, but of a 0. */
static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    (void)v;
    const double unit = p->wanted != 0 ? fabs(p->wanted) : 1, error = fabs(p->got - p->wanted);
    const double within =
        error == 0 ? 0 : tolerance_of(want, sac_check_row(want, OUT, p->y), p->x) / unit;
    sac_check_value(d, p, error / unit, within);
}

static uint64_t bytes(const sac_check_case *c)
{
    const state *s = c->state;
    const uint64_t roi = (uint64_t)s->of.desc.roi;
    return (uint64_t)s->n_on * roi * roi + (uint64_t)c->w * sizeof(sac_meltpool_record);
}

/* Frames, and those with the laser on. */
static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    *all = (uint64_t)c->w;
    *active = (uint64_t)((const state *)c->state)->n_on;
}

const sac_room_check sac_meltpool_check = {
    SAC_CHECK_CALLS(room),
    .modes = modes,
    .contents = sac_meltpool_scenes,
    .max_pixels = 100, /* more than a window and a block */
    .one_row = true,
    .costly = true,
    .tasks = tasks,
    .open = open_case,
    .close = close_case,
    .judge = judge,
    .passes = passes,
    .bytes = bytes,
    .points = points,
    .published = sac_meltpool_cuda_published,
    .cuda_rungs = sac_meltpool_cuda_rungs,
    .cuda_by_calls = true,
    .cuda_energy = true,
    .open_cuda = open_cuda,
    .close_cuda = sac_meltpool_check_close_cuda,
    .call_cuda = call_cuda,
};
