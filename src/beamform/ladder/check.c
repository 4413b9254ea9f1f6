/*
 * beamform as a room: whole runs of plans, from channel data as acquired to an image, by the
 * reference of every step, by plain C, and as the planner chooses in each tier; on a GPU, too. And
 * as the planner does not choose: low-resolution images kept, then compounded.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/signal.h>

#include <stdlib.h>
#include <string.h>

#include "beamform/kernels/das/das.h"
#include "beamform/kernels/sum/sum_cuda.h"
#include "beamform/ladder/runs.h"

enum { OUT, IN };

/* The rooms' bounds: das_iq_f32's and das_rf's at 8,192 samples, twice 1e-6 for a demodulator
 * before it, and what half precision adds. */
#define FP32_BOUND 3e-4
#define EXACT_BOUND 2e-6
#define FAST_BOUND (FP32_BOUND + 1e-3)
#define DB_BOUND 4e-6 /* more of decibels on a GPU: their own 1.1e-5 dB, and the maximum's */

static const char *const contents[] = {"noise", NULL};

typedef sac_beamform_ladder_plans state;
typedef sac_beamform_ladder_run run;

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

static sac_beamform *kept(const state *s)
{
    return s->plans[KEPT];
}

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(rung_fn, ref)},
    {"plan-exact", 0, true, SAC_FN(rung_fn, exact), SAC_TIER_EXACT},
    {"plan-precise", 0, true, SAC_FN(rung_fn, precise), SAC_TIER_FP32},
    {"plan", 0, true, SAC_FN(rung_fn, chosen), SAC_TIER_FP32},
    {0},
};

static const sac_variant rungs[] = {
    {"lris-compounded", 0, false, SAC_FN(rung_fn, kept), SAC_TIER_FP32}, {0}};

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

static sac_beamform *kept_cuda(const state *s)
{
    return s->plans[KEPT_CUDA];
}

static const sac_variant cuda[] = {
    {"lris-compounded", 0, false, SAC_FN(rung_fn, kept_cuda), SAC_TIER_FP32},
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

static void shape(sac_check_case *c)
{
    const run r = sac_beamform_ladder_run_of(c);
    bool inner = r.layout == SAC_FRAMES_INNER;
    int64_t n_records = (int64_t)r.n_tx * r.n_rx, n = r.n_samples;
    size_t size = sac_dtype_size(r.dtype);
    c->n_args = 2;
    c->arg[OUT] = (sac_check_arg){.name = "out",
                                  .role = SAC_CHECK_OUT,
                                  .size = sizeof(float),
                                  .align = r.is_complex ? 8 : 4,
                                  .w = c->w * c->h * (r.is_complex ? 2 : 1),
                                  .h = r.n_frames * r.n_images};
    c->arg[IN] = (sac_check_arg){.name = "in",
                                 .role = SAC_CHECK_IN,
                                 .size = size,
                                 .align = size < 4 ? size : 4,
                                 .w = inner ? r.n_frames : n,
                                 .h = inner ? n_records * n : n_records * r.n_frames};
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

/* The memory of an argument as an array, axis `row` being its rows, the later ones within a row. */
static sac_array view(const sac_check_arg *a, sac_dtype dtype, int32_t n_dims, const int64_t *n,
                      int32_t row)
{
    sac_array array = {.data = a->data, .dtype = dtype, .n_dims = n_dims};
    ptrdiff_t step = (ptrdiff_t)sac_dtype_size(dtype);
    for (int i = n_dims - 1; i >= 0; i--) {
        step = i == row ? a->row : step;
        array.shape[i] = n[i];
        array.stride[i] = step;
        step *= n[i];
    }
    return array;
}

/* The case's image, or images of every transmit, wherever its memory is. */
static sac_array out_of(const sac_check_case *c)
{
    const run r = sac_beamform_ladder_run_of(c);
    int64_t n[SAC_MAX_DIMS];
    int32_t n_dims = 0;
    n[n_dims++] = r.n_frames;
    if (r.lri)
        n[n_dims++] = r.n_images;
    const int32_t row = n_dims - 1;
    n[n_dims++] = c->h / r.n_y;
    if (r.n_y > 1)
        n[n_dims++] = r.n_y;
    n[n_dims++] = c->w;
    return view(&c->arg[OUT], r.is_complex ? SAC_C64 : SAC_F32, n_dims, n, row);
}

static sac_array in_of(const sac_check_case *c)
{
    const run r = sac_beamform_ladder_run_of(c);
    const bool inner = r.layout == SAC_FRAMES_INNER;
    const int64_t outer_n[] = {r.n_frames, r.n_tx, r.n_rx, r.n_samples};
    const int64_t inner_n[] = {r.n_tx, r.n_rx, r.n_samples, r.n_frames};
    return inner ? view(&c->arg[IN], r.dtype, 4, inner_n, 2)
                 : view(&c->arg[IN], r.dtype, 4, outer_n, 2);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const state *s = c->state;
    sac_beamform *plan = ((rung_fn)fn)(s);
    const bool keeps = plan == s->plans[KEPT];
    const sac_array out = out_of(c), in = in_of(c);
    sac_array lris = sac_beamform_get_output_array(plan);
    lris.data = s->lris;
    if (sac_beamform_run(plan, keeps ? &lris : &out, &in, NULL))
        abort(); /* a plan refused the arrays that it was opened for */
    if (keeps && sac_sum(&out, &lris, 1, NULL))
        abort();
}

#if SAC_CUDA
/* Sums each frame's low-resolution images. */
static sac_status compound(sac_gpu_stream stream, const sac_array *out, const sac_check_case *c)
{
    const run r = sac_beamform_ladder_run_of(c);
    const sac_variant *v = sac_sum_cuda;
    while (strcmp(v->name, "hybrid") != 0)
        v++;
    const int64_t n = c->w * c->h * (r.is_complex ? 2 : 1);
    sac_sum_job job = {.in_k = (ptrdiff_t)n, .in_m = 1, .out_m = 1, .n = r.n_tx, .n_lines = n};
    sac_status status = SAC_OK;
    for (int32_t f = 0; f < r.n_frames && status == SAC_OK; f++) {
        void *to = (char *)out->data + f * out->stride[0];
        job.in = ((const state *)c->state)->lris_cuda + f * r.n_tx * n;
        status = ((sac_sum_cuda_fn)v->fn)(stream, NULL, to, &job, NULL);
    }
    return status;
}
#else
#define compound(stream, out, c)                                                                   \
    (sac_status)((void)(stream), (void)(out), (void)(c), SAC_E_UNSUPPORTED)
#endif

/* Enqueued on `stream`, which is the plans' own. */
static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const state *s = c->state;
    sac_beamform *plan = ((rung_fn)fn)(s);
    const bool keeps = plan == s->plans[KEPT_CUDA];
    sac_array out = out_of(c), in = in_of(c);
    sac_array lris = sac_beamform_get_output_array(plan);
    (void)shape_of;
    lris.data = s->lris_cuda;
    lris.device = out.device = in.device = s->gpu_device;
    const sac_status status = sac_beamform_run(plan, keeps ? &lris : &out, &in, NULL);
    return status == SAC_OK && keeps ? compound(stream, &out, c) : status;
}

static bool supports(const sac_variant *v, const sac_check_case *c)
{
    const run r = sac_beamform_ladder_run_of(c);
    return strcmp(v->name, "lris-compounded") != 0 || r.is_compounded;
}

/* Decibels as amplitudes. */
static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    const run r = sac_beamform_ladder_run_of(want);
    const bool is_db = r.output == SAC_OUTPUT_BMODE;
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
    const run r = sac_beamform_ladder_run_of(want);
    static const double bounds[] = {
        [SAC_TIER_EXACT] = EXACT_BOUND, [SAC_TIER_FP32] = FP32_BOUND, [SAC_TIER_FAST] = FAST_BOUND};
    const bool is_db = r.output == SAC_OUTPUT_BMODE;
    sac_check_values(d, want, got, v, judge);
    sac_check_l2(d, 1e-6);
    d->ok = d->error <= bounds[v->tier] + (is_db && is_cuda(v) ? DB_BOUND : 0);
}

static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    sac_beamform_get_points(((const state *)c->state)->plans[CHOSEN], all, active);
}

const sac_room_check sac_beamform_check = {
    SAC_CHECK_CALLS(room),
    .modes = sac_beamform_ladder_modes,
    .contents = contents,
    .max_pixels = 2000,
    .costly = true,
    .open = sac_beamform_ladder_open,
    .close = sac_beamform_ladder_close,
    .compare = compare,
    .tasks = sac_beamform_ladder_tasks,
    .points = points,
    .cuda = SAC_CUDA ? cuda : NULL,
    .rungs = rungs,
    .supports = supports,
    .cuda_by_calls = true, /* a run's launches are a part of it */
    .open_cuda = sac_beamform_ladder_open_cuda,
    .close_cuda = sac_beamform_ladder_close_cuda,
    .call_cuda = call_cuda,
};
