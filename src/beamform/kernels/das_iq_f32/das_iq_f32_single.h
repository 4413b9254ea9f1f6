/*
 * das_iq_f32:avx512 where there is one frame: lanes are sixteen neighbouring points. Their delays
 * to a transmit and an element lie so close together that the samples of all are in a register or
 * two, from which permutes take them. Receive delays and weights are shared by the transmits.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_SINGLE_H
#define SAC_BEAMFORM_DAS_IQ_F32_SINGLE_H

#include "das_iq_f32_lanes.h"

#define LANES 16

/* With -O0 this is a macro of GCC's headers, which casts a mask to unsigned and passes it as
 * signed: no type here helps. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

/* from[at], 0 where not active. */
static inline __m512 gather(__mmask16 active, __m512i at, const float *from)
{
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), active, at, from, 4);
}

#pragma GCC diagnostic pop

#define ELEMENTS                                                                                   \
    8              /* at a time: what the tiles of a call receive of them fits the nearest cache   \
                    */
#define TOGETHER 2 /* transmits that are summed together, and load that once */
#define TILES 32   /* of POINTS points, at most: some are short, where rows end */

/* What sixteen points receive of some elements. */
typedef struct tile_receive {
    _Alignas(64) float delay[ELEMENTS][LANES]; /* after base, samples */
    float re[ELEMENTS][LANES], im[ELEMENTS][LANES];
    int32_t element[ELEMENTS], base[ELEMENTS];
    __mmask16 active[ELEMENTS];
    int32_t n, low, high; /* elements; the least and the greatest base */
    float span;           /* the greatest delay */
} tile_receive;

/* What the transmits bring to them, and their sums. */
typedef struct tile {
    _Alignas(64) float sum[TRANSMITS][2][LANES]; /* re, im */
    float delay[TRANSMITS][LANES];               /* after base, samples */
    float span[TRANSMITS];
    int32_t base[TRANSMITS];
    int64_t index;    /* of the first point */
    int32_t place, n; /* in the call; points */
} tile;

/* Element r's delays after `start`, rotations and weights become the tile's next ones. */
static inline void add_element(tile_receive *rx, __m512 delay, __m512 re, __m512 im,
                               __mmask16 active, int32_t r, int32_t start)
{
    float least = _mm512_mask_reduce_min_ps(active, delay), base = floorf(least);
    int32_t k = rx->n++;
    /* Lanes that do not take part stay with the others. */
    delay = _mm512_sub_ps(_mm512_mask_mov_ps(_mm512_set1_ps(least), active, delay),
                          _mm512_set1_ps(base));
    _mm512_store_ps(rx->delay[k], delay);
    _mm512_store_ps(rx->re[k], re);
    _mm512_store_ps(rx->im[k], im);
    rx->element[k] = r;
    rx->base[k] = start + (int32_t)base;
    rx->active[k] = active;
    rx->low = k == 0 || rx->base[k] < rx->low ? rx->base[k] : rx->low;
    rx->high = k == 0 || rx->base[k] > rx->high ? rx->base[k] : rx->high;
    rx->span = fmaxf(rx->span, _mm512_reduce_max_ps(delay));
}

/* Points of a linear array, with each one's aperture. */
typedef struct tile_points {
    double x[LANES], y[LANES], z[LANES];
    int32_t begin[LANES], end[LANES];
} tile_points;

static inline void receive_linear_tile(tile_receive *rx, const linear_array *l,
                                       const tile_points *p, int32_t first, int32_t stop)
{
    _Alignas(64) float x[LANES], rho[LANES], y2[LANES], z[LANES];
    double center = (first + stop) / 2 * l->pitch + l->first;
    for (int32_t i = 0; i < LANES; i++) {
        double y = p->y[i] * l->samples, depth = p->z[i] * l->samples;
        x[i] = (float)(p->x[i] * l->samples - center);
        y2[i] = (float)(y * y);
        z[i] = (float)depth;
        rho[i] = (float)sqrt(y * y + depth * depth);
    }
    __m512i begin = _mm512_loadu_si512(p->begin), end = _mm512_loadu_si512(p->end);
    for (int32_t r = first; r < stop; r++) {
        __m512i element = _mm512_set1_epi32(r);
        __mmask16 active =
            _mm512_mask_cmpgt_epi32_mask(_mm512_cmple_epi32_mask(begin, element), end, element);
        if (!active)
            continue;
        __m512 apart = _mm512_set1_ps((float)(r * l->pitch + l->first - center)), delay, re, im;
        receive_linear(&delay, &re, &im, l, _mm512_sub_ps(_mm512_load_ps(x), apart),
                       _mm512_load_ps(rho), _mm512_load_ps(y2), _mm512_load_ps(z));
        add_element(rx, delay, re, im, active, r, 0);
    }
}

/* The same of any array, in double precision. */
static void receive_any_tile(tile_receive *rx, const sac_das *das, const tile_points *p,
                             int32_t first, int32_t stop)
{
    double samples = das->fs_hz / das->c_m_s, turns = das->phase_sign * das->fd_hz / das->c_m_s;
    for (int32_t r = first; r < stop; r++) {
        _Alignas(64) float delay[LANES], re[LANES], im[LANES];
        uint32_t active = 0;
        double least = INFINITY, path[LANES], u2[LANES];
        for (int32_t i = 0; i < LANES; i++) {
            const double at[3] = {p->x[i], p->y[i], p->z[i]};
            path[i] = sac_distance(at, das->elements[r].position_m);
            least = path[i] < least ? path[i] : least;
            bool in = p->begin[i] < p->end[i] &&
                      sac_das_in_aperture(&u2[i], &das->apodization, &das->elements[r], at);
            active |= (uint32_t)in << i;
            u2[i] = in ? u2[i] : 0;
        }
        if (!active)
            continue;
        double base = floor(least * samples);
        for (int32_t i = 0; i < LANES; i++) {
            float edge, unused, c, d;
            sac_das_rotation(&edge, &unused, sac_das_window(&das->apodization, sqrt(u2[i])));
            sac_das_rotation(&c, &d, (float)sac_das_fraction(path[i] * turns));
            delay[i] = (float)(path[i] * samples - base);
            re[i] = c * (0.5f + 0.5f * edge);
            im[i] = d * (0.5f + 0.5f * edge);
        }
        add_element(rx, _mm512_load_ps(delay), _mm512_load_ps(re), _mm512_load_ps(im),
                    (__mmask16)active, r, (int32_t)base);
    }
}

/* Samples n and n + 1 of sixteen or thirty-two, for each lane its own. */
static inline void pick(__m512 *here, __m512 *next, const float *x, __m512i n, __m512i after,
                        int32_t n_vectors)
{
    __m512 low = _mm512_loadu_ps(x);
    if (n_vectors == 1) {
        *here = _mm512_permutexvar_ps(n, low);
        *next = _mm512_permutexvar_ps(after, low);
    } else {
        __m512 high = _mm512_loadu_ps(x + LANES);
        *here = _mm512_permutex2var_ps(low, n, high);
        *next = _mm512_permutex2var_ps(low, after, high);
    }
}

/* sum += weight (c + jd) times the interpolated samples, in active lanes. */
static inline void add_lanes(__m512 sum[2], __m512 a, __m512 u, __m512 u1, __m512 v, __m512 v1,
                             __m512 c, __m512 d, __mmask16 active)
{
    u = _mm512_fnmadd_ps(a, _mm512_sub_ps(u, u1), u);
    v = _mm512_fnmadd_ps(a, _mm512_sub_ps(v, v1), v);
    sum[0] = _mm512_mask3_fmadd_ps(c, u, sum[0], active);
    sum[1] = _mm512_mask3_fmadd_ps(c, v, sum[1], active);
    sum[0] = _mm512_mask3_fnmadd_ps(d, v, sum[0], active);
    sum[1] = _mm512_mask3_fmadd_ps(d, u, sum[1], active);
}

/* Transmits [i, i + n) (n and n_vectors are constants) where all samples lie inside of the records,
 * and 16 n_vectors hold a tile's. */
static inline void sum_inside(tile *to, const tile_receive *rx, const sac_das *das,
                              const float *data, int32_t i, int32_t n, int32_t n_vectors)
{
    __m512 sum[TOGETHER][2];
    const float *at[TOGETHER];
    for (int32_t t = 0; t < n; t++) {
        sum[t][0] = _mm512_load_ps(to->sum[i + t][0]);
        sum[t][1] = _mm512_load_ps(to->sum[i + t][1]);
        at[t] = data + (i + t) * das->tx + to->base[i + t];
    }
    for (int32_t k = 0; k < rx->n; k++) {
        __m512 delay = _mm512_load_ps(rx->delay[k]);
        __m512 c = _mm512_load_ps(rx->re[k]), d = _mm512_load_ps(rx->im[k]);
        ptrdiff_t record = rx->element[k] * das->rx + rx->base[k];
        for (int32_t t = 0; t < n; t++) {
            const float *x = at[t] + record;
            __m512 s = _mm512_add_ps(_mm512_load_ps(to->delay[i + t]), delay), u, u1, v, v1;
            __m512i whole = _mm512_cvttps_epi32(s);
            __m512i after = _mm512_add_epi32(whole, _mm512_set1_epi32(1));
            pick(&u, &u1, x, whole, after, n_vectors);
            pick(&v, &v1, x + das->imag, whole, after, n_vectors);
            add_lanes(sum[t], _mm512_sub_ps(s, _mm512_cvtepi32_ps(whole)), u, u1, v, v1, c, d,
                      rx->active[k]);
        }
    }
    for (int32_t t = 0; t < n; t++) {
        _mm512_store_ps(to->sum[i + t][0], sum[t][0]);
        _mm512_store_ps(to->sum[i + t][1], sum[t][1]);
    }
}

/* Transmit i, the arrivals' `first + i`, wherever its samples lie. */
static __attribute__((noinline)) void sum_anywhere(tile *to, const tile_receive *rx,
                                                   const sac_das *das, const float *data,
                                                   int32_t first, int32_t i)
{
    __m512 sum[2] = {_mm512_load_ps(to->sum[i][0]), _mm512_load_ps(to->sum[i][1])};
    for (int32_t k = 0; k < rx->n; k++) {
        const float *x = data + i * das->tx + rx->element[k] * das->rx;
        __m512 s = _mm512_add_ps(_mm512_load_ps(to->delay[i]), _mm512_load_ps(rx->delay[k]));
        __m512i whole = _mm512_cvttps_epi32(s), one = _mm512_set1_epi32(1);
        __m512 a = _mm512_sub_ps(s, _mm512_cvtepi32_ps(whole));
        whole = _mm512_add_epi32(whole, _mm512_set1_epi32(to->base[i] + rx->base[k]));
        __mmask16 active = rx->active[k];
        __mmask16 inside = _mm512_mask_cmp_epi32_mask(active, whole, one, _MM_CMPINT_NLT);
        inside = _mm512_mask_cmp_epi32_mask(inside, whole, _mm512_set1_epi32(das->n_samples - 3),
                                            _MM_CMPINT_LE);
        if (inside != active)
            find_end_taps(&whole, &a, active, das, first + i, to->index, 1, &rx->element[k], 0);
        __m512 u = gather(active, whole, x);
        __m512 u1 = gather(active, whole, x + 1);
        __m512 v = gather(active, whole, x + das->imag);
        __m512 v1 = gather(active, whole, x + das->imag + 1);
        add_lanes(sum, a, u, u1, v, v1, _mm512_load_ps(rx->re[k]), _mm512_load_ps(rx->im[k]),
                  active);
    }
    _mm512_store_ps(to->sum[i][0], sum[0]);
    _mm512_store_ps(to->sum[i][1], sum[1]);
}

/* Transmits [i, i + n): n a constant. */
static inline void sum_some(tile *to, const tile_receive *rx, const sac_das *das, int32_t first,
                            int32_t i, int32_t n)
{
    if (rx->n == 0)
        return;
    const float *data = (const float *)das->data + first * das->tx;
    int32_t low = to->base[i], high = low;
    float span = 0;
    for (int32_t t = i; t < i + n; t++) {
        low = to->base[t] < low ? to->base[t] : low;
        high = to->base[t] > high ? to->base[t] : high;
        span = to->span[t] > span ? to->span[t] : span;
    }
    span += rx->span;
    low += rx->low;
    high += rx->high;
    if (low >= 0 && span < 14.99f && high + 16 <= das->n_samples)
        sum_inside(to, rx, das, data, i, n, 1);
    else if (low >= 0 && span < 30.99f && high + 32 <= das->n_samples)
        sum_inside(to, rx, das, data, i, n, 2);
    else
        for (int32_t t = i; t < i + n; t++)
            sum_anywhere(to, rx, das, data, first, t);
}

/* Arrivals at the tile's points, and no sums yet. */
static inline void open_tile(tile *to, const arrivals *tx)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i from = _mm512_min_epi32(lane, _mm512_set1_epi32(to->n - 1)); /* the last one again */
    __mmask16 some = (__mmask16)(to->n < LANES ? (1u << to->n) - 1 : 0xffff);
    for (int32_t i = 0; i < tx->n; i++) {
        __m512 whole = _mm512_maskz_loadu_ps(some, &tx->whole[i][to->place]);
        __m512 rest = _mm512_maskz_loadu_ps(some, &tx->rest[i][to->place]);
        whole = _mm512_permutexvar_ps(from, whole);
        float base = _mm512_reduce_min_ps(whole);
        __m512 delay = _mm512_add_ps(_mm512_sub_ps(whole, _mm512_set1_ps(base)),
                                     _mm512_permutexvar_ps(from, rest));
        to->base[i] = (int32_t)base;
        to->span[i] = _mm512_reduce_max_ps(delay);
        _mm512_store_ps(to->delay[i], delay);
        _mm512_store_ps(to->sum[i][0], _mm512_setzero_ps());
        _mm512_store_ps(to->sum[i][1], _mm512_setzero_ps());
    }
}

/* out = the tile's sums, rotated and weighed; or += them, where they are not the first. */
static void close_tile(float *out, const tile *from, const sac_das *das, const arrivals *tx)
{
    int32_t images = sac_das_images(das);
    _Alignas(64) float re[LANES] = {0}, im[LANES] = {0};
    float *at = out + (ptrdiff_t)2 * from->place * images;
    for (int32_t i = 0; i < tx->n; i++) {
        for (int32_t k = 0; k < LANES; k++) {
            int32_t place = from->place + (k < from->n ? k : from->n - 1);
            float a = from->sum[i][0][k], b = from->sum[i][1][k];
            float c = tx->re[i][place], d = tx->im[i][place];
            re[k] = (das->lri ? 0 : re[k]) + (c * a - d * b);
            im[k] = (das->lri ? 0 : im[k]) + (c * b + d * a);
        }
        for (int32_t k = 0; k < from->n && das->lri; k++) {
            at[2 * (k * images + tx->first + i)] = re[k];
            at[2 * (k * images + tx->first + i) + 1] = im[k];
        }
    }
    for (int32_t k = 0; k < from->n && !das->lri; k++) {
        at[2 * k] = (tx->first > 0 ? at[2 * k] : 0) + re[k];
        at[2 * k + 1] = (tx->first > 0 ? at[2 * k + 1] : 0) + im[k];
    }
}

/* How many points a tile has: not across the end of a row, unless rows are short. */
static int32_t tile_size(const sac_das *das, int64_t first, int32_t rest)
{
    int32_t n = rest < LANES ? rest : LANES;
    int64_t row = das->points_m ? 0 : das->grid.n[0], left = row > 0 ? row - first % row : 0;
    return row >= LANES && left < n ? (int32_t)left : n;
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
        for (int32_t k = 0; k < LANES; k++) {
            int32_t place = i + (k < to->n ? k : to->n - 1);
            p->x[k] = x[place];
            p->y[k] = y[place];
            p->z[k] = z[place];
            p->begin[k] = begin[place];
            p->end[k] = k < to->n ? end[place] : begin[place];
        }
    }
    return n;
}

/* Some transmits at at most POINTS points. */
static void sum_single(float *out, const sac_das *das, arrivals *tx, int64_t first,
                       int32_t n_points)
{
    double x[POINTS], y[POINTS], z[POINTS];
    linear_array l = linear_of(das);
    tile tiles[TILES];
    tile_points points[TILES];
    tile_receive rx[TILES];
    sac_das_points(x, y, z, das, first, n_points);
    find_arrivals(tx, das, x, y, z, first, n_points);
    int32_t n = cut_tiles(tiles, points, das, first, x, y, z, n_points), begin = das->n_rx, end = 0;
    for (int32_t i = 0; i < n; i++) {
        open_tile(&tiles[i], tx);
        for (int32_t k = 0; k < tiles[i].n; k++) {
            bool any = points[i].begin[k] < points[i].end[k];
            begin = any && points[i].begin[k] < begin ? points[i].begin[k] : begin;
            end = any && points[i].end[k] > end ? points[i].end[k] : end;
        }
    }
    for (; begin < end; begin += ELEMENTS) {
        int32_t stop = end - begin < ELEMENTS ? end : begin + ELEMENTS;
        for (int32_t i = 0; i < n; i++) {
            rx[i].n = 0;
            rx[i].span = 0;
            if (das->pitch_m > 0)
                receive_linear_tile(&rx[i], &l, &points[i], begin, stop);
            else
                receive_any_tile(&rx[i], das, &points[i], begin, stop);
        }
        sum_transmits(tiles, rx, n, das, tx);
    }
    for (int32_t i = 0; i < n; i++)
        close_tile(out, &tiles[i], das, tx);
}

#endif
