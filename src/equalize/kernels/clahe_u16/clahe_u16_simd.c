/*
 * clahe_u16 with vectors. Levels are mixed in integers, one pixel at a time: 65,536 bins leave
 * nothing to prepare. By columns of cells (the pixels between the same four tile centers), so that
 * the four tiles' levels stay in the L2 cache. Colors are scaled in doubles: R' = floor(t R + 1/2 +
 * e), t = G / (2^16 V) and e = half of 1 / (2^16 V), the least distance from below to an integer; e
 * is 2^-33 or more, and the roundings take 2^-35. For packed RGB and planes; other layouts are
 * plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#define SAC_DEPTH 16
#include "clahe_u16.h"
#include "image/vmax_inline.h"
#include "simd/words.h"

/* Pixels of at most SAC_BLOCK columns between the same tiles, in the row at work. */
typedef struct {
    const uint32_t *tile[2][2]; /* levels: first and second row, first and second column */
    int64_t weight[SAC_BLOCK];
    uint16_t v[SAC_BLOCK + V16];
    uint32_t g[SAC_BLOCK + V16];
} cell;

static void find_tiles(cell *t, const sac_clahe *c, sac_clahe_place px, sac_clahe_place py)
{
    for (int i = 0; i < 4; i++) {
        const size_t ty = (size_t)(i / 2 ? py.second : py.first);
        const size_t tx = (size_t)(i % 2 ? px.second : px.first);
        t->tile[i / 2][i % 2] = c->level + (ty * (size_t)c->tiles_x + tx) * (size_t)c->bins;
    }
}

/* sac_clahe_mix, one column of tiles after the other. */
SIMD_INLINE void mix(cell *t, int64_t wy, size_t bins, int64_t n)
{
    const int64_t one = 1 << SAC_CLAHE_WEIGHT_BITS;
    const uint32_t *a = t->tile[0][0], *b = t->tile[0][1];
    const uint32_t *c = t->tile[1][0], *d = t->tile[1][1];
    for (int64_t i = 0; i < n; i++) {
        const size_t bin = t->v[i] * bins >> 16;
        const int64_t first = a[bin] * one + ((int64_t)c[bin] - a[bin]) * wy;
        const int64_t second = b[bin] * one + ((int64_t)d[bin] - b[bin]) * wy;
        const int64_t sum = first * one + (second - first) * t->weight[i];
        t->g[i] = (uint32_t)((sum + one * one / 2) >> 2 * SAC_CLAHE_WEIGHT_BITS);
    }
}

SIMD_INLINE v16x3 load(const sac_pixels *in, int64_t x, int64_t y, ptrdiff_t low, bool packed)
{
    v16x3 p;
    if (packed)
        return v16_load3(sac_row_u16(in, 0, x, y) + low);
    for (int c = 0; c < 3; c++)
        p.c[c] = v16_load(sac_row_u16(in, c, x, y));
    return p;
}

/* The cell's next row is elsewhere, which the CPU does not foresee. */
SIMD_INLINE void fetch_next(const sac_pixels *out, const sac_pixels *in, int64_t x, int64_t y,
                            bool packed)
{
    for (int c = 0; c < (packed ? 1 : 3); c++)
        for (int k = 0; k < (packed ? 6 : 2) * V16; k += 64) {
            __builtin_prefetch(sac_row_u8(in, c, x, y + 1) + k);
            __builtin_prefetch(sac_row_u8(out, c, x, y + 1) + k, 1);
        }
}

/* V16 pixels, i the first one's place in the cell. */
SIMD_INLINE v16x3 scale(const cell *t, int64_t i, v16x3 p)
{
    const v16 v = v16_max(v16_load(t->v + i), v16_set(1));
    const v16d inverse = v16d_div(v16d_set(0x1p-16), v16d_from(v));
    const v16d factor = v16d_mul(v16d_load_u32(t->g + i), inverse);
    const v16d half = v16d_mul(v16d_add(inverse, v16d_set(1)), v16d_set(0.5));
    for (int c = 0; c < 3; c++)
        p.c[c] = v16_from(v16d_add(v16d_mul(v16d_from(p.c[c]), factor), half));
    return p;
}

/* The same in plain C. */
static void scale_others(const sac_pixels *out, const sac_pixels *in, const cell *t, int64_t x0,
                         int64_t y, int64_t i, int64_t n)
{
    for (; i < n; i++) {
        const double inverse = 0x1p-16 / (t->v[i] > 1 ? t->v[i] : 1);
        for (int c = 0; c < 3; c++) {
            const double x = *sac_row_u16(in, c, x0 + i, y);
            *sac_out_u16(out, c, x0 + i, y) =
                (uint16_t)(x * (t->g[i] * inverse) + (inverse + 1) * 0.5);
        }
    }
}

/* Columns x0 to x0 + n. */
SIMD_INLINE void scale_columns(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c,
                               int64_t y0, int64_t x0, int64_t n, ptrdiff_t low, bool packed)
{
    const int64_t whole = n / V16 * V16;
    cell t;
    for (int64_t i = 0; i < n; i++)
        t.weight[i] = c->column[x0 + i].weight;
    for (int64_t y = 0; y < in->h; y++) {
        const sac_clahe_place py = sac_clahe_at(y0 + y, c->h, c->tiles_y);
        find_tiles(&t, c, c->column[x0], py);
        for (int64_t i = 0; i < whole; i += V16) {
            const v16x3 p = load(in, x0 + i, y, low, packed);
            fetch_next(out, in, x0 + i, y, packed);
            v16_store(t.v + i, v16_max(v16_max(p.c[0], p.c[1]), p.c[2]));
        }
        sac_vmax(t.v + whole, in, x0 + whole, y, n - whole);
        if (c->bins == 65536)
            mix(&t, py.weight, 65536, n);
        else
            mix(&t, py.weight, (size_t)c->bins, n);
        for (int64_t i = 0; i < whole; i += V16) {
            const v16x3 p = scale(&t, i, load(in, x0 + i, y, low, packed));
            if (packed)
                v16_store3(sac_out_u16(out, 0, x0 + i, y) + low, p);
            for (int k = 0; !packed && k < 3; k++)
                v16_store(sac_out_u16(out, k, x0 + i, y), p.c[k]);
        }
        scale_others(out, in, &t, x0, y, whole, n);
    }
}

void sac_clahe_u16_simd(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c, int64_t y0)
{
    const bool is_rgb = in->n_colors == 3;
    const bool packed = is_rgb && sac_dense_step(out, in, 2) == 3;
    if (!packed && !(is_rgb && in->pixel == 2 && out->pixel == 2)) {
        SIMD_OTHERWISE(clahe_u16)(out, in, c, y0);
        return;
    }
    const ptrdiff_t low = (sac_low_color_u8(in, 0, 0) - sac_row_u8(in, 0, 0, 0)) / 2;
    for (int64_t x = 0, n; x < in->w; x += n) {
        const sac_clahe_place first = c->column[x];
        for (n = 1; n < SAC_BLOCK && x + n < in->w && c->column[x + n].first == first.first &&
                    c->column[x + n].second == first.second;
             n++)
            ;
        if (packed)
            scale_columns(out, in, c, y0, x, n, low, true);
        else
            scale_columns(out, in, c, y0, x, n, 0, false);
    }
    sac_copy_alpha(out, in, 2);
}
