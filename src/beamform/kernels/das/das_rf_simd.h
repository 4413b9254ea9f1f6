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
#include "beamform/kernels/das/das_rf_lanes.h"

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
    if (mf_bits(in) & ~mf_bits(vi_below(i, (uint32_t)n_samples - 1)))
        sac_rf_hold(&i, &u, n_samples, in, outside);
    else
        i = vi_select(in, i, vi_set(n_samples));
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

static inline void sac_rf_quads(vf v[4], const char *record, sac_dtype dtype, const uint32_t *at)
{
    if (dtype == SAC_I16)
        vf_quads_i16(v, record, at);
    else
        vf_quads_f32(v, record, at);
}

/* f of VF places. */
static inline vf sac_rf_interpolate(const char *record, const uint32_t *at, const float *u_at,
                                    int32_t last, sac_dtype dtype, sac_interp interp)
{
    const vf u = vf_load(u_at);
    vf a, b, v[4];
    if (interp == SAC_INTERP_CUBIC) {
        /* 1 <= i < last - 1; where there are fewer than four samples nowhere. */
        const vi before = vi_add(vi_load(at), vi_set(-1));
        const mf four = vi_below(before, last > 2 ? (uint32_t)last - 2 : 0);
        uint32_t from[VF];
        vi_store(from, vi_select(four, before, vi_set(0)));
        sac_rf_quads(v, record, dtype, from);
        const vf cubic = sac_rf_cubic(v[0], v[1], v[2], v[3], u);
        if (mf_bits(four) == mf_bits(mf_all()))
            return cubic;
        sac_rf_pairs(&a, &b, record, dtype, at);
        return vf_select(four, cubic, vf_fma(u, vf_sub(b, a), a));
    }
    sac_rf_pairs(&a, &b, record, dtype, at);
    return interp == SAC_INTERP_NEAREST ? a : vf_fma(u, vf_sub(b, a), a);
}

/* Places in n vectors of points, for element r and n_tx transmits, which is a constant. */
static inline void sac_rf_find_places(sac_rf_places *places, const sac_rf_lanes *from,
                                      const sac_das *das, int32_t r, const int32_t *live, int32_t n,
                                      int32_t n_tx, sac_interp interp, sac_outside outside,
                                      bool weighed)
{
    const int32_t n_samples = das->n_samples;
    const double x0 = das->elements[r].position_m[0] * (das->fs_hz / das->c_m_s);
    for (int32_t v = 0; v < n; v++) {
        const int32_t i = live[v], to = v * VF;
        const mf in = weighed ? sac_rf_received(from, i) : mf_all();
        vf rest;
        vi whole = sac_rf_receive(&rest, from->x + i, from->across2 + i, x0);
        for (int32_t k = 0; k < n_tx; k++) {
            vf u = vf_add(rest, vf_load(from->rest[k] + i));
            vi at = vi_add(whole, vi_load(from->whole[k] + i));
            sac_rf_place(&places->at[k][to], &places->u[k][to], at, u, n_samples, in, interp,
                         outside);
        }
    }
}

/* sum += element r of n_tx transmits, which is a constant, at the points that receive it. */
static inline void sac_rf_add_element(sac_rf_lanes *to, const sac_das *das, int32_t t, int32_t r,
                                      int32_t n_tx, sac_dtype dtype, sac_interp interp,
                                      sac_outside outside, bool weighed)
{
    enum { SOME = SAC_RF_STRIP / VF };
    const ptrdiff_t size = dtype == SAC_I16 ? 2 : 4, tx = das->tx * size;
    const char *record = (const char *)das->data + t * tx + r * das->rx * size;
    const int32_t last = das->n_samples - 1, n_live = to->n_live;
    sac_rf_places places;
    for (int32_t first = 0; first < n_live; first += SOME) {
        const int32_t n = n_live - first < SOME ? n_live - first : SOME, *live = to->live + first;
        sac_rf_find_places(&places, to, das, r, live, n, n_tx, interp, outside, weighed);
        for (int32_t k = 0; k < n_tx; k++) {
            for (int32_t v = 0; v < n; v++) {
                const int32_t i = live[v];
                float *sum = to->sum[k] + i;
                vf x = sac_rf_interpolate(record + k * tx, &places.at[k][v * VF],
                                          &places.u[k][v * VF], last, dtype, interp);
                x = weighed ? vf_fma(vf_load(to->weight + i), x, vf_load(sum))
                            : vf_add(x, vf_load(sum));
                vf_store(sum, x);
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
    else if (das->interp == SAC_INTERP_NEAREST)
        sac_rf_add_element(to, das, t, r, n_tx, dtype, SAC_INTERP_NEAREST, das->outside, weighed);
    else
        sac_rf_add_element(to, das, t, r, n_tx, dtype, SAC_INTERP_CUBIC, das->outside, weighed);
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

/* One frame. dtype and has_weights, whether there is an f-number, are constants. */
__attribute__((always_inline)) static inline void sac_rf_single(float *out, const sac_das *das,
                                                                int64_t first, int32_t n_points,
                                                                sac_dtype dtype, bool has_weights)
{
    sac_rf_lanes lanes;
    sac_rf_find_lanes(&lanes, das, first, n_points);
    memset(out, 0, (size_t)n_points * (size_t)sac_das_images(das) * sizeof *out);
    for (int32_t t = 0; t < das->n_tx; t += SAC_RF_GROUP) {
        int32_t n_tx = das->n_tx - t < SAC_RF_GROUP ? das->n_tx - t : SAC_RF_GROUP;
        sac_rf_start_group(&lanes, das, first, t, n_tx);
        for (int32_t r = 0; r < das->n_rx; r++) {
            sac_rf_start_element(&lanes, das, r);
            const bool weighed = has_weights && sac_rf_find_weights(&lanes, das, &das->elements[r]);
            if (lanes.n_live > 0)
                sac_rf_add_by_options(&lanes, das, t, r, n_tx, dtype, weighed);
        }
        sac_rf_put_group(out, &lanes, das, t, n_tx);
    }
}

/* Apart from what has none, which the compiler would make worse beside it. */
static __attribute__((noinline)) void sac_rf_weighed(float *out, const sac_das *das, int64_t first,
                                                     int32_t n_points, sac_dtype dtype)
{
    sac_rf_single(out, das, first, n_points, dtype, true);
}

static inline void sac_rf_simd(float *out, const sac_das *das, int64_t first, int32_t n_points,
                               sac_dtype dtype)
{
    if (das->n_packed > 1)
        sac_rf_frames(out, das, first, n_points, dtype);
    else if (das->n_samples >= SAC_RF_FAR)
        sac_rf_precise(out, das, first, n_points, dtype);
    else if (das->apodization.f_number > 0)
        sac_rf_weighed(out, das, first, n_points, dtype);
    else
        sac_rf_single(out, das, first, n_points, dtype, false);
}

#endif
