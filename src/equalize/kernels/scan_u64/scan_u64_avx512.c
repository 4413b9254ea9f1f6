/*
 * scan_u64 with AVX-512: Kogge and Stone's three steps inside a vector of eight, and the total
 * carried on.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "scan_u64.h"

void sac_scan_u64_avx512(uint64_t *restrict out, const uint64_t *restrict in, size_t n)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i carry = zero;
    for (size_t i = 0; i < n; i += 8) {
        __mmask8 mask = (__mmask8)(n - i >= 8 ? 0xff : (1u << (n - i)) - 1);
        __m512i x = _mm512_maskz_loadu_epi64(mask, in + i);
        /* alignr shifts zeros in from below: x[k] += x[k - 1], then [k - 2], then [k - 4]. */
        x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 7));
        x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 6));
        x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 4));
        x = _mm512_add_epi64(x, carry);
        carry = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), x);
        _mm512_mask_storeu_epi64(out + i, mask, x);
    }
}
