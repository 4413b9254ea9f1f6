/*
 * Delay-and-sum of real samples with vectors, for both rooms. One frame: VF neighboring points a
 * vector, element after element, so that a record's samples are still in the L1 cache for the next
 * points; a receive delay serves four transmits, whose sums stay in the L1 cache. Of a few vectors
 * first all places are found, then all samples taken: in one go the chain from square root to sum
 * would be longer than what the core can overlap. Several frames: see das_rf_frames.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_SIMD_H
#define SAC_BEAMFORM_DAS_RF_SIMD_H

#include "beamform/kernels/das/das_rf_frames.h"
#include "simd/floats.h"

#define SAC_RF_GROUP 4  /* transmits that share a receive delay */
#define SAC_RF_STRIP 64 /* points whose places are found at a time */

/* Points whose places are found together: within what they lie, and whether the element has
 * weights there. */
typedef struct sac_rf_strip {
    double low[2], high[2], depth; /* along x and y; the greatest z */
    bool has_weights;
} sac_rf_strip;

/* A block of points, padded to vectors. */
typedef struct sac_rf_lanes {
    double tx_x_m[SAC_DAS_BLOCK], tx_y_m[SAC_DAS_BLOCK];
    double x_m[SAC_DAS_BLOCK], y_m[SAC_DAS_BLOCK], z_m[SAC_DAS_BLOCK]; /* as they are received */
    double x[SAC_DAS_BLOCK];                                           /* samples */
    double across2[SAC_DAS_BLOCK]; /* squared distance to the element along y and z, samples */
    float weight[SAC_DAS_BLOCK];   /* of the element */
    int32_t whole[SAC_RF_GROUP][SAC_DAS_BLOCK]; /* (tau_tx - t0) fs: whole samples, and the rest */
    float rest[SAC_RF_GROUP][SAC_DAS_BLOCK];
    float sum[SAC_RF_GROUP][SAC_DAS_BLOCK];
    int32_t n, n_padded;
    sac_rf_strip strip[SAC_DAS_BLOCK / SAC_RF_STRIP];
} sac_rf_lanes;

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
    for (int32_t i = 0; i < to->n_padded; i++) {
        const double x = to->x_m[i], y = to->y_m[i], z = to->z_m[i];
        sac_rf_strip *s = &to->strip[i / SAC_RF_STRIP];
        if (i % SAC_RF_STRIP == 0)
            *s = (sac_rf_strip){{x, y}, {x, y}, z, false};
        s->low[0] = x < s->low[0] ? x : s->low[0];
        s->low[1] = y < s->low[1] ? y : s->low[1];
        s->high[0] = x > s->high[0] ? x : s->high[0];
        s->high[1] = y > s->high[1] ? y : s->high[1];
        s->depth = z > s->depth ? z : s->depth;
    }
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

/* Turns of a cosine edge that still leave a weight, 1e-7: who has none is outside of the aperture.
 */
#define SAC_RF_EDGE 0.4999

/* Whether no point of a strip can lie in the aperture of an element: it faces z, and is too far
 * aside for the deepest of them. */
static inline bool sac_rf_is_aside(const sac_rf_strip *strip, const sac_element *e, double f_number)
{
    const double depth = strip->depth - e->position_m[2];
    double lateral2 = 0;
    for (int i = 0; i < 2; i++) {
        const double at = e->position_m[i];
        const double d = at < strip->low[i]    ? strip->low[i] - at
                         : at > strip->high[i] ? at - strip->high[i]
                                               : 0;
        lateral2 += d * d;
    }
    return e->normal[0] == 0 && e->normal[1] == 0 && e->normal[2] == 1 &&
           (depth <= 0 || 4 * f_number * f_number * lateral2 > depth * depth * (1 + 1e-9));
}

/* Weights of an element at n points of a block; whether there is any. Outside, the cosine edge is
 * at its end. Without a branch, so that the compiler makes vectors; sac_das_in_aperture's
 * operations in its order. */
static inline bool sac_rf_find_some_weights(sac_rf_lanes *to, const sac_das *das,
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
    int32_t any = 0;
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
    for (int32_t i = 0; i < count; i++)
        any |= turns[i] < 0.5F;
    for (int32_t i = 0; i < count && any; i++) {
        float edge, unused;
        sac_das_rotation(&edge, &unused, turns[i]);
        to->weight[first + i] = 0.5f + 0.5f * edge;
    }
    return any;
}

/* Of an element at all points, a strip at a time; whether there is any. */
static inline bool sac_rf_find_weights(sac_rf_lanes *to, const sac_das *das, const sac_element *e)
{
    bool any = false;
    for (int32_t first = 0; first < to->n_padded; first += SAC_RF_STRIP) {
        const int32_t left = to->n_padded - first, n = left < SAC_RF_STRIP ? left : SAC_RF_STRIP;
        sac_rf_strip *strip = &to->strip[first / SAC_RF_STRIP];
        strip->has_weights = !sac_rf_is_aside(strip, e, das->apodization.f_number) &&
                             sac_rf_find_some_weights(to, das, e, first, n);
        any |= strip->has_weights;
    }
    return any;
}

static inline vf sac_rf_cubic(vf a, vf b, vf c, vf d, vf u)
{
    vf bc = vf_sub(b, c), da = vf_sub(d, a), p1 = vf_sub(c, a);
    vf p3 = vf_fma(vf_set(3), bc, da);
    vf p2 = vf_sub(vf_sub(vf_sub(a, b), bc), p3);
    vf v = vf_fma(u, vf_fma(u, p3, p2), p1);
    return vf_fma(vf_mul(vf_set(0.5f), u), v, b);
}

/* Where a strip's points lie in their records, for each transmit: u after sample `at`, or in the
 * gap of zeros. */
typedef struct sac_rf_places {
    uint32_t at[SAC_RF_GROUP][SAC_RF_STRIP];
    float u[SAC_RF_GROUP][SAC_RF_STRIP];
} sac_rf_places;

/*
 * Receive delays of VF points in samples, as whole ones and the rest: the root in single precision,
 * then Newton's step with what its square leaves in double.
 */
static inline vi sac_rf_receive(vf *rest, const double *x, const double *across2, double x0)
{
    vd apart = vd_sub_1(vd_load(x), x0), square = vd_fma(apart, apart, vd_load(across2));
    vf square_1 = vf_from_vd(square), l = vf_sqrt(square_1);
    vd l_2 = vd_from_vf(l);
    vf left = vf_from_vd(vd_fnma(l_2, l_2, square));
    /* 1e-30: at the element itself nothing is left */
    vf half = vf_mul(vf_rsqrt_rough(vf_max(square_1, vf_set(1e-30f))), vf_set(0.5f));
    vf whole = vf_floor(l);
    *rest = vf_fma(left, half, vf_sub(l, whole));
    return vi_from_vf(whole);
}

/* What lies outside is held or goes to the gap of zeros; `in`: points that the element receives. */
static inline void sac_rf_hold(vi *at, vf *u_at, int32_t n_samples, mf in, sac_outside outside)
{
    const vi last = vi_set(n_samples - 1);
    vi i = *at;
    vf u = *u_at;
    mf valid = vi_below(i, (uint32_t)n_samples - 1);
    if (outside == SAC_OUTSIDE_CLAMP) {
        u = vf_select(valid, u, vf_set(0));
        i = vi_min(vi_max(i, vi_set(0)), last);
        valid = mf_all();
    } else {
        valid = mf_or(valid, mf_and(vi_eq(i, last), vf_ge(vf_set(0), u)));
    }
    valid = mf_and(valid, in);
    *at = vi_select(valid, i, vi_set(n_samples));
    *u_at = vf_select(valid, u, vf_set(0));
}

/* Places of VF points: i + u samples, u within (-1, 2). */
static inline void sac_rf_place(uint32_t *at, float *u_at, vi i, vf u, int32_t n_samples, mf in,
                                sac_interp interp, sac_outside outside)
{
    vf whole = vf_floor(u);
    i = vi_add(i, vi_from_vf(whole));
    u = vf_sub(u, whole);
    if (mf_bits(mf_and(vi_below(i, (uint32_t)n_samples - 1), in)) != mf_bits(mf_all()))
        sac_rf_hold(&i, &u, n_samples, in, outside);
    if (interp == SAC_INTERP_NEAREST)
        i = vi_select(vf_ge(u, vf_set(0.5f)), vi_add(i, vi_set(1)), i);
    vi_store(at, i);
    vf_store(u_at, u);
}

static inline void sac_rf_pairs(vf *first, vf *second, const char *record, sac_dtype dtype,
                                const uint32_t *at)
{
    if (dtype == SAC_I16)
        vf_pairs_i16(first, second, record, at);
    else
        vf_pairs_f32(first, second, record, at);
}

/* f of VF places. */
static inline vf sac_rf_interpolate(const char *record, const uint32_t *at, const float *u_at,
                                    int32_t last, sac_dtype dtype, sac_interp interp)
{
    const int size = dtype == SAC_I16 ? 2 : 4;
    const vf u = vf_load(u_at);
    vf a, b, c, d;
    sac_rf_pairs(&b, &c, record, dtype, at);
    if (interp == SAC_INTERP_NEAREST)
        return b;
    vf v = vf_fma(u, vf_sub(c, b), b);
    if (interp == SAC_INTERP_LINEAR)
        return v;
    /* 1 <= i < last - 1; where there are fewer than four samples nowhere, and 1 is in the gap. */
    const vi one = vi_set(1), i = vi_load(at);
    mf four = vi_below(vi_add(i, vi_set(-1)), last > 2 ? (uint32_t)last - 2 : 0);
    uint32_t safe[VF];
    vi_store(safe, vi_select(four, i, one));
    sac_rf_pairs(&a, &b, record - size, dtype, safe);
    sac_rf_pairs(&c, &d, record + size, dtype, safe);
    return vf_select(four, sac_rf_cubic(a, b, c, d, u), v);
}

/* Which of VF points receive the element. */
static inline mf sac_rf_received(const sac_rf_lanes *from, int32_t first)
{
    return vf_ne(vf_load(from->weight + first), vf_set(0));
}

/* Places of the n points from `first` on, for element r and n_tx transmits, which is a constant. */
static inline void sac_rf_find_places(sac_rf_places *places, const sac_rf_lanes *from,
                                      const sac_das *das, int32_t r, int32_t first, int32_t n,
                                      int32_t n_tx, sac_interp interp, sac_outside outside,
                                      bool weighed)
{
    const int32_t n_samples = das->n_samples;
    const double x0 = das->elements[r].position_m[0] * (das->fs_hz / das->c_m_s);
    for (int32_t i = 0; i < n; i += VF) {
        vf rest;
        mf in = mf_all();
        if (weighed && !mf_bits(in = sac_rf_received(from, first + i)))
            continue;
        vi whole = sac_rf_receive(&rest, from->x + first + i, from->across2 + first + i, x0);
        for (int32_t k = 0; k < n_tx; k++) {
            vf u = vf_add(rest, vf_load(from->rest[k] + first + i));
            vi at = vi_add(whole, vi_load(from->whole[k] + first + i));
            sac_rf_place(&places->at[k][i], &places->u[k][i], at, u, n_samples, in, interp,
                         outside);
        }
    }
}

/* sum += element r of n_tx transmits, which is a constant. */
static inline void sac_rf_add_element(sac_rf_lanes *to, const sac_das *das, int32_t t, int32_t r,
                                      int32_t n_tx, sac_dtype dtype, sac_interp interp,
                                      sac_outside outside, bool weighed)
{
    const ptrdiff_t size = dtype == SAC_I16 ? 2 : 4, tx = das->tx * size;
    const char *record = (const char *)das->data + t * tx + r * das->rx * size;
    const int32_t last = das->n_samples - 1, n_padded = to->n_padded;
    sac_rf_places places;
    for (int32_t first = 0; first < n_padded; first += SAC_RF_STRIP) {
        int32_t n = n_padded - first < SAC_RF_STRIP ? n_padded - first : SAC_RF_STRIP;
        if (weighed && !to->strip[first / SAC_RF_STRIP].has_weights)
            continue;
        sac_rf_find_places(&places, to, das, r, first, n, n_tx, interp, outside, weighed);
        for (int32_t k = 0; k < n_tx; k++) {
            for (int32_t i = 0; i < n; i += VF) {
                float *sum = to->sum[k] + first + i;
                if (weighed && !mf_bits(sac_rf_received(to, first + i)))
                    continue;
                vf v = sac_rf_interpolate(record + k * tx, &places.at[k][i], &places.u[k][i], last,
                                          dtype, interp);
                v = weighed ? vf_fma(vf_load(to->weight + first + i), v, vf_load(sum))
                            : vf_add(v, vf_load(sum));
                vf_store(sum, v);
            }
        }
    }
}

static inline void sac_rf_add_by_count(sac_rf_lanes *to, const sac_das *das, int32_t t, int32_t r,
                                       int32_t n_tx, sac_dtype dtype, sac_interp interp,
                                       sac_outside outside, bool weighed)
{
    switch (n_tx) {
    case 1:
        sac_rf_add_element(to, das, t, r, 1, dtype, interp, outside, weighed);
        break;
    case 2:
        sac_rf_add_element(to, das, t, r, 2, dtype, interp, outside, weighed);
        break;
    case 3:
        sac_rf_add_element(to, das, t, r, 3, dtype, interp, outside, weighed);
        break;
    default:
        sac_rf_add_element(to, das, t, r, 4, dtype, interp, outside, weighed);
    }
}

static inline void sac_rf_add_by_options(sac_rf_lanes *to, const sac_das *das, int32_t t, int32_t r,
                                         int32_t n_tx, sac_dtype dtype, bool weighed)
{
    if (das->interp == SAC_INTERP_LINEAR && das->outside == SAC_OUTSIDE_ZERO && !weighed)
        sac_rf_add_by_count(to, das, t, r, n_tx, dtype, SAC_INTERP_LINEAR, SAC_OUTSIDE_ZERO, false);
    else if (das->interp == SAC_INTERP_LINEAR)
        sac_rf_add_by_count(to, das, t, r, n_tx, dtype, SAC_INTERP_LINEAR, das->outside, weighed);
    else
        sac_rf_add_element(to, das, t, r, n_tx, dtype, das->interp, das->outside, weighed);
}

static inline void sac_rf_put_group(float *out, const sac_rf_lanes *from, const sac_das *das,
                                    int32_t t, int32_t n_tx)
{
    for (int32_t i = 0; i < from->n; i++) {
        for (int32_t k = 0; k < n_tx; k++) {
            if (das->lri)
                out[(ptrdiff_t)i * das->n_tx + t + k] = from->sum[k][i];
            else
                out[i] += das->tx_weight[t + k] * from->sum[k][i];
        }
    }
}

static inline void sac_rf_simd(float *out, const sac_das *das, int64_t first, int32_t n_points,
                               sac_dtype dtype)
{
    if (das->n_packed > 1) {
        sac_rf_frames(out, das, first, n_points, dtype);
        return;
    }
    if (das->n_samples >= SAC_RF_FAR) {
        sac_rf_precise(out, das, first, n_points, dtype);
        return;
    }
    const bool weighed = das->apodization.f_number > 0;
    sac_rf_lanes lanes;
    sac_rf_find_lanes(&lanes, das, first, n_points);
    memset(out, 0, (size_t)n_points * (size_t)sac_das_images(das) * sizeof *out);
    for (int32_t t = 0; t < das->n_tx; t += SAC_RF_GROUP) {
        int32_t n_tx = das->n_tx - t < SAC_RF_GROUP ? das->n_tx - t : SAC_RF_GROUP;
        sac_rf_start_group(&lanes, das, first, t, n_tx);
        for (int32_t r = 0; r < das->n_rx; r++) {
            const sac_element *e = &das->elements[r];
            if (r == 0 || e->position_m[1] != e[-1].position_m[1] ||
                e->position_m[2] != e[-1].position_m[2])
                sac_rf_find_across(&lanes, das, e);
            if (!weighed || sac_rf_find_weights(&lanes, das, e))
                sac_rf_add_by_options(&lanes, das, t, r, n_tx, dtype, weighed);
        }
        sac_rf_put_group(out, &lanes, das, t, n_tx);
    }
}

#endif
