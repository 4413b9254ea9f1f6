/*
 * das_iq_f32:avx512 where there are several frames: lanes are frames, four points at a time. Taps
 * and weights come first, sixteen elements at a time, into a buffer of the first-level cache's
 * size.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_FRAMES_H
#define SAC_BEAMFORM_DAS_IQ_F32_FRAMES_H

#include "das_iq_f32_lanes.h"

#define GROUP 4 /* points that are summed together, and share cache lines */

/* What a point takes of up to SAC_DAS_CHUNK elements: where the transmit's sample lies, in scalars
 * after its data, the fraction to the next one, and the weight with its rotation. */
typedef struct point_taps {
    _Alignas(64) int32_t at[SAC_DAS_CHUNK + LANES]; /* and some to look ahead at */
    float fraction[SAC_DAS_CHUNK], re[SAC_DAS_CHUNK], im[SAC_DAS_CHUNK];
    float delay[SAC_DAS_CHUNK]; /* beyond the point's base */
    __mmask16 active[SAC_DAS_CHUNK / LANES];
} point_taps;

typedef struct group_point {
    int64_t index;
    int32_t place;      /* in the call */
    int32_t begin, end; /* of its aperture */
    double x;           /* along a linear array, from its first element; samples */
    float rho, y2, z;   /* distance from the array's line, y^2, depth; samples */
} group_point;

/* Points that are summed together, and the elements that they share. */
typedef struct point_group {
    _Alignas(64) int32_t element[SAC_DAS_CHUNK];
    point_taps taps[GROUP];
    const group_point *point; /* (GROUP) */
    float base;               /* an integer: samples that all delays have, too */
} point_group;

/* Lanes [from, to) of a vector. */
static inline __mmask16 lanes_between(int32_t from, int32_t to)
{
    uint32_t below = from <= 0 ? 0 : from >= LANES ? 0xffff : (1u << from) - 1;
    uint32_t upto = to <= 0 ? 0 : to >= LANES ? 0xffff : (1u << to) - 1;
    return (__mmask16)(upto & ~below);
}

/* Sixteen elements' weights, and delays beyond the base, at a linear array: those from place k of
 * [first, ...) on. */
static inline void receive_block(point_group *g, const sac_das *das, const linear_array *l,
                                 int32_t n_points, int32_t first, int32_t k)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i element = _mm512_add_epi32(lane, _mm512_set1_epi32(first + k));
    _mm512_store_si512(g->element + k, _mm512_min_epi32(element, _mm512_set1_epi32(das->n_rx - 1)));
    __m512 steps = _mm512_mul_ps(_mm512_cvtepi32_ps(lane), splat((float)l->pitch));
    for (int32_t j = 0; j < n_points; j++) {
        const group_point *p = &g->point[j];
        point_taps *to = &g->taps[j];
        __m512 apart = _mm512_sub_ps(splat((float)(p->x - (first + k) * l->pitch)), steps);
        __m512 delay, re, im;
        receive_linear(&delay, &re, &im, l, apart, splat(p->rho), splat(p->y2), splat(p->z));
        __mmask16 active = _mm512_cmpge_epi32_mask(element, _mm512_set1_epi32(p->begin));
        active = _mm512_mask_cmplt_epi32_mask(active, element, _mm512_set1_epi32(p->end));
        to->active[k / LANES] = active;
        _mm512_store_ps(to->delay + k, delay);
        _mm512_store_ps(to->re + k, re);
        _mm512_store_ps(to->im + k, im);
    }
}

/* Sixteen elements' taps of a transmit. */
static inline void find_taps(point_group *g, const sac_das *das, const arrivals *tx, int32_t i,
                             int32_t n_points, int32_t k)
{
    __m512 low = splat(1), high = splat((float)(das->n_samples - 3));
    __m512i step = _mm512_set1_epi32((int32_t)das->sample), gap = _mm512_set1_epi32(das->n_samples);
    __m512i record =
        _mm512_mullo_epi32(_mm512_load_si512(g->element + k), _mm512_set1_epi32((int32_t)das->rx));
    for (int32_t j = 0; j < n_points; j++) {
        const group_point *p = &g->point[j];
        point_taps *to = &g->taps[j];
        __m512 s = _mm512_add_ps(splat(tx->rest[i][p->place]), _mm512_load_ps(to->delay + k));
        __m512 floored = _mm512_floor_ps(s);
        __m512 whole = splat(tx->whole[i][p->place] + g->base);
        __m512 a = _mm512_sub_ps(s, floored), at = _mm512_add_ps(floored, whole);
        __mmask16 active = to->active[k / LANES];
        __mmask16 inside = _mm512_mask_cmp_ps_mask(active, at, low, _CMP_GE_OQ);
        inside = _mm512_mask_cmp_ps_mask(inside, at, high, _CMP_LE_OQ);
        __m512i sample = _mm512_mask_cvtps_epi32(gap, active, at);
        if (active != inside)
            find_end_taps(&sample, &a, active, das, tx->first + i, p->index, 0, g->element + k, 1);
        sample = _mm512_add_epi32(_mm512_mullo_epi32(sample, step), record);
        _mm512_store_si512(to->at + k, sample);
        _mm512_store_ps(to->fraction + k, _mm512_maskz_mov_ps(active, a));
    }
}

/* The same of any array, in double precision: a point's elements in the aperture, close together.
 * Returns how many. */
static int32_t receive_any(point_group *g, const sac_das *das, const double p[3], int32_t first,
                           int32_t n)
{
    sac_das_receive rx;
    point_taps *to = &g->taps[0];
    sac_das_receive_point(&rx, das, p, first, first + n);
    double base = rx.n > 0 ? floor(rx.delay[0]) : 0;
    g->base = (float)base;
    for (int32_t k = 0; k < SAC_DAS_CHUNK && k < rx.n + LANES; k++) {
        bool active = k < rx.n;
        to->delay[k] = active ? (float)(rx.delay[k] - base) : 0;
        to->re[k] = active ? rx.re[k] : 0;
        to->im[k] = active ? rx.im[k] : 0;
        g->element[k] = active ? rx.element[k] : 0;
    }
    for (int32_t k = 0; k < rx.n; k += LANES)
        to->active[k / LANES] = lanes_between(0, rx.n - k);
    return rx.n;
}

/* sum[] += sixteen frames or two times sixteen of one point and element: re, im, re, im. */
static inline void add_tap(__m512 *sum, const float *x, ptrdiff_t sample, ptrdiff_t imag,
                           int32_t n_vectors, float fraction, float re, float im)
{
    __m512 a = splat(fraction), c = splat(re), d = splat(im);
    for (int32_t v = 0; v < n_vectors; v++, x += LANES) {
        __m512 u = _mm512_load_ps(x), w = _mm512_load_ps(x + imag);
        __asm__("" : "+v"(u), "+v"(w)); /* else gcc loads them twice, and loads are scarce */
        u = _mm512_fnmadd_ps(a, _mm512_sub_ps(u, _mm512_load_ps(x + sample)), u);
        w = _mm512_fnmadd_ps(a, _mm512_sub_ps(w, _mm512_load_ps(x + sample + imag)), w);
        sum[2 * v] = _mm512_fmadd_ps(c, u, sum[2 * v]);
        sum[2 * v + 1] = _mm512_fmadd_ps(c, w, sum[2 * v + 1]);
        sum[2 * v] = _mm512_fnmadd_ps(d, w, sum[2 * v]);
        sum[2 * v + 1] = _mm512_fmadd_ps(d, u, sum[2 * v + 1]);
    }
}

/* out (n_frames) = or += weight sum, from `frame` on. */
static inline void add_to_out(float *out, const __m512 *sum, bool fresh, int32_t n_vectors,
                              int32_t frame, int32_t n_frames, float re, float im)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    __m512 c = splat(re), d = splat(im);
    for (int32_t v = 0; v < n_vectors; v++) {
        int32_t n = 2 * (n_frames - frame - v * LANES);
        float *to = out + 2 * (frame + v * LANES);
        __mmask16 first = lanes_between(0, n), second = lanes_between(0, n - LANES);
        __m512 a = sum[2 * v], b = sum[2 * v + 1];
        __m512 x = _mm512_fnmadd_ps(d, b, _mm512_mul_ps(c, a));
        __m512 y = _mm512_fmadd_ps(d, a, _mm512_mul_ps(c, b));
        __m512 u = _mm512_permutex2var_ps(x, low, y), w = _mm512_permutex2var_ps(x, high, y);
        if (!fresh) {
            u = _mm512_add_ps(u, _mm512_maskz_loadu_ps(first, to));
            w = _mm512_add_ps(w, _mm512_maskz_loadu_ps(second, to + LANES));
        }
        _mm512_mask_storeu_ps(to, first, u);
        _mm512_mask_storeu_ps(to + LANES, second, w);
    }
}

/* A group's parts, and its progress. */
typedef struct group_step {
    const linear_array *array; /* its elements are received on the way; NULL: they are already */
    int32_t first, n;          /* elements, or places of those received */
    int32_t transmit;          /* of the arrivals' */
    bool taps;                 /* to be found on the way; else they are known */
    bool fresh;                /* nothing was added before */
} group_step;

/* Sixteen elements from place k on: weights and taps, ahead of their use, so that their latencies
 * and divisions overlap with the sums. */
static inline void prepare(point_group *g, const sac_das *das, const arrivals *tx,
                           const group_step *step, int32_t n_points, int32_t k)
{
    if (k >= step->n)
        return;
    if (step->array)
        receive_block(g, das, step->array, n_points, step->first, k);
    if (step->taps)
        find_taps(g, das, tx, step->transmit, n_points, k);
}

/* Asks for a sample, in time: from the second-level cache. */
#define AHEAD 2
static inline void fetch(const float *x, int32_t n_vectors, ptrdiff_t imag)
{
    for (int32_t v = 0; v < n_vectors; v++) {
        _mm_prefetch((const char *)(x + v * LANES), _MM_HINT_T0);
        _mm_prefetch((const char *)(x + imag + v * LANES), _MM_HINT_T0);
    }
}

/* Frames from `frame` on, n_vectors times sixteen; n_points and n_vectors are constants. */
static inline void sum_group(float *out, point_group *g, const sac_das *das, const arrivals *tx,
                             const group_step *step, int32_t frame, int32_t n_points,
                             int32_t n_vectors)
{
    __m512 sum[GROUP][4];
    int32_t i = step->transmit;
    ptrdiff_t sample = das->sample, imag = das->imag, image = (ptrdiff_t)2 * das->n_frames;
    const float *data = (const float *)das->data + (tx->first + i) * das->tx + frame;
    for (int32_t k = 0; k < step->n; k += LANES)
        prepare(g, das, tx, step, n_points, k);
    for (int32_t j = 0; j < n_points; j++)
        for (int32_t v = 0; v < 2 * n_vectors; v++)
            sum[j][v] = _mm512_setzero_ps();
    for (int32_t k = 0; k < step->n; k++) {
        fetch(data + g->taps[0].at[k + AHEAD], n_vectors, imag);
        fetch(data + g->taps[n_points - 1].at[k + AHEAD] + sample, n_vectors, imag);
        for (int32_t j = 0; j < n_points; j++) {
            const point_taps *taps = &g->taps[j];
            add_tap(sum[j], data + taps->at[k], sample, imag, n_vectors, taps->fraction[k],
                    taps->re[k], taps->im[k]);
        }
    }
    for (int32_t j = 0; j < n_points; j++) {
        int32_t place = g->point[j].place;
        add_to_out(out + place * image * sac_das_images(das), sum[j], step->fresh, n_vectors, frame,
                   das->n_frames, tx->re[i][place], tx->im[i][place]);
    }
}

/* What all transmits and frames add to a group of n_points (a constant), of n elements from `first`
 * on. array: to be received first; NULL: they were. fresh: nothing was added before. */
static inline void add_group(float *out, point_group *g, const sac_das *das, const arrivals *tx,
                             const linear_array *array, bool fresh, int32_t n_points, int32_t first,
                             int32_t n)
{
    for (int32_t i = 0; i < tx->n; i++) {
        group_step step = {.array = i == 0 ? array : NULL,
                           .first = first,
                           .n = n,
                           .transmit = i,
                           .taps = true,
                           .fresh = fresh && (das->lri || tx->first + i == 0)};
        float *to = out + (das->lri ? (ptrdiff_t)2 * (tx->first + i) * das->n_frames : 0);
        int32_t frame = 0;
        for (; frame + LANES < das->n_packed; frame += 2 * LANES) {
            sum_group(to, g, das, tx, &step, frame, n_points, 2);
            step.array = NULL;
            step.taps = false;
        }
        if (frame < das->n_packed)
            sum_group(to, g, das, tx, &step, frame, n_points, 1);
    }
}

/* n_points (a constant, 1 or GROUP) neighbours at a linear array. */
static inline void sum_linear(float *out, point_group *g, const sac_das *das, const linear_array *l,
                              const arrivals *tx, int32_t n_points)
{
    int32_t begin = das->n_rx, end = 0;
    for (int32_t j = 0; j < n_points; j++) {
        const group_point *p = &g->point[j];
        if (p->begin < p->end) {
            begin = p->begin < begin ? p->begin : begin;
            end = p->end > end ? p->end : end;
        }
    }
    int32_t first = begin < end ? begin : end;
    do {
        int32_t n = end - first < SAC_DAS_CHUNK ? end - first : SAC_DAS_CHUNK;
        add_group(out, g, das, tx, l, first <= begin, n_points, first, n);
        first += SAC_DAS_CHUNK;
    } while (first < end);
}

/* One point at any array. */
static void sum_any(float *out, point_group *g, const sac_das *das, const arrivals *tx,
                    const double p[3])
{
    for (int32_t first = 0; first < das->n_rx; first += SAC_DAS_CHUNK) {
        int32_t n = das->n_rx - first < SAC_DAS_CHUNK ? das->n_rx - first : SAC_DAS_CHUNK;
        n = receive_any(g, das, p, first, n);
        add_group(out, g, das, tx, NULL, first == 0, 1, 0, n);
    }
}

/* Some transmits at at most POINTS points: into out, or added to it where they are not the first.
 */
static void sum_frames(float *out, const sac_das *das, arrivals *tx, int64_t first,
                       int32_t n_points)
{
    double x[POINTS], y[POINTS], z[POINTS];
    group_point point[POINTS];
    bool linear = das->pitch_m > 0;
    linear_array l = linear_of(das);
    point_group g;
    int32_t begin[POINTS], end[POINTS];
    sac_das_points(x, y, z, das, first, n_points);
    find_arrivals(tx, das, x, y, z, first, n_points);
    find_apertures(begin, end, das, x, y, z, n_points);
    for (int32_t i = 0; i < n_points; i++) {
        double v = y[i] * l.samples, w = z[i] * l.samples;
        point[i] = (group_point){.index = first + i,
                                 .place = i,
                                 .begin = begin[i],
                                 .end = end[i],
                                 .x = x[i] * l.samples - l.first,
                                 .rho = (float)sqrt(v * v + w * w),
                                 .y2 = (float)(v * v),
                                 .z = (float)w};
    }
    g.base = 0;
    for (int32_t i = 0; i < n_points;) {
        int32_t n = linear && n_points - i >= GROUP ? GROUP : 1;
        g.point = point + i;
        if (n == GROUP) {
            sum_linear(out, &g, das, &l, tx, GROUP);
        } else if (linear) {
            sum_linear(out, &g, das, &l, tx, 1);
        } else {
            const double p[3] = {x[i], y[i], z[i]};
            sum_any(out, &g, das, tx, p);
        }
        i += n;
    }
}

#endif
