/*
 * heat_u8 with AVX-512 VBMI, 64 pixels at a time. d is two vectors of bytes (d mod 256, d >> 8);
 * colors come from tables by byte permutes of 128 entries each: six of them a color, or three
 * for two colors where the map is mirrored, whose tables stay in registers. For packed RGB, RGBA
 * and gray in, packed RGB or RGBA out; other layouts are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>
#include <stdbool.h>

#include "heat_u8.h"
#include "image/rgb_avx512.h"
#include "motion/kernels/packed.h"

/* Each step and kind of map is its own loop: gcc leaves it alone otherwise. */
#define INLINE static inline __attribute__((always_inline))

/* d of 64 pixels: its low bytes, where it is at least 256, at least 512. */
typedef struct {
    __m512i low;
    __mmask64 above_255, above_511;
} differences;

INLINE differences differ_rgb(const uint8_t *p, const uint8_t *q, int64_t n)
{
    __m512i a[3], b[3];
    sac_rgb64_read(a, p, n);
    sac_rgb64_read(b, q, n);
    for (int k = 0; k < 3; k++)
        a[k] = sac_differ64(a[k], b[k]);
    sac_rgb64 d = sac_rgb64_split(a);
    __m512i ab = _mm512_add_epi8(d.c[0], d.c[1]), low = _mm512_add_epi8(ab, d.c[2]);
    __mmask64 carry = _mm512_cmplt_epu8_mask(ab, d.c[1]);
    __mmask64 again = _mm512_cmplt_epu8_mask(low, d.c[2]);
    return (differences){low, carry | again, carry & again};
}

/*
 * Four vectors of 16 sums each, packed within 128-bit lanes: byte 16 L + 4 j + i is pixel 16 j + 4
 * L + i, which is what the unpacking of four planes into 4-byte pixels undoes.
 */
INLINE differences differ_rgba(const uint8_t *p, const uint8_t *q, int64_t n)
{
    const __m512i colors = _mm512_set1_epi32(0x00010101);
    __m512i d[4];
    for (int j = 0; j < 4; j++) {
        __mmask16 some = sac_mask16(n - 16 * j);
        d[j] = sac_differ64(_mm512_maskz_loadu_epi32(some, p + 64 * j),
                            _mm512_maskz_loadu_epi32(some, q + 64 * j));
        d[j] = _mm512_dpbusd_epi32(_mm512_setzero_si512(), d[j], colors);
    }
    const __m512i byte = _mm512_set1_epi16(255);
    __m512i a = _mm512_packus_epi32(d[0], d[1]), b = _mm512_packus_epi32(d[2], d[3]);
    __m512i low = _mm512_packus_epi16(_mm512_and_si512(a, byte), _mm512_and_si512(b, byte));
    __m512i high = _mm512_packus_epi16(_mm512_srli_epi16(a, 8), _mm512_srli_epi16(b, 8));
    return (differences){low, _mm512_test_epi8_mask(high, high),
                         _mm512_test_epi8_mask(high, _mm512_set1_epi8(2))};
}

/* 768 or 384 bytes as vectors. */
INLINE __m512i part(const uint8_t *table, int i)
{
    return _mm512_loadu_si512(table + 64 * i);
}

INLINE __m512i look_up_128(const uint8_t *table, int i, __m512i low)
{
    return _mm512_permutex2var_epi8(part(table, i), low, part(table, i + 1));
}

INLINE sac_rgb64 look_up(const sac_heat_table *table, const differences *d)
{
    const __mmask64 odd = _mm512_movepi8_mask(d->low);
    sac_rgb64 out;
    for (int c = 0; c < 3; c++) {
        const uint8_t *t = table->color[c];
        __m512i a =
            _mm512_mask_blend_epi8(odd, look_up_128(t, 0, d->low), look_up_128(t, 2, d->low));
        __m512i b =
            _mm512_mask_blend_epi8(odd, look_up_128(t, 4, d->low), look_up_128(t, 6, d->low));
        __m512i e =
            _mm512_mask_blend_epi8(odd, look_up_128(t, 8, d->low), look_up_128(t, 10, d->low));
        out.c[c] =
            _mm512_mask_blend_epi8(d->above_511, _mm512_mask_blend_epi8(d->above_255, a, b), e);
    }
    return out;
}

/* A mirrored map's color[2] and color[1] of 0 to 383. */
typedef struct {
    __m512i blue[6], green[6];
} mirrored;

INLINE mirrored load_mirrored(const sac_heat_table *table)
{
    mirrored m;
    for (int i = 0; i < 6; i++) {
        m.blue[i] = part(table->color[2], i);
        m.green[i] = part(table->color[1], i);
    }
    return m;
}

INLINE __m512i look_up_384(const __m512i *t, __m512i low, __mmask64 odd, __mmask64 high)
{
    __m512i a = _mm512_permutex2var_epi8(t[0], low, t[1]);
    __m512i b = _mm512_permutex2var_epi8(t[2], low, t[3]);
    __m512i c = _mm512_permutex2var_epi8(t[4], low, t[5]);
    return _mm512_mask_blend_epi8(high, _mm512_mask_blend_epi8(odd, a, b), c);
}

/* color[1], the color of the nearer end, and which end that is. */
typedef struct {
    __m512i green, end;
    __mmask64 is_red;
} halves;

/* With m = min(d, 765 - d), whose low byte is 253 - d's in the upper half. */
INLINE halves look_up_mirrored(const mirrored *t, const differences *d)
{
    const __m512i last = _mm512_set1_epi8((char)(SAC_HEAT_MAX & 255));
    __mmask64 up =
        d->above_511 | (d->above_255 & _mm512_cmpgt_epu8_mask(d->low, _mm512_set1_epi8(126)));
    __mmask64 high = d->above_255 & ~d->above_511 & _mm512_cmple_epu8_mask(d->low, last);
    __m512i low = _mm512_mask_sub_epi8(d->low, up, last, d->low);
    __mmask64 odd = _mm512_movepi8_mask(low);
    return (halves){look_up_384(t->green, low, odd, high), look_up_384(t->blue, low, odd, high),
                    up};
}

INLINE sac_rgb64 whole(halves h)
{
    return (sac_rgb64){
        {_mm512_maskz_mov_epi8(h.is_red, h.end), h.green, _mm512_maskz_mov_epi8(~h.is_red, h.end)}};
}

/* Undoes differ_rgba's order. */
INLINE void store_rgba(uint8_t *to, sac_rgb64 p, int64_t n)
{
    const __m512i alpha = _mm512_set1_epi8((char)255);
    __m512i ab[2] = {_mm512_unpacklo_epi8(p.c[0], p.c[1]), _mm512_unpackhi_epi8(p.c[0], p.c[1])};
    __m512i cd[2] = {_mm512_unpacklo_epi8(p.c[2], alpha), _mm512_unpackhi_epi8(p.c[2], alpha)};
    for (int j = 0; j < 4; j++) {
        __m512i v = j % 2 ? _mm512_unpackhi_epi16(ab[j / 2], cd[j / 2])
                          : _mm512_unpacklo_epi16(ab[j / 2], cd[j / 2]);
        if (n >= 64)
            _mm512_storeu_si512(to + 64 * j, v);
        else
            _mm512_mask_storeu_epi32(to + 64 * j, sac_mask16(n - 16 * j), v);
    }
}

/* 64 or n pixels; `half` where the map is mirrored, else NULL. */
INLINE void heat_64(uint8_t *to, const uint8_t *p, const uint8_t *q, int64_t n, int step, int red,
                    const sac_heat_table *table, const mirrored *half)
{
    differences d = step == 3 ? differ_rgb(p, q, n) : differ_rgba(p, q, n);
    sac_rgb64 c = half ? whole(look_up_mirrored(half, &d)) : look_up(table, &d);
    if (red)
        c = (sac_rgb64){{c.c[2], c.c[1], c.c[0]}};
    if (step == 3)
        sac_rgb64_store(to, c, n);
    else
        store_rgba(to, c, n);
}

/* `step` and `is_mirrored` are constants. */
INLINE void heat_colors(const sac_pixels *out, const sac_pixels *current,
                        const sac_pixels *previous, const sac_heat_table *table, int step,
                        bool is_mirrored)
{
    const int red = sac_packed_of(out).red;
    const mirrored m = load_mirrored(table);
    const mirrored *half = is_mirrored ? &m : NULL;
    const int64_t w = out->w, h = out->h;
    for (int64_t y = 0; y < h; y++) {
        uint8_t *to = sac_packed_row(out, y);
        const uint8_t *p = sac_packed_row(current, y), *q = sac_packed_row(previous, y);
        int64_t x = 0;
        for (; x + 64 <= w; x += 64)
            heat_64(to + step * x, p + step * x, q + step * x, 64, step, red, table, half);
        if (x < w)
            heat_64(to + step * x, p + step * x, q + step * x, w - x, step, red, table, half);
    }
}

/* d is three times the difference: tables of 256. */
static void heat_gray(const sac_pixels *out, const sac_pixels *current, const sac_pixels *previous,
                      const sac_heat_table *table)
{
    const int red = sac_packed_of(out).red;
    uint8_t color[3][256];
    for (int c = 0; c < 3; c++)
        for (int v = 0; v < 256; v++)
            color[red == 0 ? c : 2 - c][v] = table->color[c][3 * v];
    for (int64_t y = 0; y < out->h; y++)
        for (int64_t x = 0; x < out->w; x += 64) {
            __mmask64 some = sac_mask64(out->w - x);
            __m512i d =
                sac_differ64(_mm512_maskz_loadu_epi8(some, sac_packed_row(current, y) + x),
                             _mm512_maskz_loadu_epi8(some, sac_packed_row(previous, y) + x));
            __mmask64 odd = _mm512_movepi8_mask(d);
            sac_rgb64 p;
            for (int c = 0; c < 3; c++)
                p.c[c] = _mm512_mask_blend_epi8(odd, look_up_128(color[c], 0, d),
                                                look_up_128(color[c], 2, d));
            sac_rgb64_store(sac_packed_row(out, y) + 3 * x, p, out->w - x);
        }
}

void sac_heat_u8_avx512(const sac_pixels *out, const sac_pixels *current,
                        const sac_pixels *previous, const sac_heat_table *table)
{
    const sac_packed to = sac_packed_of(out), in = sac_packed_of(current);
    const sac_packed before = sac_packed_of(previous);
    if (in.step != before.step || in.red != before.red || to.step != (in.step == 1 ? 3 : in.step))
        sac_heat_u8_auto_v4(out, current, previous, table);
    else if (in.step == 1)
        heat_gray(out, current, previous, table);
    else if (in.step == 3 && table->is_mirrored)
        heat_colors(out, current, previous, table, 3, true);
    else if (in.step == 3)
        heat_colors(out, current, previous, table, 3, false);
    else if (in.step == 4 && table->is_mirrored)
        heat_colors(out, current, previous, table, 4, true);
    else if (in.step == 4)
        heat_colors(out, current, previous, table, 4, false);
    else
        sac_heat_u8_auto_v4(out, current, previous, table);
}
