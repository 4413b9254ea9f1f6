/*
 * scan_u64 in log2(n) passes, each adding what lies a power of two before (Kogge and Stone 1973).
 * two_array reads one array and writes the other: what Duong calls Brent-Kung has this shape.
 * kogge_stone works in place, from the end down, so that no step reads what the same step has
 * changed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "equalize/kernels/scan_u64/scan_u64.h"

#define PART 65536 /* values scanned at once: what the second array holds */

static _Thread_local uint64_t second[PART];

void sac_scan_u64_two_array(uint64_t *restrict out, const uint64_t *restrict in, size_t n)
{
    uint64_t carry = 0;
    for (size_t at = 0; at < n; at += PART) {
        size_t m = n - at < PART ? n - at : PART;
        uint64_t *from = second, *to = out + at;
        memcpy(from, in + at, m * sizeof *in);
        from[0] += carry;
        for (size_t step = 1; step < m; step *= 2) {
            for (size_t i = 0; i < m; i++)
                to[i] = i < step ? from[i] : from[i] + from[i - step];
            uint64_t *swap = from;
            from = to;
            to = swap;
        }
        if (from != out + at)
            memcpy(out + at, from, m * sizeof *out);
        carry = out[at + m - 1];
    }
}

void sac_scan_u64_kogge_stone(uint64_t *restrict out, const uint64_t *restrict in, size_t n)
{
    memcpy(out, in, n * sizeof *out);
    for (size_t step = 1; step < n; step *= 2)
        for (size_t i = n; i-- > step;)
            out[i] += out[i - step];
}
