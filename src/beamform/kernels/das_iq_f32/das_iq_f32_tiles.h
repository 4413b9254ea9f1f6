/*
 * das_iq_f32 with vectors where there is one frame: a call's points in tiles, one vector of
 * neighbours each. What a tile receives of the elements, what transmits bring to it, its sums.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_TILES_H
#define SAC_BEAMFORM_DAS_IQ_F32_TILES_H

#include "das_iq_f32_taps.h"

/* At a time: what the tiles of a call receive of them fits the nearest cache. */
#define ELEMENTS 8
#define TILES (POINTS / VF)

/* What VF points receive of some elements. */
typedef struct tile_receive {
    _Alignas(64) float part[ELEMENTS][VF]; /* of the delay, after whole samples */
    int32_t whole[ELEMENTS][VF];           /* after base */
    float re[ELEMENTS][VF], im[ELEMENTS][VF];
    mf active[ELEMENTS];
    int32_t element[ELEMENTS], base[ELEMENTS];
    int32_t n, low, high, span; /* elements; the least and greatest base, the greatest `whole` */
    float radius;               /* of an array whose delays are counted from its middle; else 0 */
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

/* Delays, no matter how far. */
static inline vf within_reach(vf whole)
{
    return vf_max(vf_min(whole, vf_set(FAR)), vf_set(-FAR));
}

/* The tile's elements' delays, and u^2. What follows of these is found in loops of their own: one
 * element's chain of roots, quotients and polynomials is longer than a processor looks ahead. */
typedef struct tile_delays {
    _Alignas(64) float delay[ELEMENTS][VF], u2[ELEMENTS][VF];
} tile_delays;

/* Element r's become the tile's next ones. */
static inline void add_element(tile_receive *rx, tile_delays *d, vf delay, vf u2, mf active,
                               int32_t r)
{
    const int32_t k = rx->n++;
    vf_store(d->delay[k], delay);
    vf_store(d->u2[k], u2);
    rx->active[k] = active;
    rx->element[k] = r;
}

/* Rotations and weights of all. */
static inline void weigh_elements(tile_receive *rx, const tile_delays *d, const linear_array *l)
{
    const int32_t n = rx->n;
    for (int32_t k = 0; k < n; k++) {
        vf re, im;
        turn_and_weigh(&re, &im, l, vf_load(d->delay[k]), vf_load(d->u2[k]));
        vf_store(rx->re[k], re);
        vf_store(rx->im[k], im);
    }
}

/* Delays' parts. Lanes that do not take part stay with the others. */
static inline void find_bases(tile_receive *rx, const tile_delays *d)
{
    const int32_t n = rx->n;
    _Alignas(64) float whole[ELEMENTS][VF], base[ELEMENTS];
    vf span = vf_set(0), last = span;
    rx->span = rx->low = rx->high = 0;
    if (n == 0)
        return;
    for (int32_t k = 0; k < n; k++) {
        const vf delay = within_reach(vf_load(d->delay[k])), floored = vf_floor(delay);
        vf_store(rx->part[k], vf_sub(delay, floored));
        last = vf_select(rx->active[k], floored, vf_set(FAR));
        vf_store(whole[k], last);
    }
    for (int32_t k = n; k < ELEMENTS; k++)
        vf_store(whole[k], last);
    vf_least_of_8(base, whole[0]);
    for (int32_t k = 0; k < n; k++) {
        const vf beyond = vf_sub(vf_load(whole[k]), vf_set(base[k]));
        const vf kept = vf_select(rx->active[k], beyond, vf_set(0));
        span = vf_max(span, kept);
        vi_store(rx->whole[k], vi_from_vf(kept));
    }
    for (int32_t k = 0; k < ELEMENTS; k++)
        rx->base[k] = (int32_t)base[k];
    rx->span = (int32_t)vf_greatest(span);
    rx->low = rx->high = rx->base[0];
    for (int32_t k = 1; k < ELEMENTS; k++) {
        rx->low = rx->base[k] < rx->low ? rx->base[k] : rx->low;
        rx->high = rx->base[k] > rx->high ? rx->base[k] : rx->high;
    }
}

/* How far off delays of transmits and elements are at most, in samples: coordinates, squares, root
 * and quotient round by 2^-24 each, eight times at most; so do fractions and their sum. */
static inline float error_of(const tile_receive *rx)
{
    const int32_t far = (rx->high > -rx->low ? rx->high : -rx->low) + rx->span;
    return 0x1p-21f * ((float)far + rx->radius + 2);
}

/* Points, with each one's aperture. */
typedef struct tile_points {
    double x[VF], y[VF], z[VF], base[VF]; /* base: what delays are counted from */
    float begin[VF], end[VF];
} tile_points;

static inline void receive_linear_tile(tile_receive *rx, const linear_array *l,
                                       const tile_points *p, int32_t first, int32_t stop)
{
    _Alignas(64) float coarse[VF], rest[VF], rho[VF], y2[VF], open[VF];
    for (int32_t i = 0; i < VF; i++) {
        double v = p->y[i] * l->samples, w = p->z[i] * l->samples;
        const fine_length x = fine(p->x[i] * l->samples - l->first);
        coarse[i] = x.coarse;
        rest[i] = x.rest;
        rho[i] = (float)sqrt(v * v + w * w);
        y2[i] = (float)(v * v);
        open[i] = open_of(l, w);
    }
    const vf begin = vf_load(p->begin), end = vf_load(p->end);
    tile_delays delays;
    for (int32_t r = first; r < stop; r++) {
        mf active = mf_and(vf_ge(vf_set((float)r), begin), vf_ge(end, vf_set((float)(r + 1))));
        if (mf_bits(active) == 0)
            continue;
        const fine_length e = fine(r * l->pitch);
        vf x = apart(vf_load(coarse), vf_load(rest), vf_set(e.coarse), vf_set(e.rest));
        const vf u2 = linear_u2(l, x, vf_load(y2), vf_load(open));
        add_element(rx, &delays, path_beyond(x, vf_load(rho)), u2, active, r);
    }
    weigh_elements(rx, &delays, l);
    rx->radius = 0;
    find_bases(rx, &delays);
}

/* Distances of a tile's points to an element, squared, and which points it receives, with u^2 (as
 * sac_das_in_aperture, to the last bit, without a branch). */
static inline mf measure_tile(double square[VF], double u2[VF], const sac_das *das,
                              const tile_points *p, const sac_element *e)
{
    const double f = das->apodization.f_number, four_f2 = 4 * f * f;
    const double *o = e->position_m, *n = e->normal;
    _Alignas(64) float in[VF];
    for (int32_t i = 0; i < VF; i++) {
        const double x = p->x[i] - o[0], y = p->y[i] - o[1], z = p->z[i] - o[2];
        const double depth = x * n[0] + y * n[1] + z * n[2], depth2 = depth * depth;
        square[i] = x * x + y * y + z * z;
        double lateral2 = square[i] - depth2;
        lateral2 = lateral2 < 0 ? 0 : lateral2;
        const double scaled = four_f2 * lateral2;
        const bool is_in = (f <= 0) | ((depth > 0) & !(scaled > depth2));
        in[i] = (is_in & (p->begin[i] < p->end[i])) ? 1 : 0;
        u2[i] = f > 0 && in[i] > 0 ? scaled / depth2 : 0;
    }
    return vf_ge(vf_load(in), vf_set(1));
}

/* The same of any array, in double precision: what sac_das_receive_point computes. */
static void receive_any_tile(tile_receive *rx, const sac_das *das, const tile_points *p,
                             int32_t first, int32_t stop)
{
    const sac_apodization *a = &das->apodization;
    const int32_t n_weighed = sac_das_has_window(a) ? VF : 0;
    double samples = das->fs_hz / das->c_m_s, turns = das->phase_sign * das->fd_hz / das->c_m_s;
    tile_delays delays;
    for (int32_t r = first; r < stop; r++) {
        double path[VF], u2[VF];
        _Alignas(64) float delay[VF], re[VF], im[VF], window[VF];
        const mf active = measure_tile(path, u2, das, p, &das->elements[r]);
        if (mf_bits(active) == 0)
            continue;
        for (int32_t i = 0; i < VF; i++) {
            path[i] = sqrt(path[i]);
            delay[i] = (float)(path[i] * samples - p->base[i]);
        }
        for (int32_t i = 0; i < VF; i++)
            sac_das_rotation(&re[i], &im[i], (float)sac_das_fraction(path[i] * turns));
        for (int32_t i = 0; i < n_weighed; i++)
            window[i] = sac_das_window(a, sqrt(u2[i]));
        for (int32_t i = 0; i < n_weighed; i++) {
            float edge, unused;
            sac_das_rotation(&edge, &unused, window[i]);
            re[i] = re[i] * (0.5f + 0.5f * edge);
            im[i] = im[i] * (0.5f + 0.5f * edge);
        }
        vf_store(rx->re[rx->n], vf_load(re));
        vf_store(rx->im[rx->n], vf_load(im));
        add_element(rx, &delays, vf_load(delay), vf_set(0), active, r);
    }
    rx->radius = 0;
    find_bases(rx, &delays);
}

/* Arrivals at the tile's points, and no sums yet. from: what delays are counted from. */
static inline void open_tile(tile *to, const arrivals *tx, const float *from)
{
    int32_t place[VF];
    for (int32_t k = 0; k < VF; k++)
        place[k] = to->place + (k < to->n ? k : to->n - 1); /* the last one again */
    for (int32_t i = 0; i < tx->n; i++) {
        _Alignas(64) float whole[VF];
        for (int32_t k = 0; k < VF && to->n < VF; k++) {
            whole[k] = tx->whole[i][place[k]] + from[place[k]];
            to->part[i][k] = tx->rest[i][place[k]];
        }
        for (int32_t k = 0; k < VF && to->n == VF; k++) {
            whole[k] = tx->whole[i][to->place + k] + from[to->place + k];
            to->part[i][k] = tx->rest[i][to->place + k];
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

/* An image's values at n of the tile's points (a constant where it can be) = transmit i's sums,
 * rotated and weighed; or += them. */
static inline void turn_sums(float re[VF], float im[VF], const tile *from, const arrivals *tx,
                             int32_t i, int32_t n, bool add)
{
    for (int32_t k = 0; k < n; k++) {
        float a = from->sum[i][0][k], b = from->sum[i][1][k];
        float c = tx->re[i][from->place + k], d = tx->im[i][from->place + k];
        re[k] = add ? re[k] + (c * a - d * b) : c * a - d * b;
        im[k] = add ? im[k] + (c * b + d * a) : c * b + d * a;
    }
}

/* All of the tile's sums into their images, or added to them where something was added before. */
static inline void close_tile(float *out, const tile *from, const sac_das *das, const arrivals *tx,
                              bool fresh)
{
    const ptrdiff_t step = (ptrdiff_t)2 * sac_das_images(das);
    const int32_t n = from->n, n_together = das->lri ? 1 : tx->n;
    for (int32_t i = 0; i < tx->n; i += n_together) {
        float re[VF], im[VF], *at = out + from->place * step + (das->lri ? 2 * (tx->first + i) : 0);
        const bool add = !fresh || (!das->lri && tx->first > 0);
        for (int32_t k = 0; k < n && add; k++) {
            re[k] = at[k * step];
            im[k] = at[k * step + 1];
        }
        for (int32_t t = i; t < i + n_together; t++) {
            if (n == VF)
                turn_sums(re, im, from, tx, t, VF, add || t > i);
            else
                turn_sums(re, im, from, tx, t, n, add || t > i);
        }
        for (int32_t k = 0; k < n; k++) {
            at[k * step] = re[k];
            at[k * step + 1] = im[k];
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

/* Cuts n_points points into tiles, as many as there may be; the last point of a short one is
 * repeated in lanes that take no part. Returns how many. */
static int32_t cut_tiles(tile *tiles, tile_points *points, const sac_das *das, int64_t first,
                         const double *x, const double *y, const double *z, const float *from,
                         int32_t n_points)
{
    int32_t n = 0, begin[POINTS], end[POINTS];
    find_apertures(begin, end, das, x, y, z, n_points);
    for (int32_t i = 0; i < n_points && n < TILES; i += tiles[n++].n) {
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
            p->base[k] = (double)from[place];
            p->begin[k] = (float)begin[place];
            p->end[k] = (float)(k < to->n ? end[place] : begin[place]);
        }
    }
    return n;
}

#endif
