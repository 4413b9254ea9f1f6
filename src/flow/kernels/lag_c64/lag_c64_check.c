/*
 * lag_c64 for the harness: frames are rows. The ladder times a block of points of 200 frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/kernels/check_cuda.h"
#include "lag_c64.h"

enum { OUT, X };

static const char *const modes[] = {"lag 1", "power alone", "any lag", NULL};
static const char *const contents[] = {"noise", NULL};
static const sac_check_task tasks[] = {{"block", 256, 200}, {"block-16", 1024, 16}, {0}};

static void shape(sac_check_case *c)
{
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = c->w, .h = 3};
    c->arg[X] = (sac_check_arg){"x", SAC_CHECK_IN, .size = 4, .w = 2 * c->w, .h = c->h};
    c->n_args = 2;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int64_t y = 0; y < c->h; y++) {
        float *x = sac_check_row(c, X, y);
        for (int64_t i = 0; i < c->arg[X].w; i++)
            x[i] = (float)(2 * sac_check_uniform(&random) - 1);
    }
}

static int32_t lag_of(const sac_check_case *c)
{
    const int32_t n = (int32_t)c->h, lags[] = {n > 1, 0, (int32_t)(c->seed >> 40) % n};
    return lags[c->mode];
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((sac_lag_c64_fn)fn)(sac_check_data(c, OUT), c->arg[OUT].row, sac_check_data(c, X),
                         c->arg[X].row, c->w, (int32_t)c->h, lag_of(c));
}

#if SAC_CUDA
typedef sac_status (*cuda_fn)(sac_gpu_stream stream, float *out, ptrdiff_t out_row, const float *x,
                              ptrdiff_t row, int64_t n_points, int32_t n, int32_t lag);

static const sac_variant cuda[] = {{"cuda", 0, true, SAC_FN(cuda_fn, sac_lag_c64_cuda)}, {0}};

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    return ((cuda_fn)fn)(stream, sac_check_data(c, OUT), c->arg[OUT].row, sac_check_data(c, X),
                         c->arg[X].row, c->w, (int32_t)c->h, lag_of(c));
}
#endif

static bool supports(const sac_variant *v, const sac_check_case *c)
{
    return !sac_check_is_cuda(v) || sac_check_lies_well(c, X);
}

const sac_room_check sac_lag_c64_check = {SAC_CHECK_ROOM(sac_lag_c64_room), .max_pixels = 60000,
                                          .tasks = tasks, .supports = supports,
                                          SAC_CHECK_CUDA(.cuda = cuda, .call_cuda = call_cuda)};
