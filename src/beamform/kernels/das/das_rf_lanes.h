/*
 * A block of points as lanes, for delay-and-sum of one frame of real samples with vectors: where
 * they lie, when waves reach them, and an element's weights there.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_LANES_H
#define SAC_BEAMFORM_DAS_RF_LANES_H

#include "beamform/kernels/das/das_rf_inline.h"
#include "simd/floats.h"

#define SAC_RF_GROUP 4  /* transmits that share a receive delay */
#define SAC_RF_STRIP 64 /* points whose places are found at a time */
#define SAC_RF_VECTORS (SAC_DAS_BLOCK / VF)

/*
 * Vectors of neighbouring points: within what they lie along x and y, and how far aside an element
 * that faces z may be for the deepest of them, squared (-1: none is below it). And of the whole
 * block: how far the element may be aside for weights of 1, whatever the window, at all points.
 */
typedef struct sac_rf_bounds {
    double low_x[SAC_RF_VECTORS], high_x[SAC_RF_VECTORS];
    double low_y[SAC_RF_VECTORS], high_y[SAC_RF_VECTORS];
    double deepest[SAC_RF_VECTORS], reach2[SAC_RF_VECTORS];
    double low[2], high[2], shallowest, flat2;
} sac_rf_bounds;

/* A block of points, padded to vectors. */
typedef struct sac_rf_lanes {
    double tx_x_m[SAC_DAS_BLOCK], tx_y_m[SAC_DAS_BLOCK];
    double x_m[SAC_DAS_BLOCK], y_m[SAC_DAS_BLOCK], z_m[SAC_DAS_BLOCK]; /* as they are received */
    double x[SAC_DAS_BLOCK];                                           /* samples */
    double across2[SAC_DAS_BLOCK]; /* squared distance to the element along y and z, samples */
    double narrow[SAC_DAS_BLOCK];  /* (2 F / depth)^2 below an element that faces z, 1/samples^2 */
    float weight[SAC_DAS_BLOCK];   /* of the element */
    int32_t whole[SAC_RF_GROUP][SAC_DAS_BLOCK]; /* (tau_tx - t0) fs: whole samples, and the rest */
    float rest[SAC_RF_GROUP][SAC_DAS_BLOCK];
    float sum[SAC_RF_GROUP][SAC_DAS_BLOCK];
    int32_t n, n_padded;
    sac_rf_bounds bounds;
    int32_t n_live, live[SAC_RF_VECTORS]; /* vectors that the element receives: first points */
} sac_rf_lanes;

static inline void sac_rf_find_bounds(sac_rf_lanes *to)
{
    sac_rf_bounds *b = &to->bounds;
    for (int32_t v = 0; v < to->n_padded / VF; v++) {
        const double *x = to->x_m + v * VF, *y = to->y_m + v * VF, *z = to->z_m + v * VF;
        b->low_x[v] = b->high_x[v] = x[0];
        b->low_y[v] = b->high_y[v] = y[0];
        b->deepest[v] = z[0];
        for (int32_t i = 1; i < VF; i++) {
            b->low_x[v] = x[i] < b->low_x[v] ? x[i] : b->low_x[v];
            b->high_x[v] = x[i] > b->high_x[v] ? x[i] : b->high_x[v];
            b->low_y[v] = y[i] < b->low_y[v] ? y[i] : b->low_y[v];
            b->high_y[v] = y[i] > b->high_y[v] ? y[i] : b->high_y[v];
            b->deepest[v] = z[i] > b->deepest[v] ? z[i] : b->deepest[v];
        }
    }
    b->low[0] = b->low[1] = b->shallowest = INFINITY;
    b->high[0] = b->high[1] = -INFINITY;
    for (int32_t v = 0; v < to->n_padded / VF; v++) {
        b->low[0] = b->low_x[v] < b->low[0] ? b->low_x[v] : b->low[0];
        b->low[1] = b->low_y[v] < b->low[1] ? b->low_y[v] : b->low[1];
        b->high[0] = b->high_x[v] > b->high[0] ? b->high_x[v] : b->high[0];
        b->high[1] = b->high_y[v] > b->high[1] ? b->high_y[v] : b->high[1];
    }
    for (int32_t i = 0; i < to->n; i++)
        b->shallowest = to->z_m[i] < b->shallowest ? to->z_m[i] : b->shallowest;
}

static inline void sac_rf_live_all(sac_rf_lanes *to)
{
    to->n_live = to->n_padded / VF;
    for (int32_t v = 0; v < to->n_live; v++)
        to->live[v] = v * VF;
}

static inline void sac_rf_find_lanes(sac_rf_lanes *to, const sac_das *das, int64_t first, int32_t n)
{
    to->n = n;
    to->n_padded = (n + 15) / 16 * 16;
    sac_das_points(to->tx_x_m, to->tx_y_m, to->z_m, das, first, n);
    memcpy(to->x_m, to->tx_x_m, (size_t)n * sizeof *to->x_m);
    memcpy(to->y_m, to->tx_y_m, (size_t)n * sizeof *to->y_m);
    sac_das_receive_points(to->x_m, to->y_m, das, n);
    for (int32_t i = n; i < to->n_padded; i++) {
        to->x_m[i] = to->x_m[n - 1];
        to->y_m[i] = to->y_m[n - 1];
        to->z_m[i] = to->z_m[n - 1];
    }
    for (int32_t i = 0; i < to->n_padded; i++)
        to->x[i] = to->x_m[i] * (das->fs_hz / das->c_m_s);
    if (das->apodization.f_number > 0)
        sac_rf_find_bounds(to);
    sac_rf_live_all(to);
}

#define SAC_RF_FAR 16777216 /* samples: no record is as long */

/* NaN, and what lies too far off to count, becomes a delay outside of every record. */
static inline void sac_rf_split(int32_t *whole, float *rest, double offset)
{
    double held = offset > -SAC_RF_FAR ? offset : -2 * SAC_RF_FAR;
    held = floor(held < SAC_RF_FAR ? held : 2 * SAC_RF_FAR);
    *whole = (int32_t)held;
    *rest = fabs(held) < 2 * SAC_RF_FAR ? (float)(offset - held) : 0;
}

/* Offsets of transmits [t, t + n_tx), and no sums. */
static inline void sac_rf_start_group(sac_rf_lanes *to, const sac_das *das, int64_t first,
                                      int32_t t, int32_t n_tx)
{
    sac_rf_offsets tx = {.first = t, .n = n_tx};
    memset(to->sum, 0, sizeof to->sum);
    memset(to->whole, 0, sizeof to->whole);
    memset(to->rest, 0, sizeof to->rest);
    for (int32_t i = 0; i < to->n; i += SAC_RF_POINTS) {
        int32_t n = to->n - i < SAC_RF_POINTS ? to->n - i : SAC_RF_POINTS;
        sac_rf_find_offsets(&tx, das, to->tx_x_m + i, to->tx_y_m + i, to->z_m + i, first + i, n);
        for (int32_t k = 0; k < n_tx; k++)
            for (int32_t j = 0; j < n; j++)
                sac_rf_split(&to->whole[k][i + j], &to->rest[k][i + j], tx.samples[k][j]);
    }
}

static inline void sac_rf_find_across(sac_rf_lanes *to, const sac_das *das, const sac_element *e)
{
    const double scale = das->fs_hz / das->c_m_s;
    for (int32_t i = 0; i < to->n_padded; i++) {
        double y = to->y_m[i] - e->position_m[1], z = to->z_m[i] - e->position_m[2];
        to->across2[i] = (y * y + z * z) * (scale * scale);
    }
}

/* The share of u that the window's edge takes. */
static inline double sac_rf_taper(const sac_das *das)
{
    const sac_apodization *a = &das->apodization;
    return a->window == SAC_WINDOW_HANN ? 1 : a->window == SAC_WINDOW_RECT ? 0 : a->taper;
}

/* Infinite where the element does not see the point. */
static inline void sac_rf_find_narrow(sac_rf_lanes *to, const sac_das *das, const sac_element *e)
{
    const double two_f = 2 * das->apodization.f_number * (das->c_m_s / das->fs_hz);
    for (int32_t i = 0; i < to->n_padded; i++) {
        const double depth = to->z_m[i] - e->position_m[2];
        const double ratio = two_f / (depth > 0 ? depth : 0);
        to->narrow[i] = ratio * ratio;
    }
    for (int32_t v = 0; v < to->n_padded / VF; v++) {
        const double depth = to->bounds.deepest[v] - e->position_m[2];
        const double reach = depth / (2 * das->apodization.f_number);
        to->bounds.reach2[v] = depth <= 0 ? -1 : reach * reach * (1 + 1e-9);
    }
    const double depth = to->bounds.shallowest - e->position_m[2];
    const double flat = depth / (2 * das->apodization.f_number) * (1 - sac_rf_taper(das));
    to->bounds.flat2 = depth > 0 ? flat * flat * (1 - 1e-9) : -1;
}

/* Whether an element that faces z weighs 1 at all points of the block. */
static inline bool sac_rf_is_flat(const sac_rf_bounds *b, const sac_element *e)
{
    double lateral2 = 0;
    for (int i = 0; i < 2; i++) {
        const double left = e->position_m[i] - b->low[i], right = b->high[i] - e->position_m[i];
        const double d = left > right ? left : right; /* to the farther side */
        lateral2 += d * d;
    }
    return lateral2 <= b->flat2;
}

/* What differs between element r and the one before it. */
static inline void sac_rf_start_element(sac_rf_lanes *to, const sac_das *das, int32_t r)
{
    const sac_element *e = &das->elements[r];
    const bool deep = r == 0 || e->position_m[2] != e[-1].position_m[2];
    if (deep || e->position_m[1] != e[-1].position_m[1])
        sac_rf_find_across(to, das, e);
    if (deep && das->apodization.f_number > 0)
        sac_rf_find_narrow(to, das, e);
}

static inline bool sac_rf_faces_z(const sac_element *e)
{
    return e->normal[0] == 0 && e->normal[1] == 0 && e->normal[2] == 1;
}

/* Turns of a cosine edge that still leave a weight, 1e-7: who has none is outside of the aperture.
 */
#define SAC_RF_EDGE 0.4999

/* Vectors of points of which one may lie in the aperture of an element that faces z: it is not too
 * far aside for the deepest of them. */
static inline void sac_rf_find_near(sac_rf_lanes *to, const sac_element *e)
{
    const sac_rf_bounds *b = &to->bounds;
    const int32_t n = to->n_padded / VF;
    const double x = e->position_m[0], y = e->position_m[1];
    int32_t near[SAC_RF_VECTORS];
    for (int32_t v = 0; v < n; v++) {
        const double left = b->low_x[v] - x, right = x - b->high_x[v];
        const double down = b->low_y[v] - y, up = y - b->high_y[v];
        double u = left > right ? left : right, w = down > up ? down : up;
        u = u > 0 ? u : 0;
        w = w > 0 ? w : 0;
        near[v] = !(u * u + w * w > b->reach2[v]);
    }
    int32_t n_live = 0;
    for (int32_t v = 0; v < n; v++) {
        to->live[n_live] = v * VF;
        n_live += near[v];
    }
    to->n_live = n_live;
}

/* Which of VF points receive the element. */
static inline mf sac_rf_received(const sac_rf_lanes *from, int32_t first)
{
    return vf_ne(vf_load(from->weight + first), vf_set(0));
}

/* Weights of an element at `count` points of a block. Outside, the cosine edge is at its end.
 * Without a branch, so that the compiler makes vectors; sac_das_in_aperture's operations in its
 * order. */
static inline void sac_rf_find_some_weights(sac_rf_lanes *to, const sac_das *das,
                                            const sac_element *e, int32_t first, int32_t count)
{
    const sac_apodization *a = &das->apodization;
    const bool rect = a->window == SAC_WINDOW_RECT;
    const double flat = a->window == SAC_WINDOW_HANN ? 0 : 1 - a->taper;
    /* rect: no u comes to the edge */
    const double from = rect ? 2 : flat, scale = rect || flat >= 1 ? 0 : 0.5 / (1 - flat);
    const double four_f2 = 4 * a->f_number * a->f_number;
    const double o[3] = {e->position_m[0], e->position_m[1], e->position_m[2]};
    const double n[3] = {e->normal[0], e->normal[1], e->normal[2]};
    const double *x_m = to->x_m + first, *y_m = to->y_m + first, *z_m = to->z_m + first;
    float turns[SAC_RF_STRIP];
    for (int32_t i = 0; i < count; i++) {
        double x = x_m[i] - o[0], y = y_m[i] - o[1], z = z_m[i] - o[2];
        double depth = x * n[0] + y * n[1] + z * n[2], depth2 = depth * depth;
        double l2 = x * x + y * y + z * z - depth2;
        l2 = four_f2 * (l2 > 0 ? l2 : 0);
        double u = sqrt(l2) / depth - from;
        u = (u > 0 ? u : 0) * scale;
        u = u < SAC_RF_EDGE ? u : SAC_RF_EDGE;
        u = depth > 0 ? u : 0.5;
        u = l2 <= depth2 ? u : 0.5;
        turns[i] = (float)u;
    }
    for (int32_t i = 0; i < count; i++) {
        float edge, unused;
        sac_das_rotation(&edge, &unused, turns[i]);
        to->weight[first + i] = 0.5f + 0.5f * edge;
    }
}

/* So near the aperture's end, as a part of 1 + (2 F)^2, the predicate's own rounding may decide. */
#define SAC_RF_UNSURE 1e-9F

/* u^2 - 1 of VF points from `first` on, where that is near 0: less or more by the predicate. */
static __attribute__((noinline)) vf sac_rf_decide(const sac_rf_lanes *at, const sac_das *das,
                                                  const sac_element *e, int32_t first,
                                                  uint32_t unsure, vf beyond)
{
    float held[VF];
    vf_store(held, beyond);
    for (int32_t i = 0; i < VF; i++) {
        const double p[3] = {at->x_m[first + i], at->y_m[first + i], at->z_m[first + i]};
        double u2;
        if (unsure >> i & 1)
            held[i] = sac_das_in_aperture(&u2, &das->apodization, e, p) ? 0 : 1;
    }
    return vf_load(held);
}

/* How far along the cosine edge a point may come: 1e-7 of a weight is left, which tells it from one
 * outside of the aperture. */
#define SAC_RF_EDGE_LEFT 2e-4F

/* Weights where u^2 - 1 is `beyond`, which is at most 0; `slope`: 1 / taper. The way to the
 * aperture's end, 1 - u = (1 - u^2) / (1 + u), loses nothing near it; of the edge it is the share
 * t, and the weight sin^2(pi t / 2), by a polynomial (Chebyshev's points; 7e-9). */
static inline vf sac_rf_edge_weight(vf beyond, float slope)
{
    const vf one = vf_set(1), u = vf_sqrt(vf_max(vf_add(one, beyond), vf_set(0)));
    vf t = vf_div(vf_mul(beyond, vf_set(-slope)), vf_add(one, u));
    t = vf_min(vf_max(t, vf_set(SAC_RF_EDGE_LEFT)), one);
    const vf h = vf_mul(t, t);
    vf sine = vf_fma(h, vf_set(0.000151671704F), vf_set(-0.00467414384F));
    sine = vf_fma(h, sine, vf_set(0.0796899183F));
    sine = vf_fma(h, sine, vf_set(-0.64596376F));
    sine = vf_mul(t, vf_fma(h, sine, vf_set(1.57079632F)));
    return vf_mul(sine, sine);
}

/* As sac_rf_find_some_weights, at the vectors near an element that faces z: u^2 = (2 F / depth)^2
 * l^2 - (2 F)^2 of the distance l, in double; what follows from it in single precision. Leaves the
 * vectors that have weights. */
static inline void sac_rf_find_facing_weights(sac_rf_lanes *to, const sac_das *das,
                                              const sac_element *e)
{
    const sac_apodization *a = &das->apodization;
    const double x0 = e->position_m[0] * (das->fs_hz / das->c_m_s);
    const double end = 1 + 4 * a->f_number * a->f_number;
    const double taper = sac_rf_taper(das);
    const bool rect = taper <= 0;
    const float slope = rect ? 0 : (float)(1 / taper), slack = SAC_RF_UNSURE * (float)end;
    const float edge = rect ? 1 : (float)((1 - taper) * (1 - taper) - 1); /* its u^2 - 1 */
    int32_t n_live = 0;
    for (int32_t v = 0; v < to->n_live; v++) {
        const int32_t i = to->live[v];
        const vd apart = vd_sub_1(vd_load(to->x + i), x0);
        const vd l2 = vd_fma(apart, apart, vd_load(to->across2 + i));
        vf beyond = vf_from_vd(vd_sub_1(vd_mul(l2, vd_load(to->narrow + i)), end));
        const uint32_t unsure = mf_bits(vf_ge(vf_set(slack * slack), vf_mul(beyond, beyond)));
        if (unsure)
            beyond = sac_rf_decide(to, das, e, i, unsure, beyond);
        const mf in = vf_ge(vf_set(0), beyond);
        vf weight = vf_set(1);
        if (mf_bits(mf_and(in, vf_ge(beyond, vf_set(edge)))))
            weight = sac_rf_edge_weight(beyond, slope);
        vf_store(to->weight + i, vf_select(in, weight, vf_set(0)));
        to->live[n_live] = i;
        n_live += mf_bits(in) != 0;
    }
    to->n_live = n_live;
}

/* Of an element at all points, and the vectors that have some. Returns whether there are others
 * than 1 among them. */
static inline bool sac_rf_find_weights(sac_rf_lanes *to, const sac_das *das, const sac_element *e)
{
    if (sac_rf_faces_z(e) && sac_rf_is_flat(&to->bounds, e)) {
        sac_rf_live_all(to);
        return false;
    }
    if (sac_rf_faces_z(e)) {
        sac_rf_find_near(to, e);
        sac_rf_find_facing_weights(to, das, e);
        return true;
    }
    to->n_live = 0;
    for (int32_t i = 0; i < to->n_padded; i += SAC_RF_STRIP) {
        const int32_t left = to->n_padded - i;
        sac_rf_find_some_weights(to, das, e, i, left < SAC_RF_STRIP ? left : SAC_RF_STRIP);
    }
    for (int32_t i = 0; i < to->n_padded; i += VF) {
        to->live[to->n_live] = i;
        to->n_live += mf_bits(sac_rf_received(to, i)) != 0;
    }
    return true;
}

#endif
