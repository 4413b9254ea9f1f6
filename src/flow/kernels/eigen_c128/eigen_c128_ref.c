/*
 * eigen_c128: Cholesky, then one-sided Jacobi, in plain C whose loops have the compiler's vectors.
 * A row of `vectors` is a column of L: real parts, then imaginary parts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "eigen_c128.h"

#include <float.h>
#include <math.h>

#define ORTHOGONAL 0x1p-48 /* cosine of the angle of two columns that are left as they are */
enum { LANES = 8, MAX_SWEEPS = 40, USUAL_SWEEPS = 11 };

static double norm2(const double *a, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < 2 * n; i++)
        sum += a[i] * a[i];
    return sum;
}

/* sum of conj(a) b, in lanes whose order is the same for every set of instructions. */
static void dot(double c[2], const double *restrict a, const double *restrict b, int32_t n)
{
    const double *ai = a + n, *bi = b + n;
    double re[LANES] = {0}, im[LANES] = {0};
    int32_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            re[k] += a[i + k] * b[i + k] + ai[i + k] * bi[i + k];
            im[k] += a[i + k] * bi[i + k] - ai[i + k] * b[i + k];
        }
    for (; i < n; i++) {
        re[0] += a[i] * b[i] + ai[i] * bi[i];
        im[0] += a[i] * bi[i] - ai[i] * b[i];
    }
    c[0] = c[1] = 0;
    for (int k = 0; k < LANES; k++) {
        c[0] += re[k];
        c[1] += im[k];
    }
}

/* a - factor b, (n) complex. */
static void subtract(double *restrict a, const double *restrict b, double re, double im, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        a[i] -= re * b[i] - im * b[n + i];
        a[n + i] -= re * b[n + i] + im * b[i];
    }
}

/* Column p of g. */
static void take_column(double *out, const double *g, int32_t p, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t low = i < p ? i : p, high = i < p ? p : i;
        const double *from = g + 2 * ((ptrdiff_t)low * n + high);
        out[i] = from[0];
        out[n + i] = i < p ? from[1] : i > p ? -from[1] : 0;
    }
}

static int32_t largest(const double *a, int32_t n)
{
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++)
        best = a[i] > a[best] ? i : best;
    return best;
}

static bool is_finite(const double *g, int32_t n)
{
    bool all = true;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 2 * i; j < 2 * n; j++)
            all = all && isfinite(g[2 * (ptrdiff_t)i * n + j]);
    return all;
}

/* Columns of L into the first rows of `l`; returns how many. `left` (n): what remains of the
 * diagonal. */
static int32_t factor(double *l, double *left, const double *g, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        left[i] = g[2 * ((ptrdiff_t)i * n + i)];
    const double least = n * DBL_EPSILON * left[largest(left, n)];
    for (int32_t k = 0; k < n; k++) {
        double *column = l + 2 * (ptrdiff_t)k * n;
        const int32_t p = largest(left, n);
        if (left[p] <= least)
            return k;
        take_column(column, g, p, n);
        for (int32_t j = 0; j < k; j++) {
            const double *b = l + 2 * (ptrdiff_t)j * n;
            subtract(column, b, b[p], -b[n + p], n);
        }
        const double root = sqrt(left[p]);
        for (int32_t i = 0; i < 2 * n; i++)
            column[i] /= root;
        for (int32_t i = 0; i < n; i++)
            left[i] -= column[i] * column[i] + column[n + i] * column[n + i];
        left[p] = 0;
    }
    return n;
}

/* a' = c a - s conj(e) b, b' = s a + c conj(e) b. */
static void rotate(double *restrict a, double *restrict b, double c, double s, const double e[2],
                   int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const double re = e[0] * b[i] + e[1] * b[n + i], im = e[0] * b[n + i] - e[1] * b[i];
        const double ar = a[i], ai = a[n + i];
        a[i] = c * ar - s * re;
        a[n + i] = c * ai - s * im;
        b[i] = s * ar + c * re;
        b[n + i] = s * ai + c * im;
    }
}

/* Whether the pair was not orthogonal; squares has the lengths. */
static bool make_orthogonal(double *a, double *b, double *square_a, double *square_b, int32_t n)
{
    double c[2];
    dot(c, a, b, n);
    const double size = hypot(c[0], c[1]);
    if (!(size > ORTHOGONAL * sqrt(*square_a * *square_b)) || size < DBL_MIN)
        return false;
    const double zeta = (*square_b - *square_a) / (2 * size);
    const double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double cosine = 1 / sqrt(1 + t * t), e[] = {c[0] / size, c[1] / size};
    rotate(a, b, cosine, cosine * t, e, n);
    *square_a -= t * size;
    *square_b += t * size;
    return true;
}

/* Before the pairs of column a. */
static bool goes_on(const sac_eigen_watch *watch, int sweep, int32_t a, int32_t rank)
{
    const double left = 1 - (double)a / rank; /* of a row of pairs */
    return !watch || watch->go_on(watch->ctx, fmin((sweep + 1 - left * left) / USUAL_SWEEPS, 1));
}

/* Until a sweep changes nothing; false where the watch has ended it. */
static bool sweep(double *l, double *squares, int32_t rank, int32_t n, const sac_eigen_watch *watch)
{
    bool changed = true;
    for (int i = 0; i < MAX_SWEEPS && changed; i++) {
        changed = false;
        for (int32_t a = 0; a < rank; a++)
            squares[a] = norm2(l + 2 * (ptrdiff_t)a * n, n);
        for (int32_t a = 0; a < rank; a++) {
            if (!goes_on(watch, i, a, rank))
                return false;
            for (int32_t b = a + 1; b < rank; b++)
                changed |= make_orthogonal(l + 2 * (ptrdiff_t)a * n, l + 2 * (ptrdiff_t)b * n,
                                           &squares[a], &squares[b], n);
        }
    }
    return true;
}

static void swap_rows(double *a, double *b, int32_t n)
{
    for (int32_t i = 0; i < 2 * n; i++) {
        const double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* Vectors of length 1 in the order of their values. */
static void sort(double *values, double *vectors, int32_t rank, int32_t n)
{
    for (int32_t k = 0; k < rank; k++) {
        double *row = vectors + 2 * (ptrdiff_t)k * n;
        values[k] = norm2(row, n);
        const double root = sqrt(values[k]);
        for (int32_t i = 0; i < 2 * n; i++)
            row[i] /= root;
    }
    for (int32_t k = 0; k < rank; k++) {
        const int32_t best = k + largest(values + k, rank - k);
        if (best == k)
            continue;
        const double kept = values[k];
        values[k] = values[best];
        values[best] = kept;
        swap_rows(vectors + 2 * (ptrdiff_t)k * n, vectors + 2 * (ptrdiff_t)best * n, n);
    }
}

/* The vectors of the values 0: of the axes, the one that those so far have least of, made
 * orthogonal to them, twice against rounding. */
static void complete(double *values, double *vectors, int32_t rank, int32_t n)
{
    for (int32_t k = rank; k < n; k++) {
        double *row = vectors + 2 * (ptrdiff_t)k * n;
        for (int32_t i = 0; i < n; i++) {
            double seen = 0;
            for (int32_t j = 0; j < k; j++) {
                const double *v = vectors + 2 * (ptrdiff_t)j * n;
                seen += v[i] * v[i] + v[n + i] * v[n + i];
            }
            row[n + i] = -seen;
        }
        const int32_t axis = largest(row + n, n);
        for (int32_t i = 0; i < 2 * n; i++)
            row[i] = i == axis;
        for (int32_t j = 0; j < 2 * k; j++) {
            const double *v = vectors + 2 * (ptrdiff_t)(j % k) * n;
            double c[2];
            dot(c, v, row, n);
            subtract(row, v, c[0], c[1], n);
        }
        const double root = sqrt(norm2(row, n));
        for (int32_t i = 0; i < 2 * n; i++)
            row[i] /= root;
        values[k] = 0;
    }
}

void sac_eigen_c128_ref(double *restrict values, double *restrict vectors, const double *restrict g,
                        int32_t n, const sac_eigen_watch *watch)
{
    if (!is_finite(g, n)) {
        for (int32_t i = 0; i < n; i++)
            values[i] = NAN;
        for (ptrdiff_t i = 0; i < 2 * (ptrdiff_t)n * n; i++)
            vectors[i] = NAN;
        return;
    }
    const int32_t rank = factor(vectors, values, g, n);
    if (!sweep(vectors, values, rank, n, watch))
        return;
    sort(values, vectors, rank, n);
    complete(values, vectors, rank, n);
}
