/*
 * simd.h's names for filters: two rows of vectors (v8x2); 16-bit values of V8 bytes in an order of
 * the set's own ("wide"), which wide_bytes() and wide_store() undo; weighted sums of 3 x 3;
 * look-ups of 16 bits. filters_plain.h says what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_FILTERS_H
#define SAC_SIMD_FILTERS_H

#include "simd/simd.h"

#if defined(SAC_SIMD_PLAIN)
#include "simd/filters_plain.h"
#elif defined(__AVX512VBMI2__) && defined(__AVX512VNNI__)
#include "simd/filters_avx512.h"
#elif defined(__AVX2__)
#include "simd/filters_avx2.h"
#elif defined(__aarch64__)
#include "simd/filters_neon.h"
#else
#include "simd/filters_plain.h"
#endif

#endif
