/*
 * scan_u64, the specification, and on one core hard to beat: each sum from the one before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan_u64.h"

void sac_scan_u64_sequential(uint64_t *restrict out, const uint64_t *restrict in, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = sum += in[i];
}
