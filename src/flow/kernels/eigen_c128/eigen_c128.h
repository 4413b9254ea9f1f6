/*
 * eigen_c128: eigenvalues and eigenvectors of a small Hermitian matrix without negative
 * eigenvalues, such as gram_c64's.
 *
 *     g = sum over k of values[k] v_k v_k^H,   values[0] >= values[1] >= ... >= 0
 *
 * g (n, n) complex in double, (re, im), of which the upper triangle is read; vectors n rows of 2 n
 * doubles, contiguous: the n real parts of v_k, then its n imaginary parts; v_k is a column, of
 * length 1, orthogonal to all others. n from 1 on. No overlap.
 *
 * g = L L^H by Cholesky's method with pivots, until what is left is below n 2^-52 of the largest
 * diagonal element (those eigenvalues are 0); then one-sided Jacobi: pairs of columns of L are
 * rotated until all are orthogonal within 2^-48. Their lengths are the roots of the eigenvalues.
 * (Veselic, Hari, "A note on a one-sided Jacobi algorithm", Numer. Math. 56, 1989.) Residuals
 * |g v - value v| are within n 2^-48 of values[0]. Every variant of the CPU gives the same bytes; a
 * GPU takes the pairs in another order, and finds other vectors of as good a basis, orthonormal
 * within n 2^-48. Where an element is not finite, so are the results. `watch` (NULL: nobody) is
 * told of each row of pairs; once it says no, the results are anything.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_EIGEN_C128_H
#define SAC_FLOW_EIGEN_C128_H

#include "room/variant.h"

/* Is told the share that is done, about, of 0 to 1; false ends the work. */
typedef struct sac_eigen_watch {
    bool (*go_on)(void *ctx, double share);
    void *ctx;
} sac_eigen_watch;

typedef void sac_eigen_c128_function(double *values, double *vectors, const double *g, int32_t n,
                                     const sac_eigen_watch *watch);
typedef sac_eigen_c128_function *sac_eigen_c128_fn;

sac_eigen_c128_function sac_eigen_c128_ref, sac_eigen_c128_auto_v3, sac_eigen_c128_auto_v4;

SAC_INTERNAL extern const sac_room sac_eigen_c128_room;

#endif
