/*
 * compress_f32 for the harness. The tasks are beamform's images: A of 32 frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compress_f32.h"

#include <math.h>

#include "beamform/kernels/signal_cuda.h"
#include "room/check.h"

enum { OUT, IN };

static const char *const modes[] = {"60-db", "in-place", "700-db", "zero", NULL};
enum { MODE_60, MODE_IN_PLACE, MODE_700, MODE_ZERO };
static const char *const contents[] = {"speckle", "decades", "nan", NULL};
enum { SPECKLE, DECADES, NOT_A_NUMBER };
static const char *const tasks[] = {"A", "B", "C", NULL};

static void set_task(sac_check_case *c, int32_t i)
{
    static const int64_t points[] = {251 * 251 * 32, 256 * 1024, 387 * 609};
    c->w = points[i];
    c->h = 1;
}

static void shape(sac_check_case *c)
{
    bool in_place = c->mode == MODE_IN_PLACE;
    sac_check_role role = in_place ? SAC_CHECK_INOUT : SAC_CHECK_OUT;
    c->arg[OUT] = (sac_check_arg){"out", role, .size = 4, .w = c->w, .h = 1};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 4, .w = c->w, .h = 1};
    c->n_args = in_place ? 1 : 2;
}

static int input(const sac_check_case *c)
{
    return c->mode == MODE_IN_PLACE ? OUT : IN;
}

static float value(const sac_check_case *c, uint64_t *random)
{
    double x = (double)(sac_check_random(random) >> 11) * 0x1p-53;
    if (c->content == NOT_A_NUMBER && x > 0.7)
        return x > 0.9 ? NAN : x > 0.85 ? INFINITY : x > 0.75 ? 0 : -1;
    if (c->content == DECADES)
        return (float)exp2(-149 * x);
    return (float)sqrt(-log(1 - x)); /* Rayleigh's distribution */
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    float *in = (float *)(void *)c->arg[input(c)].data;
    for (int64_t i = 0; i < c->w; i++)
        in[i] = value(c, &random);
}

static float maximum_of(const sac_check_case *c)
{
    return c->mode == MODE_ZERO ? 0 : c->content == SPECKLE ? 5 : 1;
}

static float range_of(const sac_check_case *c)
{
    return c->mode == MODE_700 ? 700 : 60;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((sac_compress_f32_fn)fn)((float *)(void *)c->arg[OUT].data,
                              (const float *)(const void *)c->arg[input(c)].data, c->w,
                              maximum_of(c), range_of(c));
}

#if SAC_CUDA
/* `maximum` on the device. */
typedef sac_status (*cuda_fn)(sac_gpu_stream stream, float *out, const float *in, int64_t n,
                              const float *maximum, float range_db);

static sac_status quads(sac_gpu_stream stream, float *out, const float *in, int64_t n,
                        const float *maximum, float range_db)
{
    return sac_compress_f32_cuda(stream, out, false, in, false, maximum, 1, n, range_db);
}

static const sac_variant cuda[] = {
    {"quads", 0, true, SAC_FN(cuda_fn, quads)},
    {0},
};

/* c->cuda: the maximum. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    const float maximum = maximum_of(c);
    sac_status status = sac_gpu_alloc(gpu, &c->cuda, sizeof maximum, NULL);
    if (status == SAC_OK)
        status = sac_gpu_copy(c->cuda, &maximum, sizeof maximum, sac_gpu_main_stream(gpu));
    return status == SAC_OK ? sac_gpu_wait(sac_gpu_main_stream(gpu)) : status;
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    return ((cuda_fn)fn)(stream, (float *)(void *)c->arg[OUT].data,
                         (const float *)(const void *)c->arg[input(c)].data, c->w, c->cuda,
                         range_of(c));
}
#endif

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    (void)v;
    const float *a = (const float *)(const void *)want->arg[OUT].data;
    const float *b = (const float *)(const void *)got->arg[OUT].data;
    *d = (sac_check_diff){.ok = true};
    for (int64_t i = 0; i < want->w; i++) {
        double error = fabs((double)b[i] - (double)a[i]);
        d->n_differ += a[i] != b[i];
        d->error = fmax(d->error, error);
        if (error <= 2e-6 + 1.4e-7 * fabs((double)a[i]) || !d->ok)
            continue;
        d->ok = false;
        d->arg = OUT;
        d->index = i;
        d->wanted = (double)a[i];
        d->got = (double)b[i];
    }
}

static uint64_t bytes(const sac_check_case *c)
{
    return 8 * (uint64_t)c->w;
}

const sac_room_check sac_compress_f32_check = {
    .room = &sac_compress_f32_room,
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
    .open_cuda = open_cuda,
    .close_cuda = sac_check_free_cuda,
    .call_cuda = call_cuda,
#endif
};
