/*
 * Samples that lie side by side, from places of each lane's own: NEON.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_PAIRS_NEON_H
#define SAC_SIMD_PAIRS_NEON_H

#include "simd/floats_neon.h"

SIMD_INLINE void vf_pairs_i16(vf *first, vf *second, const void *from, const uint32_t *at)
{
    int32_t v[4];
    for (int k = 0; k < 4; k++)
        memcpy(&v[k], (const char *)from + (size_t)at[k] * sizeof(int16_t), sizeof v[k]);
    int32x4_t pair = vld1q_s32(v);
    *first = vcvtq_f32_s32(vshrq_n_s32(vshlq_n_s32(pair, 16), 16));
    *second = vcvtq_f32_s32(vshrq_n_s32(pair, 16));
}

SIMD_INLINE float32x4_t vf_two_pairs_f32(const float *from, const uint32_t *at)
{
    return vcombine_f32(vld1_f32(from + at[0]), vld1_f32(from + at[1]));
}

SIMD_INLINE void vf_pairs_f32(vf *first, vf *second, const void *from, const uint32_t *at)
{
    const vf low = vf_two_pairs_f32(from, at), high = vf_two_pairs_f32(from, at + 2);
    *first = vuzp1q_f32(low, high);
    *second = vuzp2q_f32(low, high);
}

SIMD_INLINE void vf_quads_i16(vf v[4], const void *from, const uint32_t *at)
{
    for (int k = 0; k < 4; k++)
        v[k] = vf_load_i16((const int16_t *)from + at[k]);
    vf_transpose(v);
}

SIMD_INLINE void vf_quads_f32(vf v[4], const void *from, const uint32_t *at)
{
    for (int k = 0; k < 4; k++)
        v[k] = vf_load((const float *)from + at[k]);
    vf_transpose(v);
}

#endif
