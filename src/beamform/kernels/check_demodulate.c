/*
 * demodulate_i16 and demodulate_f32 for the harness: a case is h records of w samples. A room's
 * kind is the bytes of a sample.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "beamform/kernels/demodulate_cuda.h"
#include "beamform/kernels/demodulate_f32/demodulate_f32.h"
#include "beamform/kernels/demodulate_i16/demodulate_i16.h"
#include "room/check.h"

enum { OUT, IN };

#define PI 3.14159265358979323846

/* A, B and C are the tasks' sampling; B as RF of a 7.8 MHz probe. `step`: places in memory between
 * samples. */
static const struct {
    sac_demodulation demodulation;
    int step;
} settings[] = {
    {{20e6 / 3, 5e6, 10e6 / 3, 1}, 1},  /* A */
    {{62.5e6, 7.8125e6, 5.5e6, 4}, 1},  /* B */
    {{20.832e6, 5.208e6, 3.6e6, 2}, 1}, /* C */
    {{40e6, 6.1e6, 4e6, 3}, 1},         {{25e6, 5e6, 3.5e6, 1}, -3},
    {{100e6, 2.5e6, 0.9e6, 7}, 1},      {{100e6, 2.5e6, 0.8e6, 100}, 2},
};
static const char *const modes[] = {"undersampled", "by-4", "by-2",   "by-3",
                                    "backward",     "by-7", "by-100", NULL};
static const char *const contents[] = {"echoes", "noise", "extremes", "nan", NULL};
enum { ECHOES, NOISE, EXTREMES, NOT_A_NUMBER };

/* A: 32 frames of 128 elements. B: 3 transmits, C: 75, of as many. */
static const sac_check_task tasks[] = {
    {"A", 334, 32 * 128, 0}, {"B", 8192, 3 * 128, 1}, {"C", 2048, 75 * 128, 2}, {0}};

/* The filter, and the largest finite sample of each record. */
typedef struct state {
    sac_demodulate_plan plan;
    double largest[];
} state;

static void shape(sac_check_case *c)
{
    const int64_t d = settings[c->mode].demodulation.decimation, n_out = (c->w + d - 1) / d;
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = 2 * n_out, .h = c->h};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = (size_t)c->kind,
                                 .w = c->w * abs(settings[c->mode].step), .h = c->h};
    c->n_args = 2;
}

/* The first sample of record y, and the bytes to the next. */
static void *record_of(const sac_check_case *c, int64_t y, ptrdiff_t *in_sample)
{
    const ptrdiff_t step = settings[c->mode].step * (ptrdiff_t)c->kind;
    *in_sample = step;
    return (char *)sac_check_row(c, IN, y) + (step < 0 ? -step * (ptrdiff_t)(c->w - 1) : 0);
}

static double largest(const sac_check_case *c, int64_t y)
{
    ptrdiff_t step;
    const char *first = record_of(c, y, &step);
    double most = 0;
    for (int64_t x = 0; x < c->w; x++) {
        const void *at = first + x * step;
        const double v = c->kind == 2 ? *(const int16_t *)at : (double)*(const float *)at;
        most = isfinite(v) ? fmax(most, fabs(v)) : most;
    }
    return most;
}

static sac_status open(sac_check_case *c)
{
    state *s = c->state = sac_alloc(1, sizeof *s + (size_t)c->h * sizeof s->largest[0]);
    if (!s)
        return SAC_E_NOMEM;
    for (int64_t y = 0; y < c->h; y++)
        s->largest[y] = largest(c, y);
    const sac_status status =
        sac_demodulate_plan_open(&s->plan, &settings[c->mode].demodulation, c->w, NULL);
    if (status)
        sac_free(s);
    return status;
}

static void close(sac_check_case *c)
{
    state *s = c->state;
    sac_demodulate_plan_close(&s->plan);
    sac_free(s);
}

/* A few pulses in weak noise; in units of full scale. */
static double value(const sac_check_case *c, int64_t x, uint64_t *random)
{
    const sac_demodulation *d = &settings[c->mode].demodulation;
    double noise = 2 * sac_check_uniform(random) - 1;
    if (c->content == EXTREMES)
        return noise < 0 ? -1 : 1;
    if (c->content == NOISE)
        return noise;
    if (c->content == NOT_A_NUMBER && noise > 0.99)
        return noise > 0.995 ? (double)NAN : (double)INFINITY;
    double period = 10 * d->fs_hz / d->bandwidth_hz, at = fmod((double)x, period) / period - 0.5;
    double pulse = exp(-80 * at * at) * cos(2 * PI * d->fd_hz / d->fs_hz * (double)x);
    return 0.5 * pulse + 0.01 * noise;
}

/* A sample of v times full scale. */
static void put(const sac_check_case *c, void *at, double v)
{
    if (c->kind == 2)
        *(int16_t *)at = isfinite(v) ? (int16_t)(v < 0 ? v * 32768 : v * 32767) : 0;
    else
        *(float *)at = (float)(c->content == EXTREMES ? v * 1e30 : v);
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int64_t y = 0; y < c->h; y++) {
        ptrdiff_t step;
        char *first = record_of(c, y, &step), *row = sac_check_row(c, IN, y);
        for (int64_t x = 0; x < c->arg[IN].w; x++) { /* what lies between the samples, too */
            if (c->kind == 2)
                *(int16_t *)(void *)(row + x * 2) = INT16_MIN;
            else
                *(float *)(void *)(row + x * 4) = NAN;
        }
        for (int64_t x = 0; x < c->w; x++)
            put(c, first + x * step, value(c, x, &random));
    }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_demodulate_plan *plan = &((const state *)c->state)->plan;
    float *out = sac_check_data(c, OUT);
    const ptrdiff_t out_row = c->arg[OUT].row, row = c->arg[IN].row;
    ptrdiff_t step;
    const void *in = record_of(c, 0, &step);
    if (c->kind == 2)
        ((sac_demodulate_i16_fn)fn)(out, out_row, in, row, step, c->h, plan);
    else
        ((sac_demodulate_f32_fn)fn)(out, out_row, in, row, step, c->h, plan);
}

static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    (void)v;
    const state *s = want->state;
    const double relative = 1.5 * (2 * s->plan.half + 1 + 6) * 0x1p-24 * (double)s->plan.sum;
    sac_check_value(d, p, sac_check_error(p), relative * s->largest[p->y]);
}

#if SAC_CUDA
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    c->cuda = sac_alloc(1, sizeof(sac_demodulate_cuda));
    if (!c->cuda)
        return SAC_E_NOMEM;
    return sac_demodulate_cuda_open(c->cuda, &((const state *)c->state)->plan, gpu, NULL);
}

static void close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    if (c->cuda)
        sac_demodulate_cuda_close(c->cuda, gpu);
    sac_free(c->cuda);
    c->cuda = NULL;
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    ptrdiff_t step;
    const void *in = record_of(c, 0, &step);
    return ((sac_demodulate_cuda_fn)fn)(stream, sac_check_data(c, OUT), c->arg[OUT].row, in,
                                        c->arg[IN].row, step, c->h, c->cuda);
}

static const sac_variant cuda_i16[] = {
    {"teams", 0, true, SAC_FN(sac_demodulate_cuda_fn, sac_demodulate_i16_cuda)}, {0}};
static const sac_variant cuda_f32[] = {
    {"teams", 0, true, SAC_FN(sac_demodulate_cuda_fn, sac_demodulate_f32_cuda)}, {0}};
#endif

#define DEMODULATE                                                                                 \
    .modes = modes, .contents = contents, .shape = shape, .open = open, .close = close,            \
    .fill = fill, .call = call, .judge = judge, .l2 = true, .tasks = tasks

const sac_room_check sac_demodulate_i16_check = {
    .room = &sac_demodulate_i16_room, .kind = 2, DEMODULATE, SAC_CHECK_CUDA_ROOM(cuda_i16)};

const sac_room_check sac_demodulate_f32_check = {
    .room = &sac_demodulate_f32_room, .kind = 4, DEMODULATE, SAC_CHECK_CUDA_ROOM(cuda_f32)};
