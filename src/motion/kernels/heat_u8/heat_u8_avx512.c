/*
 * heat_u8 with AVX-512 VBMI, 64 pixels at a time. d is two vectors of bytes (d mod 256, d >> 8);
 * colors come from tables by byte permutes of 128 entries each: six of them a color, or three
 * for two colors where the map is mirrored, whose tables stay in registers. For packed RGB, RGBA
 * and gray in, packed RGB or RGBA out; other layouts are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heat_u8.h"
#include "motion/kernels/packed.h"
#include "simd/simd.h"

/* d of 64 pixels: its low bytes, where it is at least 256, at least 512. */
typedef struct {
    v8 low;
    m8 above_255, above_511;
} differences;

SIMD_INLINE differences sum3(v8 a, v8 b, v8 c)
{
    const v8 ab = v8_add(a, b), low = v8_add(ab, c);
    const m8 carry = v8_gt(b, ab), again = v8_gt(c, low);
    return (differences){low, m8_or(carry, again), m8_and(carry, again)};
}

SIMD_INLINE differences differ(const uint8_t *p, const uint8_t *q, int step)
{
    if (step == 3) {
        const v8x3 d = v8_absd3(p, q);
        return sum3(d.c[0], d.c[1], d.c[2]);
    }
    const v8x4 d = v8_absd4(p, q);
    return sum3(d.c[0], d.c[1], d.c[2]);
}

/* 768 or 384 bytes as vectors. */
SIMD_INLINE __m512i part(const uint8_t *table, int i)
{
    return _mm512_loadu_si512(table + 64 * i);
}

SIMD_INLINE __m512i look_up_128(const uint8_t *table, int i, __m512i low)
{
    return _mm512_permutex2var_epi8(part(table, i), low, part(table, i + 1));
}

SIMD_INLINE v8x3 look_up(const sac_heat_table *table, const differences *d)
{
    const __mmask64 odd = _mm512_movepi8_mask(d->low);
    v8x3 out;
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

SIMD_INLINE mirrored load_mirrored(const sac_heat_table *table)
{
    mirrored m;
    for (int i = 0; i < 6; i++) {
        m.blue[i] = part(table->color[2], i);
        m.green[i] = part(table->color[1], i);
    }
    return m;
}

SIMD_INLINE __m512i look_up_384(const __m512i *t, __m512i low, __mmask64 odd, __mmask64 high)
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
SIMD_INLINE halves look_up_mirrored(const mirrored *t, const differences *d)
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

SIMD_INLINE v8x3 whole(halves h)
{
    return (v8x3){
        {_mm512_maskz_mov_epi8(h.is_red, h.end), h.green, _mm512_maskz_mov_epi8(~h.is_red, h.end)}};
}

SIMD_INLINE void draw(uint8_t *to, v8x3 p, int step, int red)
{
    const v8 first = red ? p.c[2] : p.c[0], last = red ? p.c[0] : p.c[2];
    if (step == 3)
        v8_store3(to, (v8x3){{first, p.c[1], last}});
    else
        v8_store4(to, (v8x4){{first, p.c[1], last, v8_set(255)}});
}

/* What a loop is made for, constants: bytes a pixel of the frames, and whether the map is mirrored.
 * For gray, d is three times the difference: tables of 256. */
typedef struct {
    int step;
    bool is_mirrored;
} kind;

typedef struct {
    const sac_heat_table *table;
    mirrored half;
    uint8_t gray[3][256];
} maps;

SIMD_INLINE v8x3 look_up_gray(const maps *m, v8 d)
{
    v8x3 p;
    for (int c = 0; c < 3; c++)
        p.c[c] = v8_select(_mm512_movepi8_mask(d), look_up_128(m->gray[c], 2, d),
                           look_up_128(m->gray[c], 0, d));
    return p;
}

SIMD_INLINE void heat_64(uint8_t *to, const uint8_t *p, const uint8_t *q, int red, const maps *m,
                         kind k)
{
    if (k.step == 1) {
        draw(to, look_up_gray(m, v8_absd(v8_load(p), v8_load(q))), 3, red);
    } else {
        const differences d = differ(p, q, k.step);
        draw(to, k.is_mirrored ? whole(look_up_mirrored(&m->half, &d)) : look_up(m->table, &d),
             k.step, red);
    }
}

/* The last n pixels of a row, through buffers. */
SIMD_INLINE void heat_rest(uint8_t *to, const uint8_t *p, const uint8_t *q, int64_t n, int red,
                           const maps *m, kind k)
{
    uint8_t a[4 * V8] = {0}, b[4 * V8] = {0}, r[4 * V8];
    memcpy(a, p, (size_t)(k.step * n));
    memcpy(b, q, (size_t)(k.step * n));
    heat_64(r, a, b, red, m, k);
    memcpy(to, r, (size_t)((k.step == 1 ? 3 : k.step) * n));
}

SIMD_INLINE void heat_rows(const sac_pixels *out, const sac_pixels *current,
                           const sac_pixels *previous, const sac_heat_table *table, kind k)
{
    const int red = sac_packed_of(out).red, out_step = k.step == 1 ? 3 : k.step;
    const int64_t w = out->w, whole = w / V8 * V8;
    maps m = {.table = table, .half = load_mirrored(table)};
    for (int c = 0; k.step == 1 && c < 3; c++)
        for (int v = 0; v < 256; v++)
            m.gray[c][v] = table->color[c][3 * v];
    for (int64_t y = 0; y < out->h; y++) {
        uint8_t *to = sac_packed_row(out, y);
        const uint8_t *p = sac_packed_row(current, y), *q = sac_packed_row(previous, y);
        for (int64_t x = 0; x < whole; x += V8)
            heat_64(to + out_step * x, p + k.step * x, q + k.step * x, red, &m, k);
        if (whole < w)
            heat_rest(to + out_step * whole, p + k.step * whole, q + k.step * whole, w - whole, red,
                      &m, k);
    }
}

void sac_heat_u8_avx512(const sac_pixels *out, const sac_pixels *current,
                        const sac_pixels *previous, const sac_heat_table *table)
{
    const sac_packed to = sac_packed_of(out), in = sac_packed_of(current);
    const sac_packed before = sac_packed_of(previous);
    if (!in.step || in.step != before.step || in.red != before.red ||
        to.step != (in.step == 1 ? 3 : in.step))
        SIMD_OTHERWISE(heat_u8)(out, current, previous, table);
    else if (in.step == 1)
        heat_rows(out, current, previous, table, (kind){1, false});
    else if (in.step == 3 && table->is_mirrored)
        heat_rows(out, current, previous, table, (kind){3, true});
    else if (in.step == 3)
        heat_rows(out, current, previous, table, (kind){3, false});
    else if (table->is_mirrored)
        heat_rows(out, current, previous, table, (kind){4, true});
    else
        heat_rows(out, current, previous, table, (kind){4, false});
}
