/*
 * beamform as a room: whole runs of plans, from channel data as acquired to an image, by the
 * reference of every step, by plain C, and as the planner chooses in each tier; on a GPU, too.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "beamform/kernels/das.h"
#include "room/check.h"

#define PI 3.14159265358979323846
#define MAX_ELEMENTS 128
#define MAX_TRANSMITS 75

enum { OUT, IN };

/* The rooms' bounds: das_iq_f32's and das_rf's at 8,192 samples, twice 1e-6 for a demodulator
 * before it, and what half precision adds. */
#define FP32_BOUND 3e-4
#define EXACT_BOUND 2e-6
#define FAST_BOUND (FP32_BOUND + 1e-3)
#define DB_BOUND 4e-6 /* more of decibels on a GPU: their own 1.1e-5 dB, and the maximum's */

/* Both sensors, and the first one's task. */
#define DISK .f_number = 1, .fs_hz = 6.6667e6, .fc_hz = 5e6, .c_m_s = 1480, .pitch_m = 298e-6
#define PHANTOM .fs_hz = 20e6, .fc_hz = 5e6, .c_m_s = 1540, .pitch_m = 300e-6
#define DISK_GRID .t0_s = 9.95e-6, .x_m = 12.5e-3, .z0_m = 10e-3, .z1_m = 35e-3

/* What is run. */
static const struct {
    sac_dtype dtype;
    sac_channel_layout layout;
    int32_t n_frames, n_tx, n_rx, n_samples;
    int32_t demodulate; /* sac_demodulate_choice */
    bool lri;
    int32_t output; /* sac_beamform_output */
    double f_number, fs_hz, fc_hz, c_m_s, pitch_m, t0_s, angle_rad;
    double x_m, z0_m, z1_m; /* the points' ends */
} runs[] = {
    {SAC_C64, .n_frames = 32, .n_tx = 1, .n_rx = 128, .n_samples = 334, DISK, DISK_GRID},
    {SAC_F32, .n_frames = 1, .n_tx = 3, .n_rx = 128, .n_samples = 8192,
     .demodulate = SAC_DEMODULATE_NO, .lri = true, .fs_hz = 62.5e6, .fc_hz = 5e6, .c_m_s = 1540,
     .pitch_m = 300e-6, .angle_rad = 10 * PI / 180, .x_m = 19.05e-3, .z0_m = 5e-3, .z1_m = 95e-3},
    {SAC_C64, .n_frames = 1, .n_tx = 75, .n_rx = 128, .n_samples = 2048, .f_number = 1.75,
     .fs_hz = 20.832e6, .fc_hz = 5.208e6, .c_m_s = 1540, .pitch_m = 300e-6,
     .angle_rad = 16 * PI / 180, .x_m = 18e-3, .z0_m = 10e-3, .z1_m = 50e-3},
    {SAC_I16, .n_frames = 32, .n_tx = 1, .n_rx = 128, .n_samples = 334,
     .demodulate = SAC_DEMODULATE_YES, .output = SAC_OUTPUT_BMODE, DISK, DISK_GRID},
    {SAC_C64, .layout = SAC_FRAMES_INNER, .n_frames = 5, .n_tx = 2, .n_rx = 12, .n_samples = 90,
     .output = SAC_OUTPUT_ENVELOPE, .t0_s = 1e-6, .angle_rad = 0.2, .x_m = 2e-3, .z0_m = 2e-3,
     .z1_m = 9e-3, DISK},
    {SAC_I16, .n_frames = 3, .n_tx = 2, .n_rx = 12, .n_samples = 300,
     .demodulate = SAC_DEMODULATE_NO, .lri = true, .f_number = 1.5, .t0_s = 1e-6, .angle_rad = 0.2,
     .x_m = 2e-3, .z0_m = 2e-3, .z1_m = 10e-3, PHANTOM},
    {SAC_F32, .layout = SAC_FRAMES_INNER, .n_frames = 33, .n_tx = 1, .n_rx = 12, .n_samples = 150,
     .demodulate = SAC_DEMODULATE_YES, .f_number = 1, .t0_s = 1e-6, .x_m = 2e-3, .z0_m = 1e-3,
     .z1_m = 5e-3, PHANTOM},
};
enum { N_TASKS = 4 };

/* The checks leave the tasks' large records to the ladder. */
static const char *const modes[] = {"A",       "B",      "C",        "A-rf-to-bmode",
                                    "inner-5", "rf-lri", "rf-inner", NULL};
static const sac_check_task tasks[] = {{"A", 251, 251, .mode = 0},
                                       {"B", 256, 1024, .mode = 1},
                                       {"C", 387, 609, .mode = 2},
                                       {"A-rf-to-bmode", 251, 251, .mode = 3},
                                       {0}};
static const char *const contents[] = {"noise", NULL};

/* On a GPU by tier, on the harness's stream. */
enum { REFERENCE, PRECISE, EXACT, CHOSEN, N_PLANS, CUDA_PLANS = N_PLANS };

typedef struct state {
    sac_element elements[MAX_ELEMENTS];
    sac_transmit transmits[MAX_TRANSMITS];
    sac_acquisition acquisition;
    sac_beamform_desc desc;
    sac_beamform *plans[CUDA_PLANS + SAC_TIER_FAST + 1];
    sac_device gpu_device;
} state;

/* A rung is one of the plans. */
typedef sac_beamform *(*rung_fn)(const state *s);

static sac_beamform *ref(const state *s)
{
    return s->plans[REFERENCE];
}

static sac_beamform *precise(const state *s)
{
    return s->plans[PRECISE];
}

static sac_beamform *exact(const state *s)
{
    return s->plans[EXACT];
}

static sac_beamform *chosen(const state *s)
{
    return s->plans[CHOSEN];
}

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(rung_fn, ref)},
    {"plan-exact", 0, true, SAC_FN(rung_fn, exact), SAC_TIER_EXACT},
    {"plan-precise", 0, true, SAC_FN(rung_fn, precise), SAC_TIER_FP32},
    {"plan", 0, true, SAC_FN(rung_fn, chosen), SAC_TIER_FP32},
    {0},
};

static sac_beamform *exact_cuda(const state *s)
{
    return s->plans[CUDA_PLANS + SAC_TIER_EXACT];
}

static sac_beamform *chosen_cuda(const state *s)
{
    return s->plans[CUDA_PLANS + SAC_TIER_FP32];
}

static sac_beamform *fast_cuda(const state *s)
{
    return s->plans[CUDA_PLANS + SAC_TIER_FAST];
}

static const sac_variant cuda[] = {
    {"plan-exact", 0, true, SAC_FN(rung_fn, exact_cuda), SAC_TIER_EXACT},
    {"plan", 0, true, SAC_FN(rung_fn, chosen_cuda), SAC_TIER_FP32},
    {"plan-fast", 0, true, SAC_FN(rung_fn, fast_cuda), SAC_TIER_FAST},
    {0},
};

static bool is_cuda(const sac_variant *v)
{
    const sac_variant *rung = cuda;
    while (rung->name && rung != v)
        rung++;
    return rung->name;
}

static const sac_room room = {"beamform", variants};

static bool is_task(const sac_check_case *c)
{
    return c->mode < N_TASKS && c->w == tasks[c->mode].w && c->h == tasks[c->mode].h;
}

/* Records of a check in a task's mode are its first two frames, transmits and some elements. */
static int32_t at_most(const sac_check_case *c, int32_t n, int32_t few)
{
    return is_task(c) || n < few ? n : few;
}

static int32_t n_tx(const sac_check_case *c)
{
    return at_most(c, runs[c->mode].n_tx, 3);
}

static int32_t n_rx(const sac_check_case *c)
{
    return at_most(c, runs[c->mode].n_rx, 16);
}

static int64_t n_images(const sac_check_case *c)
{
    return runs[c->mode].lri ? n_tx(c) : 1;
}

static bool is_complex(const sac_check_case *c)
{
    return runs[c->mode].output == SAC_OUTPUT_IQ && runs[c->mode].demodulate != SAC_DEMODULATE_NO;
}

static void shape(sac_check_case *c)
{
    bool inner = runs[c->mode].layout == SAC_FRAMES_INNER;
    int64_t n_records = (int64_t)n_tx(c) * n_rx(c), n = runs[c->mode].n_samples;
    size_t size = sac_dtype_size(runs[c->mode].dtype);
    c->n_args = 2;
    c->arg[OUT] = (sac_check_arg){.name = "out",
                                  .role = SAC_CHECK_OUT,
                                  .size = sizeof(float),
                                  .align = is_complex(c) ? 8 : 4,
                                  .w = c->w * c->h * (is_complex(c) ? 2 : 1),
                                  .h = runs[c->mode].n_frames * n_images(c)};
    c->arg[IN] = (sac_check_arg){.name = "in",
                                 .role = SAC_CHECK_IN,
                                 .size = size,
                                 .align = size < 4 ? size : 4,
                                 .w = inner ? runs[c->mode].n_frames : n,
                                 .h = inner ? n_records * n : n_records * runs[c->mode].n_frames};
}

static void fill(sac_check_case *c)
{
    const sac_check_arg *a = &c->arg[IN];
    uint64_t random = c->seed | 1;
    int64_t n_values = a->size == 8 ? 2 * a->w : a->w;
    for (int64_t y = 0; y < a->h; y++)
        for (int64_t x = 0; x < n_values; x++) {
            int32_t value = (int32_t)(sac_check_random(&random) >> 48) - 32768;
            void *row = sac_check_row(c, IN, y);
            if (a->size == 2)
                ((int16_t *)row)[x] = (int16_t)value;
            else
                ((float *)row)[x] = (float)value * 0x1p-15f;
        }
}

static void close(sac_check_case *c)
{
    state *s = c->state;
    for (int i = 0; s && i < N_PLANS; i++)
        sac_beamform_close(&s->plans[i]);
    sac_free(s);
    c->state = NULL;
}

static void acquire(state *s, const sac_check_case *c)
{
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    sac_probe_linear(s->elements, n_rx(c), runs[c->mode].pitch_m, 0, 0);
    for (int32_t t = 0; t < n_tx(c); t++) {
        sac_transmit_init(&s->transmits[t], SAC_TRANSMIT_PLANE);
        s->transmits[t].t0_s = runs[c->mode].t0_s;
        if (n_tx(c) > 1)
            s->transmits[t].azimuth_rad = runs[c->mode].angle_rad * (2.0 * t / (n_tx(c) - 1) - 1);
    }
    a->elements = s->elements;
    a->transmits = s->transmits;
    a->n_elements = n_rx(c);
    a->n_transmits = n_tx(c);
    a->fs_hz = runs[c->mode].fs_hz;
    a->fc_hz = runs[c->mode].fc_hz;
    a->c_m_s = runs[c->mode].c_m_s;
}

static sac_status open(sac_check_case *c)
{
    static const char *const forced[N_PLANS] = {"ref", "precise", NULL, NULL};
    static const int32_t threads[] = {1, 2, 1, 3};
    state *s = c->state = sac_alloc(1, sizeof *s);
    if (!s)
        return SAC_E_NOMEM;
    acquire(s, c);
    sac_beamform_desc *d = &s->desc;
    sac_beamform_desc_init(d);
    d->acquisition = &s->acquisition;
    d->dtype = runs[c->mode].dtype;
    d->layout = runs[c->mode].layout;
    d->n_frames = runs[c->mode].n_frames;
    d->n_samples = runs[c->mode].n_samples;
    d->f_number = runs[c->mode].f_number;
    d->apodization = "rect";
    d->demodulate = runs[c->mode].demodulate;
    d->lri = runs[c->mode].lri;
    d->output = runs[c->mode].output;
    d->n_threads = c->n_threads ? c->n_threads : threads[c->seed % 4];
    d->grid = (sac_grid){.first_m = {-runs[c->mode].x_m, 0, runs[c->mode].z0_m},
                         .last_m = {runs[c->mode].x_m, 0, runs[c->mode].z1_m},
                         .n = {c->w, 1, c->h}};
    sac_status status = SAC_OK;
    for (int i = 0; i < N_PLANS && status == SAC_OK; i++) {
        d->variant = forced[i];
        d->tier = i == EXACT ? SAC_TIER_EXACT : SAC_TIER_FP32;
        status = sac_beamform_open(&s->plans[i], d, NULL);
    }
    if (status)
        close(c);
    return status;
}

static void close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    state *s = c->state;
    (void)gpu;
    for (int tier = SAC_TIER_EXACT; tier <= SAC_TIER_FAST; tier++)
        sac_beamform_close(&s->plans[CUDA_PLANS + tier]);
}

static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    state *s = c->state;
    sac_beamform_desc d = s->desc;
    d.variant = NULL;
    d.device = s->gpu_device = (sac_device){SAC_DEVICE_CUDA, sac_gpu_index(gpu)};
    d.stream = sac_gpu_main_stream(gpu);
    sac_status status = SAC_OK;
    for (int tier = SAC_TIER_EXACT; tier <= SAC_TIER_FAST && status == SAC_OK; tier++) {
        d.tier = tier;
        status = sac_beamform_open(&s->plans[CUDA_PLANS + tier], &d, NULL);
    }
    if (status)
        close_cuda(c, gpu);
    return status;
}

/* The memory of an argument as an array of 4 axes, rows being all but the last. */
static sac_array view(const sac_check_arg *a, sac_dtype dtype, const int64_t n[4], bool rows_in_two)
{
    sac_array array = {.data = a->data, .dtype = dtype, .n_dims = 4};
    ptrdiff_t step = (ptrdiff_t)sac_dtype_size(dtype);
    for (int i = 3; i >= 0; i--) {
        array.shape[i] = n[i];
        array.stride[i] = step;
        step = i == (rows_in_two ? 2 : 3) ? a->row : step * n[i];
    }
    return array;
}

/* The case's arrays, wherever its memory is. */
static void take_arrays(sac_array *out, sac_array *in, const sac_check_case *c)
{
    bool inner = runs[c->mode].layout == SAC_FRAMES_INNER;
    const int64_t outer_n[] = {runs[c->mode].n_frames, n_tx(c), n_rx(c), runs[c->mode].n_samples};
    const int64_t inner_n[] = {n_tx(c), n_rx(c), runs[c->mode].n_samples, runs[c->mode].n_frames};
    const int64_t image_n[] = {runs[c->mode].n_frames, n_images(c), c->h, c->w};
    *in = view(&c->arg[IN], runs[c->mode].dtype, inner ? inner_n : outer_n, false);
    *out = view(&c->arg[OUT], is_complex(c) ? SAC_C64 : SAC_F32, image_n, true);
    if (runs[c->mode].lri)
        return;
    out->n_dims = 3; /* no axis of transmits */
    for (int i = 1; i < 3; i++) {
        out->shape[i] = out->shape[i + 1];
        out->stride[i] = out->stride[i + 1];
    }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_array out, in;
    take_arrays(&out, &in, c);
    if (sac_beamform_run(((rung_fn)fn)(c->state), &out, &in, NULL))
        abort(); /* a plan refused the arrays that it was opened for */
}

/* Enqueued on `stream`, which is the plans' own. */
static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const state *s = c->state;
    sac_array out, in;
    (void)stream, (void)shape_of;
    take_arrays(&out, &in, c);
    out.device = in.device = s->gpu_device;
    return sac_beamform_run(((rung_fn)fn)(s), &out, &in, NULL);
}

/* Decibels as amplitudes. */
static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    const bool is_db = runs[want->mode].output == SAC_OUTPUT_BMODE;
    sac_check_pair q = *p;
    (void)v;
    q.wanted = is_db ? pow(10, p->wanted / 20) : p->wanted;
    q.got = is_db ? pow(10, p->got / 20) : p->got;
    const double error = isfinite(q.got) ? fabs(q.got - q.wanted) : (double)INFINITY;
    sac_check_value(d, &q, error, (double)INFINITY);
}

/* Relative L2 error. */
static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    static const double bounds[] = {
        [SAC_TIER_EXACT] = EXACT_BOUND, [SAC_TIER_FP32] = FP32_BOUND, [SAC_TIER_FAST] = FAST_BOUND};
    const bool is_db = runs[want->mode].output == SAC_OUTPUT_BMODE;
    sac_check_values(d, want, got, v, judge);
    sac_check_l2(d, 1e-6);
    d->ok = d->error <= bounds[v->tier] + (is_db && is_cuda(v) ? DB_BOUND : 0);
}

static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    sac_beamform_get_points(((const state *)c->state)->plans[CHOSEN], all, active);
}

const sac_room_check sac_beamform_check = {
    SAC_CHECK_ROOM(room),   .max_pixels = 2000,       .costly = true,
    .open = open,           .close = close,           .compare = compare,
    .tasks = tasks,         .points = points,         .cuda = SAC_CUDA ? cuda : NULL,
    .cuda_by_calls = true, /* a run's launches are a part of it */
    .open_cuda = open_cuda, .close_cuda = close_cuda, .call_cuda = call_cuda,
};
