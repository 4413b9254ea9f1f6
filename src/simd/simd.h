/*
 * One set of names for the vector instructions of several CPUs, so that a kernel is one source for
 * all of them. A file in a room's list SIMD is compiled once for each set and sees its header:
 *
 *     avx2.h      32 bytes   x86-64-v3
 *     avx512.h    64 bytes   x86-64-v4 with VBMI, VBMI2 and VNNI
 *     neon.h      16 bytes   AArch64
 *     plain.h     16 bytes   C without vectors: what each name means
 *
 * Of the same kind, for those who include them: filters.h, floats.h, levels.h, mixes.h, sums.h and
 * words.h.
 *
 * A test (unit_simd) compares the others with plain.h: each name has a line in
 * tests/unit/simd_ops.def.
 *
 * Types: v8 and v16 are vectors of uint8_t and uint16_t, v8x3 and v8x4 the planes of V8 pixels, m8
 * is a yes or no for each byte. V8 is the number of bytes, V16 of 16-bit values. Lanes are in the
 * order of memory everywhere. Functions work on all lanes, and on V8 or V16 values in memory of any
 * alignment; ends of rows go through v8_tail().
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_SIMD_H
#define SAC_SIMD_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

/* Kernels are inlined with constants for what a loop must not ask: gcc leaves it alone otherwise.
 */
#define SIMD_INLINE static inline __attribute__((always_inline))

/* name(a, b) of vectors, by what `op` does to them. */
#define SIMD_BINARY(type, name, op)                                                                \
    SIMD_INLINE type name(type a, type b)                                                          \
    {                                                                                              \
        return op(a, b);                                                                           \
    }

#if defined(SAC_SIMD_PLAIN)
#include "simd/plain.h"
#elif defined(__AVX512VBMI2__) && defined(__AVX512VNNI__)
#include "simd/avx512.h"
#elif defined(__AVX2__)
#include "simd/avx2.h"
#elif defined(__aarch64__)
#include "simd/neon.h"
#else
#include "simd/plain.h"
#endif

/* The same room in C that the compiler makes vectors of, for what a kernel leaves to it. */
#if defined(__AVX512F__)
#define SIMD_OTHERWISE(room) sac_##room##_auto_v4
#elif defined(__AVX2__)
#define SIMD_OTHERWISE(room) sac_##room##_auto_v3
#else
#define SIMD_OTHERWISE(room) sac_##room##_plain
#endif

#endif
