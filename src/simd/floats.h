/*
 * Vectors of floats under one set of names, as simd.h has them for bytes:
 *
 *     floats_avx512.h  16 floats  x86-64-v4
 *     floats_avx2.h     8 floats  x86-64-v3
 *     floats_neon.h     4 floats  AArch64
 *
 * Next to each lies pairs_*.h, with loads of neighbours from places that each lane has of its own.
 *
 * vf is a vector of VF floats, vi of as many int32_t, vd of as many doubles, mf a yes or no for
 * each lane. Lanes are in the order of memory; memory may have any alignment. Nothing is fused but
 *
 *     vf_fma(a, b, c) = a b + c        vf_fnma(a, b, c) = c - a b        (vd alike)
 *
 * Of the others, these need a word:
 *
 *     vf_min, vf_max         b where a is NaN; b never is
 *     vf_rsqrt_rough         within 2^-11 of 1 / sqrt(a), a > 0
 *     vf_negate_odd(a, odd)  -a where the last bit of odd's representation is set
 *     vf_keep(a)             a, which the compiler must hold in a register and not load again
 *     vf_swap(a)             the two lanes of each pair exchanged: (im, re) of (re, im)
 *     vf_times_j(a)          (-im, re) of (re, im), which are the lower and the upper half
 *     vf_ne, vd_ne           true for NaN
 *     vf_total               the sum of all lanes, in an order of the set's own
 *     vi_below(a, n)         a as unsigned < n
 *     vi_from_vf, vi_from_vd truncate
 *     vd_clamp(a, most)      0 to most; 0 for NaN
 *     mf_bits                bit i is lane i's
 *     vf_least, vf_greatest  of the lanes, none of which is NaN
 *     vf_least_of_8(least, rows)  vf_least of each of 8 rows, VF apart
 *     vf_transpose(v)        rows become columns
 *     vf_load2, vf_store2    values of even and of odd places in memory, apart in registers
 *     vf_store_halves(low, high, a): the lower 16 bits of each lane to low, the upper to high
 *     vf_octave(a)           log2 of a power of two, out of *a: leaves sqrt(1/2) <= *a < sqrt(2)
 *     vf_length(a, b)        sqrt(a a + b b), in double and rounded once
 *     vf_carry(part, whole)  part less 1 and whole + 1 where part >= 1
 *     vf_fma_where(m, a, b, c), vf_fnma_where: c where not m; b and c are finite there
 *     vf_store_where(p, a, lanes), vi_store_where: lanes of those bits, one after the other; up to
 *     VF are written. Returns how many.
 *     vf_pick(here, next, from, at, n): from[at] and from[at + 1], for each lane its own, all of
 *     them in from[0 .. n VF_WINDOW - 1], n being a constant, 1, 2 or 4; all of those are read
 *     vf_pairs_f32, _i16(first, second, from, at): samples at[k] and at[k] + 1, both in memory, for
 *     each lane its own; vf_quads_f32, _i16(v, from, at): four from at[k] on, as v[0] to v[3]
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_FLOATS_H
#define SAC_SIMD_FLOATS_H

#include "simd/simd.h"

#define VF_SQRT_HALF 0x3f3504f3 /* the bits of sqrt(1/2) */

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include "simd/pairs_avx512.h"
#elif defined(__AVX2__)
#include "simd/pairs_avx2.h"
#elif defined(__aarch64__)
#include "simd/pairs_neon.h"
#endif

#ifndef VF_STORES_WHERE /* the set has instructions for it */
SIMD_INLINE int vf_store_where(float *p, vf a, uint32_t lanes)
{
    float all[VF];
    vf_store(all, a);
    int n = 0;
    for (; lanes; lanes &= lanes - 1)
        p[n++] = all[__builtin_ctz(lanes)];
    return n;
}

SIMD_INLINE int vi_store_where(int32_t *p, vi a, uint32_t lanes)
{
    int32_t all[VF];
    vi_store(all, a);
    int n = 0;
    for (; lanes; lanes &= lanes - 1)
        p[n++] = all[__builtin_ctz(lanes)];
    return n;
}
#endif

SIMD_INLINE vf vf_length(vf a, vf b)
{
    const vd x = vd_from_vf(a), y = vd_from_vf(b);
    return vf_from_vd(vd_sqrt(vd_fma(x, x, vd_mul(y, y))));
}

#endif
