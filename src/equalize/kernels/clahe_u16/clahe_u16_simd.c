/*
 * clahe_u16 with vectors. Levels are looked up one by one, since 65,536 bins leave nothing to
 * prepare, by columns of cells (the pixels between the same four tile centers), so that the four
 * tiles' levels stay in the L2 cache. They are mixed and divided by V in doubles, and colors are
 * scaled in 16-bit lanes (share.h). That leaves the last bit open in 1 of 340 vectors of 16 pixels,
 * which are plain C. Sums in place of levels are mixed across by products of pairs, and never
 * become levels: 1 of 110 vectors is plain C. For packed RGB and planes; other layouts are plain C.
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
    const uint16_t *sum[2][2];     /* in place of levels, with the weights of both columns */
    uint32_t *pairs[2];            /* NULL, or both sums of a row of tiles, those of `paired` */
    const uint16_t *paired[2];
    int16_t weights[COLUMNS][2];
    double slope; /* 2^15 G of what is mixed, levels or sums */
    uint16_t v[COLUMNS];
    int64_t x0, y; /* of its first pixel */
    int plane[3];  /* of each color */
    sac_clahe_place py;
    double wy; /* py's weight */
} cell;

/* What is known when code is made. */
typedef struct {
    bool packed, sums;
} form;

/* Row k's sums side by side, so that both take one load, from one line of a cache. */
static void make_pairs(cell *t, int k)
{
    for (int i = 0; i < 65536; i += V16)
        v16_store_pairs(t->pairs[k] + i, v16_load(t->sum[k][0] + i), v16_load(t->sum[k][1] + i));
}

/* The next cell's first row of tiles was this one's second. */
static void find_pairs(cell *t)
{
    if (t->paired[0] != t->sum[0][0] && t->paired[1] == t->sum[0][0]) {
        uint32_t *pairs = t->pairs[0];
        t->pairs[0] = t->pairs[1];
        t->pairs[1] = pairs;
        t->paired[0] = t->paired[1];
        t->paired[1] = NULL;
    }
    for (int k = 0; k < 2; k++)
        if (t->paired[k] != t->sum[k][0]) {
            make_pairs(t, k);
            t->paired[k] = t->sum[k][0];
        }
}

static void find_tiles(cell *t, const sac_clahe *c)
{
    const sac_clahe_place px = c->column[t->x0], py = t->py;
    t->wy = (double)py.weight / (1 << SAC_CLAHE_WEIGHT_BITS);
    for (int i = 0; i < 4; i++) {
        const size_t at =
            sac_clahe_tile(c, i % 2 ? px.second : px.first, i / 2 ? py.second : py.first);
        if (c->sum)
            t->sum[i / 2][i % 2] = c->sum + at;
        else
            t->tile[i / 2][i % 2] = c->level + at;
    }
    if (c->sum && t->pairs[0])
        find_pairs(t);
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

/* G of V16 pixels, but for its rounding. */
SIMD_INLINE v16d mix_levels(const cell *t, int64_t i)
{
    const v16d wy = v16d_set(t->wy);
    v16d g[2];
    for (int k = 0; k < 2; k++) {
        const v16d a = v16d_load_u32(t->level[0][k] + i), b = v16d_load_u32(t->level[1][k] + i);
        g[k] = v16d_fma(v16d_sub(b, a), wy, v16d_sub(a, v16d_set(0x1p52)));
    }
    return v16d_fma(v16d_sub(g[1], g[0]), v16d_load(t->weight + i), g[0]);
}

/* The mixed sums, times 2^12, exactly: as they are looked up, each has 2^15 less. */
SIMD_INLINE v16d mix_sums(const cell *t, int64_t i)
{
    const v16p weights = v16p_load(t->weights[i]);
    v16d g[2];
    for (int k = 0; k < 2; k++)
        g[k] = v16p_mix(t->pairs[0] ? v16p_of_table(t->pairs[k], t->v + i)
                                    : v16p_look_up(t->sum[k][0], t->sum[k][1], t->v + i),
                        weights);
    return v16d_fma(v16d_sub(g[1], g[0]), v16d_set(t->wy), v16d_sub(g[0], v16d_set(-0x1p27)));
}

/* G / (2^16 V) of V16 pixels, as sac_share takes it. */
SIMD_INLINE v16x2 factors(const cell *t, int64_t i, v16 normal, form is)
{
    const v16d mixed = is.sums ? mix_sums(t, i) : mix_levels(t, i);
    return v16d_halves(v16d_mul(mixed, v16d_div(v16d_set(t->slope), v16d_from(normal))));
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

/* Pixel i in plain C. */
static void scale_one(uint16_t to[3], const sac_pixels *in, const sac_clahe *c, const cell *t,
                      int64_t i)
{
    const uint64_t v = t->v[i] > 1 ? t->v[i] : 1;
    const uint64_t g =
        sac_clahe_at_bin(c, c->column[t->x0 + i], t->py, t->v[i] * (size_t)c->bins >> 16);
    for (int k = 0; k < 3; k++) {
        const uint64_t x = *sac_row_u16(in, k, t->x0 + i, t->y);
        to[k] = (uint16_t)((g * x + (v << 15)) / (v << 16));
    }
}

/* Those of V16 pixels that are not sure; color k is in plane t->plane[k]. */
static void mend(v16x3 *p, v16 doubts, const sac_pixels *in, const sac_clahe *c, const cell *t,
                 int64_t i)
{
    uint16_t lane[V16], x[3][V16], to[3];
    v16_store(lane, doubts);
    for (int k = 0; k < 3; k++)
        v16_store(x[k], p->c[k]);
    for (int n = 0; n < V16; n++)
        if (lane[n] == 0) {
            scale_one(to, in, c, t, i + n);
            for (int k = 0; k < 3; k++)
                x[t->plane[k]][n] = to[k];
        }
    for (int k = 0; k < 3; k++)
        p->c[k] = v16_load(x[k]);
}

/* V16 pixels, i the first one's place in the cell. */
SIMD_INLINE v16x3 scale(v16x3 p, const sac_pixels *in, const sac_clahe *c, const cell *t, int64_t i,
                        form is)
{
    const v16 v = v16_max(v16_load(t->v + i), v16_set(1)), lead = v16_lead(v);
    const v16x2 q = factors(t, i, v16_mul(v, lead), is);
    v16 least = v16_set(65535);
    for (int k = 0; k < 3; k++)
        p.c[k] = sac_share(&least, q, v16_mul(p.c[k], lead), is.sums);
    const v16 doubts = sac_share_doubts(least, is.sums);
    if (v16_any_zero(doubts))
        mend(&p, doubts, in, c, t, i);
    return p;
}

/* What does not change from row to row. */
SIMD_INLINE void find_weights(cell *t, const sac_clahe *c, int64_t n)
{
    const int one = 1 << SAC_CLAHE_WEIGHT_BITS;
    for (int64_t i = 0; i < n; i++) {
        const int weight = (int)c->column[t->x0 + i].weight;
        t->weight[i] = (double)weight / one;
        t->weights[i][0] = (int16_t)(one - weight);
        t->weights[i][1] = (int16_t)weight;
    }
    t->slope = c->sum ? (double)c->most / c->pixels * 0x1p3 : 0x1p15;
}

/* Of a row. */
SIMD_INLINE void find_values(cell *t, const sac_pixels *out, const sac_pixels *in,
                             const sac_clahe *c, int64_t n, ptrdiff_t low, form is)
{
    const int64_t x0 = t->x0, y = t->y, whole = n / V16 * V16;
    for (int64_t i = 0; i < whole; i += V16) {
        const v16x3 p = load(in, x0 + i, y, low, is.packed);
        fetch_next(out, in, x0 + i, y, is.packed);
        v16_store(t->v + i, v16_max(v16_max(p.c[0], p.c[1]), p.c[2]));
    }
    sac_vmax(t->v + whole, in, x0 + whole, y, n - whole);
    if (is.sums)
        return;
    if (c->bins == 65536)
        look_up_row(t, 65536, whole);
    else
        look_up_row(t, (size_t)c->bins, whole);
}

/* Columns x0 to x0 + n. */
SIMD_INLINE void scale_columns(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c,
                               int64_t y0, int64_t x0, int64_t n, ptrdiff_t low, form is)
{
    const int64_t whole = n / V16 * V16;
    cell t = {.x0 = x0, .pairs = {c->pairs[0], c->pairs[1]}};
    find_weights(&t, c, n);
    for (int k = 0; k < 3; k++)
        t.plane[k] =
            is.packed ? (int)(sac_row_u16(in, k, 0, 0) - sac_row_u16(in, 0, 0, 0) - low) : k;
    for (t.y = 0; t.y < in->h; t.y++) {
        t.py = sac_clahe_at(y0 + t.y, c->h, c->tiles_y);
        find_tiles(&t, c);
        find_values(&t, out, in, c, n, low, is);
        for (int64_t i = 0; i < whole; i += V16) {
            const v16x3 p = scale(load(in, x0 + i, t.y, low, is.packed), in, c, &t, i, is);
            if (is.packed)
                v16_store3(sac_out_u16(out, 0, x0 + i, t.y) + low, p);
            else
                for (int k = 0; k < 3; k++)
                    v16_store(sac_out_u16(out, k, x0 + i, t.y), p.c[k]);
        }
        for (int64_t i = whole; i < n; i++) {
            uint16_t to[3];
            scale_one(to, in, c, &t, i);
            for (int k = 0; k < 3; k++)
                *sac_out_u16(out, k, x0 + i, t.y) = to[k];
        }
    }
}

void sac_clahe_u16_simd(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c, int64_t y0)
{
    const bool is_rgb = in->n_colors == 3, full = !c->sum || c->bins == 65536;
    const bool packed = is_rgb && sac_dense_step(out, in, 2) == 3;
    if (!full || (!packed && !(is_rgb && in->pixel == 2 && out->pixel == 2))) {
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
        if (packed && c->sum)
            scale_columns(out, in, c, y0, x, n, low, (form){true, true});
        else if (packed)
            scale_columns(out, in, c, y0, x, n, low, (form){true, false});
        else if (c->sum)
            scale_columns(out, in, c, y0, x, n, 0, (form){false, true});
        else
            scale_columns(out, in, c, y0, x, n, 0, (form){false, false});
    }
    sac_copy_alpha(out, in, 2);
}
