/*
 * Modes, records and comparison of the demodulate rooms.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/check_demodulate.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "beamform/kernels/demodulate_cuda.h"

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
const char *const sac_demodulate_modes[] = {"undersampled", "by-4", "by-2",   "by-3",
                                            "backward",     "by-7", "by-100", NULL};
const char *const sac_demodulate_contents[] = {"echoes", "noise", "extremes", "nan", NULL};
enum { ECHOES, NOISE, EXTREMES, NOT_A_NUMBER };

/* A: 32 frames of 128 elements. B: 3 transmits, C: 75, of as many. */
const char *const sac_demodulate_tasks[] = {"A", "B", "C", NULL};
static const struct {
    int64_t n_samples, n_records;
} tasks[] = {{334, 32 * 128}, {8192, 3 * 128}, {2048, 75 * 128}};

void sac_check_demodulate_task(sac_check_case *c, int32_t i)
{
    c->w = tasks[i].n_samples;
    c->h = tasks[i].n_records;
    c->mode = i;
}

void sac_check_demodulate_shape(sac_check_case *c, size_t size)
{
    int64_t d = settings[c->mode].demodulation.decimation, n_out = (c->w + d - 1) / d;
    c->arg[SAC_DEMODULATE_OUT] =
        (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = 2 * n_out, .h = c->h};
    c->arg[SAC_DEMODULATE_IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = size,
                                                .w = c->w * abs(settings[c->mode].step), .h = c->h};
    c->n_args = 2;
}

sac_status sac_check_demodulate_open(sac_check_case *c)
{
    c->state = sac_alloc(1, sizeof(sac_demodulate_plan));
    if (!c->state)
        return SAC_E_NOMEM;
    sac_status status =
        sac_demodulate_plan_open(c->state, &settings[c->mode].demodulation, c->w, NULL);
    if (status)
        sac_free(c->state);
    return status;
}

void sac_check_demodulate_close(sac_check_case *c)
{
    sac_demodulate_plan_close(c->state);
    sac_free(c->state);
}

void *sac_check_demodulate_samples(const sac_check_case *c, ptrdiff_t *in_sample)
{
    const sac_check_arg *a = &c->arg[SAC_DEMODULATE_IN];
    ptrdiff_t step = settings[c->mode].step * (ptrdiff_t)a->size;
    *in_sample = step;
    return a->data + (step < 0 ? -step * (ptrdiff_t)(c->w - 1) : 0);
}

/* A few pulses in weak noise; in units of full scale. */
static double value(const sac_check_case *c, int64_t x, uint64_t *random)
{
    const sac_demodulation *d = &settings[c->mode].demodulation;
    double noise = (double)(sac_check_random(random) >> 11) * 0x1p-52 - 1;
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

void sac_check_demodulate_fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    const sac_check_arg *a = &c->arg[SAC_DEMODULATE_IN];
    ptrdiff_t step;
    char *first = sac_check_demodulate_samples(c, &step);
    for (int64_t y = 0; y < c->h; y++) {
        for (int64_t x = 0; x < a->w; x++) { /* what lies between the samples, too */
            void *at = a->data + y * a->row + x * (ptrdiff_t)a->size;
            if (a->size == 2)
                *(int16_t *)at = INT16_MIN;
            else
                *(float *)at = NAN;
        }
        for (int64_t x = 0; x < c->w; x++) {
            void *at = first + y * a->row + x * step;
            double v = value(c, x, &random);
            if (a->size == 2)
                *(int16_t *)at = isfinite(v) ? (int16_t)(v < 0 ? v * 32768 : v * 32767) : 0;
            else
                *(float *)at = (float)(c->content == EXTREMES ? v * 1e30 : v);
        }
    }
}

/* The largest finite sample of record y. */
static double largest(const sac_check_case *c, int64_t y)
{
    const sac_check_arg *a = &c->arg[SAC_DEMODULATE_IN];
    ptrdiff_t step;
    const char *first = sac_check_demodulate_samples(c, &step);
    double most = 0;
    for (int64_t x = 0; x < c->w; x++) {
        const void *at = first + y * a->row + x * step;
        double v = a->size == 2 ? *(const int16_t *)at : (double)*(const float *)at;
        most = isfinite(v) && fabs(v) > most ? fabs(v) : most;
    }
    return most;
}

void sac_check_demodulate_compare(sac_check_diff *d, const sac_check_case *want,
                                  const sac_check_case *got, const sac_variant *v)
{
    (void)v;
    const sac_demodulate_plan *plan = want->state;
    const sac_check_arg *a = &want->arg[SAC_DEMODULATE_OUT], *b = &got->arg[SAC_DEMODULATE_OUT];
    double relative = 1.5 * (2 * plan->half + 1 + 6) * 0x1p-24 * (double)plan->sum;
    double error2 = 0, sum2 = 0;
    *d = (sac_check_diff){.ok = true};
    for (int64_t y = 0; y < a->h; y++) {
        const float *wants = (const float *)(const void *)(a->data + y * a->row);
        const float *gots = (const float *)(const void *)(b->data + y * b->row);
        double bound = relative * largest(want, y);
        for (int64_t i = 0; i < a->w; i++) {
            double x = (double)wants[i], z = (double)gots[i];
            d->n_differ += x != z;
            if (!isfinite(x) && !isfinite(z))
                continue;
            error2 += (x - z) * (x - z);
            sum2 += x * x;
            if (fabs(x - z) <= bound || !d->ok)
                continue;
            d->ok = false;
            d->arg = SAC_DEMODULATE_OUT;
            d->index = y * a->w + i;
            d->wanted = x;
            d->got = z;
        }
    }
    d->error = sum2 > 0 ? sqrt(error2 / sum2) : sqrt(error2);
}

uint64_t sac_check_demodulate_bytes(const sac_check_case *c)
{
    const sac_check_arg *out = &c->arg[SAC_DEMODULATE_OUT], *in = &c->arg[SAC_DEMODULATE_IN];
    return (uint64_t)c->h * (4 * (uint64_t)out->w + in->size * (uint64_t)c->w);
}

#if SAC_CUDA
sac_status sac_check_demodulate_open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    c->cuda = sac_alloc(1, sizeof(sac_demodulate_cuda));
    if (!c->cuda)
        return SAC_E_NOMEM;
    return sac_demodulate_cuda_open(c->cuda, c->state, gpu, NULL);
}

void sac_check_demodulate_close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    if (c->cuda)
        sac_demodulate_cuda_close(c->cuda, gpu);
    sac_free(c->cuda);
    c->cuda = NULL;
}

sac_status sac_check_demodulate_call_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                          const sac_gpu_shape *shape, const sac_check_case *c)
{
    (void)shape; /* its own */
    const sac_check_arg *out = &c->arg[SAC_DEMODULATE_OUT], *in = &c->arg[SAC_DEMODULATE_IN];
    ptrdiff_t in_sample;
    const void *samples = sac_check_demodulate_samples(c, &in_sample);
    return ((sac_demodulate_cuda_fn)fn)(stream, (float *)(void *)out->data, out->row, samples,
                                        in->row, in_sample, c->h, c->cuda);
}
#endif
