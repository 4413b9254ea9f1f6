/*
 * simd.h's names for samples of 16 bits: planes of V16 pixels (v16x3), carries, look-ups of 64
 * bits. words_plain.h says what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_WORDS_H
#define SAC_SIMD_WORDS_H

#include "simd/simd.h"

#if defined(SAC_SIMD_PLAIN)
#include "simd/words_plain.h"
#elif defined(__AVX512VBMI2__) && defined(__AVX512VNNI__)
#include "simd/words_avx512.h"
#elif defined(__AVX2__)
#include "simd/words_avx2.h"
#elif defined(__aarch64__)
#include "simd/words_neon.h"
#else
#include "simd/words_plain.h"
#endif

/* V16 doubles, a op b in each. */
#define SIMD_DOUBLES(name, op)                                                                     \
    SIMD_INLINE v16d name(v16d a, v16d b)                                                          \
    {                                                                                              \
        for (size_t k = 0; k < sizeof a.x / sizeof a.x[0]; k++)                                    \
            a.x[k] = a.x[k] op b.x[k];                                                             \
        return a;                                                                                  \
    }
SIMD_DOUBLES(v16d_sub, -)
SIMD_DOUBLES(v16d_mul, *)
SIMD_DOUBLES(v16d_div, /)

#endif
