/*
 * das_iq_f32 with vectors where there is one frame: lanes are neighbouring points. Their delays to
 * a transmit and an element lie so close together that the samples of all are in a register or
 * two, from which permutes take them. Receive delays and weights are shared by the transmits.
 * What a point receives, and the order of its sums, is that of das_iq_f32_frames.h, bit by bit.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_SINGLE_H
#define SAC_BEAMFORM_DAS_IQ_F32_SINGLE_H

#include "das_iq_f32_any.h"
#include "das_iq_f32_tiles.h"

#define FEW_TRANSMITS 4 /* transmits; see abreast */
#define TOGETHER 2      /* transmits that are summed together, and load that once */
#define AHEAD 24        /* samples after those at work that are fetched: rows below take them */

/* A tile's points as an array hears them that is received in single precision (see any_point), and
 * which elements of a chunk they may hear. */
typedef struct tile_seen {
    _Alignas(64) float x[VF], y[VF], z[VF], half_l0[VF], open[VF], sure[VF], most[VF];
    any_box box;
    uint32_t heard[SAC_DAS_CHUNK / VF];
} tile_seen;

static inline void see_points(tile_seen *to, const tile_points *p, int32_t n, const any_array *a,
                              const sac_das *das)
{
    to->box = empty_box();
    for (int32_t i = 0; i < VF; i++) {
        const any_point at = any_point_of(a, das, p->x[i], p->y[i], p->z[i]);
        widen_box(&to->box, &at);
        to->x[i] = at.x;
        to->y[i] = at.y;
        to->z[i] = at.z;
        to->half_l0[i] = at.half_l0;
        to->open[i] = i < n ? at.open : 0;
        to->sure[i] = i < n ? at.sure : -1;
        to->most[i] = i < n ? at.most : -1; /* u^2 = 0 is beyond */
    }
}

/* Which of a chunk's elements the tile may hear; any: which some tile may. */
static inline void find_heard(tile_seen *s, uint32_t any[SAC_DAS_CHUNK / VF], const any_elements *e)
{
    for (int32_t k = 0; k < e->n; k += VF) {
        s->heard[k / VF] = heard_lanes(&s->box, e, k);
        any[k / VF] |= s->heard[k / VF];
    }
}

static inline any_lanes load_points(const tile_seen *p)
{
    return (any_lanes){.x = vf_load(p->x),
                       .y = vf_load(p->y),
                       .z = vf_load(p->z),
                       .half_l0 = vf_load(p->half_l0),
                       .open = vf_load(p->open),
                       .sure = vf_load(p->sure),
                       .most = vf_load(p->most)};
}

/* Places place[0, n) of the chunk, in single precision. */
static void receive_single_tile(tile_receive *rx, const sac_das *das, const any_array *a,
                                const any_elements *e, const tile_seen *s, const tile_points *p,
                                const uint32_t *place, int32_t n)
{
    tile_delays delays;
    any_lanes l = load_points(s);
    for (int32_t i = 0; i < n; i++) {
        const uint32_t at = place[i];
        const int32_t r = e->first + (int32_t)at;
        if (!(s->heard[at / VF] >> at % VF & 1))
            continue;
        set_element(&l, e, (int32_t)at);
        const vf lateral2 = aside2(&l);
        vf u2 = vf_mul(lateral2, l.open);
        const uint32_t doubtful = doubtful_lanes(&l, u2);
        if (doubtful)
            u2 = decide(u2, doubtful, das, p->x, p->y, p->z, 1, r, 0);
        const mf active = vf_ge(vf_min(l.most, vf_set(1)), u2);
        if (mf_bits(active) == 0)
            continue;
        add_element(rx, &delays, delay_beyond(&l, lateral2), u2, active, r);
    }
    weigh_elements(rx, &delays, &a->like);
    rx->radius = a->radius;
    find_bases(rx, &delays);
}

/* sum += weight (c + jd) times the samples (u, v), in active lanes. */
static inline void add_lanes(vf sum[2], vf u, vf v, vf c, vf d, mf active)
{
    sum[0] = vf_fma_where(active, u, c, sum[0]);
    sum[1] = vf_fma_where(active, v, c, sum[1]);
    sum[0] = vf_fnma_where(active, v, d, sum[0]);
    sum[1] = vf_fma_where(active, u, d, sum[1]);
}

/* The nearest samples, counted from `base`, of lanes that are half-way between two, so far as
 * single precision knows. */
static __attribute__((noinline)) vi round_exactly(vi from, uint32_t lanes, int32_t base,
                                                  const sac_das *das, int32_t t, int64_t index,
                                                  int32_t r)
{
    int32_t n[VF];
    vi_store(n, from);
    for (; lanes; lanes &= lanes - 1) {
        const int32_t i = __builtin_ctz(lanes);
        n[i] = (int32_t)floor(exact_delay(das, t, index + i, r) + 0.5) - base;
    }
    return vi_load(n);
}

/* The nearest samples: `from` whole ones after `base` of transmit i, and a of one; inside. */
static inline vi nearest_lanes(vi from, vf a, const tile *to, const tile_receive *rx,
                               const sac_das *das, int32_t first, int32_t i, int32_t k, vf error)
{
    const vf off = vf_sub(a, vf_set(0.5f)), aside = vf_max(off, vf_sub(vf_set(0), off));
    const mf doubtful = mf_and(rx->active[k], vf_ge(error, aside));
    from = vi_select(vf_ge(off, vf_set(0)), vi_add(from, vi_set(1)), from);
    if (mf_bits(doubtful))
        from = round_exactly(from, mf_bits(doubtful), to->base[i] + rx->base[k], das, first + i,
                             to->index, rx->element[k]);
    return from;
}

/* Transmits [i, i + n) of the arrivals', which begin at `first` (n, n_windows and f are constants),
 * where all samples lie inside of the records, and n_windows windows hold a tile's; 0: none do. */
SIMD_INLINE void sum_inside(tile *to, const tile_receive *rx, const sac_das *das, const float *data,
                            int32_t first, int32_t i, int32_t n, int32_t n_windows, form f)
{
    const vf zero = vf_set(0), error = vf_set(error_of(rx));
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
            __builtin_prefetch(x + AHEAD);
            __builtin_prefetch(x + das->imag + AHEAD);
            vf a = vf_add(vf_load(to->part[i + t]), part);
            vi from = vf_carry(&a, vi_add(vi_load(to->whole[i + t]), whole));
            if (f == NEAREST)
                from = nearest_lanes(from, a, to, rx, das, first, i + t, k, error);
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
SIMD_INLINE void sum_inside_any(tile *to, const tile_receive *rx, const sac_das *das,
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
SIMD_INLINE void sum_some(tile *to, const tile_receive *rx, const sac_das *das, int32_t first,
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
    if (das->outside == SAC_OUTSIDE_ZERO && (low >= das->n_samples || high + span < 0))
        return; /* zeros are added */
    if (low >= 1 && span <= VF_WINDOW && high + VF_WINDOW < das->n_samples)
        sum_inside_any(to, rx, das, data, first, i, n, 1);
    else if (low >= 1 && span <= 2 * VF_WINDOW && high + 2 * VF_WINDOW < das->n_samples)
        sum_inside_any(to, rx, das, data, first, i, n, 2);
    else if (low >= 1 && span <= 4 * VF_WINDOW && high + 4 * VF_WINDOW < das->n_samples)
        sum_inside_any(to, rx, das, data, first, i, n, 4);
    else if (low >= 1 && high + span < das->n_samples)
        sum_inside_any(to, rx, das, data, first, i, n, 0);
    else
        for (int32_t t = i; t < i + n; t++)
            sum_anywhere(to, rx, das, data, first, t);
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

/* How many tiles receive before they are summed: of few transmits one, so that what it receives is
 * in the nearest cache still; else all, which then take turns at a transmit's samples. */
static inline int32_t abreast(const arrivals *tx)
{
    return tx->n <= FEW_TRANSMITS ? 1 : TILES;
}

/* Elements [begin, stop) of a chunk that some tiles hear, in single precision: ELEMENTS at a time.
 */
static void sum_heard(tile *tiles, tile_seen *seen, const tile_points *points, int32_t n_tiles,
                      const sac_das *das, const any_array *a, const arrivals *tx, int32_t begin,
                      int32_t stop)
{
    tile_receive rx[TILES];
    any_elements e;
    uint32_t place[SAC_DAS_CHUNK];
    int32_t n = 0;
    uint32_t any[SAC_DAS_CHUNK / VF] = {0};
    find_elements(&e, a, das, begin, stop - begin);
    for (int32_t i = 0; i < n_tiles; i++)
        find_heard(&seen[i], any, &e);
    for (int32_t k = 0; k < e.n; k++)
        if (any[k / VF] >> k % VF & 1)
            place[n++] = (uint32_t)k;
    for (int32_t k = 0; k < n; k += ELEMENTS) {
        const int32_t some = n - k < ELEMENTS ? n - k : ELEMENTS;
        for (int32_t i = 0, n_rx = 0; i < n_tiles; i++) {
            rx[n_rx].n = 0;
            receive_single_tile(&rx[n_rx++], das, a, &e, &seen[i], &points[i], place + k, some);
            if (n_rx == abreast(tx) || i == n_tiles - 1) {
                sum_transmits(tiles + i + 1 - n_rx, rx, n_rx, das, tx);
                n_rx = 0;
            }
        }
    }
}

/* Elements [begin, stop) of a chunk: ELEMENTS at a time. */
static void sum_chunk(tile *tiles, const tile_points *points, int32_t n_tiles, const sac_das *das,
                      const any_array *a, const arrivals *tx, int32_t begin, int32_t stop)
{
    tile_receive rx[TILES];
    for (; begin < stop; begin += ELEMENTS) {
        int32_t end = stop - begin < ELEMENTS ? stop : begin + ELEMENTS;
        for (int32_t i = 0, n_rx = 0; i < n_tiles; i++) {
            tile_receive *to = &rx[n_rx++];
            to->n = 0;
            if (das->pitch_m > 0)
                receive_linear_tile(to, &a->like, &points[i], begin, end);
            else
                receive_any_tile(to, das, &points[i], begin, end);
            if (n_rx == abreast(tx) || i == n_tiles - 1) {
                sum_transmits(tiles + i + 1 - n_rx, rx, n_rx, das, tx);
                n_rx = 0;
            }
        }
    }
}

/* Some transmits at at most POINTS points: into out, or added to it where they are not the first.
 * Returns at how many: fewer where rows end in short tiles. */
static int32_t sum_single(float *out, const sac_das *das, arrivals *tx, int64_t first,
                          int32_t n_points)
{
    double x[POINTS], y[POINTS], z[POINTS];
    float from[POINTS];
    const any_array a = any_of(das);
    tile tiles[TILES];
    tile_points points[TILES];
    tile_seen seen[TILES];
    sac_das_points(x, y, z, das, first, n_points);
    find_arrivals(tx, das, x, y, z, first, n_points, a.in_single ? a.middle_m : NULL);
    sac_das_receive_points(x, y, das, n_points);
    for (int32_t i = 0; i < n_points; i++)
        from[i] = das->pitch_m > 0 || a.in_single
                      ? 0
                      : (float)any_base(das, (const double[3]){x[i], y[i], z[i]});
    float least = (float)das->n_rx, most = 0;
    int32_t n = cut_tiles(tiles, points, das, first, x, y, z, from, n_points);
    for (int32_t i = 0; i < n; i++) {
        if (a.in_single)
            see_points(&seen[i], &points[i], tiles[i].n, &a, das);
        for (int32_t k = 0; k < tiles[i].n; k++) {
            bool any = points[i].begin[k] < points[i].end[k];
            least = any && points[i].begin[k] < least ? points[i].begin[k] : least;
            most = any && points[i].end[k] > most ? points[i].end[k] : most;
        }
    }
    const int32_t end = (int32_t)most;
    int32_t begin = least < most ? (int32_t)least : end;
    bool fresh = true;
    do {
        int32_t next = begin - begin % SAC_DAS_CHUNK + SAC_DAS_CHUNK;
        for (int32_t i = 0; i < n; i++)
            open_tile(&tiles[i], tx, from);
        const int32_t stop = end < next ? end : next;
        if (a.in_single)
            sum_heard(tiles, seen, points, n, das, &a, tx, begin, stop);
        else
            sum_chunk(tiles, points, n, das, &a, tx, begin, stop);
        for (int32_t i = 0; i < n; i++)
            close_tile(out, &tiles[i], das, tx, fresh);
        fresh = false;
        begin = next;
    } while (begin < end);
    return tiles[n - 1].place + tiles[n - 1].n;
}

#endif
