/*
 * mixes.h in C: what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_MIXES_PLAIN_H
#define SAC_SIMD_MIXES_PLAIN_H

typedef struct {
    int16_t p, q;
    int32_t o, shift;
} mix2;

/* The factors, what is added, and 0 to 31 bits that are cut off. */
SIMD_INLINE mix2 mix2_by(int16_t p, int16_t q, int32_t o, int32_t shift)
{
    return (mix2){p, q, o, shift};
}

SIMD_INLINE uint8_t mix2_lane(uint16_t a, uint16_t b, const mix2 *m)
{
    const int32_t x = (m->p * (int16_t)a + m->q * (int16_t)b + m->o) >> m->shift;
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

/* (p a + q b + o) >> shift of signed values, no less than 0 and no more than 255; the sum has to
 * fit 32 bits. */
SIMD_INLINE v8 mix2_bytes(v16x2 a, v16x2 b, const mix2 *m)
{
    v8 r;
    for (int i = 0; i < V16; i++) {
        r.x[i] = mix2_lane(a.lo.x[i], b.lo.x[i], m);
        r.x[V16 + i] = mix2_lane(a.hi.x[i], b.hi.x[i], m);
    }
    return r;
}

/* What `b` gives to all that is mixed with it: q b + o. */
typedef struct {
    int32_t x[V16];
} mix2_share;

SIMD_INLINE mix2_share mix2_share_of(v16 b, const mix2 *m)
{
    mix2_share s;
    for (int i = 0; i < V16; i++)
        s.x[i] = m->q * (int16_t)b.x[i] + m->o;
    return s;
}

/* (p a + share) >> shift of signed values, for a shift of 16 or more; the sum has to fit 32 bits.
 */
SIMD_INLINE v16 mix2_words_with(v16 a, const mix2_share *s, const mix2 *m)
{
    for (int i = 0; i < V16; i++)
        a.x[i] = (uint16_t)((m->p * (int16_t)a.x[i] + s->x[i]) >> m->shift);
    return a;
}

/* Both halves of a wide vector, signed, no less than 0 and no more than 255. */
SIMD_INLINE v8 mix2_clip(v16 lo, v16 hi)
{
    v8 r;
    for (int i = 0; i < 2 * V16; i++) {
        const int16_t x = (int16_t)(i < V16 ? lo.x[i] : hi.x[i - V16]);
        r.x[i] = (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
    }
    return r;
}

#endif
