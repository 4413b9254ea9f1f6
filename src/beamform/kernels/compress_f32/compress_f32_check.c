/*
 * compress_f32 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compress_f32.h"

#include <math.h>

#include "beamform/kernels/check_images.h"
#include "beamform/kernels/signal_cuda.h"

enum { OUT, IN };

static const char *const modes[] = {"60-db", "in-place", "700-db", "zero", NULL};
enum { MODE_60, MODE_IN_PLACE, MODE_700, MODE_ZERO };
static const char *const contents[] = {"speckle", "decades", "nan", NULL};
enum { SPECKLE, DECADES, NOT_A_NUMBER };
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
    double x = sac_check_uniform(random);
    if (c->content == NOT_A_NUMBER && x > 0.7)
        return x > 0.9 ? NAN : x > 0.85 ? INFINITY : x > 0.75 ? 0 : -1;
    if (c->content == DECADES)
        return (float)exp2(-149 * x);
    return (float)sqrt(-log(1 - x)); /* Rayleigh's distribution */
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    float *in = sac_check_data(c, input(c));
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
    ((sac_compress_f32_fn)fn)(sac_check_data(c, OUT), sac_check_data(c, input(c)), c->w,
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
    return sac_check_keep_cuda(c, gpu, &maximum, sizeof maximum);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    return ((cuda_fn)fn)(stream, sac_check_data(c, OUT), sac_check_data(c, input(c)), c->w, c->cuda,
                         range_of(c));
}
#endif

static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    (void)want, (void)v;
    sac_check_value(d, p, fabs(p->got - p->wanted), 2e-6 + 1.4e-7 * fabs(p->wanted));
}

const sac_room_check sac_compress_f32_check = {
    SAC_CHECK_ROOM(sac_compress_f32_room),
    .one_row = true,
    .judge = judge,
    .tasks = sac_check_images,
    SAC_CHECK_CUDA(.cuda = cuda, .open_cuda = open_cuda, .close_cuda = sac_check_free_cuda,
                   .call_cuda = call_cuda),
};
