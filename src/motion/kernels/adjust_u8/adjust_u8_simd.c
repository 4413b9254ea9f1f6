/*
 * adjust_u8 with vectors. Without luma, packed pictures are samples one after the other; with it
 * V8 pixels at a time, by planes of colors. For packed RGB, RGBA and gray of one layout; others are
 * plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "adjust_u8.h"
#include "image/pixels_inline.h"
#include "motion/kernels/packed.h"
#include "simd/mixes.h"

/* What a loop is made for: constants where it is inlined. */
typedef struct {
    int step; /* bytes a pixel */
    bool has_luma;
    bool is_steep;
} kind;

typedef struct {
    mix2 by;                /* of a color and `one`, or of a color and the luma, both in 128ths */
    v16x2 one;              /* that o is multiplied by */
    v16 first, green, last; /* luma's weights of a pixel's colors */
    v8 is_color;            /* of pixels with alpha, 255 where a byte is a color */
} constants;

SIMD_INLINE v16 weigh(v16 first, v16 green, v16 last, const constants *k)
{
    return v16_add(v16_add(v16_mul(first, k->first), v16_mul(last, k->last)),
                   v16_mul(green, k->green));
}

/* Half of the first three of a pixel's planes, wide. */
SIMD_INLINE void mix_half(v16 *c, const constants *k)
{
    const v16 luma = weigh(c[0], c[1], c[2], k);
    const mix2_share share = mix2_share_of(luma, &k->by);
    for (int i = 0; i < 3; i++)
        c[i] = mix2_words_with(v16_shl(c[i], 7), &share, &k->by);
}

/* The first three of a pixel's planes. */
SIMD_INLINE void mix_planes(v8 *c, const constants *k)
{
    v16 lo[3], hi[3];
    for (int i = 0; i < 3; i++)
        lo[i] = v8_wide(c[i]).lo;
    mix_half(lo, k);
    for (int i = 0; i < 3; i++)
        hi[i] = v8_wide(c[i]).hi;
    mix_half(hi, k);
    for (int i = 0; i < 3; i++)
        c[i] = mix2_clip(lo[i], hi[i]);
}

/* The same with factors of 32 and more, whose sums are shifted by less than 16 bits. */
SIMD_INLINE void mix_steep(v8 *c, const constants *k)
{
    v16x2 x[3];
    for (int i = 0; i < 3; i++)
        x[i] = v8_wide(c[i]);
    const v16x2 luma = {weigh(x[0].lo, x[1].lo, x[2].lo, k), weigh(x[0].hi, x[1].hi, x[2].hi, k)};
    for (int i = 0; i < 3; i++) {
        const v16x2 scaled = {v16_shl(x[i].lo, 7), v16_shl(x[i].hi, 7)};
        c[i] = mix2_bytes(scaled, luma, &k->by);
    }
}

/* V8 bytes, or V8 pixels where there is luma. */
SIMD_INLINE void mix_some(uint8_t *to, const uint8_t *from, kind k, const constants *c)
{
    if (k.has_luma && k.step == 3) {
        v8x3 x = v8_load3(from);
        k.is_steep ? mix_steep(x.c, c) : mix_planes(x.c, c);
        v8_store3(to, x);
    } else if (k.has_luma) {
        v8x4 x = v8_load4(from);
        k.is_steep ? mix_steep(x.c, c) : mix_planes(x.c, c);
        v8_store4(to, x);
    } else {
        const v8 x = v8_load(from), mixed = mix2_bytes(v8_wide(x), c->one, &c->by);
        v8_store(to, k.step == 4 ? v8_or(v8_and(mixed, c->is_color), v8_without(x, c->is_color))
                                 : mixed);
    }
}

/* n bytes of a row, its end through a buffer. */
SIMD_INLINE void mix_row(uint8_t *to, const uint8_t *from, int64_t n, kind k, const constants *c)
{
    const int64_t some = k.has_luma ? k.step * V8 : V8;
    int64_t i = 0;
    for (; i + some <= n; i += some)
        mix_some(to + i, from + i, k, c);
    if (i == n)
        return;
    uint8_t last[4 * V8] = {0};
    memcpy(last, from + i, (size_t)(n - i));
    mix_some(last, last, k, c);
    memcpy(to + i, last, (size_t)(n - i));
}

/* Out of line, so that no compiler makes shifts and sums of a multiplication by what it knows. */
static __attribute__((noinline)) v16 weight_of(uint16_t x)
{
    return v16_set(x);
}

SIMD_INLINE constants prepare(const sac_adjust_mix *m, bool has_luma, int red)
{
    uint8_t is_color[V8];
    for (int i = 0; i < V8; i++)
        is_color[i] = i % 4 == 3 ? 0 : 255;
    const v16 one = v16_set((uint16_t)(1 << (m->shift - 5)));
    return (constants){
        .by = has_luma ? mix2_by((int16_t)m->p, (int16_t)m->q, m->o * (1 << (m->shift + 2)),
                                 m->shift + 7)
                       : mix2_by((int16_t)(m->p + m->q), (int16_t)m->o, 0, m->shift),
        .one = {one, one},
        .first = weight_of(red ? SAC_LUMA_BLUE : SAC_LUMA_RED),
        .green = weight_of(SAC_LUMA_GREEN),
        .last = weight_of(red ? SAC_LUMA_RED : SAC_LUMA_BLUE),
        .is_color = v8_load(is_color),
    };
}

SIMD_INLINE void mix_rows(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *m,
                          kind k)
{
    const constants c = prepare(m, k.has_luma, sac_packed_of(in).red);
    const bool joined = in->row == k.step * in->w && out->row == in->row;
    const int64_t n = k.step * in->w * (joined ? in->h : 1);
    for (int64_t y = 0; y < (joined ? 1 : in->h); y++)
        mix_row(sac_packed_row(out, y), sac_packed_row(in, y), n, k, &c);
}

void sac_adjust_u8_simd(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *mix)
{
    const sac_packed to = sac_packed_of(out), from = sac_packed_of(in);
    if (!from.step || to.step != from.step || to.red != from.red) {
        SIMD_OTHERWISE(adjust_u8)(out, in, mix);
        return;
    }
    const bool has_luma = from.step > 1 && mix->q != 0;
    const bool is_steep = mix->shift + 7 < 16;
    if (has_luma && from.step == 3 && is_steep)
        mix_rows(out, in, mix, (kind){3, true, true});
    else if (has_luma && from.step == 3)
        mix_rows(out, in, mix, (kind){3, true, false});
    else if (has_luma && is_steep)
        mix_rows(out, in, mix, (kind){4, true, true});
    else if (has_luma)
        mix_rows(out, in, mix, (kind){4, true, false});
    else if (from.step == 4)
        mix_rows(out, in, mix, (kind){4, false, false});
    else if (from.step == 3)
        mix_rows(out, in, mix, (kind){3, false, false});
    else
        mix_rows(out, in, mix, (kind){1, false, false});
    if (from.step == 1)
        sac_copy_alpha(out, in, 1);
}
