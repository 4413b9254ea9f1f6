/*
 * mix_c64 for the harness: out's frames are rows, as many again or fewer are in. The ladder times
 * a block of points of 200 frames, from 20 and from 200 others.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "flow/kernels/check_cuda.h"
#include "mix_c64.h"

enum { OUT, IN, MATRIX, BASE };

static const char *const modes[] = {"filter", "no base", "few", NULL};
enum { FILTER, NO_BASE, FEW };
static const char *const contents[] = {"noise", "clutter", NULL};
enum { NOISE, CLUTTER };
static const sac_check_task tasks[] = {
    {"block", 256, 200, .mode = FEW}, {"square", 256, 200, .mode = FILTER}, {0}};

static int64_t n_in(const sac_check_case *c)
{
    return c->mode == FEW ? 1 + c->h / 10 : c->mode == FILTER ? c->h : 1 + c->h / 2;
}

static void shape(sac_check_case *c)
{
    c->arg[OUT] =
        (sac_check_arg){"out", SAC_CHECK_OUT, .size = 8, .align = 4, .w = c->w, .h = c->h};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 4, .w = 2 * c->w, .h = n_in(c)};
    c->arg[MATRIX] =
        (sac_check_arg){"matrix", SAC_CHECK_IN, .size = 4, .w = 2 * n_in(c) * c->h, .h = 1};
    c->arg[BASE] = (sac_check_arg){"base", SAC_CHECK_IN, .size = 4, .w = 2 * c->w, .h = c->h};
    c->n_args = 4;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int a = IN; a <= BASE; a++)
        for (int64_t y = 0; y < c->arg[a].h; y++) {
            float *x = sac_check_row(c, a, y);
            for (int64_t i = 0; i < c->arg[a].w; i++)
                x[i] = (float)(2 * sac_check_uniform(&random) - 1) +
                       (c->content == CLUTTER && a != MATRIX ? 1000.0f : 0);
        }
}

static sac_mix_job job_of(const sac_check_case *c)
{
    return (sac_mix_job){.out = sac_check_data(c, OUT),
                         .base = c->mode == NO_BASE ? NULL : sac_check_data(c, BASE),
                         .in = sac_check_data(c, IN),
                         .matrix = sac_check_data(c, MATRIX),
                         .out_row = c->arg[OUT].row,
                         .base_row = c->arg[BASE].row,
                         .in_row = c->arg[IN].row,
                         .n_points = c->w,
                         .n_out = (int32_t)c->h,
                         .n_in = (int32_t)n_in(c)};
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_mix_job job = job_of(c);
    ((sac_mix_c64_fn)fn)(&job);
}

#if SAC_CUDA
typedef sac_status (*cuda_fn)(sac_gpu_stream stream, const sac_mix_job *job);

static const sac_variant cuda[] = {
    {"cuda", 0, true, SAC_FN(cuda_fn, sac_mix_c64_cuda), SAC_TIER_FP32}, {0}};

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_mix_job job = job_of(c);
    (void)shape_of; /* its own */
    return ((cuda_fn)fn)(stream, &job);
}
#endif

static bool supports(const sac_variant *v, const sac_check_case *c)
{
    return !sac_check_is_cuda(v) ||
           (sac_check_lies_well(c, OUT) && sac_check_lies_well(c, IN) &&
            sac_check_lies_well(c, MATRIX) && sac_check_lies_well(c, BASE));
}

/* |base| + sum of |matrix| |in| of a point. */
static double size_of(const sac_mix_job *job, int64_t r, int64_t p)
{
    double sum = 0;
    if (job->base) {
        const float *b = sac_mix_row(job->base, job->base_row, (int32_t)r) + 2 * p;
        sum = hypot((double)b[0], (double)b[1]);
    }
    for (int32_t i = 0; i < job->n_in; i++) {
        const float *m = job->matrix + 2 * (r * job->n_in + i);
        const float *x = sac_mix_row(job->in, job->in_row, i) + 2 * p;
        sum += hypot((double)m[0], (double)m[1]) * hypot((double)x[0], (double)x[1]);
    }
    return sum;
}

static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    const sac_mix_job job = job_of(want);
    const double within = v->tier == SAC_TIER_EXACT ? 0x1p-24 : (job.n_in + 3) * 0x1p-23;
    sac_check_value(d, p, sac_check_error(p) / (size_of(&job, p->y, p->x / 2) + 1e-30), within);
}

const sac_room_check sac_mix_c64_check = {SAC_CHECK_ROOM(sac_mix_c64_room),
                                          .max_pixels = 6000,
                                          .judge = judge,
                                          .tasks = tasks,
                                          .supports = supports,
                                          SAC_CHECK_CUDA(.cuda = cuda, .call_cuda = call_cuda)};
