/*
 * What docs/beamform.md says of transmit apodization and scan conversion, in double and point by
 * point: the truth that plans are compared with.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_BEAMFORM_TRUTH_H
#define SAC_TESTS_BEAMFORM_TRUTH_H

#include "beamform_scene.h"

#define TRUTH_PI 3.14159265358979323846

static inline double truth_coordinate(const sac_grid *g, int axis, int64_t i)
{
    const double a = g->first_m[axis], b = g->last_m[axis];
    return g->n[axis] > 1 ? a + (b - a) * (double)i / (double)(g->n[axis] - 1) : a;
}

static inline void truth_point(double p[3], const sac_beamform_desc *d, int64_t i)
{
    const sac_grid *g = &d->grid;
    if (d->points_m) {
        memcpy(p, d->points_m + 3 * i, 3 * sizeof *p);
        return;
    }
    for (int k = 0; k < 3; k++, i /= g->n[k - 1])
        p[k] = truth_coordinate(g, k, i % g->n[k]);
    if (d->grid_kind == SAC_GRID_SECTOR)
        sac_sector_point(p, &d->sector, p[0], p[1], p[2]);
}

/* A wave's axis: a line through `from` along the unit vector `to`. */
typedef struct truth_axis {
    double from[3], to[3];
} truth_axis;

static inline double truth_length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Where a wave's elements have their middle; of lines from some of them the nearest to the focus.
 */
static inline void truth_middle(double m[3], const test *t, int32_t tx)
{
    const sac_acquisition *a = &t->acquisition;
    const sac_transmit *w = &t->transmits[tx];
    const bool foot = t->choice[FIELD] == LINES && w->kind == SAC_TRANSMIT_FOCUSED;
    double sum = 0, nearest = INFINITY, near[3] = {0};
    bool all = true;
    memset(m, 0, 3 * sizeof *m);
    for (int32_t e = 0; e < a->n_elements; e++) {
        const double *p = a->elements[e].position_m;
        const double weight = a->tx_apodization ? a->tx_apodization[tx * a->n_elements + e] : 1;
        const double v[3] = {p[0] - w->source_m[0], p[1] - w->source_m[1], p[2] - w->source_m[2]};
        all = all && weight != 0;
        if (weight != 0 && truth_length(v) < nearest) {
            nearest = truth_length(v);
            memcpy(near, p, sizeof near);
        }
        sum += fabs(weight);
        for (int k = 0; k < 3; k++)
            m[k] += fabs(weight) * p[k];
    }
    for (int k = 0; k < 3; k++)
        m[k] = foot && !all ? near[k] : m[k] / sum;
}

static inline truth_axis truth_axis_of(const test *t, int32_t tx)
{
    const sac_transmit *w = &t->transmits[tx];
    const sac_element *e = &t->elements[w->element];
    truth_axis a = {{0}, {0}};
    double m[3], d[3];
    truth_middle(m, t, tx);
    memcpy(a.from, w->source_m, sizeof a.from);
    for (int k = 0; k < 3; k++)
        d[k] = (w->kind == SAC_TRANSMIT_FOCUSED ? 1 : -1) * (w->source_m[k] - m[k]);
    for (int k = 0; k < 3; k++)
        a.to[k] = d[k] / truth_length(d);
    if (w->kind == SAC_TRANSMIT_ELEMENT) {
        memcpy(a.from, e->position_m, sizeof a.from);
        memcpy(a.to, e->normal, sizeof a.to);
    }
    if (w->kind == SAC_TRANSMIT_PLANE) {
        memcpy(a.from, m, sizeof a.from);
        a.to[0] = sin(w->azimuth_rad) * cos(w->elevation_rad);
        a.to[1] = sin(w->elevation_rad);
        a.to[2] = cos(w->azimuth_rad) * cos(w->elevation_rad);
    }
    return a;
}

/* How far p lies beside the axis; *along: how far along it. */
static inline double truth_beside(double *along, const truth_axis *a, const double p[3])
{
    const double v[3] = {p[0] - a->from[0], p[1] - a->from[1], p[2] - a->from[2]};
    const double c[3] = {v[1] * a->to[2] - v[2] * a->to[1], v[2] * a->to[0] - v[0] * a->to[2],
                         v[0] * a->to[1] - v[1] * a->to[0]};
    *along = v[0] * a->to[0] + v[1] * a->to[1] + v[2] * a->to[2];
    return truth_length(c);
}

/* The largest distance of a focus from the axis that is nearest to it. */
static inline double truth_gap(const test *t)
{
    const int32_t n = t->acquisition.n_transmits;
    double widest = 0, along;
    for (int32_t i = 0; i < n; i++) {
        double nearest = INFINITY;
        for (int32_t j = 0; j < n; j++) {
            const truth_axis a = truth_axis_of(t, j);
            const double apart = truth_beside(&along, &a, t->transmits[i].source_m);
            if (t->transmits[j].kind == SAC_TRANSMIT_FOCUSED && apart > 1e-9)
                nearest = fmin(nearest, apart);
        }
        if (t->transmits[i].kind == SAC_TRANSMIT_FOCUSED && isfinite(nearest))
            widest = fmax(widest, nearest);
    }
    return widest;
}

static inline double truth_window(const test *t, double u)
{
    const double flat = t->choice[FIELD] == TUKEY ? 1 - 0.4 : 0;
    return u > 1 ? 0 : u <= flat ? 1 : 0.5 + 0.5 * cos(TRUTH_PI * (u - flat) / (1 - flat));
}

/* tau_tx of a focused wave: a sphere in its cone, linear beside it. */
static inline double truth_arrival_s(const test *t, int32_t tx, const double p[3])
{
    const truth_axis axis = truth_axis_of(t, tx);
    const double f = t->desc.tx_f_number;
    double along, beside = truth_beside(&along, &axis, p), way = along * hypot(1, 0.5 / f);
    if (2 * f * beside <= fabs(along))
        way = copysign(hypot(along, beside), along);
    return (truth_length(t->transmits[tx].source_m) + way) / t->acquisition.c_m_s;
}

/* a W / max(1, sum of W), or for lines a of the nearest wave: what p takes of each wave. */
static inline void truth_weights(double *weights, const test *t, const double p[3])
{
    const sac_acquisition *a = &t->acquisition;
    const double f = t->desc.tx_f_number, gap = truth_gap(t), waist = f * a->c_m_s / a->fc_hz;
    double sum = 0, nearest = INFINITY;
    int32_t line = 0;
    for (int32_t i = 0; i < a->n_transmits; i++) {
        const sac_transmit_kind kind = t->transmits[i].kind;
        const truth_axis axis = truth_axis_of(t, i);
        double along, beside = truth_beside(&along, &axis, p);
        if (beside < nearest)
            line = i;
        nearest = fmin(nearest, beside);
        const double narrow = kind == SAC_TRANSMIT_FOCUSED && gap > 0 ? gap : waist;
        weights[i] = truth_window(t, beside / hypot(along / (2 * f), narrow));
        if (kind != SAC_TRANSMIT_FOCUSED && along <= 0)
            weights[i] = 0;
        if (kind == SAC_TRANSMIT_PLANE || kind >= SAC_TRANSMIT_DELAYS)
            weights[i] = 1;
        sum += weights[i];
    }
    for (int32_t i = 0; i < a->n_transmits; i++)
        weights[i] = (double)(float)t->transmits[i].weight *
                     (t->choice[FIELD] == LINES ? i == line : weights[i] / fmax(1, sum));
}

/* A coordinate between the points of an axis: the one before it, and the rest of the way. */
static inline bool truth_find(int64_t *i, double *rest, const sac_grid *g, int axis, double at)
{
    const double last = (double)(g->n[axis] - 1);
    const double u = last * (at - g->first_m[axis]) / (g->last_m[axis] - g->first_m[axis]);
    *i = (int64_t)fmin(fmax(floor(u), 0), fmax(last - 1, 0));
    *rest = g->n[axis] > 1 ? u - (double)*i : 0;
    return g->n[axis] == 1 || (u >= -1e-9 && u <= last + 1e-9);
}

/* The picture's point i, of a sector's envelopes. */
static inline double truth_converted(const sac_beamform_desc *d, const double *polar, int64_t i)
{
    const sac_grid *g = &d->grid;
    double v[3], rest[3], sum = 0;
    int64_t at[3];
    for (int k = 0; k < 3; k++, i /= d->picture.n[k - 1])
        v[k] = truth_coordinate(&d->picture, k, i % d->picture.n[k]) - d->sector.apex_m[k];
    const double r = truth_length(v);
    if (!truth_find(&at[0], &rest[0], g, 0, atan2(v[0], v[2])) ||
        !truth_find(&at[1], &rest[1], g, 1, asin(v[1] / r)) ||
        !truth_find(&at[2], &rest[2], g, 2, r - d->sector.radius_m))
        return 0;
    for (int corner = 0; corner < 8; corner++) {
        int64_t index = 0;
        double share = 1;
        for (int k = 2; k >= 0; k--) {
            const int next = corner >> k & 1;
            share *= next ? rest[k] : 1 - rest[k];
            index = index * g->n[k] + at[k] + (g->n[k] > 1 ? next : 0);
        }
        sum += share != 0 ? share * polar[index] : 0;
    }
    return sum;
}

/* Whether points take shares of their own of the waves. */
static inline bool truth_has_field(const test *t)
{
    return t->choice[FIELD] != EVERYWHERE && !t->desc.lri;
}

/* Images of all waves, (n_tx, n) of n_parts floats a value, to one of n. */
static inline void truth_compound(double *out, const test *t, const float *from, int64_t n,
                                  int n_parts)
{
    const int32_t n_tx = t->acquisition.n_transmits;
    for (int64_t i = 0; i < n; i++) {
        double p[3], weights[MAX_TRANSMITS];
        truth_point(p, &t->desc, i);
        truth_weights(weights, t, p);
        for (int k = 0; k < n_parts; k++)
            out[n_parts * i + k] = 0;
        for (int32_t w = 0; w < n_tx; w++)
            for (int k = 0; k < n_parts && weights[w] != 0; k++)
                out[n_parts * i + k] += weights[w] * (double)from[n_parts * (w * n + i) + k];
    }
}

/* Images in a sector to pictures. */
static inline void truth_convert(double *out, const sac_beamform_desc *d, const double *polar,
                                 int64_t n_images)
{
    const int64_t *n = d->grid.n, *m = d->picture.n, n_polar = n[0] * n[1] * n[2];
    const int64_t n_picture = m[0] * m[1] * m[2];
    for (int64_t i = 0; i < n_images * n_picture; i++)
        out[i] = truth_converted(d, polar + i / n_picture * n_polar, i % n_picture);
}

static inline bool truth_is_rf(const sac_beamform_desc *d)
{
    return d->dtype != SAC_C64 && d->demodulate == SAC_DEMODULATE_NO;
}

static inline bool truth_is_db(const sac_beamform_desc *d)
{
    return d->output == SAC_OUTPUT_BMODE || d->output == SAC_OUTPUT_GRAY;
}

/* From the values of a frame's n points, complex or real, to the picture that was asked for, of
 * n_out. */
static inline void truth_finish(double *out, const test *t, double *from, int64_t n, int64_t n_out)
{
    const sac_beamform_desc *d = &t->desc;
    const bool complex_in = !truth_is_rf(d), complex_out = complex_in && d->output == SAC_OUTPUT_IQ;
    double most = 0;
    for (int64_t i = 0; i < n && complex_in && !complex_out; i++)
        from[i] = hypot(from[2 * i], from[2 * i + 1]);
    if (d->picture.n[0])
        truth_convert(out, d, from, d->lri ? t->acquisition.n_transmits : 1);
    else
        memcpy(out, from, (size_t)n_out * sizeof *out);
    for (int64_t i = 0; i < n_out; i++)
        most = fmax(most, out[i]);
    n = n_out;
    for (int64_t i = 0; i < n && truth_is_db(d); i++) {
        const double db = fmax(20 * log10(out[i] / most), -d->dynamic_range_db);
        out[i] = d->output == SAC_OUTPUT_GRAY ? 255 * (1 + db / d->dynamic_range_db) : db;
    }
}

/* The focused waves of a field, as the reference's plan gets them. */
static inline double *truth_give_arrivals(test *own, const test *t)
{
    const int64_t *n = t->desc.grid.n;
    const int64_t n_points = t->desc.points_m ? t->desc.n_points : n[0] * n[1] * n[2];
    double *arrivals = malloc((size_t)(MAX_TRANSMITS * n_points) * sizeof *arrivals),
           *at = arrivals;
    if (!arrivals)
        exit(1);
    own->acquisition.transmits = own->transmits;
    own->desc.acquisition = &own->acquisition;
    for (int32_t i = 0; i < t->acquisition.n_transmits && truth_has_field(t); i++) {
        if (t->transmits[i].kind != SAC_TRANSMIT_FOCUSED)
            continue;
        own->transmits[i].kind = SAC_TRANSMIT_ARRIVALS;
        own->transmits[i].arrivals_s = at;
        for (int64_t k = 0; k < n_points; k++) {
            double p[3];
            truth_point(p, &t->desc, k);
            *at++ = truth_arrival_s(t, i, p);
        }
    }
    return arrivals;
}

#endif
