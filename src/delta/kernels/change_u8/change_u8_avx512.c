/*
 * change_u8 for AVX-512 VBMI: 64 bytes a comparison; the bits of a changed pixel are spread
 * over its bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "change_u8.h"
#include "image/rgb_avx512.h"

/* 64 or n pixels of 3 bytes. */
static inline int32_t rgb(uint8_t *out, const uint8_t *in, const uint8_t *ref, __m512i threshold,
                          int64_t n)
{
    __m512i a[3], b[3], d[3];
    sac_rgb64_read(a, in, n);
    sac_rgb64_read(b, ref, n);
    __mmask64 any = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = sac_differ64(a[k], b[k]);
        any |= _mm512_cmpgt_epu8_mask(d[k], threshold);
    }
    __mmask64 changed = 0;
    sac_rgb64 p = {{_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()}};
    if (any) {
        sac_rgb64 difference;
        for (int k = 0; k < 3; k++)
            a[k] = _mm512_sub_epi8(a[k], b[k]);
        p = sac_rgb64_split(d);
        changed = _mm512_cmpgt_epu8_mask(_mm512_max_epu8(_mm512_max_epu8(p.c[0], p.c[1]), p.c[2]),
                                         threshold);
        difference = sac_rgb64_split(a);
        for (int k = 0; k < 3; k++)
            p.c[k] = _mm512_maskz_mov_epi8(changed, difference.c[k]);
        sac_rgb64_store(out, p, n);
    } else {
        for (int k = 0; k < 3; k++)
            _mm512_mask_storeu_epi8(out + 64 * k, sac_rgb64_mask(n, k), p.c[k]);
    }
    return (int32_t)_mm_popcnt_u64(changed);
}

/* 64 or n bytes, pixels of 1 or 4. */
static inline int32_t bytes(uint8_t *out, const uint8_t *in, const uint8_t *ref, __m512i threshold,
                            int64_t n, int32_t channels)
{
    __mmask64 valid = sac_mask64(n);
    __m512i a = _mm512_maskz_loadu_epi8(valid, in), b = _mm512_maskz_loadu_epi8(valid, ref);
    __m512i d = _mm512_sub_epi8(a, b);
    __mmask64 changed = _mm512_cmpgt_epu8_mask(sac_differ64(a, b), threshold);
    if (channels == 1) {
        _mm512_mask_storeu_epi8(out, valid, _mm512_maskz_mov_epi8(changed, d));
        return (int32_t)_mm_popcnt_u64(changed);
    }
    __m512i wide = _mm512_maskz_set1_epi8(changed, 1);
    __mmask16 pixels = _mm512_test_epi32_mask(wide, wide);
    _mm512_mask_storeu_epi8(out, valid, _mm512_maskz_mov_epi32(pixels, d));
    return (int32_t)_mm_popcnt_u64(pixels);
}

int32_t sac_change_u8_avx512(uint8_t *out, const uint8_t *in, ptrdiff_t in_row, const uint8_t *ref,
                             ptrdiff_t ref_row, const sac_delta_shape *shape, int32_t threshold)
{
    int64_t w = shape->w, n_bytes = w * shape->channels;
    __m512i t = _mm512_set1_epi8((char)threshold);
    int32_t n = 0;
    for (int64_t y = 0; y < shape->h; y++, out += n_bytes, in += in_row, ref += ref_row) {
        if (shape->channels == 3)
            for (int64_t x = 0; x < w; x += 64)
                n += rgb(out + 3 * x, in + 3 * x, ref + 3 * x, t, w - x);
        else
            for (int64_t i = 0; i < n_bytes; i += 64)
                n += bytes(out + i, in + i, ref + i, t, n_bytes - i, shape->channels);
    }
    return n;
}
