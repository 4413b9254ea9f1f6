/*
 * vscale_u8 with AVX-512 VBMI. The four bytes of 64 multipliers come from tables in registers (two
 * permutes and a blend each); (q R + 2^23) >> 24 in 16-bit lanes is the high byte of (q >> 16) R +
 * ((q & 0xffff) R >> 16) + 128. For packed RGB, planes and gray; other layouts are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "image/rgb_avx512.h"
#include "image/pixels_inline.h"
#include "vscale_u8.h"

/* A table of 256 bytes. */
typedef struct {
    __m512i part[4];
} table;

static inline table load_table(const uint8_t *bytes)
{
    table t;
    for (int i = 0; i < 4; i++)
        t.part[i] = _mm512_loadu_si512(bytes + 64 * i);
    return t;
}

/* table[v] for 64 values; `high` says which are above 127. */
static inline __m512i look_up(const table *t, __m512i v, __mmask64 high)
{
    __m512i low = _mm512_permutex2var_epi8(t->part[0], v, t->part[1]);
    return _mm512_mask_blend_epi8(high, low, _mm512_permutex2var_epi8(t->part[2], v, t->part[3]));
}

/* 64 multipliers as 16-bit halves, in the order of unpacklo and unpackhi. */
typedef struct {
    __m512i low[2], high[2];
} multipliers;

static inline multipliers look_up_multipliers(const table *t, __m512i v)
{
    __mmask64 high = _mm512_movepi8_mask(v);
    __m512i b[4];
    for (int i = 0; i < 4; i++)
        b[i] = look_up(&t[i], v, high);
    return (multipliers){{_mm512_unpacklo_epi8(b[0], b[1]), _mm512_unpackhi_epi8(b[0], b[1])},
                         {_mm512_unpacklo_epi8(b[2], b[3]), _mm512_unpackhi_epi8(b[2], b[3])}};
}

/* The high bytes of 64 16-bit lanes, in the order that undoes unpacklo and unpackhi. */
#define B8(i) i, i + 2, i + 4, i + 6, i + 8, i + 10, i + 12, i + 14
_Alignas(64) static const uint8_t high_bytes[64] = {B8(1),  B8(65), B8(17), B8(81),
                                                    B8(33), B8(97), B8(49), B8(113)};

/* The high byte of each lane is the result. */
static inline __m512i multiply(__m512i low, __m512i high, __m512i x)
{
    __m512i sum = _mm512_add_epi16(_mm512_mullo_epi16(high, x), _mm512_mulhi_epu16(low, x));
    return _mm512_add_epi16(sum, _mm512_set1_epi16(128));
}

static inline __m512i scale(const multipliers *q, __m512i x)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i a = multiply(q->low[0], q->high[0], _mm512_unpacklo_epi8(x, zero));
    __m512i b = multiply(q->low[1], q->high[1], _mm512_unpackhi_epi8(x, zero));
    return _mm512_permutex2var_epi8(a, _mm512_load_si512(high_bytes), b);
}

static inline sac_rgb64 scale_rgb(const table *t, sac_rgb64 p)
{
    __m512i v = _mm512_max_epu8(_mm512_max_epu8(p.c[0], p.c[1]), p.c[2]);
    multipliers q = look_up_multipliers(t, v);
    for (int c = 0; c < 3; c++)
        p.c[c] = scale(&q, p.c[c]);
    return p;
}

static void load_tables(table *t, const uint32_t *q8)
{
    uint8_t bytes[4][256];
    for (int i = 0; i < 4; i++)
        for (int v = 0; v < 256; v++)
            bytes[i][v] = (uint8_t)(q8[v] >> 8 * i);
    for (int i = 0; i < 4; i++)
        t[i] = load_table(bytes[i]);
}

static void scale_packed(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    table t[4];
    load_tables(t, s->q8);
    for (int64_t y = 0; y < in->h; y++) {
        const uint8_t *from = sac_rgb64_row(in, y);
        uint8_t *to = sac_rgb64_row(out, y);
        int64_t x = 0;
        for (; x + 64 <= in->w; x += 64)
            sac_rgb64_store(to + 3 * x, scale_rgb(t, sac_rgb64_load(from + 3 * x, 64)), 64);
        if (x < in->w)
            sac_rgb64_store(to + 3 * x, scale_rgb(t, sac_rgb64_load(from + 3 * x, in->w - x)),
                            in->w - x);
    }
}

static void scale_planes(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    table t[4];
    load_tables(t, s->q8);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += 64) {
            __mmask64 mask = sac_mask64(in->w - x);
            sac_rgb64 p;
            for (int c = 0; c < 3; c++)
                p.c[c] = _mm512_maskz_loadu_epi8(mask, sac_row_u8(in, c, x, y));
            p = scale_rgb(t, p);
            for (int c = 0; c < 3; c++)
                _mm512_mask_storeu_epi8(sac_out_u8(out, c, x, y), mask, p.c[c]);
        }
}

static void scale_gray(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    uint8_t bytes[256];
    for (uint32_t v = 0; v < 256; v++)
        bytes[v] = (uint8_t)((s->q8[v] * v + (UINT32_C(1) << 23)) >> SAC_SCALE_SHIFT_U8);
    table t = load_table(bytes);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += 64) {
            __mmask64 mask = sac_mask64(in->w - x);
            __m512i v = _mm512_maskz_loadu_epi8(mask, sac_row_u8(in, 0, x, y));
            __m512i result = look_up(&t, v, _mm512_movepi8_mask(v));
            _mm512_mask_storeu_epi8(sac_out_u8(out, 0, x, y), mask, result);
        }
}

/* Whether both are packed RGB with their channels in the same order. */
static bool is_packed(const sac_pixels *out, const sac_pixels *in)
{
    if (!sac_is_rgb64(out) || !sac_is_rgb64(in))
        return false;
    for (int c = 0; c < 3; c++)
        if ((uint8_t *)out->color[c] - sac_rgb64_row(out, 0) !=
            (uint8_t *)in->color[c] - sac_rgb64_row(in, 0))
            return false;
    return true;
}

void sac_vscale_u8_avx512(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    bool dense = in->pixel == 1 && out->pixel == 1;
    if (is_packed(out, in))
        scale_packed(out, in, s);
    else if (dense && in->n_colors == 3)
        scale_planes(out, in, s);
    else if (dense && in->n_colors == 1)
        scale_gray(out, in, s);
    else {
        sac_vscale_u8_auto_v4(out, in, s);
        return;
    }
    sac_copy_alpha(out, in, 1);
}
