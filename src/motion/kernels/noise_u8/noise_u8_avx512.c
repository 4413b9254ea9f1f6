/*
 * noise_u8 with AVX-512, 64 pixels at a time as 64 bits: of packed RGB each color's bits are picked
 * from three 64-bit masks (PEXT) and put back where red lies (PDEP). For packed RGB, RGBA and gray
 * of one layout; others are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>
#include <string.h>

#include "motion/kernels/pixels_avx512.h"
#include "noise_u8.h"

/* Each step and view is its own loop: gcc leaves it alone otherwise. */
#define INLINE static inline __attribute__((always_inline))

/* Bits of three words, bit 3 i + c being color c of pixel i: those of color c in word k, and the
 * pixel of the first. */
#define EACH_THIRD UINT64_C(0x9249249249249249)
static const uint64_t third[3] = {EACH_THIRD, EACH_THIRD << 1, EACH_THIRD << 2};

INLINE uint64_t color_bits(int c, int k)
{
    return third[(c + 2 * k) % 3];
}

INLINE int first_pixel(int c, int k)
{
    return (64 * k - c + 2) / 3;
}

INLINE uint64_t pick(const uint64_t word[3], int c)
{
    uint64_t bits = 0;
    for (int k = 0; k < 3; k++)
        bits |= _pext_u64(word[k], color_bits(c, k)) << first_pixel(c, k);
    return bits;
}

INLINE uint64_t put(uint64_t bits, int c, int k)
{
    return _pdep_u64(bits >> first_pixel(c, k), color_bits(c, k));
}

/* Which of 64 or n pixels changed; t: the threshold in every byte. */
INLINE uint64_t find(const uint8_t *p, const uint8_t *q, int64_t n, int step, __m512i t)
{
    uint64_t bits = 0;
    if (step == 1) {
        __mmask64 some = sac_mask64(n);
        return _mm512_cmpgt_epu8_mask(
            sac_differ64(_mm512_maskz_loadu_epi8(some, p), _mm512_maskz_loadu_epi8(some, q)), t);
    }
    if (step == 4) {
        const __m512i colors = _mm512_set1_epi32(0x00ffffff);
        for (int k = 0; k < 4; k++) {
            __mmask16 some = sac_mask16(n - 16 * k);
            __m512i d = sac_differ64(_mm512_maskz_loadu_epi32(some, p + 64 * k),
                                     _mm512_maskz_loadu_epi32(some, q + 64 * k));
            __mmask16 is = _mm512_test_epi32_mask(_mm512_subs_epu8(d, t), colors);
            bits |= (uint64_t)is << 16 * k;
        }
        return bits;
    }
    __m512i a[3], b[3];
    uint64_t word[3];
    sac_rgb64_read(a, p, n);
    sac_rgb64_read(b, q, n);
    for (int k = 0; k < 3; k++)
        word[k] = _mm512_cmpgt_epu8_mask(sac_differ64(a[k], b[k]), t);
    return pick(word, 0) | pick(word, 1) | pick(word, 2);
}

/* `from` with bytes `red` at 255; before that 0 but for bytes `keep`. */
INLINE __m512i paint(__m512i from, __mmask64 keep, __mmask64 red)
{
    const __m512i full = _mm512_set1_epi8((char)255);
    return _mm512_mask_mov_epi8(_mm512_maskz_mov_epi8(keep, from), red, full);
}

INLINE void draw_rgb(uint8_t *to, const uint8_t *from, int64_t n, uint64_t bits, int red,
                     sac_noise_view view)
{
    __m512i x[3] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    if (view != SAC_NOISE_MASK)
        sac_rgb64_read(x, from, n);
    for (int k = 0; k < 3; k++) {
        uint64_t is = red ? put(bits, 2, k) : put(bits, 0, k);
        uint64_t all = put(bits, 0, k) | put(bits, 1, k) | put(bits, 2, k);
        __m512i v = paint(x[k], view == SAC_NOISE_PURE ? ~all : ~UINT64_C(0), is);
        if (n >= 64)
            _mm512_storeu_si512(to + 64 * k, v);
        else
            _mm512_mask_storeu_epi8(to + 64 * k, sac_rgb64_mask(n, k), v);
    }
}

INLINE void draw_rgba(uint8_t *to, const uint8_t *from, int64_t n, uint64_t bits, int red,
                      sac_noise_view view)
{
    const __m512i alpha = _mm512_set1_epi32((int)0xff000000);
    const __m512i full = _mm512_set1_epi32(255 << 8 * red);
    for (int k = 0; k < 4; k++) {
        const __mmask16 some = sac_mask16(n - 16 * k), is = (__mmask16)(bits >> 16 * k);
        __m512i v = view == SAC_NOISE_MASK ? alpha : _mm512_maskz_loadu_epi32(some, from + 64 * k);
        if (view == SAC_NOISE_PURE)
            v = _mm512_mask_and_epi32(v, is, v, alpha);
        v = _mm512_mask_or_epi32(v, is, v, full);
        if (n >= 64)
            _mm512_storeu_si512(to + 64 * k, v);
        else
            _mm512_mask_storeu_epi32(to + 64 * k, some, v);
    }
}

INLINE void draw_gray(uint8_t *to, const uint8_t *from, int64_t n, uint64_t bits,
                      sac_noise_view view)
{
    const __mmask64 some = sac_mask64(n);
    __m512i v =
        view == SAC_NOISE_MASK ? _mm512_setzero_si512() : _mm512_maskz_loadu_epi8(some, from);
    v = paint(v, ~UINT64_C(0), bits);
    if (n >= 64)
        _mm512_storeu_si512(to, v);
    else
        _mm512_mask_storeu_epi8(to, some, v);
}

/* 64 or n pixels from x on, of rows at `to`, p and q. Returns their bits. */
INLINE uint64_t view_64(uint8_t *to, const uint8_t *p, const uint8_t *q, int64_t x, int64_t n,
                        int red, __m512i t, int step, sac_noise_view view)
{
    const uint64_t bits = find(p + step * x, q + step * x, n, step, t);
    if (view == SAC_NOISE_BITS)
        memcpy(to + x / 8, &bits, n >= 64 ? 8 : (size_t)(n + 7) / 8);
    else if (step == 3)
        draw_rgb(to + 3 * x, q + 3 * x, n, bits, red, view);
    else if (step == 4)
        draw_rgba(to + 4 * x, q + 4 * x, n, bits, red, view);
    else
        draw_gray(to + x, q + x, n, bits, view);
    return bits;
}

/* `step` and `view` are constants. */
INLINE uint64_t view_rows(const sac_pixels *out, const sac_pixels *current,
                          const sac_pixels *previous, int32_t threshold, int step,
                          sac_noise_view view)
{
    const __m512i t = _mm512_set1_epi8((char)threshold);
    const int red = sac_layout64_of(out).red;
    const int64_t w = current->w, h = current->h;
    uint64_t count = 0;
    for (int64_t y = 0; y < h; y++) {
        uint8_t *to = sac_row64(out, y);
        const uint8_t *p = sac_row64(current, y), *q = sac_row64(previous, y);
        int64_t x = 0;
        for (; x + 64 <= w; x += 64)
            count += (uint64_t)_mm_popcnt_u64(view_64(to, p, q, x, 64, red, t, step, view));
        if (x < w)
            count += (uint64_t)_mm_popcnt_u64(view_64(to, p, q, x, w - x, red, t, step, view));
    }
    return count;
}

INLINE uint64_t view_step(const sac_pixels *out, const sac_pixels *current,
                          const sac_pixels *previous, int32_t threshold, int step,
                          sac_noise_view view)
{
    switch (view) {
    case SAC_NOISE_MASK:
        return view_rows(out, current, previous, threshold, step, SAC_NOISE_MASK);
    case SAC_NOISE_OVERLAY:
        return view_rows(out, current, previous, threshold, step, SAC_NOISE_OVERLAY);
    case SAC_NOISE_PURE:
        return view_rows(out, current, previous, threshold, step, SAC_NOISE_PURE);
    default:
        return view_rows(out, current, previous, threshold, step, SAC_NOISE_BITS);
    }
}

uint64_t sac_noise_u8_avx512(const sac_pixels *out, const sac_pixels *current,
                             const sac_pixels *previous, sac_noise_view view, int32_t threshold)
{
    const sac_layout64 to = sac_layout64_of(out), in = sac_layout64_of(current);
    const sac_layout64 before = sac_layout64_of(previous);
    bool fits = in.step == before.step && in.red == before.red;
    if (view == SAC_NOISE_BITS)
        fits = fits && to.step == 1;
    else
        fits = fits && to.step == in.step && to.red == in.red;
    if (fits && in.step == 3)
        return view_step(out, current, previous, threshold, 3, view);
    if (fits && in.step == 4)
        return view_step(out, current, previous, threshold, 4, view);
    if (fits && in.step == 1)
        return view_step(out, current, previous, threshold, 1, view);
    return sac_noise_u8_auto_v4(out, current, previous, view, threshold);
}
