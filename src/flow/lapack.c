/*
 * Eigenvectors by LAPACK's zheevd, from a library that is loaded when a plan wants it: it is
 * declared here as its manual has it, so that no header of it is needed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/lapack.h"

#include <float.h>
#include <math.h>

#include "base/alloc.h"
#include "base/library.h"

/* Complex numbers are pairs of doubles; lengths of the two words are passed behind all. */
typedef void zheevd_fn(const char *job, const char *triangle, const int *n, double *a,
                       const int *row, double *values, double *work, const int *n_work,
                       double *real_work, const int *n_real, int *int_work, const int *n_int,
                       int *info, size_t job_length, size_t triangle_length);

struct sac_flow_lapack {
    zheevd_fn *zheevd;
    int n, n_work, n_real, n_int; /* the least that zheevd asks for */
    double *a, *values;           /* (n, n) c128; (n) */
    double *work, *real_work;     /* (n_work) c128; (n_real) */
    int *int_work;
};

static bool allocate(sac_flow_lapack *l, int n)
{
    const size_t squares = 2 * (size_t)n * (size_t)n;
    l->n = n;
    l->n_work = 2 * n + n * n;
    l->n_real = 1 + 5 * n + 2 * n * n;
    l->n_int = 3 + 5 * n;
    l->a = sac_alloc(squares, sizeof *l->a);
    l->values = sac_alloc((size_t)n, sizeof *l->values);
    l->work = sac_alloc(2 * (size_t)l->n_work, sizeof *l->work);
    l->real_work = sac_alloc((size_t)l->n_real, sizeof *l->real_work);
    l->int_work = sac_alloc((size_t)l->n_int, sizeof *l->int_work);
    return l->a && l->values && l->work && l->real_work && l->int_work;
}

sac_status sac_flow_lapack_open(sac_flow_lapack **lapack, int32_t n, sac_error *err)
{
    static const char *const names[] = {"liblapack.so.3", "libopenblas.so.0", "liblapack.dylib",
                                        NULL};
    zheevd_fn *zheevd;
    *lapack = NULL;
    if (!sac_library_find(&zheevd, sac_library_load("SAC_LAPACK", names), "zheevd_"))
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "eigen: this machine has no LAPACK (liblapack3, libopenblas0)");
    sac_flow_lapack *l = *lapack = sac_alloc(1, sizeof *l);
    if (l && allocate(l, n)) {
        l->zheevd = zheevd;
        return SAC_OK;
    }
    sac_flow_lapack_close(lapack);
    return sac_fail(err, SAC_E_NOMEM, "flow: no memory for LAPACK's matrices of %d frames", n);
}

void sac_flow_lapack_close(sac_flow_lapack **lapack)
{
    sac_flow_lapack *l = *lapack;
    if (!l)
        return;
    sac_free(l->a);
    sac_free(l->values);
    sac_free(l->work);
    sac_free(l->real_work);
    sac_free(l->int_work);
    sac_free(l);
    *lapack = NULL;
}

/* The upper triangle of rows is the lower one of columns, of the conjugate matrix. */
static bool take(double *a, const double *g, int n)
{
    bool finite = true;
    for (int i = 0; i < n; i++)
        for (ptrdiff_t k = 2 * ((ptrdiff_t)i * n + i); k < 2 * ((ptrdiff_t)i * n + n); k++) {
            a[k] = g[k];
            finite = finite && isfinite(g[k]);
        }
    return finite;
}

bool sac_flow_lapack_run(const sac_flow_lapack *l, double *values, double *vectors, const double *g)
{
    const int n = l->n;
    int info = 0;
    if (!take(l->a, g, n))
        return false;
    l->zheevd("V", "L", &n, l->a, &n, l->values, l->work, &l->n_work, l->real_work, &l->n_real,
              l->int_work, &l->n_int, &info, 1, 1);
    if (info != 0)
        return false;
    /* Smallest first; what is below rounding is 0, as eigen_c128 has it. */
    const double least = n * DBL_EPSILON * l->values[n - 1];
    for (int k = 0; k < n; k++) {
        const double *from = l->a + 2 * (ptrdiff_t)(n - 1 - k) * n;
        double *to = vectors + 2 * (ptrdiff_t)k * n;
        values[k] = l->values[n - 1 - k] > least ? l->values[n - 1 - k] : 0;
        for (int i = 0; i < n; i++) {
            to[i] = from[2 * i];
            to[n + i] = -from[2 * i + 1];
        }
    }
    return true;
}
