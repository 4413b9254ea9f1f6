/*
 * das_iq_f32 with vectors where there are several frames: what neighbouring points receive of some
 * elements, before any transmit. Lanes are elements.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_GROUP_H
#define SAC_BEAMFORM_DAS_IQ_F32_GROUP_H

#include "das_iq_f32_any.h"
#include "das_iq_f32_sums.h"

#define GROUP 16 /* points that take turns */

typedef struct group_point {
    int64_t index;
    int32_t place;      /* in the call */
    int32_t begin, end; /* of its aperture */
    fine_length x;      /* along a linear array, from its first element; samples */
    float rho, y2;      /* distance from the array's line, y^2; samples */
    float open;         /* see open_of */
    any_point seen;     /* by an array in single precision */
    float base;         /* an integer: samples that all delays have, too */
} group_point;

/* Points that take turns, and the elements that they share. */
typedef struct point_group {
    point_sum sum[GROUP];
    int32_t element[SAC_DAS_CHUNK];
    point_taps taps[GROUP];
    const group_point *point;   /* (n_points) */
    int32_t n_points, first, n; /* elements [first, first + n), or n places of own ones */
    /* Of arrays that are no line: each point's elements, close together, and how many. */
    bool has_own;
    int32_t own[GROUP][SAC_DAS_CHUNK], n_own[GROUP];
} point_group;

/* Which of the places [k, k + n) are point j's, counted from k. */
static inline void find_active(int32_t *from, int32_t *to, const point_group *g, int32_t j,
                               int32_t k, int32_t n)
{
    int32_t begin = g->point[j].begin - g->first - k, end = g->point[j].end - g->first - k;
    if (__builtin_expect(g->has_own, 0)) {
        begin = 0;
        end = g->n_own[j] - k;
    }
    *from = begin > 0 ? begin : 0;
    *to = end < n ? end : n;
}

/* Weights of VF elements from place k on at a linear array, and delays. Apart: among what else a
 * group does, its loop would be compiled worse. */
static __attribute__((noinline)) void receive_block(point_group *g, const sac_das *das,
                                                    const linear_array *l, int32_t k)
{
    const int32_t at = g->first + k;
    float coarse[VF], rest[VF];
    for (int32_t i = 0; i < VF; i++) {
        const fine_length x = fine((at + i) * l->pitch);
        g->element[k + i] = at + i < das->n_rx ? at + i : das->n_rx - 1;
        coarse[i] = x.coarse;
        rest[i] = x.rest;
    }
    const vf element_coarse = vf_load(coarse), element_rest = vf_load(rest);
    for (int32_t j = 0; j < g->n_points; j++) {
        const group_point *p = &g->point[j];
        point_taps *to = &g->taps[j];
        if (p->begin >= at + VF || p->end <= at)
            continue;
        vf x = apart(vf_set(p->x.coarse), vf_set(p->x.rest), element_coarse, element_rest);
        vf delay = path_beyond(x, vf_set(p->rho)), re, im;
        turn_and_weigh(&re, &im, l, delay, linear_u2(l, x, vf_set(p->y2), vf_set(p->open)));
        vf_store(to->delay + k, delay);
        vf_store(to->re + k, re);
        vf_store(to->im + k, im);
    }
}

/* The same of any array, in double precision: the group's point j at p. */
static void receive_any(point_group *g, int32_t j, const sac_das *das, const double p[3])
{
    sac_das_receive rx;
    point_taps *to = &g->taps[j];
    sac_das_receive_point(&rx, das, p, g->first, g->first + g->n);
    for (int32_t k = 0; k < rx.n; k++) {
        to->delay[k] = (float)(rx.delay[k] - (double)g->point[j].base);
        to->re[k] = rx.re[k];
        to->im[k] = rx.im[k];
        g->own[j][k] = rx.element[k];
    }
    g->n_own[j] = rx.n;
}

/* Where a call's points lie. */
typedef struct call_points {
    double x[POINTS], y[POINTS], z[POINTS];
} call_points;

/* VF elements from place k on, of which `some` may be in the aperture, in single precision: the
 * group's point j. */
static inline void receive_single(point_group *g, int32_t j, const sac_das *das, const any_array *a,
                                  const call_points *points, const any_elements *e, int32_t k,
                                  uint32_t some)
{
    static const int32_t counted[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const group_point *p = &g->point[j];
    point_taps *to = &g->taps[j];
    any_lanes l;
    set_point(&l, &p->seen);
    load_elements(&l, e, k);
    const vf lateral2 = aside2(&l);
    vf u2 = vf_mul(lateral2, l.open), re, im;
    const uint32_t doubtful = some & doubtful_lanes(&l, u2);
    if (doubtful)
        u2 = decide(u2, doubtful, das, points->x + p->place, points->y + p->place,
                    points->z + p->place, 0, e->first + k, 1);
    const mf active = vf_ge(vf_min(l.most, vf_set(1)), u2);
    const uint32_t bits = some & mf_bits(active);
    if (!bits)
        return;
    const vf delay = delay_beyond(&l, lateral2);
    turn_and_weigh(&re, &im, &a->like, delay, u2);
    const int32_t at = g->n_own[j]; /* k at most: VF more places are there */
    const vi element = vi_add(vi_load(counted), vi_set(e->first + k));
    g->n_own[j] += vf_store_where(to->delay + at, delay, bits);
    vf_store_where(to->re + at, re, bits);
    vf_store_where(to->im + at, im, bits);
    vi_store_where(g->own[j] + at, element, bits);
}

/* What the group's points receive of its elements, in single precision. */
static inline void receive_singles(point_group *g, const sac_das *das, const any_array *a,
                                   const call_points *points)
{
    any_elements e;
    any_box box = empty_box();
    find_elements(&e, a, das, g->first, g->n);
    for (int32_t j = 0; j < g->n_points; j++)
        widen_box(&box, &g->point[j].seen);
    for (int32_t k = 0; k < g->n; k += VF) {
        const uint32_t some = heard_lanes(&box, &e, k);
        for (int32_t j = 0; j < g->n_points && some; j++)
            receive_single(g, j, das, a, points, &e, k, some);
    }
}

/* What each of the group's points receives of its elements, which become own ones. */
static void receive_own(point_group *g, const sac_das *das, const any_array *a,
                        const call_points *points)
{
    memset(g->n_own, 0, sizeof g->n_own);
    if (a->in_single)
        receive_singles(g, das, a, points);
    for (int32_t j = 0; j < g->n_points && !a->in_single; j++) {
        const int32_t at = g->point[j].place;
        receive_any(g, j, das, (const double[3]){points->x[at], points->y[at], points->z[at]});
    }
    g->n = 0;
    for (int32_t j = 0; j < g->n_points; j++)
        g->n = g->n_own[j] > g->n ? g->n_own[j] : g->n;
}

#endif
