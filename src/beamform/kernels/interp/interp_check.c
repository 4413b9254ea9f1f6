/*
 * interp for the harness: points are columns, layers rows. The ladder times the size of Jarosik,
 * Lewandowski, Yiu (2023).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "beamform/kernels/published.h"
#include "interp.h"
#include "interp_cuda.h"
#include "room/check.h"

enum { OUT, IN, DELAYS };

/* 3 transmits of 128 elements, 256 x 1024 points; and one record. Nothing else that is asked for is
 * as large. */
#define TASK_LAYERS 384
#define TASK_COLUMNS 256
#define TASK_POINTS (INT64_C(1024) * TASK_COLUMNS)
#define TASK_SAMPLES 8192
#define TASK_1D (INT64_C(1) << 15) /* samples, and points */

/* The delays' type, and what is outside, are the seed's but in the first mode; a task's are f32 and
 * 0, and the last mode's are clamped. */
enum { LINEAR = 0, NEAREST = 1, ANY = 9 };
static const char *const modes[] = {
    "f32 linear", "f32 nearest", "f32 cubic",   "i16 linear", "i16 nearest",
    "i16 cubic",  "c64 linear",  "c64 nearest", "c64 cubic",  "f32 linear, any options",
    NULL};
static const sac_dtype dtypes[] = {SAC_F32, SAC_I16, SAC_C64, SAC_F32};
static const sac_interp interps[] = {SAC_INTERP_LINEAR, SAC_INTERP_NEAREST, SAC_INTERP_CUBIC};

enum { ARRIVALS, RANDOM, EDGES, NOT_FINITE };
static const char *const contents[] = {"arrivals", "random", "edges", "not finite", NULL};

static const sac_check_task tasks[] = {
    {"layered", TASK_POINTS, TASK_LAYERS, .mode = 0},
    {"layered-i16", TASK_POINTS, TASK_LAYERS, .mode = 3},
    {"layered-c64", TASK_POINTS, TASK_LAYERS, .mode = 6},
    {"layered-nearest", TASK_POINTS, TASK_LAYERS, .mode = NEAREST},
    {"layered-clamp", TASK_POINTS, TASK_LAYERS, .mode = ANY},
    {"1d", TASK_1D, 1, .mode = 0},
    {"1d-nearest", TASK_1D, 1, .mode = NEAREST},
    {0},
};

static const sac_variant rungs[] = {
    {"layered-naive", 0, false, SAC_FN(sac_interp_fn, sac_interp_layered_naive), SAC_TIER_FP32},
    {"layered-point-first", 0, false, SAC_FN(sac_interp_fn, sac_interp_layered_point_first),
     SAC_TIER_FP32},
    {0},
};

static int64_t n_samples_of(const sac_check_case *c)
{
    if (c->w == TASK_POINTS)
        return TASK_SAMPLES;
    return c->w == TASK_1D ? TASK_1D
                           : 1 + (int64_t)(c->seed >> 20) % ((c->seed >> 50) % 2 ? 5 : 700);
}

static bool has_options(const sac_check_case *c)
{
    return c->mode != LINEAR && c->w < TASK_1D;
}

static bool is_clamped(const sac_check_case *c)
{
    return has_options(c) ? (c->seed >> 54) % 2 : c->mode == ANY;
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
        .outside = is_clamped(c) ? SAC_OUTSIDE_CLAMP : SAC_OUTSIDE_ZERO,
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

static void fill_samples(const sac_check_case *c, uint64_t *random)
{
    const sac_check_arg *a = &c->arg[IN];
    for (int64_t l = 0; l < a->h; l++) {
        int16_t *i16 = sac_check_row(c, IN, l);
        float *f32 = sac_check_row(c, IN, l);
        for (int64_t i = 0; i < a->w * (a->size == 8 ? 2 : 1); i++) {
            if (a->size == 2)
                i16[i] = (int16_t)sac_check_random(random);
            else if (c->content == NOT_FINITE && sac_check_random(random) % 8 == 0)
                f32[i] = sac_check_random(random) % 2 ? NAN : -INFINITY;
            else
                f32[i] = (float)(2 * sac_check_uniform(random) - 1);
        }
    }
}

/* Beamform's configuration B, scaled to the record: 128 elements over 38.1 mm, points 5 to 95 mm
 * deep, -10, 0 and 10 degrees. The last point's delay is 0.987 of the record. */
static sac_interp_waves waves_of(const sac_check_case *c)
{
    const double width = 38.1e-3, angle = 10 * 3.14159265358979323846 / 180;
    const int64_t n_x = c->w < TASK_COLUMNS ? c->w : TASK_COLUMNS, n_z = (c->w + n_x - 1) / n_x;
    const int64_t n_rx = (c->h + SAC_INTERP_TRANSMITS - 1) / SAC_INTERP_TRANSMITS;
    return (sac_interp_waves){
        .n_rx = (int32_t)n_rx,
        .n_x = (int32_t)n_x,
        .angle_rad = {(float)-angle, 0, (float)angle},
        .x0_m = (float)(-width / 2),
        .dx_m = (float)(width / (double)(n_x > 1 ? n_x - 1 : 1)),
        .z0_m = 5e-3f,
        .dz_m = (float)(90e-3 / (double)(n_z > 1 ? n_z - 1 : 1)),
        .e0_m = (float)(-width / 2),
        .pitch_m = (float)(width / (double)(n_rx > 1 ? n_rx - 1 : 1)),
        .c_m_s = 1540,
        .fs_hz = (float)(62.5e6 * (double)(n_samples_of(c) - 1) / (TASK_SAMPLES - 1)),
    };
}

/* A layer's delay at a point of a grid. */
static double arrival(const sac_interp_waves *w, double cos_angle, double sin_angle, int64_t e,
                      int64_t p)
{
    const double x = (double)w->x0_m + (double)(p % w->n_x) * (double)w->dx_m;
    const double z = (double)w->z0_m + (double)(p / w->n_x) * (double)w->dz_m;
    const double side = x - ((double)w->e0_m + (double)e * (double)w->pitch_m);
    return (z * cos_angle + x * sin_angle + sqrt(z * z + side * side)) * (double)w->fs_hz /
           (double)w->c_m_s;
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

static void put_delay(const sac_check_case *c, int64_t l, int64_t p, double s)
{
    if (c->arg[DELAYS].size == 8)
        ((double *)sac_check_row(c, DELAYS, l))[p] = s;
    else
        ((float *)sac_check_row(c, DELAYS, l))[p] = (float)s;
}

static void fill_arrivals(void *ctx, int64_t first, int64_t n)
{
    const sac_check_case *c = ctx;
    const sac_interp_waves waves = waves_of(c);
    for (int64_t l = first; l < first + n; l++) {
        const double angle = (double)waves.angle_rad[l / waves.n_rx];
        const double cos_angle = cos(angle), sin_angle = sin(angle);
        for (int64_t p = 0; p < c->w; p++)
            put_delay(c, l, p, arrival(&waves, cos_angle, sin_angle, l % waves.n_rx, p));
    }
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    const double last = (double)n_samples_of(c) - 1;
    fill_samples(c, &random);
    if (c->content == ARRIVALS) {
        sac_check_share(fill_arrivals, c, c->h, c->w == TASK_POINTS ? 1 : c->h);
        return;
    }
    for (int64_t l = 0; l < c->h; l++)
        for (int64_t p = 0; p < c->w; p++)
            put_delay(c, l, p,
                      c->content == EDGES ? edge(last, &random)
                                          : sac_check_uniform(&random) * (last + 4) - 2);
}

static void call_rows(sac_any_fn fn, const sac_check_case *c, int64_t first, int64_t n)
{
    sac_interp_job job = job_of(c);
    job.in = sac_check_row(c, IN, first);
    job.delays = sac_check_row(c, DELAYS, first);
    job.n_layers = n;
    ((sac_interp_fn)fn)(sac_check_row(c, OUT, first), &job);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    call_rows(fn, c, 0, c->h);
}

static bool is_rung(const sac_variant *v, const char *name)
{
    return strcmp(v->name, name) == 0;
}

/* Whether it computes the delays itself: where they are plane waves', finite samples too. */
static bool is_on_the_fly(const sac_variant *v)
{
    return is_rung(v, "layered-onthefly") || is_rung(v, "layered-texture");
}

/* Whether a case is given a texture: what it filters must be finite, and what it takes is f32. */
static bool has_texture(const sac_check_case *c)
{
    const bool linear =
        c->mode == LINEAR ? c->content == ARRIVALS : c->mode == ANY && c->content != NOT_FINITE;
    return (linear || c->mode == NEAREST) && c->w != TASK_1D;
}

static bool supports(const sac_variant *v, const sac_check_case *c)
{
    if (is_on_the_fly(v) && c->content != ARRIVALS)
        return false;
    if (is_rung(v, "layered-texture-nearest"))
        return has_texture(c) && c->mode == NEAREST && !is_clamped(c) && !has_f64(c);
    if (is_rung(v, "layered-texture-clamp"))
        return has_texture(c) && is_clamped(c) && !has_f64(c);
    if (strncmp(v->name, "layered-", 8) == 0)
        return c->mode == LINEAR && c->w != TASK_1D;
    if (strncmp(v->name, "1d-", 3) != 0)
        return true;
    const sac_interp_job job = job_of(c);
    return c->h == 1 && c->mode == (is_rung(v, "1d-nearest") ? NEAREST : LINEAR) &&
           job.delays_dtype == SAC_F32 && job.outside == SAC_OUTSIDE_ZERO;
}

/* Whether samples are found by the texture unit: places in samples are off by 2^-8 at most, and by
 * half an ulp of s + 1/2. */
static bool is_texture(const sac_variant *v)
{
    return strncmp(v->name, "layered-texture", 15) == 0;
}

/* In ulps of the largest sample: the contract's, and what rungs lose by their delays. */
static double ulps_of(const sac_variant *v, const sac_check_case *c)
{
    static const double ulps[] = {6, 0, 24}; /* by interps */
    const double n = (double)n_samples_of(c);
    return ulps[c->mode % 3] + (is_on_the_fly(v) ? 34 * n : 0) +
           (is_texture(v) && c->mode != NEAREST ? 2 * (0x1p16 + n) : 0);
}

/* By a texture, half-way between two samples each of them is right. */
static double nearest_error(const sac_check_case *c, const sac_check_pair *p)
{
    const double last = (double)n_samples_of(c) - 1;
    const double s = (double)((const float *)sac_check_row(c, DELAYS, p->y))[p->x];
    double error = sac_check_error(p);
    if (!(s >= 0 && s <= last))
        return error;
    for (int side = -1; side <= 1; side += 2) {
        const double at = floor(s + 0.5 + side * (0x1p-8 + (last + 1) * 0x1p-24));
        sac_check_pair other = *p;
        other.wanted =
            (double)((const float *)sac_check_row(c, IN, p->y))[(int64_t)fmin(fmax(at, 0), last)];
        error = fmin(error, sac_check_error(&other));
    }
    return error;
}

static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    const double largest = want->arg[OUT].size == 4 && want->arg[IN].size == 2 ? 32768 : 1;
    const double error =
        is_texture(v) && want->mode == NEAREST ? nearest_error(want, p) : sac_check_error(p);
    sac_check_value(d, p, error / largest, ulps_of(v, want) * 0x1p-24);
}

static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    *all = *active = (uint64_t)(c->w * c->h);
}

/* Of f32. */
#define LAYERED SAC_CUDA_BY_EXAMPLES("layered interpolation")
static const sac_check_published published[] = {
    {"1d-linear", 18.464e3, SAC_CUDA_BY_EXAMPLES("1D interpolation"), .grid = 128, .block = 256},
    {"layered-naive", 147e6, LAYERED},
    {"layered-coalesced", 51e6, LAYERED, .grid = 32768 * 16, .block = 8 * 8 * 8},
    {"layered-point-first", 51e6, LAYERED, .grid = 32768 * 16, .block = 8 * 8 * 8},
    {"layered-onthefly", 28e6, LAYERED},
    {"layered-texture", 23e6, LAYERED},
    {0},
};

#if SAC_CUDA
static void close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    (void)gpu;
    if (c->cuda != NULL)
        sac_interp_texture_close(c->cuda);
    sac_free(c->cuda);
    c->cuda = NULL;
}

/* c->cuda: the scene; its texture has the samples for good, as a case's inputs do not change. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    sac_interp_scene *scene = sac_alloc(1, sizeof *scene);
    if (scene == NULL)
        return SAC_E_NOMEM;
    c->cuda = scene;
    scene->waves = waves_of(c);
    if (!has_texture(c))
        return SAC_OK;
    const sac_interp_job job = job_of(c);
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    const sac_status status = sac_interp_texture_open(scene, &job, stream);
    const sac_status waited = sac_gpu_wait(stream);
    return status != SAC_OK ? status : waited;
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_interp_job job = job_of(c);
    return ((sac_interp_cuda_fn)fn)(stream, shape_of, c->arg[OUT].data, &job, c->cuda);
}
#endif

const sac_room_check sac_interp_check = {
    SAC_CHECK_ROOM(sac_interp_room),
    SAC_CHECK_RUNGS,
    .call_rows = call_rows,
    .points = points,
    .judge = judge,
    .tasks = tasks,
    SAC_CHECK_CUDA_ROOM(sac_interp_cuda),
};
