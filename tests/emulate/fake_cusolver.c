/*
 * A library in cuSOLVER's place, for a GPU on the CPU: Jacobi's method on both sides. FAKE_CREATE,
 * FAKE_STATUS and FAKE_INFO of the environment say how its calls fail.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "gpu/gpu.h" /* whose functions are the program's */

#define MOST_SWEEPS 60
#define SMALL 0x1p-54 /* of the matrix, what an element may be that is taken for 0 */

int cusolverDnCreate(void **handle);
int cusolverDnDestroy(void *handle);
int cusolverDnSetStream(void *handle, sac_gpu_stream stream);
int cusolverDnZheevd_bufferSize(void *handle, int job, int triangle, int n, const double *a,
                                int row, const double *values, int *n_work);
int cusolverDnZheevd(void *handle, int job, int triangle, int n, double *a, int row, double *values,
                     double *work, int n_work, int *info);

static int ordered(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

int cusolverDnCreate(void **handle)
{
    const int status = ordered("FAKE_CREATE");
    *handle = status ? NULL : calloc(1, sizeof(sac_gpu_stream));
    return status ? status : *handle == NULL;
}

int cusolverDnDestroy(void *handle)
{
    free(handle);
    return 0;
}

int cusolverDnSetStream(void *handle, sac_gpu_stream stream)
{
    *(sac_gpu_stream *)handle = stream;
    return 0;
}

int cusolverDnZheevd_bufferSize(void *handle, int job, int triangle, int n, const double *a,
                                int row, const double *values, int *n_work)
{
    (void)a, (void)values;
    *n_work = n * n;
    return handle && job == 1 && triangle == 0 && row == n ? 0 : 3;
}

/* Makes m's element (p, q) 0: columns of v and m, then rows of m. m[n q + p] is row p, column q. */
static void rotate(double complex *m, double complex *v, int n, int p, int q)
{
    const double complex at = m[n * q + p];
    const double r = cabs(at);
    const double tau = (creal(m[n * q + q]) - creal(m[n * p + p])) / (2 * r);
    const double t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau));
    const double c = 1 / sqrt(1 + t * t);
    const double complex s = t * c * at / r;
    for (int i = 0; i < n; i++) {
        double complex x = m[n * p + i], y = m[n * q + i];
        m[n * p + i] = c * x - conj(s) * y;
        m[n * q + i] = s * x + c * y;
        x = v[n * p + i], y = v[n * q + i];
        v[n * p + i] = c * x - conj(s) * y;
        v[n * q + i] = s * x + c * y;
    }
    for (int i = 0; i < n; i++) {
        const double complex x = m[n * i + p], y = m[n * i + q];
        m[n * i + p] = c * x - s * y;
        m[n * i + q] = conj(s) * x + c * y;
    }
}

/* The eigenvalues become m's diagonal, in some order; false: an element is not finite. */
static bool find(double complex *m, double complex *v, int n)
{
    double size = 0;
    for (int i = 0; i < n * n; i++) {
        v[i] = i % (n + 1) == 0;
        size = fmax(size, cabs(m[i]));
        if (!isfinite(creal(m[i])) || !isfinite(cimag(m[i])))
            return false;
    }
    bool changed = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && changed; sweep++) {
        changed = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (cabs(m[n * q + p]) > SMALL * size) {
                    rotate(m, v, n, p, q);
                    changed = true;
                }
    }
    return true;
}

/* Values, the least first, and their vectors, each turned by some phase. */
static void put(double *values, double complex *a, const double complex *m, const double complex *v,
                int n)
{
    for (int k = 0; k < n; k++) {
        int at = 0;
        for (int i = 0; i < n; i++)
            at += creal(m[i * (n + 1)]) < creal(m[k * (n + 1)]) ||
                  (creal(m[i * (n + 1)]) == creal(m[k * (n + 1)]) && i < k);
        values[at] = creal(m[k * (n + 1)]);
        for (int i = 0; i < n; i++)
            a[n * at + i] = cexp(I * (double)k) * v[n * k + i];
    }
}

int cusolverDnZheevd(void *handle, int job, int triangle, int n, double *a, int row, double *values,
                     double *work, int n_work, int *info)
{
    const size_t squares = (size_t)n * (size_t)n;
    double complex *m = calloc(squares, sizeof *m), *v = calloc(squares, sizeof *v);
    double complex *columns = (double complex *)a;
    int status = ordered("FAKE_STATUS");
    if (!m || !v || job != 1 || triangle != 0 || row != n || n_work != n * n ||
        sac_gpu_wait(*(sac_gpu_stream *)handle) != SAC_OK)
        status = 7;
    for (int k = 0; k < n && status == 0; k++)
        for (int i = k; i < n; i++) {
            m[n * k + i] = i == k ? creal(columns[n * k + i]) : columns[n * k + i];
            m[n * i + k] = conj(m[n * k + i]);
        }
    if (status == 0 && !find(m, v, n))
        status = 7;
    if (status == 0) {
        put(values, columns, m, v, n);
        work[2 * n_work - 1] = 0;
        *info = ordered("FAKE_INFO");
    }
    free(m);
    free(v);
    return status;
}
