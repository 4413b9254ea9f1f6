/*
 * das_iq_f32 with vectors where there are several frames, which are the lanes. Neighbouring points
 * take turns at a few elements, so that samples come from the nearest cache; a point's sums of 32
 * frames fill the registers meanwhile. Taps and weights come first, VF elements at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_FRAMES_H
#define SAC_BEAMFORM_DAS_IQ_F32_FRAMES_H

#include "das_iq_f32_group.h"
#include "das_iq_f32_taps.h"

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

/* Samples of a record, counted from one, in scalars; those that are not wanted are that one. */
typedef struct neighbours {
    ptrdiff_t before, next, after;
} neighbours;

/* Where a fraction's samples lie; *a and c (cubic) are what they are multiplied by. */
static inline neighbours neighbours_of(vf *a, vf c[4], float fraction, ptrdiff_t sample, form f)
{
    *a = vf_set(fraction);
    if (f == CUBIC)
        cubic_coefficients(c, *a);
    if ((f == LINEAR_CLAMPED || f == CUBIC) && fraction < 0) {
        *a = vf_set(fraction > -2 ? 0 : -2 - fraction);
        if (f == CUBIC)
            two_coefficients(c, *a);
        return (neighbours){0, fraction > -2 ? 0 : sample, 0};
    }
    return (neighbours){-sample, sample, 2 * sample};
}

/* VF frames, u at x. */
static inline vf interpolate_frames(vf u, const float *x, const neighbours *n, vf a, const vf c[4],
                                    form f)
{
    if (f == NEAREST)
        return u;
    const vf next = vf_load(x + n->next);
    if (f == CUBIC)
        return between_four(c, vf_load(x + n->before), u, next, vf_load(x + n->after));
    return between_two(a, u, next);
}

/* sum += taps [from, to) of a point, of n_slabs times SLAB frames; n_slabs and f are constants. */
static inline void add_taps(float *sum, const point_taps *taps, const float *data,
                            const sac_das *das, int32_t from, int32_t to, int32_t n_slabs, form f)
{
    enum { N = SLAB / VF };
    const ptrdiff_t sample = das->sample, imag = das->imag;
    vf re[2 * N], im[2 * N], a = vf_set(0), cubic[4] = {a, a, a, a};
    for (int32_t v = 0; v < n_slabs * N; v++) {
        re[v] = vf_load(sum + v * VF);
        im[v] = vf_load(sum + 2 * SLAB + v * VF);
    }
    for (int32_t k = from; k < to; k++) {
        const float *x = data + taps->at[k];
        const vf c = vf_set(taps->re[k]), d = vf_set(taps->im[k]);
        const neighbours n = neighbours_of(&a, cubic, taps->fraction[k], sample, f);
        for (int32_t v = 0; v < n_slabs * N; v++, x += VF) {
            vf u = vf_keep(vf_load(x)), w = vf_keep(vf_load(x + imag));
            u = interpolate_frames(u, x, &n, a, cubic, f);
            w = interpolate_frames(w, x + imag, &n, a, cubic, f);
            re[v] = vf_fma(c, u, re[v]);
            im[v] = vf_fma(c, w, im[v]);
            re[v] = vf_fnma(d, w, re[v]);
            im[v] = vf_fma(d, u, im[v]);
        }
    }
    for (int32_t v = 0; v < n_slabs * N; v++) {
        vf_store(sum + v * VF, re[v]);
        vf_store(sum + 2 * SLAB + v * VF, im[v]);
    }
}

/* The same of every form but LINEAR, apart: among them, its loop would be compiled worse. */
static __attribute__((noinline)) void add_other_taps(float *sum, const point_taps *taps,
                                                     const float *data, const sac_das *das,
                                                     int32_t from, int32_t to, int32_t n_slabs,
                                                     form f)
{
    for (int32_t i = 0; i < n_slabs; i++, sum += SLAB, data += SLAB) {
        if (f == LINEAR_CLAMPED)
            add_taps(sum, taps, data, das, from, to, 1, LINEAR_CLAMPED);
        else if (f == NEAREST)
            add_taps(sum, taps, data, das, from, to, 1, NEAREST);
        else
            add_taps(sum, taps, data, das, from, to, 1, CUBIC);
    }
}

/* out (n) = or += sum, rotated and weighed. */
static inline void add_to_out(float *restrict out, const float *restrict sum, bool fresh, int32_t n,
                              float c, float d)
{
    float x[4 * SLAB];
    for (int32_t f = 0; f < 2 * SLAB; f++) {
        x[2 * f] = c * sum[f] - d * sum[2 * SLAB + f];
        x[2 * f + 1] = c * sum[2 * SLAB + f] + d * sum[f];
    }
    for (int32_t f = 0; f < 2 * n; f++)
        out[f] = fresh ? x[f] : out[f] + x[f];
}

/* What is still to be found of a group before a transmit's sums. */
typedef struct group_step {
    const linear_array *array; /* its elements are received on the way; NULL: they are already */
    bool taps;                 /* to be found on the way; else they are known */
    bool fresh;                /* nothing was added before */
} group_step;

/* Transmit i of frames from `frame` on, n_slabs times SLAB; n_slabs is a constant. */
static inline void sum_group(float *out, point_group *g, const sac_das *das, const arrivals *tx,
                             const group_step *step, int32_t i, int32_t frame, int32_t n_slabs)
{
    const form f = form_of(das);
    const float *data = (const float *)das->data + (tx->first + i) * das->tx + frame;
    const ptrdiff_t point = (ptrdiff_t)2 * das->n_frames * sac_das_images(das);
    const int32_t left = das->n_frames - frame, n = left < 2 * SLAB ? left : 2 * SLAB;
    memset(g->sum, 0, sizeof g->sum);
    for (int32_t k = 0; k < g->n; k += AT_ONCE) {
        for (int32_t b = k; b < k + AT_ONCE && b < g->n; b += VF) {
            if (step->array)
                receive_block(g, das, step->array, b);
            if (step->taps)
                find_taps(g, das, tx, i, b, f);
        }
        for (int32_t j = 0; j < g->n_points; j++) {
            int32_t from, to;
            find_active(&from, &to, g, j, k, g->n - k < AT_ONCE ? g->n - k : AT_ONCE);
            if (from < to) {
                if (f == LINEAR)
                    add_taps(g->sum[j], &g->taps[j], data, das, k + from, k + to, n_slabs, LINEAR);
                else
                    add_other_taps(g->sum[j], &g->taps[j], data, das, k + from, k + to, n_slabs, f);
            }
        }
    }
    for (int32_t j = 0; j < g->n_points; j++) {
        int32_t place = g->point[j].place;
        add_to_out(out + place * point + 2 * frame, g->sum[j], step->fresh, n, tx->re[i][place],
                   tx->im[i][place]);
    }
}

/* What all transmits and frames add to a group. array: to be received first; NULL: it was. fresh:
 * nothing was added before. */
static void add_group(float *out, point_group *g, const sac_das *das, const arrivals *tx,
                      const linear_array *array, bool fresh)
{
    for (int32_t i = 0; i < tx->n; i++) {
        group_step step = {.array = i == 0 ? array : NULL,
                           .taps = true,
                           .fresh = fresh && (das->lri || tx->first + i == 0)};
        float *to = out + (das->lri ? (ptrdiff_t)2 * (tx->first + i) * das->n_frames : 0);
        for (int32_t frame = 0; frame < das->n_packed; frame += 2 * SLAB) {
            if (frame + SLAB < das->n_packed)
                sum_group(to, g, das, tx, &step, i, frame, 2);
            else
                sum_group(to, g, das, tx, &step, i, frame, 1);
            step.array = NULL;
            step.taps = false;
        }
    }
}

/* A group at a linear array: chunks of elements are the array's, not the group's. */
static void sum_linear(float *out, point_group *g, const sac_das *das, const linear_array *l,
                       const arrivals *tx)
{
    int32_t begin = das->n_rx, end = 0;
    for (int32_t j = 0; j < g->n_points; j++) {
        const group_point *p = &g->point[j];
        if (p->begin < p->end) {
            begin = p->begin < begin ? p->begin : begin;
            end = p->end > end ? p->end : end;
        }
    }
    g->first = begin < end ? begin : end;
    do {
        int32_t next = g->first - g->first % SAC_DAS_CHUNK + SAC_DAS_CHUNK;
        g->n = (end < next ? end : next) - g->first;
        add_group(out, g, das, tx, l, g->first <= begin);
        g->first = next;
    } while (g->first < end);
}

/* A group at any array. */
static void sum_any(float *out, point_group *g, const sac_das *das, const any_array *a,
                    const arrivals *tx, const call_points *points)
{
    for (g->first = 0; g->first < das->n_rx; g->first += SAC_DAS_CHUNK) {
        g->n = das->n_rx - g->first < SAC_DAS_CHUNK ? das->n_rx - g->first : SAC_DAS_CHUNK;
        receive_own(g, das, a, points);
        add_group(out, g, das, tx, NULL, g->first == 0);
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
    for (int32_t i = 0; i < n_points; i += g.n_points) {
        g.point = point + i;
        g.n_points = n_points - i < GROUP ? n_points - i : GROUP;
        if (linear)
            sum_linear(out, &g, das, &l, tx);
        else
            sum_any(out, &g, das, &a, tx, &at);
    }
}

#endif
