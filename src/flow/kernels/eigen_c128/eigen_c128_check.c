/*
 * eigen_c128 for the harness: matrices of some width, the products of as many or fewer rows.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "eigen_c128.h"
#include "flow/kernels/check_cuda.h"

enum { VALUES, VECTORS, G };

static const char *const modes[] = {"any", NULL};
static const char *const contents[] = {"noise", "decades", "few", "zero", NULL};
enum { NOISE, DECADES, FEW, ZERO };
static const sac_check_task tasks[] = {{"200", 200, 1}, {"64", 64, 1}, {"16", 16, 1}, {0}};

static int64_t n_of(const sac_check_case *c)
{
    return c->w < 200 ? c->w : 200;
}

static void shape(sac_check_case *c)
{
    const int64_t n = n_of(c);
    c->arg[VALUES] = (sac_check_arg){"values", SAC_CHECK_OUT, .size = 8, .w = n, .h = 1};
    c->arg[VECTORS] =
        (sac_check_arg){"vectors", SAC_CHECK_OUT, .size = 8, .w = 2 * n, .h = n, .packed = true};
    c->arg[G] = (sac_check_arg){"g", SAC_CHECK_IN, .size = 8, .w = 2 * n, .h = n, .packed = true};
    c->n_args = 3;
}

/* The products of n random rows, or of a third of them, whose sizes differ by up to 12 decades. */
static void fill(sac_check_case *c)
{
    const int64_t n = n_of(c), m = c->content == FEW ? 1 + n / 3 : c->content == ZERO ? 0 : n;
    uint64_t random = c->seed | 1;
    double *g = sac_check_data(c, G), *x = sac_alloc((size_t)(2 * n), sizeof *x), scale = 1;
    memset(g, 0, (size_t)(2 * n * n) * sizeof *g);
    for (int64_t k = 0; x && k < m; k++, scale *= c->content == DECADES ? 0.87 : 1) {
        for (int64_t i = 0; i < 2 * n; i++)
            x[i] = scale * (2 * sac_check_uniform(&random) - 1);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i; j < n; j++) {
                g[2 * (i * n + j)] += x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
                g[2 * (i * n + j) + 1] += x[2 * i] * x[2 * j + 1] - x[2 * i + 1] * x[2 * j];
            }
    }
    sac_free(x);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((sac_eigen_c128_fn)fn)(sac_check_data(c, VALUES), sac_check_data(c, VECTORS),
                            sac_check_data(c, G), (int32_t)n_of(c), NULL);
}

#if SAC_CUDA
typedef sac_status (*cuda_fn)(sac_gpu_stream stream, double *values, double *vectors,
                              const double *g, const sac_eigen_cuda *e);

static const sac_variant cuda[] = {{"cuda", 0, true, SAC_FN(cuda_fn, sac_eigen_c128_cuda)}, {0}};

static void close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    (void)gpu;
    if (c->cuda)
        sac_eigen_c128_cuda_close(c->cuda);
    sac_free(c->cuda);
    c->cuda = NULL;
}

static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    c->cuda = sac_alloc(1, sizeof(sac_eigen_cuda));
    const sac_status status =
        c->cuda ? sac_eigen_c128_cuda_open(c->cuda, gpu, (int32_t)n_of(c), NULL) : SAC_E_NOMEM;
    if (status)
        close_cuda(c, gpu);
    return status;
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    return ((cuda_fn)fn)(stream, sac_check_data(c, VALUES), sac_check_data(c, VECTORS),
                         sac_check_data(c, G), c->cuda);
}
#endif

/* Element i of g times a vector, less `value` times that. */
static double residual(const double *g, const double *v, double value, int64_t i, int64_t n)
{
    double re = -value * v[i], im = -value * v[n + i];
    for (int64_t j = 0; j < n; j++) {
        const double *e = g + 2 * (i < j ? i * n + j : j * n + i);
        const double er = e[0], ei = i < j ? e[1] : i > j ? -e[1] : 0;
        re += er * v[j] - ei * v[n + j];
        im += er * v[n + j] + ei * v[j];
    }
    return re * re + im * im;
}

/* |sum of conj(a) b|, less 1 where they are one. */
static double overlap(const double *a, const double *b, int64_t n)
{
    double re = a == b ? -1 : 0, im = 0;
    for (int64_t i = 0; i < n; i++) {
        re += a[i] * b[i] + a[n + i] * b[n + i];
        im += a[i] * b[n + i] - a[n + i] * b[i];
    }
    return hypot(re, im);
}

extern const sac_room_check sac_eigen_c128_check;

/* The CPU's variants give the same bytes; on a GPU vectors may be others, within the contract. */
static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    const int64_t n = n_of(want);
    const double within = (double)n * 0x1p-48;
    const double *g = sac_check_data(want, G), *vectors = sac_check_data(got, VECTORS);
    const double *a = sac_check_data(want, VALUES), *b = sac_check_data(got, VALUES);
    const double size = a[0] > 0 ? a[0] : 1;
    if (!sac_check_is_cuda(v)) {
        sac_check_bytewise(d, &sac_eigen_c128_check, want, got, v);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        double most = 0, left = 0;
        for (int64_t i = 0; i < n; i++)
            left += residual(g, vectors + 2 * k * n, b[k], i, n);
        for (int64_t j = 0; j <= k; j++)
            most = fmax(most, overlap(vectors + 2 * j * n, vectors + 2 * k * n, n));
        const bool falls = b[k] >= 0 && (k == 0 || b[k] <= b[k - 1]);
        const sac_check_pair p = {k, 0, k, a[k], b[k]};
        sac_check_value(d, &p, falls ? sac_check_error(&p) / size : INFINITY, within);
        sac_check_value(d, &p, sqrt(left) / size, within);
        sac_check_value(d, &p, most, within);
    }
}

const sac_room_check sac_eigen_c128_check = {SAC_CHECK_ROOM(sac_eigen_c128_room),
                                             .one_row = true,
                                             .max_pixels = 130,
                                             .costly = true,
                                             .compare = compare,
                                             .tasks = tasks,
                                             .cuda_by_calls = true, /* it waits for each sweep */
                                             SAC_CHECK_CUDA_ROOM(cuda)};
