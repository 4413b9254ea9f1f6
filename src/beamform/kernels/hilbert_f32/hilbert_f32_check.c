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
static const char *const contents[] = {"pulses", "noise", "extremes", "tiny", "nan", NULL};
enum { PULSES, NOISE, EXTREMES, TINY, NOT_A_NUMBER };

/* A's and C's grids, and B's images: w columns of h rows. */
static const sac_check_task tasks[] = {{"A", 251, 251}, {"B", 256, 1024}, {"C", 387, 609}, {0}};

/* What the kernel works with, and the largest finite value of each column. */
typedef struct state {
    sac_hilbert hilbert;
    float largest[];
} state;

static void shape(sac_check_case *c)
{
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = c->w, .h = c->h};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 4, .w = c->w, .h = c->h};
    c->n_args = 2;
}

static sac_status open(sac_check_case *c)
{
    state *s = c->state = sac_alloc(1, sizeof *s + (size_t)c->w * sizeof s->largest[0]);
    if (!s)
        return SAC_E_NOMEM;
    sac_hilbert_init(&s->hilbert);
    for (int64_t y = 0; y < c->h; y++) {
        const float *in = sac_check_row(c, IN, y);
        for (int64_t x = 0; x < c->w; x++)
            if (isfinite(in[x]))
                s->largest[x] = fmaxf(s->largest[x], fabsf(in[x]));
    }
    return SAC_OK;
}

static float value(const sac_check_case *c, int64_t y, uint64_t *random)
{
    double noise = 2 * sac_check_uniform(random) - 1;
    if (c->content == NOISE)
        return (float)noise;
    if (c->content == EXTREMES)
        return noise < 0 ? -1e37F : 1e37F;
    if (c->content == TINY)
        return (float)(1e-30 * noise);
    if (c->content == NOT_A_NUMBER && noise > 0.99)
        return noise > 0.995 ? NAN : INFINITY;
    double at = fmod((double)y, 64) / 64 - 0.5;
    return (float)(exp(-40 * at * at) * cos(1.3 * (double)y) + 0.01 * noise);
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int64_t y = 0; y < c->h; y++)
        for (int64_t x = 0; x < c->w; x++)
            ((float *)sac_check_row(c, IN, y))[x] = value(c, y, &random);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((sac_hilbert_f32_fn)fn)(sac_check_data(c, OUT), c->arg[OUT].row, sac_check_data(c, IN),
                             c->arg[IN].row, c->w, c->h, &((const state *)c->state)->hilbert);
}

#if SAC_CUDA
static const sac_variant cuda[] = {
    {"columns", 0, true, SAC_FN(sac_hilbert_f32_cuda_fn, sac_hilbert_f32_cuda_rows)}, {0}};

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    return ((sac_hilbert_f32_cuda_fn)fn)(stream, sac_check_data(c, OUT), c->arg[OUT].row,
                                         sac_check_data(c, IN), c->arg[IN].row, c->w, c->h,
                                         &((const state *)c->state)->hilbert);
}
#endif

static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    (void)v;
    const double most = (double)((const state *)want->state)->largest[p->x];
    sac_check_value(d, p, sac_check_error(p), 64 * 0x1p-24 * most);
}

const sac_room_check sac_hilbert_f32_check = {
    SAC_CHECK_ROOM(sac_hilbert_f32_room),
    .open = open,
    .judge = judge,
    .l2 = true,
    .tasks = tasks,
    SAC_CHECK_CUDA(.cuda = cuda, .call_cuda = call_cuda),
};
