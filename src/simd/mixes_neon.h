/*
 * mixes.h for AArch64.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_MIXES_NEON_H
#define SAC_SIMD_MIXES_NEON_H

typedef struct {
    int16_t p, q;
    int32x4_t o, shift; /* to the left */
} mix2;

SIMD_INLINE mix2 mix2_by(int16_t p, int16_t q, int32_t o, int32_t shift)
{
    return (mix2){p, q, vdupq_n_s32(o), vdupq_n_s32(-shift)};
}

SIMD_INLINE int16x4_t mix2_four(int16x4_t a, int16x4_t b, const mix2 *m)
{
    const int32x4_t sum = vmlal_n_s16(vmlal_n_s16(m->o, a, m->p), b, m->q);
    return vqmovn_s32(vshlq_s32(sum, m->shift));
}

SIMD_INLINE uint8x8_t mix2_eight(v16 a, v16 b, const mix2 *m)
{
    const int16x8_t x = vreinterpretq_s16_u16(a), y = vreinterpretq_s16_u16(b);
    return vqmovun_s16(vcombine_s16(mix2_four(vget_low_s16(x), vget_low_s16(y), m),
                                    mix2_four(vget_high_s16(x), vget_high_s16(y), m)));
}

SIMD_INLINE v8 mix2_bytes(v16x2 a, v16x2 b, const mix2 *m)
{
    return vcombine_u8(mix2_eight(a.lo, b.lo, m), mix2_eight(a.hi, b.hi, m));
}

typedef struct {
    int32x4_t lo, hi;
} mix2_share;

SIMD_INLINE mix2_share mix2_share_of(v16 b, const mix2 *m)
{
    const int16x8_t y = vreinterpretq_s16_u16(b);
    return (mix2_share){vmlal_n_s16(m->o, vget_low_s16(y), m->q),
                        vmlal_n_s16(m->o, vget_high_s16(y), m->q)};
}

SIMD_INLINE v16 mix2_words_with(v16 a, const mix2_share *s, const mix2 *m)
{
    const int16x8_t x = vreinterpretq_s16_u16(a);
    const int32x4_t lo = vmlal_n_s16(s->lo, vget_low_s16(x), m->p);
    const int32x4_t hi = vmlal_n_s16(s->hi, vget_high_s16(x), m->p);
    return vreinterpretq_u16_s16(
        vcombine_s16(vqmovn_s32(vshlq_s32(lo, m->shift)), vqmovn_s32(vshlq_s32(hi, m->shift))));
}

SIMD_INLINE v8 mix2_clip(v16 lo, v16 hi)
{
    return vcombine_u8(vqmovun_s16(vreinterpretq_s16_u16(lo)),
                       vqmovun_s16(vreinterpretq_s16_u16(hi)));
}

#endif
