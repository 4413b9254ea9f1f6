/*
 * scan_u64 as Brent and Kung's adder (1982): sums of 2, 4, 8, ... up a tree, then down again into
 * the places between. 2n additions in 2 log2(n) passes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "equalize/kernels/scan_u64/scan_u64.h"

void sac_scan_u64_brent_kung(uint64_t *restrict out, const uint64_t *restrict in, size_t n)
{
    size_t step = 1;
    memcpy(out, in, n * sizeof *out);
    for (; step < n; step *= 2)
        for (size_t i = 2 * step - 1; i < n; i += 2 * step)
            out[i] += out[i - step];
    for (; step >= 1; step /= 2)
        for (size_t i = 3 * step - 1; i < n; i += 2 * step)
            out[i] += out[i - step];
}
