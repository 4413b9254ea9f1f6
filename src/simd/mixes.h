/*
 * simd.h's names for mixing two values of each sample: weighted sums in 32 bits, cut off and
 * brought to bytes. mixes_plain.h says what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_MIXES_H
#define SAC_SIMD_MIXES_H

#include "simd/filters.h"

#if defined(SAC_SIMD_PLAIN)
#include "simd/mixes_plain.h"
#elif defined(__AVX512VBMI2__) && defined(__AVX512VNNI__)
#include "simd/mixes_avx512.h"
#elif defined(__AVX2__)
#include "simd/mixes_avx2.h"
#elif defined(__aarch64__)
#include "simd/mixes_neon.h"
#else
#include "simd/mixes_plain.h"
#endif

#endif
