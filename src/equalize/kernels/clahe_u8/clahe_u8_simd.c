/*
 * clahe_u8 with vectors. In a row, a pixel's four levels are two lines over the weight between the
 * columns of tiles: for each V a pair of doubles, made once for a row and a cell (the pixels
 * between the same four tile centers), exact, since sums of levels and weights need 49 bits. The
 * rest is 16-bit lanes: with n = floor((G R + 2^15 V) / 2^16) < 2^16, the estimate floor(n
 * floor(65535 / V) / 2^16) of R' = floor(n / V) is right or too small by 1. Other layouts than
 * packed pixels, planes and gray, and narrow cells, whose lines would cost more than their pixels,
 * are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u8.h"
#include "image/pixels_inline.h"
#include "simd/levels.h"

#define NARROW 16 /* pixels of a cell: below, its lines cost more than they save */

/* A row's pixels from one x on: arrays of `step` bytes a pixel, one of all colors or one each. */
typedef struct {
    const uint8_t *from[3];
    uint8_t *to[3];
    ptrdiff_t from_row, to_row;
} place;

/* Pixels of at most SAC_BLOCK columns between the same tiles. */
typedef struct {
    _Alignas(64) double base[512];
    double slope[512]; /* over the weight between the rows of tiles */
    double line[512];  /* in the row at work */
    double weight[SAC_BLOCK + V8];
} cell;

SIMD_INLINE v16 scale_16(v16 low, v16 high, v16 v, v16 inverse, v16 x)
{
    const v16 carry = v16_and(v16_shr(v16_mul(low, x), 15), v); /* of half of an odd V */
    const v16 sum = v16_add(v16_mul(high, x), v16_mulhi(low, x));
    const v16 n = v16_add(v16_add(sum, carry), v16_shr(v, 1));
    const v16 q = v16_mulhi(n, inverse);
    const v16 rest = v16_sub(v16_sub(n, v), v16_mul(q, v));    /* -V..V - 1 */
    return v16_sub(v16_add(q, v16_set(1)), v16_shr(rest, 15)); /* negative: q was right */
}

SIMD_INLINE v8 scale(const v32_halves *g, v16x2 v, v16x2 inverse, v8 x)
{
    const v16x2 wide = v8_widen(x);
    return v16_narrow((v16x2){scale_16(g->low.lo, g->high.lo, v.lo, inverse.lo, wide.lo),
                              scale_16(g->low.hi, g->high.hi, v.hi, inverse.hi, wide.hi)});
}

/* V8 pixels; alpha of packed ones stays. */
SIMD_INLINE void scale_pixels(place at, const double *line, const double *weight, int step,
                              int n_planes)
{
    const int n_colors = step == 1 ? n_planes : 3;
    v8x4 p;
    if (step == 4)
        p = v8_load4(at.from[0]);
    if (step == 3) {
        const v8x3 rgb = v8_load3(at.from[0]);
        p = (v8x4){{rgb.c[0], rgb.c[1], rgb.c[2]}};
    }
    for (int k = 0; step == 1 && k < n_planes; k++)
        p.c[k] = v8_load(at.from[k]);
    v8 v = p.c[0];
    for (int k = 1; k < n_colors; k++)
        v = v8_max(v, p.c[k]);
    const v32_halves g = v8_on_lines(line, v, weight);
    const v8 divisor = v8_max(v, v8_set(1));
    const v16x2 wide = v8_widen(divisor), inverse = v8_inverse(divisor);
    for (int k = 0; k < n_colors; k++)
        p.c[k] = scale(&g, wide, inverse, p.c[k]);
    if (step == 4)
        v8_store4(at.to[0], p);
    if (step == 3)
        v8_store3(at.to[0], (v8x3){{p.c[0], p.c[1], p.c[2]}});
    for (int k = 0; step == 1 && k < n_planes; k++)
        v8_store(at.to[k], p.c[k]);
}

SIMD_INLINE void scale_run(place at, const cell *t, int64_t n, int step, int n_planes)
{
    int64_t x = 0;
    for (; x + V8 <= n; x += V8) {
        for (int k = 0; k < n_planes; k++)
            for (int i = 0; i < step * V8; i += 64) {
                __builtin_prefetch(at.from[k] + at.from_row + i);
                __builtin_prefetch(at.to[k] + at.to_row + i, 1);
            }
        scale_pixels(at, t->line, t->weight + x, step, n_planes);
        for (int k = 0; k < n_planes; k++) {
            at.from[k] += step * V8;
            at.to[k] += step * V8;
        }
    }
    const size_t rest = (size_t)(n - x) * (size_t)step;
    if (!rest)
        return;
    uint8_t last[3][4 * V8];
    const place copy = {{last[0], last[1], last[2]}, {last[0], last[1], last[2]}, 0, 0};
    for (int k = 0; k < n_planes; k++) {
        memset(last[k], 0, (size_t)step * V8);
        memcpy(last[k], at.from[k], rest);
    }
    scale_pixels(copy, t->line, t->weight + x, step, n_planes);
    for (int k = 0; k < n_planes; k++)
        memcpy(at.to[k], last[k], rest);
}

/* Levels over the weight between the rows of tiles, for each V: of the first column of tiles, where
 * half of a level rounds, and what the second one's are more. */
static void make_slopes(cell *t, const sac_clahe *c, sac_clahe_place px, sac_clahe_place py)
{
    const double one = 1 << SAC_CLAHE_WEIGHT_BITS;
    const uint32_t *tile[2][2];
    for (int i = 0; i < 4; i++) {
        const size_t ty = (size_t)(i / 2 ? py.second : py.first);
        const size_t tx = (size_t)(i % 2 ? px.second : px.first);
        tile[i / 2][i % 2] = c->level + (ty * (size_t)c->tiles_x + tx) * (size_t)c->bins;
    }
    for (int v = 0; v < 256; v++) {
        const size_t bin = (size_t)v * (size_t)c->bins >> 8;
        const double a = tile[0][0][bin], b = tile[0][1][bin];
        const double below_a = tile[1][0][bin], below_b = tile[1][1][bin];
        t->base[2 * v] = a + 0.5;
        t->slope[2 * v] = (below_a - a) / one;
        t->base[2 * v + 1] = b - a;
        t->slope[2 * v + 1] = ((below_b - below_a) - (b - a)) / one;
    }
}

/* Columns x0 to x0 + n. */
SIMD_INLINE void scale_columns(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c,
                               int64_t y0, int64_t x0, int64_t n, int step)
{
    const int n_planes = step == 1 ? in->n_colors : 1;
    cell t;
    sac_clahe_place last = {-1, -1, 0};
    memset(t.weight, 0, sizeof t.weight);
    for (int64_t x = 0; x < n; x++)
        t.weight[x] = (double)c->column[x0 + x].weight / (1 << SAC_CLAHE_WEIGHT_BITS);
    for (int64_t y = 0; y < in->h; y++) {
        const sac_clahe_place py = sac_clahe_at(y0 + y, c->h, c->tiles_y);
        if (py.first != last.first || py.second != last.second)
            make_slopes(&t, c, c->column[x0], py);
        last = py;
        const double weight = py.weight;
        for (int i = 0; i < 512; i++)
            t.line[i] = t.base[i] + t.slope[i] * weight;
        place at = {.from_row = in->row, .to_row = out->row};
        for (int k = 0; k < n_planes; k++) {
            at.from[k] = sac_row_u8(in, k, x0, y);
            at.to[k] = sac_out_u8(out, k, x0, y);
        }
        if (step > 1) {
            const uint8_t *low = sac_low_color_u8(in, x0, y);
            at.to[0] += low - at.from[0];
            at.from[0] = low;
        }
        if (n_planes == 1)
            scale_run(at, &t, n, step, 1);
        else
            scale_run(at, &t, n, step, 3);
    }
}

void sac_clahe_u8_simd(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c, int64_t y0)
{
    int step = in->n_colors == 3 ? sac_dense_step_u8(out, in) : 0;
    if (in->pixel == 1 && out->pixel == 1)
        step = 1;
    if (!step || c->w < NARROW * (int64_t)c->tiles_x) {
        SIMD_OTHERWISE(clahe_u8)(out, in, c, y0);
        return;
    }
    for (int64_t x = 0, n; x < in->w; x += n) {
        const sac_clahe_place first = c->column[x];
        for (n = 1; n < SAC_BLOCK && x + n < in->w && c->column[x + n].first == first.first &&
                    c->column[x + n].second == first.second;
             n++)
            ;
        if (step == 3)
            scale_columns(out, in, c, y0, x, n, 3);
        else if (step == 4)
            scale_columns(out, in, c, y0, x, n, 4);
        else
            scale_columns(out, in, c, y0, x, n, 1);
    }
    if (step == 1)
        sac_copy_alpha(out, in, 1);
}
