/*
 * interp for the harness: points are columns, layers rows. The ladder times the size of Jarosik,
 * Lewandowski, Yiu (2023).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "interp.h"
#include "tune/check.h"

enum { OUT, IN, DELAYS };

/* 3 transmits of 128 elements, 256 x 1024 points. Nothing else that is asked for is as large. */
#define TASK_LAYERS 384
#define TASK_POINTS (INT64_C(256) * 1024)
#define TASK_SAMPLES 8192

/* The delays' type, and what is outside, are the seed's but in the first mode. */
static const char *const modes[] = {
    "f32 linear", "f32 nearest", "f32 cubic",   "i16 linear", "i16 nearest",
    "i16 cubic",  "c64 linear",  "c64 nearest", "c64 cubic",  "f32 linear, any options",
    NULL};
static const sac_dtype dtypes[] = {SAC_F32, SAC_I16, SAC_C64, SAC_F32};
static const sac_interp interps[] = {SAC_INTERP_LINEAR, SAC_INTERP_NEAREST, SAC_INTERP_CUBIC};

enum { ARRIVALS, RANDOM, EDGES, NOT_FINITE };
static const char *const contents[] = {"arrivals", "random", "edges", "not finite", NULL};

static const char *const tasks[] = {"layered", "layered-i16", "layered-c64", NULL};

static const sac_variant rungs[] = {
    {"layered-naive", 0, false, SAC_FN(sac_interp_fn, sac_interp_layered_naive), SAC_TIER_FP32},
    {"layered-point-first", 0, false, SAC_FN(sac_interp_fn, sac_interp_layered_point_first),
     SAC_TIER_FP32},
    {0},
};

static bool is_task(const sac_check_case *c)
{
    return c->w == TASK_POINTS;
}

static void set_task(sac_check_case *c, int32_t i)
{
    c->w = TASK_POINTS;
    c->h = TASK_LAYERS;
    c->mode = 3 * i;
}

static int64_t n_samples_of(const sac_check_case *c)
{
    return is_task(c) ? TASK_SAMPLES
                      : 1 + (int64_t)(c->seed >> 20) % ((c->seed >> 50) % 2 ? 5 : 700);
}

static bool has_options(const sac_check_case *c)
{
    return c->mode != 0 && !is_task(c);
}

static bool has_f64(const sac_check_case *c)
{
    return has_options(c) && (c->seed >> 52) % 4 == 0;
}

static sac_interp_job job_of(const sac_check_case *c)
{
    return (sac_interp_job){
        .in = c->arg[IN].data,
        .delays = c->arg[DELAYS].data,
        .dtype = dtypes[c->mode / 3],
        .delays_dtype = has_f64(c) ? SAC_F64 : SAC_F32,
        .in_layer = c->arg[IN].row,
        .delays_layer = c->arg[DELAYS].row,
        .out_layer = c->arg[OUT].row,
        .n_layers = c->h,
        .n_points = c->w,
        .n_samples = (int32_t)n_samples_of(c),
        .interp = interps[c->mode % 3],
        .outside = has_options(c) && (c->seed >> 54) % 2 ? SAC_OUTSIDE_CLAMP : SAC_OUTSIDE_ZERO,
    };
}

static void shape(sac_check_case *c)
{
    const size_t size = sac_dtype_size(dtypes[c->mode / 3]);
    c->arg[OUT] = (sac_check_arg){"out",      SAC_CHECK_OUT, .size = size == 8 ? 8 : 4,
                                  .align = 4, .w = c->w,     .h = c->h};
    c->arg[IN] = (sac_check_arg){
        "in",     SAC_CHECK_IN, .size = size, .align = size == 8 ? 4 : size, .w = n_samples_of(c),
        .h = c->h};
    c->arg[DELAYS] =
        (sac_check_arg){"delays", SAC_CHECK_IN, .size = has_f64(c) ? 8 : 4, .w = c->w, .h = c->h};
    c->n_args = 3;
}

static double uniform(uint64_t *random)
{
    return (double)(sac_check_random(random) >> 11) * 0x1p-53;
}

static void fill_samples(const sac_check_case *c, uint64_t *random)
{
    const sac_check_arg *a = &c->arg[IN];
    for (int64_t l = 0; l < a->h; l++) {
        int16_t *i16 = (int16_t *)(void *)(a->data + l * a->row);
        float *f32 = (float *)(void *)(a->data + l * a->row);
        for (int64_t i = 0; i < a->w * (a->size == 8 ? 2 : 1); i++) {
            if (a->size == 2)
                i16[i] = (int16_t)sac_check_random(random);
            else if (c->content == NOT_FINITE && sac_check_random(random) % 8 == 0)
                f32[i] = sac_check_random(random) % 2 ? NAN : -INFINITY;
            else
                f32[i] = (float)(2 * uniform(random) - 1);
        }
    }
}

/* As they come along a row of points: an element's distance from them. */
static double arrival(const sac_check_case *c, int64_t layer, int64_t p)
{
    const double x = (double)(p % 256) - (double)(layer % 128) * 2, z = 100 + (double)(p / 256) * 3;
    const double n = (double)n_samples_of(c) / 8192;
    return n * (z + sqrt(x * x * 9 + z * z) + (double)(layer / 128));
}

static double edge(double last, uint64_t *random)
{
    const double list[] = {-0.0,
                           0,
                           last,
                           last / 2,
                           floor(last / 2) + 0.5,
                           NAN,
                           INFINITY,
                           -INFINITY,
                           1e30,
                           -1e30,
                           -FLT_MIN,
                           nextafter(last, 0),
                           nextafterf((float)last, 1e9f),
                           last + 0.5,
                           -0.5,
                           0.5,
                           last - 0.5,
                           1,
                           last - 1,
                           4294967296.0,
                           0.49999997};
    return list[sac_check_random(random) % (sizeof list / sizeof list[0])];
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    const sac_check_arg *a = &c->arg[DELAYS];
    const double last = (double)n_samples_of(c) - 1;
    fill_samples(c, &random);
    for (int64_t l = 0; l < a->h; l++)
        for (int64_t p = 0; p < a->w; p++) {
            const double s = c->content == ARRIVALS ? arrival(c, l, p)
                             : c->content == EDGES  ? edge(last, &random)
                                                    : uniform(&random) * (last + 4) - 2;
            if (a->size == 8)
                ((double *)(void *)(a->data + l * a->row))[p] = s;
            else
                ((float *)(void *)(a->data + l * a->row))[p] = (float)s;
        }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_interp_job job = job_of(c);
    ((sac_interp_fn)fn)(c->arg[OUT].data, &job);
}

static bool supports(const sac_variant *v, const sac_check_case *c)
{
    return strncmp(v->name, "layered", 7) != 0 || c->mode == 0;
}

static void judge(sac_check_diff *d, double want, double got, double bound, int64_t index)
{
    const bool same = isfinite(want) ? fabs(got - want) <= bound : !isfinite(got);
    d->n_differ += isfinite(want) ? want != got : isfinite(got) != 0;
    d->error = fmax(d->error, isfinite(want) ? fabs(got - want) : 0);
    if (same || !d->ok)
        return;
    *d = (sac_check_diff){.n_differ = d->n_differ,
                          .error = d->error,
                          .arg = OUT,
                          .index = index,
                          .wanted = want,
                          .got = got};
}

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    static const double ulps[] = {6, 0, 24}; /* the contract's, by interps */
    const sac_check_arg *a = &want->arg[OUT], *b = &got->arg[OUT];
    const double largest = a->size == 4 && want->arg[IN].size == 2 ? 32768 : 1;
    const double bound = ulps[want->mode % 3] * 0x1p-24 * largest;
    const int64_t n = a->w * (int64_t)(a->size / 4);
    (void)v;
    for (int64_t l = 0; l < a->h; l++) {
        const float *x = (const float *)(const void *)(a->data + l * a->row);
        const float *y = (const float *)(const void *)(b->data + l * b->row);
        for (int64_t p = 0; p < n; p++)
            judge(d, x[p], y[p], bound, l * n + p);
    }
    d->error /= largest;
}

static uint64_t bytes(const sac_check_case *c)
{
    uint64_t n = 0;
    for (int32_t i = 0; i < c->n_args; i++)
        n += (uint64_t)(c->arg[i].w * c->arg[i].h) * c->arg[i].size;
    return n;
}

static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    *all = *active = (uint64_t)(c->w * c->h);
}

/* On a mobile RTX GPU, of f32. */
static double published_ns(const char *rung)
{
    if (!strcmp(rung, "layered-naive"))
        return 147e6;
    return !strcmp(rung, "layered-point-first") ? 51e6 : 0;
}

const sac_room_check sac_interp_check = {
    .room = &sac_interp_room,
    .rungs = rungs,
    .modes = modes,
    .contents = contents,
    .shape = shape,
    .fill = fill,
    .call = call,
    .compare = compare,
    .supports = supports,
    .bytes = bytes,
    .tasks = tasks,
    .set_task = set_task,
    .points = points,
    .published_ns = published_ns,
};
