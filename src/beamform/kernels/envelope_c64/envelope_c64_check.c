/*
 * envelope_c64 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "envelope_c64.h"
#include "beamform/kernels/check_images.h"
#include "beamform/kernels/signal_cuda.h"

enum { OUT, IN };

static const char *const modes[] = {"any", NULL};
static const char *const contents[] = {"noise", "decades", "nan", NULL};
enum { NOISE, DECADES, NOT_A_NUMBER };
static void shape(sac_check_case *c)
{
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = c->w, .h = 1};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 4, .w = 2 * c->w, .h = 1};
    c->n_args = 2;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    float *in = sac_check_data(c, IN);
    for (int64_t i = 0; i < c->arg[IN].w; i++) {
        double x = 2 * sac_check_uniform(&random) - 1;
        if (c->content == DECADES)
            x *= exp2((double)(sac_check_random(&random) >> 56)) * 0x1p-127;
        if (c->content == NOT_A_NUMBER && fabs(x) > 0.7)
            x = x > 0 ? (double)NAN : -(double)INFINITY;
        in[i] = (float)x;
    }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((sac_envelope_c64_fn)fn)(sac_check_data(c, OUT), sac_check_data(c, IN), c->w);
}

#if SAC_CUDA
typedef sac_status (*cuda_fn)(sac_gpu_stream stream, float *out, const float *in, int64_t n);

static const sac_variant cuda[] = {{"quads", 0, true, SAC_FN(cuda_fn, sac_envelope_c64_cuda)}, {0}};

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    return ((cuda_fn)fn)(stream, sac_check_data(c, OUT), sac_check_data(c, IN), c->w);
}
#endif

/* The same bytes, except that any NaN is as good as another. */
static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    (void)want, (void)v;
    const bool same = p->wanted == p->got || (isnan(p->wanted) && isnan(p->got));
    sac_check_value(d, p, same ? 0 : fabs(p->got - p->wanted), 0);
}

const sac_room_check sac_envelope_c64_check = {
    SAC_CHECK_ROOM(sac_envelope_c64_room), .one_row = true, .judge = judge,
    .tasks = sac_check_images, SAC_CHECK_CUDA(.cuda = cuda, .call_cuda = call_cuda)};
