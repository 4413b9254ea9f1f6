/*
 * envelope_c64 for the harness. The tasks are beamform's images: A of 32 frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "envelope_c64.h"
#include "beamform/kernels/signal_cuda.h"
#include "room/check.h"

enum { OUT, IN };

static const char *const modes[] = {"any", NULL};
static const char *const contents[] = {"noise", "decades", "nan", NULL};
enum { NOISE, DECADES, NOT_A_NUMBER };
static const char *const tasks[] = {"A", "B", "C", NULL};

static void set_task(sac_check_case *c, int32_t i)
{
    static const int64_t points[] = {251 * 251 * 32, 256 * 1024, 387 * 609};
    c->w = points[i];
    c->h = 1;
}

static void shape(sac_check_case *c)
{
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = c->w, .h = 1};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 4, .w = 2 * c->w, .h = 1};
    c->n_args = 2;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    float *in = (float *)(void *)c->arg[IN].data;
    for (int64_t i = 0; i < c->arg[IN].w; i++) {
        double x = (double)(sac_check_random(&random) >> 11) * 0x1p-52 - 1;
        if (c->content == DECADES)
            x *= exp2((double)(sac_check_random(&random) >> 56)) * 0x1p-127;
        if (c->content == NOT_A_NUMBER && fabs(x) > 0.7)
            x = x > 0 ? (double)NAN : -(double)INFINITY;
        in[i] = (float)x;
    }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((sac_envelope_c64_fn)fn)((float *)(void *)c->arg[OUT].data,
                              (const float *)(const void *)c->arg[IN].data, c->w);
}

#if SAC_CUDA
typedef sac_status (*cuda_fn)(sac_gpu_stream stream, float *out, const float *in, int64_t n);

static const sac_variant cuda[] = {
    {"quads", 0, true, SAC_FN(cuda_fn, sac_envelope_c64_cuda)},
    {0},
};

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    return ((cuda_fn)fn)(stream, (float *)(void *)c->arg[OUT].data,
                         (const float *)(const void *)c->arg[IN].data, c->w);
}
#endif

/* The same bytes, but that one NaN is as good as another. */
static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    (void)v;
    const float *a = (const float *)(const void *)want->arg[OUT].data;
    const float *b = (const float *)(const void *)got->arg[OUT].data;
    *d = (sac_check_diff){.ok = true};
    for (int64_t i = 0; i < want->w; i++) {
        if (a[i] == b[i] || (isnan(a[i]) && isnan(b[i])))
            continue;
        d->n_differ++;
        d->error = fmax(d->error, fabs((double)b[i] - (double)a[i]));
        if (d->ok)
            *d = (sac_check_diff){1, d->error, false, OUT, i, (double)a[i], (double)b[i]};
    }
}

static uint64_t bytes(const sac_check_case *c)
{
    return 12 * (uint64_t)c->w;
}

const sac_room_check sac_envelope_c64_check = {
    .room = &sac_envelope_c64_room,
    .modes = modes,
    .contents = contents,
    .one_row = true,
    .shape = shape,
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
