/*
 * variance_f32 for the harness: a window as wide as a case, and a result for each of its
 * rows.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "meltpool/kernels/variance_f32/variance_f32_cuda.h"
#include "room/check.h"

enum { OUT, RING };

static const char *const modes[] = {"full", "part", "one", NULL};
enum { FULL, PART };
static const char *const contents[] = {"features", "equal", "large", "ulps", "outlier", NULL};
enum { FEATURES, EQUAL, LARGE, ULPS };
static const sac_check_task tasks[] = {{"64", 64, 1000}, {"8", 8, 1000}, {"1000", 1000, 1000}, {0}};

static void shape(sac_check_case *c)
{
    c->arg[OUT] = (sac_check_arg){"out",     SAC_CHECK_OUT, .size = 4, .w = SAC_MELTPOOL_OF_FRAME,
                                  .h = c->h, .packed = true};
    c->arg[RING] = (sac_check_arg){
        "ring",    SAC_CHECK_IN,  .size = 4, .align = 64, .w = SAC_MELTPOOL_RING_ROW,
        .h = c->w, .packed = true};
    c->n_args = 2;
}

/* u in 0..1; level: of the feature, any size that one may have. */
static float value(const sac_check_case *c, double u, double level, bool is_odd)
{
    switch (c->content) {
    case FEATURES:
        return (float)floor(level * (0.5 + u));
    case EQUAL:
        return (float)level;
    case LARGE: /* as few digits as the spread may have */
        return (float)(level * (1 + u * 0x1p-19));
    case ULPS: /* a few that differ by one digit */
        return u < 0.05 ? nextafterf((float)level, INFINITY) : (float)level;
    default:
        return (float)(is_odd ? 1e4 * level : level * (1 + u * 0x1p-12));
    }
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    float *ring = sac_check_data(c, RING);
    memset(ring, 0, (size_t)c->w * SAC_MELTPOOL_RING_ROW * sizeof *ring);
    double level[SAC_MELTPOOL_OF_FRAME];
    for (int32_t f = 0; f < SAC_MELTPOOL_OF_FRAME; f++)
        level[f] = exp2(sac_check_uniform(&random) * 50 - 20);
    const int64_t odd = (int64_t)(c->seed % (uint64_t)c->w);
    for (int64_t y = 0; y < c->w; y++)
        for (int32_t f = 0; f < SAC_MELTPOOL_OF_FRAME; f++) {
            const double u = sac_check_uniform(&random);
            ring[y * SAC_MELTPOOL_RING_ROW + f] =
                f % 7 == 3 ? -value(c, u, level[f], y == odd) : value(c, u, level[f], y == odd);
        }
}

/* c->state: the results' rows (h). */
static sac_status open(sac_check_case *c)
{
    sac_meltpool_rows *rows = c->state = sac_alloc((size_t)c->h, sizeof *rows);
    if (!rows)
        return SAC_E_NOMEM;
    const uint64_t window = (uint64_t)c->w;
    for (int64_t i = 0; i < c->h; i++) {
        const int32_t part = 1 + (int32_t)(((c->seed >> 32) + (uint64_t)i) % window);
        rows[i].n = c->mode == FULL ? (int32_t)window : c->mode == PART ? part : 1;
        rows[i].newest = (int32_t)((c->seed + (uint64_t)i) % window);
    }
    return SAC_OK;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_meltpool_rows *rows = c->state;
    for (int64_t i = 0; i < c->h; i++)
        ((sac_variance_f32_fn)fn)(sac_check_row(c, OUT, i), sac_check_data(c, RING), rows[i].n,
                                  rows[i].newest, (int32_t)c->w);
}

#if SAC_CUDA
/* c->cuda: the same rows. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    return sac_check_keep_cuda(c, gpu, c->state, (size_t)c->h * sizeof(sac_meltpool_rows));
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    const sac_meltpool_rings_cuda frames = {
        .ring = sac_check_data(c, RING),
        .window = (int32_t)c->w,
        .rows = c->cuda,
        .n = c->h,
    };
    return ((sac_variance_f32_cuda_fn)fn)(stream, sac_check_data(c, OUT), SAC_MELTPOOL_OF_FRAME,
                                          &frames);
}
#endif

/* Relative errors. */
static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    (void)want, (void)v;
    const double error = fabs(p->got - p->wanted);
    sac_check_value(d, p, error == 0 ? 0 : error / p->wanted, 1e-5);
}

static uint64_t bytes(const sac_check_case *c)
{
    return (uint64_t)(c->h * (c->w + 1)) * SAC_MELTPOOL_OF_FRAME * sizeof(float);
}

static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    *all = *active = (uint64_t)c->h;
}

const sac_room_check sac_variance_f32_check = {
    SAC_CHECK_ROOM(sac_variance_f32_room),
    .max_pixels = SAC_MELTPOOL_MAX_WINDOW,
    .tasks = tasks,
    .open = open,
    .judge = judge,
    .bytes = bytes,
    .points = points,
    SAC_CHECK_CUDA(.cuda = sac_variance_f32_cuda, .open_cuda = open_cuda,
                   .close_cuda = sac_check_free_cuda, .call_cuda = call_cuda),
};
