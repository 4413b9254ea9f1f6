/*
 * heat_u8 in plain C: d of a block into the L1 cache, then its colors. If out is packed, a color is
 * one word, stored over the pixel and the first bytes of the next, which is written after it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heat_u8.h"
#include "image/pixels_inline.h"

/* d of n pixels. `step` is passed as a constant where it is common, for the vectorizer. */
static inline void differ_step(uint16_t *restrict d, const sac_pixels *p, const sac_pixels *q,
                               int64_t x, int64_t y, int n, ptrdiff_t p_step, ptrdiff_t q_step)
{
    const uint8_t *p0 = sac_row_u8(p, 0, x, y), *q0 = sac_row_u8(q, 0, x, y);
    if (p->n_colors == 1) {
        for (int i = 0; i < n; i++)
            d[i] = (uint16_t)(3 * sac_differ_u8(p0[i * p_step], q0[i * q_step]));
        return;
    }
    const uint8_t *p1 = sac_row_u8(p, 1, x, y), *q1 = sac_row_u8(q, 1, x, y);
    const uint8_t *p2 = sac_row_u8(p, 2, x, y), *q2 = sac_row_u8(q, 2, x, y);
    for (int i = 0; i < n; i++)
        d[i] = (uint16_t)(sac_differ_u8(p0[i * p_step], q0[i * q_step]) +
                          sac_differ_u8(p1[i * p_step], q1[i * q_step]) +
                          sac_differ_u8(p2[i * p_step], q2[i * q_step]));
}

static void differ(uint16_t *restrict d, const sac_pixels *p, const sac_pixels *q, int64_t x,
                   int64_t y, int n)
{
    ptrdiff_t step = p->pixel == q->pixel ? p->pixel : 0;
    if (step == 1)
        differ_step(d, p, q, x, y, n, 1, 1);
    else if (step == 3)
        differ_step(d, p, q, x, y, n, 3, 3);
    else if (step == 4)
        differ_step(d, p, q, x, y, n, 4, 4);
    else
        differ_step(d, p, q, x, y, n, p->pixel, q->pixel);
}

typedef struct {
    uint8_t byte[4];
} word;

/* Colors in the order of out's pixels, alpha last. */
static void make_words(word *words, const sac_pixels *out, const sac_heat_table *table)
{
    const uint8_t *low = sac_low_color_u8(out, 0, 0);
    ptrdiff_t at[3];
    for (int c = 0; c < 3; c++)
        at[c] = (const uint8_t *)out->color[c] - low;
    for (int d = 0; d <= SAC_HEAT_MAX; d++) {
        for (int c = 0; c < 3; c++)
            words[d].byte[at[c]] = table->color[c][d];
        words[d].byte[3] = 255;
    }
}

static inline void draw_dense(uint8_t *to, const word *words, const uint16_t *d, int n, int step)
{
    for (int i = 0; i + 1 < n; i++)
        memcpy(to + i * step, &words[d[i]], 4);
    memcpy(to + (n - 1) * step, &words[d[n - 1]], (size_t)step);
}

static void draw(const sac_pixels *out, const sac_heat_table *table, const uint16_t *d, int64_t x,
                 int64_t y, int n)
{
    for (int c = 0; c < 3; c++) {
        uint8_t *to = sac_out_u8(out, c, x, y);
        for (int i = 0; i < n; i++)
            to[i * out->pixel] = table->color[c][d[i]];
    }
    sac_set_alpha_u8(out, x, y, n, 255);
}

void sac_heat_u8_plain(const sac_pixels *out, const sac_pixels *current, const sac_pixels *previous,
                       const sac_heat_table *table)
{
    uint16_t d[SAC_BLOCK];
    word words[SAC_HEAT_MAX + 1];
    int step = sac_dense_step_u8(out, out);
    if (step)
        make_words(words, out, table);
    for (int64_t y = 0; y < out->h; y++)
        for (int64_t x = 0; x < out->w; x += SAC_BLOCK) {
            int n = (int)(out->w - x < SAC_BLOCK ? out->w - x : SAC_BLOCK);
            uint8_t *to = (uint8_t *)out->color[0] + y * out->row + x * out->pixel;
            differ(d, current, previous, x, y, n);
            if (step)
                to += sac_low_color_u8(out, 0, 0) - (const uint8_t *)out->color[0];
            if (step == 3)
                draw_dense(to, words, d, n, 3);
            else if (step == 4)
                draw_dense(to, words, d, n, 4);
            else
                draw(out, table, d, x, y, n);
        }
}
