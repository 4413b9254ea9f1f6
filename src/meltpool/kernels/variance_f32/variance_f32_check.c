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
static const char *const tasks[] = {"64", "8", "1000", NULL};

static void set_task(sac_check_case *c, int32_t i)
{
    static const int64_t windows[] = {64, 8, 1000};
    c->w = windows[i];
    c->h = 1000;
}

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
    float *ring = (float *)(void *)c->arg[RING].data;
    memset(ring, 0, (size_t)c->w * SAC_MELTPOOL_RING_ROW * sizeof *ring);
    double level[SAC_MELTPOOL_OF_FRAME];
    for (int32_t f = 0; f < SAC_MELTPOOL_OF_FRAME; f++)
        level[f] = exp2((double)(sac_check_random(&random) >> 11) * 0x1p-53 * 50 - 20);
    const int64_t odd = (int64_t)(c->seed % (uint64_t)c->w);
    for (int64_t y = 0; y < c->w; y++)
        for (int32_t f = 0; f < SAC_MELTPOOL_OF_FRAME; f++) {
            const double u = (double)(sac_check_random(&random) >> 11) * 0x1p-53;
            ring[y * SAC_MELTPOOL_RING_ROW + f] =
                f % 7 == 3 ? -value(c, u, level[f], y == odd) : value(c, u, level[f], y == odd);
        }
}

/* The i-th result's rows. */
static sac_meltpool_rows rows_of(const sac_check_case *c, int64_t i)
{
    const uint64_t window = (uint64_t)c->w;
    const int32_t part = 1 + (int32_t)(((c->seed >> 32) + (uint64_t)i) % window);
    return (sac_meltpool_rows){.n = c->mode == FULL   ? (int32_t)window
                                    : c->mode == PART ? part
                                                      : 1,
                               .newest = (int32_t)((c->seed + (uint64_t)i) % window)};
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    float *out = (float *)(void *)c->arg[OUT].data;
    const float *ring = (const float *)(const void *)c->arg[RING].data;
    for (int64_t i = 0; i < c->h; i++) {
        const sac_meltpool_rows rows = rows_of(c, i);
        ((sac_variance_f32_fn)fn)(out + i * SAC_MELTPOOL_OF_FRAME, ring, rows.n, rows.newest,
                                  (int32_t)c->w);
    }
}

#if SAC_CUDA
/* The results' rows on the device. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    sac_meltpool_rows *rows = sac_alloc((size_t)c->h, sizeof *rows);
    if (!rows)
        return SAC_E_NOMEM;
    for (int64_t i = 0; i < c->h; i++)
        rows[i] = rows_of(c, i);
    const sac_status status = sac_check_keep_cuda(c, gpu, rows, (size_t)c->h * sizeof *rows);
    sac_free(rows);
    return status;
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    const sac_meltpool_rings_cuda frames = {
        .ring = (const float *)(const void *)c->arg[RING].data,
        .window = (int32_t)c->w,
        .rows = c->cuda,
        .n = c->h,
    };
    return ((sac_variance_f32_cuda_fn)fn)(stream, (float *)(void *)c->arg[OUT].data,
                                          SAC_MELTPOOL_OF_FRAME, &frames);
}
#endif

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    (void)v;
    const float *a = (const float *)(const void *)want->arg[OUT].data;
    const float *b = (const float *)(const void *)got->arg[OUT].data;
    *d = (sac_check_diff){.ok = true};
    for (int64_t i = 0; i < want->h * SAC_MELTPOOL_OF_FRAME; i++) {
        const double wanted = (double)a[i], error = fabs((double)b[i] - wanted);
        d->n_differ += a[i] != b[i];
        d->error = fmax(d->error, error > 0 ? error / wanted : 0);
        if (error <= 1e-5 * wanted || !d->ok)
            continue;
        d->ok = false;
        d->arg = OUT;
        d->index = i;
        d->wanted = wanted;
        d->got = (double)b[i];
    }
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
    .room = &sac_variance_f32_room,
    .modes = modes,
    .contents = contents,
    .max_pixels = SAC_MELTPOOL_MAX_WINDOW,
    .tasks = tasks,
    .set_task = set_task,
    .shape = shape,
    .fill = fill,
    .call = call,
    .compare = compare,
    .bytes = bytes,
    .points = points,
#if SAC_CUDA
    .cuda = sac_variance_f32_cuda,
    .open_cuda = open_cuda,
    .close_cuda = sac_check_free_cuda,
    .call_cuda = call_cuda,
#endif
};
