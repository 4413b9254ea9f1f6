/*
 * heat_u8 with vectors: d of a block into the L1 cache, then two pixels at a time from two tables
 * of words, of which the second's colors are where the second pixel is. For packed RGB, RGBA and
 * gray in, packed RGB or RGBA out; other layouts are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heat_u8.h"
#include "motion/kernels/packed.h"
#include "simd/filters.h"

#define BLOCK 512 /* pixels; whole vectors */

/* Colors as bytes of a pixel, with alpha: of the first pixel of two, and of the second. */
typedef struct {
    uint64_t first[SAC_HEAT_MAX + 1], second[SAC_HEAT_MAX + 1];
} words;

static void make_words(words *w, const sac_heat_table *table, sac_packed out)
{
    for (int d = 0; d <= SAC_HEAT_MAX; d++) {
        uint64_t color = out.step == 4 ? UINT64_C(255) << 24 : 0;
        for (int c = 0; c < 3; c++)
            color |= (uint64_t)table->color[out.red ? 2 - c : c][d] << 8 * c;
        w->first[d] = color;
        w->second[d] = color << 8 * out.step;
    }
}

/* d of V8 pixels. */
SIMD_INLINE void differ_some(uint16_t *d, const uint8_t *p, const uint8_t *q, int step)
{
    if (step == 1) {
        const v8 a = v8_absd(v8_load(p), v8_load(q));
        wide_store(d, wide_add(v8_wide_sum(a, a), v8_wide(a)));
    } else if (step == 3) {
        const v8x3 a = v8_absd3(p, q);
        wide_store(d, wide_add(v8_wide_sum(a.c[0], a.c[1]), v8_wide(a.c[2])));
    } else {
        const v8x4 a = v8_absd4(p, q);
        wide_store(d, wide_add(v8_wide_sum(a.c[0], a.c[1]), v8_wide(a.c[2])));
    }
}

SIMD_INLINE void differ_step(uint16_t *d, const uint8_t *p, const uint8_t *q, int64_t n, int step)
{
    int64_t i = 0;
    for (; i + V8 <= n; i += V8)
        differ_some(d + i, p + step * i, q + step * i, step);
    if (i == n)
        return;
    uint8_t a[4 * V8] = {0}, b[4 * V8] = {0};
    memcpy(a, p + step * i, (size_t)(step * (n - i)));
    memcpy(b, q + step * i, (size_t)(step * (n - i)));
    differ_some(d + i, a, b, step);
}

static void differ(uint16_t *d, const uint8_t *p, const uint8_t *q, int64_t n, int step)
{
    if (step == 1)
        differ_step(d, p, q, n, 1);
    else if (step == 3)
        differ_step(d, p, q, n, 3);
    else
        differ_step(d, p, q, n, 4);
}

/* 8 bytes are stored for two pixels of 3; what follows is made after it, but for the end. */
SIMD_INLINE void draw_some(uint8_t *to, const words *w, const uint16_t *d, int n, int step)
{
    for (int i = 0; i < n; i += 2) {
        const uint64_t two = w->first[d[i]] | w->second[d[i + 1]];
        memcpy(to + step * i, &two, 8);
    }
}

/* Eight at a time, without a loop for them. */
SIMD_INLINE void draw_step(uint8_t *to, const words *w, const uint16_t *d, int64_t n, int step)
{
    int64_t i = 0;
    for (; i + 8 < n; i += 8)
        draw_some(to + step * i, w, d + i, 8, step);
    for (; i + 2 < n; i += 2)
        draw_some(to + step * i, w, d + i, 2, step);
    for (; i < n; i++)
        memcpy(to + step * i, &w->first[d[i]], (size_t)step);
}

static void draw(uint8_t *to, const words *w, const uint16_t *d, int64_t n, int step)
{
    if (step == 3)
        draw_step(to, w, d, n, 3);
    else
        draw_step(to, w, d, n, 4);
}

void sac_heat_u8_simd(const sac_pixels *out, const sac_pixels *current, const sac_pixels *previous,
                      const sac_heat_table *table)
{
    const sac_packed to = sac_packed_of(out), in = sac_packed_of(current);
    const sac_packed before = sac_packed_of(previous);
    if (!in.step || in.step != before.step || in.red != before.red || to.step < 3) {
        SIMD_OTHERWISE(heat_u8)(out, current, previous, table);
        return;
    }
    words w;
    uint16_t d[BLOCK];
    make_words(&w, table, to);
    for (int64_t y = 0; y < out->h; y++) {
        uint8_t *row = sac_packed_row(out, y);
        const uint8_t *p = sac_packed_row(current, y), *q = sac_packed_row(previous, y);
        for (int64_t x = 0; x < out->w; x += BLOCK) {
            const int64_t n = out->w - x < BLOCK ? out->w - x : BLOCK;
            differ(d, p + in.step * x, q + in.step * x, n, in.step);
            draw(row + to.step * x, &w, d, n, to.step);
        }
    }
}
