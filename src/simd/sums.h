/*
 * simd.h's names for counting and summing under masks: 64 comparisons of bytes as bits and the way
 * back, lengths of pairs, sums of 16-bit values (v32) where a mask (m16) says so. sums_plain.h says
 * what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_SUMS_H
#define SAC_SIMD_SUMS_H

#include "simd/simd.h"

/* What x^2 + y^2 is multiplied by: 1024 less a unit in the last place. Let k be the root of that in
 * single precision, cut off: (k + 1) / 2, cut off, is floor(16 sqrt(x^2 + y^2) + 1/2) for all pairs
 * of bytes, as unit_simd tries. */
#define SIMD_ROOT_32 0x1.fffffep9f

#if defined(SAC_SIMD_PLAIN)
#include "simd/sums_plain.h"
#elif defined(__AVX512VBMI2__) && defined(__AVX512VNNI__)
#include "simd/sums_avx512.h"
#elif defined(__AVX2__)
#include "simd/sums_avx2.h"
#elif defined(__aarch64__)
#include "simd/sums_neon.h"
#else
#include "simd/sums_plain.h"
#endif

#endif
