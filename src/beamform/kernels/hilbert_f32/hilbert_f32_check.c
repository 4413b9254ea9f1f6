/*
 * hilbert_f32 for the harness: modulated pulses down the columns.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hilbert_f32.h"

#include <math.h>

#include "base/alloc.h"
#include "hilbert_f32_cuda.h"
#include "room/check.h"

enum { OUT, IN };

static const char *const modes[] = {"any", NULL};
static const char *const contents[] = {"pulses", "noise", "extremes", "nan", NULL};
enum { PULSES, NOISE, EXTREMES, NOT_A_NUMBER };

/* A's and C's grids, and B's images: w columns of h rows. */
static const char *const tasks[] = {"A", "B", "C", NULL};

static void set_task(sac_check_case *c, int32_t i)
{
    static const int64_t grids[][2] = {{251, 251}, {256, 1024}, {387, 609}};
    c->w = grids[i][0];
    c->h = grids[i][1];
}

static void shape(sac_check_case *c)
{
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = c->w, .h = c->h};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 4, .w = c->w, .h = c->h};
    c->n_args = 2;
}

static sac_status open(sac_check_case *c)
{
    c->state = sac_alloc(1, sizeof(sac_hilbert));
    if (!c->state)
        return SAC_E_NOMEM;
    sac_hilbert_init(c->state);
    return SAC_OK;
}

static void close(sac_check_case *c)
{
    sac_free(c->state);
}

static float value(const sac_check_case *c, int64_t y, uint64_t *random)
{
    double noise = (double)(sac_check_random(random) >> 11) * 0x1p-52 - 1;
    if (c->content == NOISE)
        return (float)noise;
    if (c->content == EXTREMES)
        return noise < 0 ? -1e37F : 1e37F;
    if (c->content == NOT_A_NUMBER && noise > 0.99)
        return noise > 0.995 ? NAN : INFINITY;
    double at = fmod((double)y, 64) / 64 - 0.5;
    return (float)(exp(-40 * at * at) * cos(1.3 * (double)y) + 0.01 * noise);
}

static const float *row(const sac_check_arg *a, int64_t y)
{
    return (const float *)(const void *)(a->data + y * a->row);
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    const sac_check_arg *a = &c->arg[IN];
    for (int64_t y = 0; y < c->h; y++)
        for (int64_t x = 0; x < c->w; x++)
            ((float *)(void *)(a->data + y * a->row))[x] = value(c, y, &random);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_check_arg *out = &c->arg[OUT], *in = &c->arg[IN];
    ((sac_hilbert_f32_fn)fn)((float *)(void *)out->data, out->row, row(in, 0), in->row, c->w, c->h,
                             c->state);
}

#if SAC_CUDA
static const sac_variant cuda[] = {
    {"columns", 0, true, SAC_FN(sac_hilbert_f32_cuda_fn, sac_hilbert_f32_cuda_rows)},
    {0},
};

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    const sac_check_arg *out = &c->arg[OUT], *in = &c->arg[IN];
    return ((sac_hilbert_f32_cuda_fn)fn)(stream, (float *)(void *)out->data, out->row, row(in, 0),
                                         in->row, c->w, c->h, c->state);
}
#endif

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    (void)v;
    double error2 = 0, sum2 = 0;
    *d = (sac_check_diff){.ok = true};
    for (int64_t x = 0; x < want->w; x++) {
        double most = 0;
        for (int64_t y = 0; y < want->h; y++) {
            double in = fabs((double)row(&want->arg[IN], y)[x]);
            most = isfinite(in) && in > most ? in : most;
        }
        for (int64_t y = 0; y < want->h; y++) {
            double a = (double)row(&want->arg[OUT], y)[x], b = (double)row(&got->arg[OUT], y)[x];
            d->n_differ += a != b;
            if (!isfinite(a) && !isfinite(b))
                continue;
            error2 += (a - b) * (a - b);
            sum2 += a * a;
            if (!(fabs(a - b) <= 64 * 0x1p-24 * most) && d->ok) {
                d->ok = false;
                d->arg = OUT;
                d->index = y * want->w + x;
                d->wanted = a;
                d->got = b;
            }
        }
    }
    d->error = sum2 > 0 ? sqrt(error2 / sum2) : sqrt(error2);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 8 * (uint64_t)(c->w * c->h);
}

const sac_room_check sac_hilbert_f32_check = {
    .room = &sac_hilbert_f32_room,
    .modes = modes,
    .contents = contents,
    .shape = shape,
    .open = open,
    .close = close,
    .fill = fill,
    .call = call,
    .compare = compare,
    .bytes = bytes,
    .tasks = tasks,
    .set_task = set_task,
#if SAC_CUDA
    .cuda = cuda,
    .call_cuda = call_cuda,
#endif
};
