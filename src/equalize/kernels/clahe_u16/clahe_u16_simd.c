/*
 * clahe_u16 with vectors. Levels are looked up one by one, since 65,536 bins leave nothing to
 * prepare, by columns of cells (the pixels between the same four tile centers), so that the four
 * tiles' levels stay in the L2 cache. They are mixed and divided by V in doubles, and colors are
 * scaled in 16-bit lanes (share.h). That leaves the last bit open in 1 of 340 vectors of 16 pixels,
 * which are plain C. For packed RGB and planes; other layouts are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#define SAC_DEPTH 16
#include "clahe_u16.h"
#include "equalize/kernels/share.h"
#include "image/vmax_inline.h"

/* Of a cell at once, at most: all that there is of them stays in the L1 cache. */
#define COLUMNS 256

/* Pixels of a row between the same tiles. */
typedef struct {
    const uint32_t *tile[2][2];    /* levels: first and second row, first and second column */
    uint32_t level[2][2][COLUMNS]; /* of each pixel */
    double weight[COLUMNS];        /* of the second column of tiles */
    uint16_t v[COLUMNS];
} cell;

static void find_tiles(cell *t, const sac_clahe *c, sac_clahe_place px, sac_clahe_place py)
{
    for (int i = 0; i < 4; i++) {
        const size_t ty = (size_t)(i / 2 ? py.second : py.first);
        const size_t tx = (size_t)(i % 2 ? px.second : px.first);
        t->tile[i / 2][i % 2] = c->level + (ty * (size_t)c->tiles_x + tx) * (size_t)c->bins;
    }
}

/* The four levels of pixels i to i + n. */
SIMD_INLINE void look_up(cell *t, size_t bins, int64_t i, int64_t n)
{
    for (const int64_t end = i + n; i < end; i++) {
        const size_t bin = t->v[i] * bins >> 16;
        for (int k = 0; k < 4; k++)
            t->level[k / 2][k % 2][i] = t->tile[k / 2][k % 2][bin];
    }
}

/* A few at a time, without a loop for them. */
SIMD_INLINE void look_up_row(cell *t, size_t bins, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        look_up(t, bins, i, 8);
    look_up(t, bins, i, n - i);
}

/* G / (2^16 V) of V16 pixels, as sac_share takes it, but for G's rounding. */
SIMD_INLINE v16x2 factors(const cell *t, int64_t i, v16 normal, v16d wy)
{
    v16d g[2];
    for (int k = 0; k < 2; k++) {
        const v16d a = v16d_load_u32(t->level[0][k] + i), b = v16d_load_u32(t->level[1][k] + i);
        g[k] = v16d_fma(v16d_sub(b, a), wy, v16d_sub(a, v16d_set(0x1p52)));
    }
    const v16d mixed = v16d_fma(v16d_sub(g[1], g[0]), v16d_load(t->weight + i), g[0]);
    return v16d_halves(v16d_mul(mixed, v16d_div(v16d_set(0x1p15), v16d_from(normal))));
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

/* V16 pixels, i the first one's place in the cell. False if they are left to plain C. */
SIMD_INLINE bool scale(const cell *t, int64_t i, v16d wy, v16x3 *p)
{
    const v16 v = v16_max(v16_load(t->v + i), v16_set(1)), lead = v16_lead(v);
    const v16x2 q = factors(t, i, v16_mul(v, lead), wy);
    v16 least = v16_set(65535);
    for (int c = 0; c < 3; c++)
        p->c[c] = sac_share(&least, q, v16_mul(p->c[c], lead));
    return !v16_any_zero(least);
}

/* Pixels i to n in plain C. */
static void scale_others(const sac_pixels *out, const sac_pixels *in, const cell *t, uint32_t wy,
                         int64_t x0, int64_t y, int64_t i, int64_t n)
{
    for (; i < n; i++) {
        const uint32_t wx = (uint32_t)(t->weight[i] * (1 << SAC_CLAHE_WEIGHT_BITS));
        const uint64_t v = t->v[i] > 1 ? t->v[i] : 1;
        const uint64_t g = sac_clahe_mix(t->level[0][0][i], t->level[0][1][i], t->level[1][0][i],
                                         t->level[1][1][i], wx, wy);
        for (int c = 0; c < 3; c++) {
            const uint64_t x = *sac_row_u16(in, c, x0 + i, y);
            *sac_out_u16(out, c, x0 + i, y) = (uint16_t)((g * x + (v << 15)) / (v << 16));
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
        t.weight[i] = (double)c->column[x0 + i].weight / (1 << SAC_CLAHE_WEIGHT_BITS);
    for (int64_t y = 0; y < in->h; y++) {
        const sac_clahe_place py = sac_clahe_at(y0 + y, c->h, c->tiles_y);
        const v16d wy = v16d_set((double)py.weight / (1 << SAC_CLAHE_WEIGHT_BITS));
        find_tiles(&t, c, c->column[x0], py);
        for (int64_t i = 0; i < whole; i += V16) {
            const v16x3 p = load(in, x0 + i, y, low, packed);
            fetch_next(out, in, x0 + i, y, packed);
            v16_store(t.v + i, v16_max(v16_max(p.c[0], p.c[1]), p.c[2]));
        }
        sac_vmax(t.v + whole, in, x0 + whole, y, n - whole);
        if (c->bins == 65536)
            look_up_row(&t, 65536, n);
        else
            look_up_row(&t, (size_t)c->bins, n);
        for (int64_t i = 0; i < whole; i += V16) {
            v16x3 p = load(in, x0 + i, y, low, packed);
            if (!scale(&t, i, wy, &p))
                scale_others(out, in, &t, py.weight, x0, y, i, i + V16);
            else if (packed)
                v16_store3(sac_out_u16(out, 0, x0 + i, y) + low, p);
            else
                for (int k = 0; k < 3; k++)
                    v16_store(sac_out_u16(out, k, x0 + i, y), p.c[k]);
        }
        scale_others(out, in, &t, py.weight, x0, y, whole, n);
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
        for (n = 1; n < COLUMNS && x + n < in->w && c->column[x + n].first == first.first &&
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
