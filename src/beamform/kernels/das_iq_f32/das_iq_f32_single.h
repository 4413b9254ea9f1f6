/*
 * das_iq_f32 with vectors where there is one frame: lanes are neighbouring points. Their delays to
 * a transmit and an element lie so close together that the samples of all are in a register or
 * two, from which permutes take them. Receive delays and weights are shared by the transmits.
 * What a point receives, and the order of its sums, is that of das_iq_f32_frames.h, bit by bit.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_SINGLE_H
#define SAC_BEAMFORM_DAS_IQ_F32_SINGLE_H

#include "das_iq_f32_taps.h"

/* At a time: what the tiles of a call receive of them fits the nearest cache. */
#define ELEMENTS 8
#define TOGETHER 2                /* transmits that are summed together, and load that once */
#define TILES (2 * (POINTS / VF)) /* at most: some are short, where rows end */
#define FAR 0x1p22f /* samples: outside of every record, and sums of a few fit an int32_t */

/* What VF points receive of some elements. */
typedef struct tile_receive {
    _Alignas(64) float part[ELEMENTS][VF]; /* of the delay, after whole samples */
    int32_t whole[ELEMENTS][VF];           /* after base */
    float re[ELEMENTS][VF], im[ELEMENTS][VF];
    mf active[ELEMENTS];
    int32_t element[ELEMENTS], base[ELEMENTS];
    int32_t n, low, high, span; /* elements; the least and greatest base, the greatest `whole` */
} tile_receive;

/* What the transmits bring to them, and their sums. */
typedef struct tile {
    _Alignas(64) float sum[TRANSMITS][2][VF]; /* re, im */
    float part[TRANSMITS][VF];                /* as of tile_receive */
    int32_t whole[TRANSMITS][VF];
    int32_t base[TRANSMITS], span[TRANSMITS];
    int64_t index;    /* of the first point */
    int32_t place, n; /* in the call; points */
} tile;

/* Integers, no matter how far. */
static inline vf within_reach(vf whole)
{
    return vf_max(vf_min(whole, vf_set(FAR)), vf_set(-FAR));
}

/* Element r's delays, rotations and weights become the tile's next ones. */
static inline void add_element(tile_receive *rx, vf delay, vf re, vf im, mf active, int32_t r)
{
    vf floored = vf_floor(delay), whole = within_reach(floored);
    float base = vf_least(vf_select(active, whole, vf_set(FAR)));
    int32_t k = rx->n++;
    /* Lanes that do not take part stay with the others. */
    whole = vf_select(active, vf_sub(whole, vf_set(base)), vf_set(0));
    vf_store(rx->part[k], vf_select(active, vf_sub(delay, floored), vf_set(0)));
    vi_store(rx->whole[k], vi_from_vf(whole));
    vf_store(rx->re[k], re);
    vf_store(rx->im[k], im);
    rx->element[k] = r;
    rx->base[k] = (int32_t)base;
    rx->active[k] = active;
    int32_t span = (int32_t)vf_greatest(whole);
    rx->low = k == 0 || rx->base[k] < rx->low ? rx->base[k] : rx->low;
    rx->high = k == 0 || rx->base[k] > rx->high ? rx->base[k] : rx->high;
    rx->span = span > rx->span ? span : rx->span;
}

/* Points, with each one's aperture. */
typedef struct tile_points {
    double x[VF], y[VF], z[VF];
    float begin[VF], end[VF];
} tile_points;

static inline void receive_linear_tile(tile_receive *rx, const linear_array *l,
                                       const tile_points *p, int32_t first, int32_t stop)
{
    _Alignas(64) float coarse[VF], rest[VF], rho[VF], y2[VF], z[VF];
    for (int32_t i = 0; i < VF; i++) {
        double v = p->y[i] * l->samples, w = p->z[i] * l->samples;
        const fine_length x = fine(p->x[i] * l->samples - l->first);
        coarse[i] = x.coarse;
        rest[i] = x.rest;
        rho[i] = (float)sqrt(v * v + w * w);
        y2[i] = (float)(v * v);
        z[i] = (float)w;
    }
    const vf begin = vf_load(p->begin), end = vf_load(p->end);
    for (int32_t r = first; r < stop; r++) {
        mf active = mf_and(vf_ge(vf_set((float)r), begin), vf_ge(end, vf_set((float)(r + 1))));
        if (mf_bits(active) == 0)
            continue;
        const fine_length e = fine(r * l->pitch);
        vf x = apart(vf_load(coarse), vf_load(rest), vf_set(e.coarse), vf_set(e.rest));
        vf delay, re, im;
        receive_linear(&delay, &re, &im, l, x, vf_load(rho), vf_load(y2), vf_load(z));
        add_element(rx, delay, re, im, active, r);
    }
}

/* The same of any array, in double precision. */
static void receive_any_tile(tile_receive *rx, const sac_das *das, const tile_points *p,
                             int32_t first, int32_t stop)
{
    double samples = das->fs_hz / das->c_m_s, turns = das->phase_sign * das->fd_hz / das->c_m_s;
    for (int32_t r = first; r < stop; r++) {
        _Alignas(64) float delay[VF], re[VF], im[VF], in[VF];
        bool any = false;
        for (int32_t i = 0; i < VF; i++) {
            const double at[3] = {p->x[i], p->y[i], p->z[i]};
            double path = sac_distance(at, das->elements[r].position_m), u2;
            bool active = p->begin[i] < p->end[i] &&
                          sac_das_in_aperture(&u2, &das->apodization, &das->elements[r], at);
            float edge, unused, c, d;
            sac_das_rotation(&edge, &unused,
                             sac_das_window(&das->apodization, sqrt(active ? u2 : 0)));
            sac_das_rotation(&c, &d, (float)sac_das_fraction(path * turns));
            delay[i] = (float)(path * samples - any_base(das, at));
            re[i] = c * (0.5f + 0.5f * edge);
            im[i] = d * (0.5f + 0.5f * edge);
            in[i] = active;
            any = any || active;
        }
        if (any)
            add_element(rx, vf_load(delay), vf_load(re), vf_load(im), vf_ge(vf_load(in), vf_set(1)),
                        r);
    }
}

/* sum += weight (c + jd) times the samples (u, v), in active lanes. */
static inline void add_lanes(vf sum[2], vf u, vf v, vf c, vf d, mf active)
{
    sum[0] = vf_fma_where(active, u, c, sum[0]);
    sum[1] = vf_fma_where(active, v, c, sum[1]);
    sum[0] = vf_fnma_where(active, v, d, sum[0]);
    sum[1] = vf_fma_where(active, u, d, sum[1]);
}

/* The nearest samples: `from` whole ones after `base` of transmit i, and a of one. */
static inline vi nearest_lanes(vi from, vf a, const tile *to, const tile_receive *rx,
                               const sac_das *das, int32_t first, int32_t i, int32_t k)
{
    const int32_t base = to->base[i] + rx->base[k];
    vi at = vi_add(from, vi_set(base));
    const uint32_t bits = mf_bits(rx->active[k]);
    if (!(bits & unsure_lanes(vf_from_vi(at), a, das->n_samples, form_of(das))))
        return vi_select(vf_ge(a, vf_set(0.5f)), vi_add(from, vi_set(1)), from);
    find_end_taps(&at, &a, bits, das, first + i, to->index, 1, &rx->element[k], 0);
    return vi_select(rx->active[k], vi_add(at, vi_set(-base)), from);
}

/* Transmits [i, i + n) of the arrivals', which begin at `first` (n, n_windows and f are constants),
 * where all samples lie inside of the records, and n_windows windows hold a tile's. */
static inline void sum_inside(tile *to, const tile_receive *rx, const sac_das *das,
                              const float *data, int32_t first, int32_t i, int32_t n,
                              int32_t n_windows, form f)
{
    const vf zero = vf_set(0);
    vf sum[TOGETHER][2], cubic[4] = {zero, zero, zero, zero};
    const float *at[TOGETHER];
    for (int32_t t = 0; t < n; t++) {
        sum[t][0] = vf_load(to->sum[i + t][0]);
        sum[t][1] = vf_load(to->sum[i + t][1]);
        at[t] = data + (i + t) * das->tx + to->base[i + t];
    }
    for (int32_t k = 0; k < rx->n; k++) {
        const vf c = vf_load(rx->re[k]), d = vf_load(rx->im[k]), part = vf_load(rx->part[k]);
        const vi whole = vi_load(rx->whole[k]);
        ptrdiff_t record = rx->element[k] * das->rx + rx->base[k];
        for (int32_t t = 0; t < n; t++) {
            const float *x = at[t] + record;
            vf a = vf_add(vf_load(to->part[i + t]), part);
            vi from = vf_carry(&a, vi_add(vi_load(to->whole[i + t]), whole));
            if (f == NEAREST)
                from = nearest_lanes(from, a, to, rx, das, first, i + t, k);
            if (f == CUBIC)
                cubic_coefficients(cubic, a);
            const vf u = pick_lanes(x, from, a, cubic, n_windows, f);
            const vf v = pick_lanes(x + das->imag, from, a, cubic, n_windows, f);
            add_lanes(sum[t], u, v, c, d, rx->active[k]);
        }
    }
    for (int32_t t = 0; t < n; t++) {
        vf_store(to->sum[i + t][0], sum[t][0]);
        vf_store(to->sum[i + t][1], sum[t][1]);
    }
}

/* Transmit i, the arrivals' `first + i`, wherever its samples lie. */
static __attribute__((noinline)) void sum_anywhere(tile *to, const tile_receive *rx,
                                                   const sac_das *das, const float *data,
                                                   int32_t first, int32_t i)
{
    vf sum[2] = {vf_load(to->sum[i][0]), vf_load(to->sum[i][1])};
    for (int32_t k = 0; k < rx->n; k++) {
        const float *x = data + i * das->tx + rx->element[k] * das->rx;
        const mf active = rx->active[k];
        const uint32_t bits = mf_bits(active);
        vf a = vf_add(vf_load(to->part[i]), vf_load(rx->part[k]));
        vi at = vf_carry(&a, vi_add(vi_load(to->whole[i]), vi_load(rx->whole[k])));
        at = vi_add(at, vi_set(to->base[i] + rx->base[k]));
        if (bits & unsure_lanes(vf_from_vi(at), a, das->n_samples, form_of(das))) /* exact: FAR */
            find_end_taps(&at, &a, bits, das, first + i, to->index, 1, &rx->element[k], 0);
        else if (das->interp == SAC_INTERP_NEAREST)
            at = vi_select(vf_ge(a, vf_set(0.5f)), vi_add(at, vi_set(1)), at);
        at = vi_select(active, at, vi_set(das->n_samples)); /* zeros */
        const vf u = gather_lanes(x, at, a, das), v = gather_lanes(x + das->imag, at, a, das);
        add_lanes(sum, u, v, vf_load(rx->re[k]), vf_load(rx->im[k]), active);
    }
    vf_store(to->sum[i][0], sum[0]);
    vf_store(to->sum[i][1], sum[1]);
}

/* sum_inside of any form; n and n_windows are constants. */
static inline void sum_inside_any(tile *to, const tile_receive *rx, const sac_das *das,
                                  const float *data, int32_t first, int32_t i, int32_t n,
                                  int32_t n_windows)
{
    if (das->interp == SAC_INTERP_NEAREST)
        sum_inside(to, rx, das, data, first, i, n, n_windows, NEAREST);
    else if (das->interp == SAC_INTERP_CUBIC)
        sum_inside(to, rx, das, data, first, i, n, n_windows, CUBIC);
    else
        sum_inside(to, rx, das, data, first, i, n, n_windows, LINEAR);
}

/* Transmits [i, i + n): n a constant. Lanes read two samples from their place on, which is up to
 * one beyond `span`; where a record's ends are as near as find_end_taps asks, they go apart. */
static inline void sum_some(tile *to, const tile_receive *rx, const sac_das *das, int32_t first,
                            int32_t i, int32_t n)
{
    if (rx->n == 0)
        return;
    const float *data = (const float *)das->data + first * das->tx;
    int32_t low = to->base[i], high = low, span = 0;
    for (int32_t t = i; t < i + n; t++) {
        low = to->base[t] < low ? to->base[t] : low;
        high = to->base[t] > high ? to->base[t] : high;
        span = to->span[t] > span ? to->span[t] : span;
    }
    span += rx->span + 3;
    low += rx->low;
    high += rx->high;
    if (low >= 1 && span <= VF_WINDOW && high + VF_WINDOW < das->n_samples)
        sum_inside_any(to, rx, das, data, first, i, n, 1);
    else if (low >= 1 && span <= 2 * VF_WINDOW && high + 2 * VF_WINDOW < das->n_samples)
        sum_inside_any(to, rx, das, data, first, i, n, 2);
    else
        for (int32_t t = i; t < i + n; t++)
            sum_anywhere(to, rx, das, data, first, t);
}

/* Arrivals at the tile's points, and no sums yet. from: what delays are counted from. */
static inline void open_tile(tile *to, const arrivals *tx, const double *from)
{
    for (int32_t i = 0; i < tx->n; i++) {
        float whole[VF];
        for (int32_t k = 0; k < VF; k++) {
            int32_t place = to->place + (k < to->n ? k : to->n - 1); /* the last one again */
            whole[k] = tx->whole[i][place] + (float)from[place];
            to->part[i][k] = tx->rest[i][place];
        }
        vf all = within_reach(vf_load(whole));
        float base = vf_least(all);
        all = vf_sub(all, vf_set(base));
        to->base[i] = (int32_t)base;
        to->span[i] = (int32_t)vf_greatest(all);
        vi_store(to->whole[i], vi_from_vf(all));
        vf_store(to->sum[i][0], vf_set(0));
        vf_store(to->sum[i][1], vf_set(0));
    }
}

/* out = the tile's sums, rotated and weighed; or += them, where something was added before. */
static void close_tile(float *out, const tile *from, const sac_das *das, const arrivals *tx,
                       bool fresh)
{
    const ptrdiff_t step = (ptrdiff_t)2 * sac_das_images(das);
    for (int32_t i = 0; i < tx->n; i++) {
        const bool add = !fresh || (!das->lri && tx->first + i > 0);
        float *at = out + from->place * step + (das->lri ? 2 * (tx->first + i) : 0);
        for (int32_t k = 0; k < from->n; k++, at += step) {
            float a = from->sum[i][0][k], b = from->sum[i][1][k];
            float c = tx->re[i][from->place + k], d = tx->im[i][from->place + k];
            at[0] = add ? at[0] + (c * a - d * b) : c * a - d * b;
            at[1] = add ? at[1] + (c * b + d * a) : c * b + d * a;
        }
    }
}

/* How many points a tile has: not across the end of a row, unless rows are short. */
static int32_t tile_size(const sac_das *das, int64_t first, int32_t rest)
{
    int32_t n = rest < VF ? rest : VF;
    const sac_das_spot place = sac_das_spot_of(das, first);
    return place.row >= VF && place.left < n ? (int32_t)place.left : n;
}

static void sum_transmits(tile *tiles, const tile_receive *rx, int32_t n_tiles, const sac_das *das,
                          const arrivals *tx)
{
    for (int32_t i = 0; i < tx->n; i += TOGETHER) {
        for (int32_t k = 0; k < n_tiles; k++) {
            if (i + TOGETHER <= tx->n)
                sum_some(&tiles[k], &rx[k], das, tx->first, i, TOGETHER);
            else
                sum_some(&tiles[k], &rx[k], das, tx->first, i, 1);
        }
    }
}

/* Cuts n_points points into tiles; the last point of a short one is repeated in lanes that take no
 * part. Returns how many. */
static int32_t cut_tiles(tile *tiles, tile_points *points, const sac_das *das, int64_t first,
                         const double *x, const double *y, const double *z, int32_t n_points)
{
    int32_t n = 0, begin[POINTS], end[POINTS];
    find_apertures(begin, end, das, x, y, z, n_points);
    for (int32_t i = 0; i < n_points; i += tiles[n++].n) {
        tile *to = &tiles[n];
        tile_points *p = &points[n];
        to->index = first + i;
        to->place = i;
        to->n = tile_size(das, first + i, n_points - i);
        for (int32_t k = 0; k < VF; k++) {
            int32_t place = i + (k < to->n ? k : to->n - 1);
            p->x[k] = x[place];
            p->y[k] = y[place];
            p->z[k] = z[place];
            p->begin[k] = (float)begin[place];
            p->end[k] = (float)(k < to->n ? end[place] : begin[place]);
        }
    }
    return n;
}

/* Elements [begin, stop) of a chunk: ELEMENTS at a time. */
static void sum_chunk(tile *tiles, const tile_points *points, int32_t n_tiles, const sac_das *das,
                      const linear_array *l, const arrivals *tx, int32_t begin, int32_t stop)
{
    tile_receive rx[TILES];
    for (; begin < stop; begin += ELEMENTS) {
        int32_t end = stop - begin < ELEMENTS ? stop : begin + ELEMENTS;
        for (int32_t i = 0; i < n_tiles; i++) {
            rx[i].n = 0;
            rx[i].span = 0;
            if (das->pitch_m > 0)
                receive_linear_tile(&rx[i], l, &points[i], begin, end);
            else
                receive_any_tile(&rx[i], das, &points[i], begin, end);
        }
        sum_transmits(tiles, rx, n_tiles, das, tx);
    }
}

/* Some transmits at at most POINTS points: into out, or added to it where they are not the first.
 */
static void sum_single(float *out, const sac_das *das, arrivals *tx, int64_t first,
                       int32_t n_points)
{
    double x[POINTS], y[POINTS], z[POINTS], from[POINTS];
    const linear_array l = linear_of(das);
    tile tiles[TILES];
    tile_points points[TILES];
    sac_das_points(x, y, z, das, first, n_points);
    find_arrivals(tx, das, x, y, z, first, n_points);
    for (int32_t i = 0; i < n_points; i++)
        from[i] = das->pitch_m > 0 ? 0 : any_base(das, (const double[3]){x[i], y[i], z[i]});
    float least = (float)das->n_rx, most = 0;
    int32_t n = cut_tiles(tiles, points, das, first, x, y, z, n_points);
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < tiles[i].n; k++) {
            bool any = points[i].begin[k] < points[i].end[k];
            least = any && points[i].begin[k] < least ? points[i].begin[k] : least;
            most = any && points[i].end[k] > most ? points[i].end[k] : most;
        }
    const int32_t end = (int32_t)most;
    int32_t begin = least < most ? (int32_t)least : end;
    bool fresh = true;
    do {
        int32_t next = begin - begin % SAC_DAS_CHUNK + SAC_DAS_CHUNK;
        for (int32_t i = 0; i < n; i++)
            open_tile(&tiles[i], tx, from);
        sum_chunk(tiles, points, n, das, &l, tx, begin, end < next ? end : next);
        for (int32_t i = 0; i < n; i++)
            close_tile(out, &tiles[i], das, tx, fresh);
        fresh = false;
        begin = next;
    } while (begin < end);
}

#endif
