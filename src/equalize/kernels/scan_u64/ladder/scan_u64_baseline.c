/*
 * scan_u64, each place for itself: the baseline of Duong's ladder, n^2 / 2 additions; and its
 * second rung, which starts from the nearer end and takes away from the total, n^2 / 4.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/scan_u64/scan_u64.h"

static uint64_t sum(const uint64_t *in, size_t from, size_t to)
{
    uint64_t total = 0;
    for (size_t i = from; i < to; i++)
        total += in[i];
    return total;
}

void sac_scan_u64_baseline(uint64_t *restrict out, const uint64_t *restrict in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = sum(in, 0, i + 1);
}

void sac_scan_u64_two_ended(uint64_t *restrict out, const uint64_t *restrict in, size_t n)
{
    uint64_t total = sum(in, 0, n);
    for (size_t i = 0; i < n; i++)
        out[i] = i < n / 2 ? sum(in, 0, i + 1) : total - sum(in, i + 1, n);
}
