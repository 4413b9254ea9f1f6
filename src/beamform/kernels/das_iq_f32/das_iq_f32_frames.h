/*
 * das_iq_f32 with vectors where there are several frames, which are the lanes. Neighbouring points
 * take turns at a few elements, so that samples come from the nearest cache; a point's sums of 32
 * frames fill the registers meanwhile. Taps and weights come first, VF elements at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_FRAMES_H
#define SAC_BEAMFORM_DAS_IQ_F32_FRAMES_H

#include "das_iq_f32_group.h"

/* VF elements' taps of transmit i of the arrivals', for all points. */
static inline void find_taps(point_group *g, const sac_das *das, const arrivals *tx, int32_t i,
                             int32_t k, form f)
{
    const vi step = vi_set((int32_t)das->sample);
    const int32_t *element = g->element + k;
    vi record = vi_mul(vi_load(element), vi_set((int32_t)das->rx));
    for (int32_t j = 0; j < g->n_points; j++) {
        const group_point *p = &g->point[j];
        point_taps *to = &g->taps[j];
        int32_t from, end;
        find_active(&from, &end, g, j, k, VF);
        if (from >= end)
            continue;
        if (__builtin_expect(g->has_own, 0)) {
            element = g->own[j] + k;
            record = vi_mul(vi_load(element), vi_set((int32_t)das->rx));
        }
        vf delay = vf_load(to->delay + k), whole = vf_floor(delay);
        vf s = vf_add(vf_set(tx->rest[i][p->place]), vf_sub(delay, whole));
        vf floored = vf_floor(s), a = vf_sub(s, floored);
        vf at = vf_add(vf_add(floored, whole), vf_set(tx->whole[i][p->place] + p->base));
        uint32_t active = (1u << end) - (1u << from);
        vi sample = vi_from_vf(at);
        if (active & unsure_lanes(at, a, das->n_samples, f))
            find_end_taps(&sample, &a, active, das, tx->first + i, p->index, 0, element, 1);
        else if (f == NEAREST)
            sample = vi_select(vf_ge(a, vf_set(0.5f)), vi_add(sample, vi_set(1)), sample);
        vi_store(to->at + k, vi_add(vi_mul(sample, step), record));
        vf_store(to->fraction + k, a);
    }
}

/* What is still to be found of a group before a transmit's sums. */
typedef struct group_step {
    const linear_array *array; /* its elements are received on the way; NULL: they are already */
    bool taps;                 /* to be found on the way; else they are known */
    bool fresh;                /* nothing was added before */
} group_step;

/* How many frames are summed at a time, and by what: a few points abreast, or one. */
typedef struct frame_sums {
    int32_t n_frames, n_abreast;
    int32_t n_places, n_transmits; /* at a time: 16 KB of samples, where delays differ by three */
    add_function *add, *alone;
} frame_sums;

/* What points [j, j + n) take of places [k, k + n_places): abreast where all of them do. */
static inline void add_abreast(point_group *g, int32_t j, int32_t n, const float *data,
                               const sac_das *das, int32_t k, int32_t n_places,
                               const frame_sums *sums)
{
    const form f = form_of(das);
    int32_t from[MOST_ABREAST], to[MOST_ABREAST], first = 0, last = n_places;
    for (int32_t p = 0; p < n; p++) {
        find_active(&from[p], &to[p], g, j + p, k, n_places);
        first = from[p] > first ? from[p] : first;
        last = to[p] < last ? to[p] : last;
    }
    if (first >= last || n < sums->n_abreast)
        first = last = n_places;
    for (int32_t p = 0; p < n; p++)
        if (from[p] < first && from[p] < to[p])
            sums->alone(&g->sum[j + p], &g->taps[j + p], data, das, k + from[p],
                        k + (to[p] < first ? to[p] : first), f);
    if (first < last)
        sums->add(&g->sum[j], &g->taps[j], data, das, k + first, k + last, f);
    for (int32_t p = 0; p < n; p++)
        if (to[p] > last)
            sums->alone(&g->sum[j + p], &g->taps[j + p], data, das,
                        k + (from[p] > last ? from[p] : last), k + to[p], f);
}

/* A group's sums of transmit i into out. */
static inline void put_group(float *out, const point_group *g, const sac_das *das,
                             const arrivals *tx, const group_step *step, int32_t i, int32_t frame,
                             int32_t n_frames)
{
    const ptrdiff_t point = (ptrdiff_t)2 * das->n_frames * sac_das_images(das);
    const int32_t n = das->n_frames - frame;
    for (int32_t j = 0; j < g->n_points; j++) {
        const int32_t place = g->point[j].place;
        float *to = out + place * point + 2 * frame, c = tx->re[i][place], d = tx->im[i][place];
        if (n_frames == SAC_DAS_FEW)
            add_to_out(to, &g->sum[j], step->fresh, n, SAC_DAS_FEW, c, d);
        else if (n_frames == SLAB)
            add_to_out(to, &g->sum[j], step->fresh, n, SLAB, c, d);
        else
            add_to_out(to, &g->sum[j], step->fresh, n, 2 * SLAB, c, d);
    }
}

/* Transmit i of some frames from `frame` on. */
static inline void sum_group(float *out, point_group *g, const sac_das *das, const arrivals *tx,
                             const group_step *step, int32_t i, int32_t frame,
                             const frame_sums *sums)
{
    const form f = form_of(das);
    const float *data = (const float *)das->data + (tx->first + i) * das->tx + frame;
    memset(g->sum, 0, (size_t)g->n_points * sizeof g->sum[0]);
    for (int32_t k = 0; k < g->n; k += sums->n_places) {
        const int32_t rest = g->n - k, n_places = rest < sums->n_places ? rest : sums->n_places;
        for (int32_t b = k; b < k + n_places; b += VF) {
            if (step->array)
                receive_block(g, das, step->array, b);
            if (step->taps)
                find_taps(g, das, tx, i, b, f);
        }
        for (int32_t j = 0; j < g->n_points; j += sums->n_abreast) {
            const int32_t left = g->n_points - j;
            add_abreast(g, j, left < sums->n_abreast ? left : sums->n_abreast, data, das, k,
                        n_places, sums);
        }
    }
    put_group(out, g, das, tx, step, i, frame, sums->n_frames);
}

static const frame_sums few_sums = {SAC_DAS_FEW, FEW_ABREAST, 64, 8, add_few, add_few_alone},
                        slab_sums = {SLAB, SLAB_ABREAST, 32, 4, add_slab, add_slab_alone},
                        two_slab_sums = {2 * SLAB, TWO_SLABS_ABREAST, 16,
                                         2,        add_two_slabs,     add_two_slabs_alone};

/* What transmits [i, end) and all frames add to a group. array: to be received first; NULL: it was.
 * fresh: nothing was added before. */
static void add_group(float *out, point_group *g, const sac_das *das, const arrivals *tx, int32_t i,
                      int32_t end, const linear_array *array, bool fresh)
{
    for (; i < end; i++) {
        group_step step = {
            .array = array, .taps = true, .fresh = fresh && (das->lri || tx->first + i == 0)};
        float *to = out + (das->lri ? (ptrdiff_t)2 * (tx->first + i) * das->n_frames : 0);
        for (int32_t frame = 0; frame < das->n_packed; frame += 2 * SLAB) {
            if (das->n_packed == SAC_DAS_FEW)
                sum_group(to, g, das, tx, &step, i, frame, &few_sums);
            else if (frame + SLAB < das->n_packed)
                sum_group(to, g, das, tx, &step, i, frame, &two_slab_sums);
            else
                sum_group(to, g, das, tx, &step, i, frame, &slab_sums);
            step.array = array = NULL;
            step.taps = false;
        }
    }
}

/* The elements that some of n points have in their apertures. */
static inline void join_apertures(int32_t *begin, int32_t *end, const group_point *p, int32_t n)
{
    *begin = INT32_MAX;
    *end = 0;
    for (int32_t j = 0; j < n; j++)
        if (p[j].begin < p[j].end) {
            *begin = p[j].begin < *begin ? p[j].begin : *begin;
            *end = p[j].end > *end ? p[j].end : *end;
        }
    *begin = *begin < *end ? *begin : *end;
}

/* Points at a linear array, of which groups take turns at some transmits and a chunk of elements:
 * the next one finds samples in the second-level cache. */
static void sum_linear(float *out, point_group *g, const group_point *p, int32_t n_points,
                       const sac_das *das, const linear_array *l, const arrivals *tx)
{
    const int32_t n_at_once = das->n_packed == SAC_DAS_FEW ? few_sums.n_transmits
                              : das->n_packed == SLAB      ? slab_sums.n_transmits
                                                           : two_slab_sums.n_transmits;
    int32_t first, stop, begin, end;
    join_apertures(&first, &stop, p, n_points);
    bool fresh = true;
    do {
        const int32_t chunk = first - first % SAC_DAS_CHUNK + SAC_DAS_CHUNK;
        for (int32_t i = 0; i < tx->n; i += n_at_once)
            for (int32_t k = 0; k < n_points; k += GROUP) {
                g->point = p + k;
                g->n_points = n_points - k < GROUP ? n_points - k : GROUP;
                join_apertures(&begin, &end, g->point, g->n_points);
                g->first = begin > first ? begin : first;
                g->n = (end < chunk ? end : chunk) - g->first;
                add_group(out, g, das, tx, i, tx->n - i < n_at_once ? tx->n : i + n_at_once, l,
                          fresh);
            }
        fresh = false;
        first = chunk;
    } while (first < stop);
}

/* A group at any array. */
static void sum_any(float *out, point_group *g, const sac_das *das, const any_array *a,
                    const arrivals *tx, const call_points *points)
{
    for (g->first = 0; g->first < das->n_rx; g->first += SAC_DAS_CHUNK) {
        g->n = das->n_rx - g->first < SAC_DAS_CHUNK ? das->n_rx - g->first : SAC_DAS_CHUNK;
        receive_own(g, das, a, points);
        add_group(out, g, das, tx, 0, tx->n, NULL, g->first == 0);
    }
}

/* Some transmits at at most POINTS points: into out, or added to it where they are not the first.
 */
static void sum_frames(float *out, const sac_das *das, arrivals *tx, int64_t first,
                       int32_t n_points)
{
    call_points at;
    double *const x = at.x, *const y = at.y, *const z = at.z;
    group_point point[POINTS];
    const bool linear = das->pitch_m > 0;
    const any_array a = any_of(das);
    const linear_array l = a.like;
    point_group g;
    int32_t begin[POINTS], end[POINTS];
    sac_das_points(x, y, z, das, first, n_points);
    find_arrivals(tx, das, x, y, z, first, n_points, a.in_single ? a.middle_m : NULL);
    sac_das_receive_points(x, y, das, n_points);
    find_apertures(begin, end, das, x, y, z, n_points);
    for (int32_t i = 0; i < n_points; i++) {
        double v = y[i] * l.samples, w = z[i] * l.samples;
        point[i] = (group_point){.index = first + i,
                                 .place = i,
                                 .begin = begin[i],
                                 .end = end[i],
                                 .x = fine(x[i] * l.samples - l.first),
                                 .rho = (float)sqrt(v * v + w * w),
                                 .y2 = (float)(v * v),
                                 .open = open_of(&l, w)};
        if (a.in_single)
            point[i].seen = any_point_of(&a, das, x[i], y[i], z[i]);
        else if (!linear)
            point[i].base = (float)any_base(das, (const double[3]){x[i], y[i], z[i]});
    }
    g.has_own = !linear;
    if (linear)
        sum_linear(out, &g, point, n_points, das, &l, tx);
    for (int32_t i = 0; i < n_points && !linear; i += GROUP) {
        g.point = point + i;
        g.n_points = n_points - i < GROUP ? n_points - i : GROUP;
        sum_any(out, &g, das, &a, tx, &at);
    }
}

#endif
