/*
 * For files with AVX-512 VBMI: masks and differences of 64 bytes, and 64 packed RGB pixels as three
 * vectors of 64 bytes, one per channel.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IMAGE_RGB_AVX512_H
#define SAC_IMAGE_RGB_AVX512_H

#include <immintrin.h>
#include <stdbool.h>

#include "image/pixels.h"

/* The lowest n bits: none if n < 1, all if n >= 64. */
static inline __mmask64 sac_mask64(int64_t n)
{
    return n >= 64 ? ~(__mmask64)0 : n < 1 ? 0 : ~(__mmask64)0 >> (64 - n);
}

static inline __mmask16 sac_mask16(int64_t n)
{
    return (__mmask16)sac_mask64(n);
}

/* |a - b| of 64 bytes. The empty statement keeps gcc from loading both twice, once for each
 * difference: these kernels are limited by loads. */
static inline __m512i sac_differ64(__m512i a, __m512i b)
{
    __asm__("" : "+v"(a), "+v"(b));
    return _mm512_or_si512(_mm512_subs_epu8(a, b), _mm512_subs_epu8(b, a));
}

typedef struct {
    __m512i c[3];
} sac_rgb64;

/* Whether rows are packed 3-byte pixels, with channels in any order. */
static inline bool sac_is_rgb64(const sac_pixels *p)
{
    if (p->n_colors != 3 || p->pixel != 3 || p->alpha)
        return false;
    uintptr_t a = (uintptr_t)p->color[0], b = (uintptr_t)p->color[1], c = (uintptr_t)p->color[2];
    uintptr_t low = a < b ? a : b;
    low = c < low ? c : low;
    return a + b + c == 3 * low + 3 && a != b && b != c && a != c;
}

/* The first byte of row y of such a picture. */
static inline uint8_t *sac_rgb64_row(const sac_pixels *p, int64_t y)
{
    uint8_t *low = p->color[0];
    for (int i = 1; i < p->n_colors; i++)
        if ((uintptr_t)p->color[i] < (uintptr_t)low)
            low = p->color[i];
    return low + y * p->row;
}

/* The bytes of vector 0, 1 or 2 that n packed pixels fill. */
static inline __mmask64 sac_rgb64_mask(int64_t n, int vector)
{
    int64_t bytes = 3 * n - 64 * vector;
    return bytes >= 64 ? ~(__mmask64)0 : bytes <= 0 ? 0 : (~(__mmask64)0) >> (64 - bytes);
}

/*
 * Channel c of pixel i is byte p = 3 i + c. FROM_AB selects it from the first two vectors; FROM_C
 * keeps that, or selects it from the third (p - 128 + 64).
 */
#define P4(f, c, i) f(c, i), f(c, i + 1), f(c, i + 2), f(c, i + 3)
#define P16(f, c, i) P4(f, c, i), P4(f, c, i + 4), P4(f, c, i + 8), P4(f, c, i + 12)
#define P64(f, c) P16(f, c, 0), P16(f, c, 16), P16(f, c, 32), P16(f, c, 48)
#define FROM_AB(c, i) (uint8_t)(3 * (i) + (c) < 128 ? 3 * (i) + (c) : 0)
#define FROM_C(c, i) (uint8_t)(3 * (i) + (c) < 128 ? (i) : 3 * (i) + (c)-64)
/* Byte i of output vector k is channel p % 3 of pixel p / 3, p = 64 k + i: from channels 0 and 1,
 * then 2. */
#define TO_01(k, i)                                                                                \
    (uint8_t)((64 * (k) + (i)) % 3 == 2 ? 0 : (64 * (k) + (i)) / 3 + 64 * ((64 * (k) + (i)) % 3))
#define TO_2(k, i) (uint8_t)((64 * (k) + (i)) % 3 == 2 ? 64 + (64 * (k) + (i)) / 3 : (i))

_Alignas(64) static const uint8_t sac_from_ab[3][64] = {
    {P64(FROM_AB, 0)}, {P64(FROM_AB, 1)}, {P64(FROM_AB, 2)}};
_Alignas(64) static const uint8_t sac_from_c[3][64] = {
    {P64(FROM_C, 0)}, {P64(FROM_C, 1)}, {P64(FROM_C, 2)}};
_Alignas(64) static const uint8_t sac_to_01[3][64] = {
    {P64(TO_01, 0)}, {P64(TO_01, 1)}, {P64(TO_01, 2)}};
_Alignas(64) static const uint8_t sac_to_2[3][64] = {
    {P64(TO_2, 0)}, {P64(TO_2, 1)}, {P64(TO_2, 2)}};

/* The bytes of 64 or n pixels at `rgb`. Bytes after pixel n are not read, and are 0. */
static inline void sac_rgb64_read(__m512i x[3], const uint8_t *rgb, int64_t n)
{
    for (int k = 0; k < 3; k++)
        x[k] = n >= 64 ? _mm512_loadu_si512(rgb + 64 * k)
                       : _mm512_maskz_loadu_epi8(sac_rgb64_mask(n, k), rgb + 64 * k);
}

/* Their channels. */
static inline sac_rgb64 sac_rgb64_split(const __m512i x[3])
{
    sac_rgb64 p;
    for (int k = 0; k < 3; k++) {
        __m512i ab = _mm512_permutex2var_epi8(x[0], _mm512_load_si512(sac_from_ab[k]), x[1]);
        p.c[k] = _mm512_permutex2var_epi8(ab, _mm512_load_si512(sac_from_c[k]), x[2]);
    }
    return p;
}

static inline sac_rgb64 sac_rgb64_load(const uint8_t *rgb, int64_t n)
{
    __m512i x[3];
    sac_rgb64_read(x, rgb, n);
    return sac_rgb64_split(x);
}

static inline void sac_rgb64_store(uint8_t *rgb, sac_rgb64 p, int64_t n)
{
    for (int k = 0; k < 3; k++) {
        __m512i x = _mm512_permutex2var_epi8(p.c[0], _mm512_load_si512(sac_to_01[k]), p.c[1]);
        x = _mm512_permutex2var_epi8(x, _mm512_load_si512(sac_to_2[k]), p.c[2]);
        if (n >= 64)
            _mm512_storeu_si512(rgb + 64 * k, x);
        else
            _mm512_mask_storeu_epi8(rgb + 64 * k, sac_rgb64_mask(n, k), x);
    }
}

#endif
