/*
 * das_iq_f32 with vectors: which samples a delay touches, and what lies between them. Delays come
 * as a whole sample and a fraction of [0, 1); where a record's end is near, or the nearest sample
 * in doubt, double precision decides, and the fraction may say otherwise:
 *
 *     fraction   linear, zero outside     nearest       cubic, and what is clamped
 *     0 .. 1     between two samples      not used      between two samples, or four
 *     ALONE                                             the sample alone
 *     -2 - a                                            cubic: a, between two samples
 *
 * Outside, zero: the whole sample is n_samples, the gap of zeros.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_TAPS_H
#define SAC_BEAMFORM_DAS_IQ_F32_TAPS_H

#include "das_iq_f32_lanes.h"

/* What a loop over samples is compiled for. */
typedef enum form { LINEAR, LINEAR_CLAMPED, NEAREST, CUBIC } form;

static inline form form_of(const sac_das *das)
{
    if (das->interp == SAC_INTERP_NEAREST)
        return NEAREST;
    if (das->interp == SAC_INTERP_CUBIC)
        return CUBIC;
    return das->outside == SAC_OUTSIDE_CLAMP ? LINEAR_CLAMPED : LINEAR;
}

#define ALONE (-1.0f)

/* Lanes whose samples single precision cannot tell: not two samples before and behind, or half-way
 * between two. */
static inline uint32_t unsure_lanes(vf at, vf fraction, int32_t n_samples, form f)
{
    const mf inside = mf_and(vf_ge(at, vf_set(1)), vf_ge(vf_set((float)(n_samples - 3)), at));
    uint32_t unsure = ~mf_bits(inside);
    if (f == NEAREST)
        unsure |= mf_bits(
            mf_and(vf_ge(fraction, vf_set(0.5f - EDGE)), vf_ge(vf_set(0.5f + EDGE), fraction)));
    return unsure;
}

/* The delay of element r, in samples of transmit t's record, at point `index`. */
static double exact_delay(const sac_das *das, int32_t t, int64_t index, int32_t r)
{
    double p[3];
    sac_das_point(p, das, index);
    double tau = sac_das_arrival_of(das, t, p, index);
    sac_das_receive_at(&p[0], &p[1], &das->line);
    tau += sac_distance(p, das->elements[r].position_m) / das->c_m_s;
    return (tau - das->transmits[t].t0_s) * das->fs_hz;
}

/* Lanes outside of a record beyond doubt, where zeros are there; they take these. */
static inline uint32_t drop_outside(vi *whole, vf *fraction, const sac_das *das, float none)
{
    if (das->outside == SAC_OUTSIDE_CLAMP)
        return 0;
    const vf at = vf_from_vi(*whole);
    const mf outside = mf_or(vf_ge(vf_set(-2), at), vf_ge(at, vf_set((float)das->n_samples)));
    *whole = vi_select(outside, vi_set(das->n_samples), *whole);
    *fraction = vf_select(outside, vf_set(none), *fraction);
    return mf_bits(outside);
}

/* The samples of the active lanes, as above; of others, nothing. Lane i is of point index + i *
 * index_step and element[i * element_step]. */
static __attribute__((noinline)) void find_end_taps(vi *whole, vf *fraction, uint32_t active,
                                                    const sac_das *das, int32_t t, int64_t index,
                                                    int64_t index_step, const int32_t *element,
                                                    int32_t element_step)
{
    const form f = form_of(das);
    const float last = (float)(das->n_samples - 1), none = f == CUBIC ? ALONE : 0;
    int32_t n[VF];
    float a[VF];
    active &= ~drop_outside(whole, fraction, das, none);
    if (!active)
        return;
    vi_store(n, *whole);
    vf_store(a, *fraction);
    for (int32_t i = 0; i < VF; i++) {
        if (!(active >> i & 1))
            continue;
        const float at = (float)n[i] + a[i];
        double c[4], s = (double)n[i] + (double)a[i];
        const bool exact = fabsf(at) < EDGE || fabsf(at - last) < EDGE ||
                           (f == NEAREST && fabsf(a[i] - 0.5f) < EDGE);
        if (exact)
            s = exact_delay(das, t, index + i * index_step, element[i * element_step]);
        switch (sac_das_taps(c, &n[i], s, das->n_samples, das->interp, das->outside)) {
        case 0:
            n[i] = das->n_samples;
            a[i] = none;
            break;
        case 1:
            a[i] = f == LINEAR || f == NEAREST ? 0 : ALONE;
            break;
        case 2:
            a[i] = f == CUBIC ? -2 - (float)c[1] : (float)c[1];
            break;
        default:
            n[i]++; /* the sample before: none near it is exact */
        }
    }
    *whole = vi_load(n);
    *fraction = vf_load(a);
}

/* Coefficients of samples -1 to 2 at a, as sac_das_taps has them. */
static inline void cubic_coefficients(vf c[4], vf a)
{
    const vf half = vf_mul(a, vf_set(0.5f)), square = vf_mul(a, half);
    c[0] = vf_fnma(a, square, vf_sub(vf_mul(a, a), half));
    c[1] = vf_fma(vf_mul(a, a), vf_fma(a, vf_set(1.5f), vf_set(-2.5f)), vf_set(1));
    c[2] = vf_fma(vf_mul(a, a), vf_fma(a, vf_set(-1.5f), vf_set(2)), half);
    c[3] = vf_mul(square, vf_sub(a, vf_set(1)));
}

/* The same where there are two. */
static inline void two_coefficients(vf c[4], vf a)
{
    c[0] = c[3] = vf_set(0);
    c[1] = vf_sub(vf_set(1), a);
    c[2] = a;
}

static inline vf between_two(vf a, vf u, vf u1)
{
    return vf_fnma(a, vf_sub(u, u1), u);
}

static inline vf between_four(const vf c[4], vf u0, vf u1, vf u2, vf u3)
{
    return vf_fma(c[3], u3, vf_fma(c[2], u2, vf_fma(c[1], u1, vf_mul(c[0], u0))));
}

/* Samples between those at x[from], from wherever they are. */
static inline vf pick_apart(const float *x, vi from, vf a, const vf c[4], form f)
{
    uint32_t at[VF];
    vf u0, u, u1, u2;
    vi_store(at, from);
    if (f == CUBIC) {
        vf_pairs_f32(&u0, &u, x - 1, at);
        vf_pairs_f32(&u1, &u2, x + 1, at);
        return between_four(c, u0, u, u1, u2);
    }
    vf_pairs_f32(&u, &u1, x, at);
    return f == NEAREST ? u : between_two(a, u, u1);
}

/* Samples between those at x[from], which lie in n_windows windows from x on; 0: far apart. */
static inline vf pick_lanes(const float *x, vi from, vf a, const vf c[4], int32_t n_windows, form f)
{
    vf u0, u, u1, u2;
    if (n_windows == 0)
        return pick_apart(x, from, a, c, f);
    if (f == CUBIC) {
        vf_pick(&u0, &u, x - 1, from, n_windows);
        vf_pick(&u1, &u2, x + 1, from, n_windows);
        return between_four(c, u0, u, u1, u2);
    }
    vf_pick(&u, &u1, x, from, n_windows);
    return f == NEAREST ? u : between_two(a, u, u1);
}

/* The same, wherever they lie; fractions may say what is said above. */
static inline vf gather_lanes(const float *x, vi at, vf a, const sac_das *das)
{
    const form f = form_of(das);
    const mf four = vf_ge(a, vf_set(0)), two = vf_ge(vf_set(-2), a);
    uint32_t from[VF];
    vf u0, u, u1, u2, unused, c[4], ends[4];
    vi_store(from, at);
    vf_pairs_f32(&u, &u1, x, from);
    if (f == NEAREST)
        return u;
    if (f == LINEAR)
        return between_two(a, u, u1);
    if (f == LINEAR_CLAMPED)
        return vf_select(four, between_two(a, u, u1), u);
    vi_store(from, vi_select(four, at, vi_set(1))); /* what is not wanted, from anywhere */
    vf_pairs_f32(&u0, &unused, x - 1, from);
    vf_pairs_f32(&unused, &u2, x + 1, from);
    cubic_coefficients(c, a);
    two_coefficients(ends, vf_select(two, vf_sub(vf_set(-2), a), vf_set(0)));
    for (int i = 0; i < 4; i++)
        c[i] = vf_select(four, c[i], ends[i]);
    u1 = vf_select(mf_or(four, two), u1, u);
    return between_four(c, vf_select(four, u0, u), u, u1, vf_select(four, u2, u));
}

#endif
