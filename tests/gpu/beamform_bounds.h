/*
 * How far plans may be off: bounds of errors, of images that are reduced by adaptive weights, too.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_BEAMFORM_BOUNDS_H
#define SAC_TESTS_BEAMFORM_BOUNDS_H

#include "beamform_scene.h"

static inline bool reduces(const test *t, const char *how)
{
    return t->desc.reduction && !strncmp(t->desc.reduction, how, strlen(how));
}

/* Of what an image is reduced from. */
static inline double signals_bound(const test *t)
{
    return error_bound(t) + 5e-6;
}

/* The signals' bound, as the room adapt_iq_f32 derives it from that; of scf without those that
 * count_turned leaves out, which is why it is half of the room's. */
static inline double reduced_bound(const test *t)
{
    const double signals = signals_bound(t);
    if (!t->desc.reduction)
        return error_bound(t);
    return (reduces(t, "scf") ? 2 * sqrt(signals) : 4 * signals) + (reduces(t, "mv") ? 2e-4 : 0);
}

/* Of n values of scf, how many a rounding may have put another sign into: some twice as many as
 * noise makes expect. One is much of a picture of few points, which no bound of all of it allows.
 */
static inline int64_t count_turned(const test *t, int64_t n)
{
    const double signs = (double)(n * t->acquisition.n_elements);
    return reduces(t, "scf") ? (int64_t)(2 + 4 * signs * signals_bound(t)) : 0;
}

static inline int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of n numbers, all but the largest n_left_out. */
static inline double sum_of(double *x, int64_t n, int64_t n_left_out)
{
    double sum = 0;
    if (n_left_out > 0)
        qsort(x, (size_t)n, sizeof *x, by_size);
    for (int64_t i = 0; i < n - n_left_out; i++)
        sum += x[i];
    return sum;
}

#endif
