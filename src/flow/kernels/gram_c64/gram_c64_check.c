/*
 * gram_c64 for the harness: frames are rows. The ladder times all of 200 frames of configuration A.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/alloc.h"
#include "flow/kernels/check_cuda.h"
#include "gram_c64.h"
#include "room/check.h"

enum { G, X };

static const char *const modes[] = {"all", "some rows", NULL};
static const char *const contents[] = {"noise", "clutter", NULL};
enum { NOISE, CLUTTER };
static const sac_check_task tasks[] = {
    {"A", 251 * 251, 200}, {"A-32", 251 * 251, 32}, {"A-16", 251 * 251, 16}, {0}};

static void shape(sac_check_case *c)
{
    c->arg[G] =
        (sac_check_arg){"g", SAC_CHECK_INOUT, .size = 8, .w = 2 * c->h, .h = c->h, .packed = true};
    c->arg[X] = (sac_check_arg){"x", SAC_CHECK_IN, .size = 4, .w = 2 * c->w, .h = c->h};
    c->n_args = 2;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    double *g = sac_check_data(c, G);
    for (int64_t i = 0; i < 2 * c->h * c->h; i++)
        g[i] = sac_check_uniform(&random);
    for (int64_t y = 0; y < c->h; y++) {
        float *x = sac_check_row(c, X, y);
        for (int64_t i = 0; i < c->arg[X].w; i++)
            x[i] = (float)(2 * sac_check_uniform(&random) - 1) +
                   (c->content == CLUTTER ? 1000.0f * (float)(i % 7) : 0);
    }
}

static int32_t first_of(const sac_check_case *c)
{
    return c->mode ? (int32_t)c->h / 3 : 0;
}

static int32_t end_of(const sac_check_case *c)
{
    return (int32_t)(c->mode ? c->h - c->h / 4 : c->h);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((sac_gram_c64_fn)fn)(sac_check_data(c, G), sac_check_data(c, X), c->arg[X].row, c->w,
                          (int32_t)c->h, first_of(c), end_of(c));
}

#if SAC_CUDA
typedef sac_status (*cuda_fn)(sac_gpu_stream stream, double *g, double *parts, const float *x,
                              ptrdiff_t row, int64_t n_points, int32_t n, int32_t first,
                              int32_t end);

static const sac_variant cuda[] = {
    {"cuda", 0, true, SAC_FN(cuda_fn, sac_gram_c64_cuda), SAC_TIER_FP32}, {0}};

static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    return sac_gpu_alloc(gpu, &c->cuda, sac_gram_c64_cuda_bytes(c->w, (int32_t)c->h), NULL);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const int32_t n = (int32_t)c->h;
    (void)shape_of; /* its own */
    return ((cuda_fn)fn)(stream, sac_check_data(c, G), c->cuda, sac_check_data(c, X), c->arg[X].row,
                         c->w, n, first_of(c), end_of(c));
}
#endif

static bool supports(const sac_variant *v, const sac_check_case *c)
{
    return !sac_check_is_cuda(v) || sac_check_lies_well(c, X);
}

/* |x[i][p]| |x[j][p]| over all p is at most the root of both frames' energies. */
static double energy(const sac_check_case *c, int64_t y)
{
    const float *x = sac_check_row(c, X, y);
    double sum = 0;
    for (int64_t i = 0; i < c->arg[X].w; i++)
        sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    const double within = v->tier == SAC_TIER_EXACT ? 1e-12 : 64 * 0x1p-24;
    const double *a = sac_check_data(want, G), *b = sac_check_data(got, G);
    const int64_t n = want->h;
    double *root = sac_alloc((size_t)n, sizeof *root);
    for (int64_t i = 0; root && i < n; i++)
        root[i] = energy(want, i);
    for (int64_t i = 0; root && i < n; i++)
        for (int64_t j = 0; j < 2 * n; j++) {
            const double size = 1 + root[i] * root[j / 2];
            const sac_check_pair p = {j, i, i * 2 * n + j, a[i * 2 * n + j], b[i * 2 * n + j]};
            sac_check_value(d, &p, sac_check_error(&p) / size, within);
        }
    sac_free(root);
}

const sac_room_check sac_gram_c64_check = {SAC_CHECK_ROOM(sac_gram_c64_room),
                                           .max_pixels = 60000,
                                           .compare = compare,
                                           .tasks = tasks,
                                           .supports = supports,
                                           SAC_CHECK_CUDA(.cuda = cuda, .open_cuda = open_cuda,
                                                          .close_cuda = sac_check_free_cuda,
                                                          .call_cuda = call_cuda)};
