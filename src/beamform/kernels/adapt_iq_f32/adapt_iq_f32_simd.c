/*
 * adapt_iq_f32 with vectors. Lanes are neighbouring points; signals of a transmit, or of all, are
 * in the nearest cache when they are reduced.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "adapt_iq_f32.h"
#include "adapt_iq_f32_variance.h"

static inline void reduce(vf out[2], const work *w, const float *x, const sac_reduction *r)
{
    switch (r->kind) {
    case SAC_REDUCE_GCF:
        reduce_generalised(out, w, x, r);
        return;
    case SAC_REDUCE_SLSC:
        reduce_short_lags(out, w, x, r);
        return;
    case SAC_REDUCE_MV:
        reduce_variance(out, w, x, r);
        return;
    default:
        reduce_sums(out, w, x, r);
    }
}

/* The rotation and weight of transmit i at the tile's points; what lanes take no part, the last's.
 */
static inline void turn_of(vf turn[2], const arrivals *tx, const tile *to, int32_t i)
{
    _Alignas(64) float re[VF], im[VF];
    for (int32_t k = 0; k < VF; k++) {
        const int32_t place = to->place + (k < to->n ? k : to->n - 1);
        re[k] = tx->re[i][place];
        im[k] = tx->im[i][place];
    }
    turn[0] = vf_load(re);
    turn[1] = vf_load(im);
}

/* The tile's values into image `image`, or added to it. */
static inline void put_values(float *out, const sac_das *das, const tile *to, const vf value[2],
                              int32_t image, bool add)
{
    const ptrdiff_t step = (ptrdiff_t)2 * sac_das_images(das);
    float re[VF], im[VF], *at = out + to->place * step + (ptrdiff_t)2 * image;
    vf_store(re, value[0]);
    vf_store(im, value[1]);
    for (int32_t k = 0; k < to->n; k++, at += step) {
        at[0] = add ? at[0] + re[k] : re[k];
        at[1] = add ? at[1] + im[k] : im[k];
    }
}

/* A transmit's own value. Of SLSC it is a coherence, which is weighted and not rotated; the signs
 * of SCF are those of rotated signals. */
static inline void reduce_transmit(float *out, work *w, const sac_das *das, arrival *a)
{
    const sac_reduction *r = das->reduction;
    const int32_t t = a->first + a->i;
    vf v[2], value[2];
    a->turned = r->kind == SAC_REDUCE_SCF;
    align(w->signals, w, das, a);
    reduce(v, w, w->signals, r);
    value[0] = v[0];
    value[1] = v[1];
    if (r->kind == SAC_REDUCE_SLSC) {
        value[0] = vf_mul(v[0], vf_set(das->lri ? 1 : das->tx_weight[t]));
    } else if (!a->turned) {
        value[0] = vf_fnma(a->turn[1], v[1], vf_mul(a->turn[0], v[0]));
        value[1] = vf_fma(a->turn[1], v[0], vf_mul(a->turn[0], v[1]));
    }
    put_values(out, das, a->to, value, das->lri ? t : 0, !das->lri && t > 0);
}

/* The sums of a tile over all signals, kept between calls. */
static inline void add_all(work *w, const sac_das *das, arrival *a, int32_t tile_index)
{
    float *kept = w->sums + (ptrdiff_t)tile_index * N_SUMS * VF;
    vf sums[N_SUMS];
    a->turned = true;
    align(w->signals, w, das, a);
    for (int32_t i = 0; i < N_SUMS; i++)
        sums[i] = a->first + a->i > 0 ? vf_load(kept + (ptrdiff_t)i * VF) : vf_set(0);
    add_signals(sums, w, w->signals, das->reduction);
    for (int32_t i = 0; i < N_SUMS; i++)
        vf_store(kept + (ptrdiff_t)i * VF, sums[i]);
}

static inline void finish_all(vf value[2], const work *w, const sac_das *das, int32_t tile_index)
{
    const float *kept = w->sums + (ptrdiff_t)tile_index * N_SUMS * VF;
    vf sums[N_SUMS];
    for (int32_t i = 0; i < N_SUMS; i++)
        sums[i] = vf_load(kept + (ptrdiff_t)i * VF);
    finish_sums(value, sums, square_of(sums[RE], sums[IM]), das->reduction);
}

/* Some transmits at a tile, whose receive delays are in `w`. */
static inline void adapt_tile(float *out, work *w, const sac_das *das, const arrivals *tx,
                              const tile *to, int32_t tile_index)
{
    const sac_reduction *r = das->reduction;
    float *block = w->block + (ptrdiff_t)tile_index * das->n_rx * PAIR;
    vf value[2];
    for (int32_t i = 0; i < tx->n; i++) {
        arrival a = {.to = to, .first = tx->first, .i = i};
        a.data = (const float *)das->data + (tx->first + i) * das->tx;
        a.next = i + 1 < tx->n ? das->tx + to->base[i + 1] - to->base[i] : 0;
        turn_of(a.turn, tx, to, i);
        if (r->over == SAC_OVER_TRANSMIT) {
            reduce_transmit(out, w, das, &a);
        } else if (r->over == SAC_OVER_ALL) {
            add_all(w, das, &a, tile_index);
        } else {
            a.turned = true;
            a.add = tx->first + i > 0;
            align(block, w, das, &a);
        }
    }
    if (r->over == SAC_OVER_TRANSMIT || tx->first + tx->n < das->n_tx)
        return;
    if (r->over == SAC_OVER_ALL)
        finish_all(value, w, das, tile_index);
    else
        reduce(value, w, block, r);
    put_values(out, das, to, value, 0, false);
}

/* At most POINTS points; returns at how many: fewer where rows end in short tiles. */
static int32_t adapt_points(float *out, const sac_das *das, work *w, int64_t first,
                            int32_t n_points)
{
    double x[POINTS], y[POINTS], z[POINTS];
    float from[POINTS];
    const linear_array l = linear_of(das);
    tile tiles[TILES];
    tile_points points[TILES];
    arrivals tx;
    sac_das_points(x, y, z, das, first, n_points);
    for (int32_t i = 0; i < n_points; i++)
        from[i] = das->pitch_m > 0 ? 0 : (float)any_base(das, (const double[3]){x[i], y[i], z[i]});
    const int32_t n = cut_tiles(tiles, points, das, first, x, y, z, from, n_points);
    for (tx.first = 0; tx.first < das->n_tx; tx.first += TRANSMITS) {
        tx.n = das->n_tx - tx.first < TRANSMITS ? das->n_tx - tx.first : TRANSMITS;
        find_arrivals(&tx, das, x, y, z, first, n_points, NULL);
        for (int32_t k = 0; k < n; k++) {
            open_tile(&tiles[k], &tx, from);
            receive_all(w, das, &l, &points[k]);
            adapt_tile(out, w, das, &tx, &tiles[k], k);
        }
    }
    return tiles[n - 1].place + tiles[n - 1].n;
}

void sac_adapt_iq_f32_simd(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    if (!is_covered(das)) {
        sac_adapt_iq_f32_plain(out, das, first, n_points);
        return;
    }
    const ptrdiff_t step = (ptrdiff_t)2 * sac_das_images(das);
    work w = work_of(das);
    for (int32_t i = 0, some; i < n_points; i += some) {
        some = n_points - i < POINTS ? n_points - i : POINTS;
        some = adapt_points(out + i * step, das, &w, first + i, some);
    }
}
