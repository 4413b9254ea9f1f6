/*
 * simd.h's names for CLAHE's levels: what makes them of counts, VC at a time; what mixes those of
 * neighbouring tiles: lines of doubles looked up by a byte, and quotients. levels_plain.h says what
 * each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_LEVELS_H
#define SAC_SIMD_LEVELS_H

#include "simd/simd.h"

#if defined(SAC_SIMD_PLAIN)
#include "simd/levels_plain.h"
#elif defined(__AVX512VBMI2__) && defined(__AVX512VNNI__)
#include "simd/levels_avx512.h"
#elif defined(__AVX2__)
#include "simd/levels_avx2.h"
#elif defined(__aarch64__)
#include "simd/levels_neon.h"
#else
#include "simd/levels_plain.h"
#endif

#endif
