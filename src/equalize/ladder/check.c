/*
 * equalize as a room: the whole picture, every rung against the reference, in all scalings, depths
 * and layouts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/ladder/check.h"
#include "equalize/ladder/check_cuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "image/check_pixels.h"

enum { OUT, IN };

/* Layout, bytes a sample, scaling, bins (0: as many as values), CLAHE tiles never: they have rooms
 * of their own. */
static const struct {
    int layout, size, scale, bins;
} options[] = {
    {SAC_MODE_RGB, 1, SAC_SCALE_FIRST, 0},    {SAC_MODE_RGB, 1, SAC_SCALE_MAX, 0},
    {SAC_MODE_RGB, 1, SAC_SCALE_MINMAX, 0},   {SAC_MODE_RGBA, 1, SAC_SCALE_FIRST, 100},
    {SAC_MODE_BGR, 1, SAC_SCALE_MINMAX, 2},   {SAC_MODE_GRAY, 1, SAC_SCALE_FIRST, 0},
    {SAC_MODE_PLANAR, 1, SAC_SCALE_MAX, 0},   {SAC_MODE_SPARSE, 1, SAC_SCALE_FIRST, 65536},
    {SAC_MODE_RGB, 2, SAC_SCALE_FIRST, 0},    {SAC_MODE_GRAY, 2, SAC_SCALE_MINMAX, 4096},
    {SAC_MODE_PLANAR, 2, SAC_SCALE_MAX, 256}, {SAC_MODE_GRAY_ALPHA, 2, SAC_SCALE_FIRST, 1000},
};
enum { HSV_MODES = 3 };

static const char *const modes[] = {"rgb-first",
                                    "rgb-max",
                                    "rgb-minmax",
                                    "rgba-100-bins",
                                    "bgr-2-bins",
                                    "gray",
                                    "planar-max",
                                    "sparse-65536-bins",
                                    "rgb16",
                                    "gray16-4096-bins",
                                    "planar16-256-bins",
                                    "gray-alpha16",
                                    NULL};

typedef struct {
    sac_equalize_job job; /* all but out and in, which call sets */
    sac_equalize_desc desc;
} state;

static void run_plain(const sac_equalize_job *job)
{
    if (sac_equalize_run(job->plain, &job->out_array, &job->in_array, NULL))
        abort(); /* a plan refused the arrays that it was opened for */
}

static void run_plan(const sac_equalize_job *job)
{
    if (sac_equalize_run(job->plan, &job->out_array, &job->in_array, NULL))
        abort();
}

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(sac_equalize_rung_fn, sac_equalize_ref)},
    {"hsv-triples", 0, false, SAC_FN(sac_equalize_rung_fn, sac_equalize_hsv_triples),
     .kind = SAC_EQUALIZE_TAKES_PACKED_RGB},
    {"hsv-planes", 0, false, SAC_FN(sac_equalize_rung_fn, sac_equalize_hsv_planes),
     .kind = SAC_EQUALIZE_TAKES_PACKED_RGB},
    {"plan-plain", 0, true, SAC_FN(sac_equalize_rung_fn, run_plain)},
    {"plan", 0, true, SAC_FN(sac_equalize_rung_fn, run_plan)},
    {0},
};

static const sac_room room = {"equalize", variants};

static bool is_packed(const sac_check_arg *a)
{
    return a->row == a->w * (ptrdiff_t)a->size;
}

static bool supports(const sac_variant *v, const sac_check_case *c)
{
    switch (v->kind) {
    case SAC_EQUALIZE_TAKES_PACKED_RGB:
        return c->mode < HSV_MODES && is_packed(&c->arg[IN]) && is_packed(&c->arg[OUT]);
    case SAC_EQUALIZE_TAKES_U8:
        return c->arg[IN].size == 1;
    case SAC_EQUALIZE_TAKES_U16:
        return c->arg[IN].size == 2;
    default:
        return true;
    }
}

static void shape(sac_check_case *c)
{
    sac_check_pixels_shape(c, OUT, "out", SAC_CHECK_OUT, (size_t)options[c->mode].size,
                           options[c->mode].layout);
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, (size_t)options[c->mode].size,
                           options[c->mode].layout);
}

static void fill(sac_check_case *c)
{
    sac_check_pixels_fill(c, IN, options[c->mode].layout);
}

static void close(sac_check_case *c)
{
    state *s = c->state;
    if (!s)
        return;
    sac_equalize_close(&s->job.plan);
    sac_equalize_close(&s->job.plain);
    sac_free(s->job.counts);
    sac_free(s->job.hsv);
    sac_free(s);
    c->state = NULL;
}

static sac_status open(sac_check_case *c)
{
    static const int32_t threads[] = {1, 1, 2, 1, 2, 1, 1, 7}; /* threads cost time to start */
    state *s = sac_alloc(1, sizeof *s);
    if (!s)
        return SAC_E_NOMEM;
    c->state = s;
    sac_pixels in = sac_check_pixels(c, IN, options[c->mode].layout);
    sac_equalize_desc *d = &s->desc;
    sac_equalize_desc_init(d);
    d->dtype = options[c->mode].size == 1 ? SAC_U8 : SAC_U16;
    d->w = c->w;
    d->h = c->h;
    d->n_channels = in.n_colors + (in.alpha != NULL);
    d->layout = options[c->mode].layout == SAC_MODE_PLANAR ? SAC_PLANAR : SAC_INTERLEAVED;
    d->scale = options[c->mode].scale;
    d->bins = options[c->mode].bins;
    d->n_threads = c->n_threads ? c->n_threads : threads[c->seed % 8];
    sac_status status = sac_equalize_open(&s->job.plan, d, NULL);
    d->variant = "plain";
    if (status == SAC_OK)
        status = sac_equalize_open(&s->job.plain, d, NULL);
    d->variant = NULL;
    if (d->bins == 0)
        d->bins = d->dtype == SAC_U8 ? 256 : 65536;
    s->job.desc = d;
    s->job.counts = sac_alloc(65536, sizeof *s->job.counts);
    s->job.hsv = sac_alloc((size_t)(3 * c->w * c->h), sizeof *s->job.hsv);
    if (status == SAC_OK && (!s->job.counts || !s->job.hsv))
        status = SAC_E_NOMEM;
    if (status)
        close(c);
    return status;
}

/* The pixels as an array of the plan's shape: BGR by a negative stride from red on. */
static sac_array to_array(const sac_pixels *p, const sac_equalize_desc *d)
{
    ptrdiff_t channel = 0;
    if (p->n_colors == 3)
        channel = (char *)p->color[1] - (char *)p->color[0];
    else if (p->alpha)
        channel = (char *)p->alpha - (char *)p->color[0];
    sac_array a = {.data = p->color[0], .dtype = d->dtype, .n_dims = 3};
    int axis_c = d->layout == SAC_PLANAR ? 0 : 2, axis_y = axis_c == 0;
    a.shape[axis_c] = d->n_channels;
    a.stride[axis_c] = channel;
    a.shape[axis_y] = p->h;
    a.stride[axis_y] = p->row;
    a.shape[axis_y + 1] = p->w;
    a.stride[axis_y + 1] = p->pixel;
    return a;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_equalize_job job = ((const state *)c->state)->job;
    job.in = sac_check_pixels(c, IN, options[c->mode].layout);
    job.out = sac_check_pixels(c, OUT, options[c->mode].layout);
    job.in_array = to_array(&job.in, job.desc);
    job.out_array = to_array(&job.out, job.desc);
    ((sac_equalize_rung_fn)fn)(&job);
}

static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    return sac_equalize_check_open_cuda(c, gpu, ((const state *)c->state)->job.desc);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    sac_pixels out = sac_check_pixels(c, OUT, options[c->mode].layout);
    sac_pixels in = sac_check_pixels(c, IN, options[c->mode].layout);
    return sac_equalize_check_call_cuda(fn, stream, shape_of, c, &out, &in);
}

/* Every sample equal; HSV rungs within 1. */
static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    (void)want;
    sac_check_value(d, p, fabs(p->got - p->wanted), v->kind == SAC_EQUALIZE_TAKES_PACKED_RGB);
}

/* The picture is read twice and written once. */
static uint64_t bytes(const sac_check_case *c)
{
    return 3 * sac_check_pixels_bytes(c, IN, options[c->mode].layout);
}

const sac_room_check sac_equalize_check = {
    SAC_CHECK_CALLS(room),
    .modes = modes,
    .contents = sac_pixel_contents,
    .tasks = sac_pixel_tasks,
    .costly = true,
    .open = open,
    .close = close,
    .judge = judge,
    .supports = supports,
    .bytes = bytes,
    .published = sac_equalize_published,
    .cuda = sac_equalize_cuda_rungs,
    .open_cuda = open_cuda,
    .close_cuda = sac_equalize_check_close_cuda,
    .call_cuda = call_cuda,
};
