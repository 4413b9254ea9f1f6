/*
 * Repeated timings of one thing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/timings.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void sac_timings_sort(int64_t *ns, int32_t n)
{
    qsort(ns, (size_t)n, sizeof ns[0], ascending);
}

int64_t sac_timings_at(const int64_t *ns, int32_t n, double p)
{
    return ns[(int32_t)(p * (double)(n - 1) + 0.5)];
}
