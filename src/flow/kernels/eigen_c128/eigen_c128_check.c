/*
 * eigen_c128 for the harness: matrices of some width, the products of as many or fewer rows.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "eigen_c128.h"
#include "room/check.h"

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
                            sac_check_data(c, G), (int32_t)n_of(c));
}

const sac_room_check sac_eigen_c128_check = {SAC_CHECK_ROOM(sac_eigen_c128_room), .one_row = true,
                                             .max_pixels = 130, .costly = true, .tasks = tasks};
