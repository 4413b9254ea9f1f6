/*
 * adapt_iq_f32 with vectors: the reductions whose cost is a few sums over the signals.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_IQ_F32_SUMS_H
#define SAC_BEAMFORM_ADAPT_IQ_F32_SUMS_H

#include "adapt_iq_f32_signals.h"

/* S; then |x|^2 of CF, the signs of SCF, Y of DMAS; how many signals. */
enum { RE, IM, EXTRA, EXTRA_IM, COUNT };

/* a / b; 0 where b is 0. */
static inline vf over(vf a, vf b)
{
    const mf some = vf_ne(b, vf_set(0));
    return vf_select(some, vf_div(a, vf_select(some, b, vf_set(1))), vf_set(0));
}

static inline vf square_of(vf re, vf im)
{
    return vf_fma(re, re, vf_mul(im, im));
}

/* a^p, a >= 0. */
static inline vf power(vf a, float p)
{
    float x[VF];
    if (p == 1)
        return a;
    if (p == 2)
        return vf_mul(a, a);
    if (p == 0.5f)
        return vf_sqrt(a);
    vf_store(x, a);
    for (int32_t k = 0; k < VF; k++)
        x[k] = powf(x[k], p);
    return vf_load(x);
}

static inline vf sign_of(vf a)
{
    const vf sign = vf_select(vf_ge(a, vf_set(0)), vf_set(1), vf_set(-1));
    return vf_select(vf_ne(a, vf_set(0)), sign, vf_set(0));
}

/* What a signal adds to EXTRA and EXTRA_IM; kind is a constant. */
static inline void add_extra(vf sums[N_SUMS], vf re, vf im, const sac_reduction *r,
                             sac_reduction_kind kind)
{
    if (kind == SAC_REDUCE_CF) {
        sums[EXTRA] = vf_fma(re, re, sums[EXTRA]);
        sums[EXTRA_IM] = vf_fma(im, im, sums[EXTRA_IM]);
    } else if (kind == SAC_REDUCE_SCF) {
        sums[EXTRA] = vf_add(sums[EXTRA], sign_of(re));
        sums[EXTRA_IM] = vf_add(sums[EXTRA_IM], sign_of(im));
    } else {
        const vf length = vf_sqrt(square_of(re, im));
        const vf scale = over(power(length, (float)(1 / r->amount)), length);
        sums[EXTRA] = vf_fma(scale, re, sums[EXTRA]);
        sums[EXTRA_IM] = vf_fma(scale, im, sums[EXTRA_IM]);
    }
}

static inline void add_rows(vf sums[N_SUMS], const work *w, const float *x, const sac_reduction *r,
                            sac_reduction_kind kind)
{
    vf own[N_SUMS];
    memcpy(own, sums, sizeof own);
    for (int32_t row = 0; row < w->n; row++, x += PAIR) {
        const vf re = vf_load(x), im = vf_load(x + VF);
        own[RE] = vf_add(own[RE], re);
        own[IM] = vf_add(own[IM], im);
        add_extra(own, re, im, r, kind);
    }
    own[COUNT] = vf_add(own[COUNT], w->count);
    memcpy(sums, own, sizeof own);
}

/* The sums of CF (GCF's are the same), SCF and DMAS. */
static inline void add_signals(vf sums[N_SUMS], const work *w, const float *x,
                               const sac_reduction *r)
{
    if (r->kind == SAC_REDUCE_SCF)
        add_rows(sums, w, x, r, SAC_REDUCE_SCF);
    else if (r->kind == SAC_REDUCE_DMAS)
        add_rows(sums, w, x, r, SAC_REDUCE_DMAS);
    else
        add_rows(sums, w, x, r, SAC_REDUCE_CF);
}

/* (1 - sqrt(1 - b^2))^P, b the sum of signs over n; sums of signs are exact. */
static inline vf sign_factor(vf sum, vf n, const sac_reduction *r)
{
    const vf rest = vf_max(vf_fnma(sum, sum, vf_mul(n, n)), vf_set(0));
    return power(vf_sub(vf_set(1), over(vf_sqrt(rest), n)), (float)r->amount);
}

/* `low`: of CF |S|^2, of GCF the power of its bins. */
static inline void finish_sums(vf out[2], const vf sums[N_SUMS], vf low, const sac_reduction *r)
{
    const vf n = sums[COUNT];
    vf factor[2];
    out[0] = sums[RE];
    out[1] = sums[IM];
    if (r->kind == SAC_REDUCE_SCF) {
        factor[0] = sign_factor(sums[EXTRA], n, r);
        factor[1] = sign_factor(sums[EXTRA_IM], n, r);
    } else if (r->kind == SAC_REDUCE_DMAS) {
        out[0] = sums[EXTRA];
        out[1] = sums[EXTRA_IM];
        const vf length = over(vf_sqrt(square_of(out[0], out[1])), n);
        factor[0] = factor[1] = power(length, (float)(r->amount - 1));
    } else {
        factor[0] = factor[1] = over(low, vf_mul(n, vf_add(sums[EXTRA], sums[EXTRA_IM])));
    }
    out[0] = vf_mul(out[0], factor[0]);
    out[1] = vf_mul(out[1], factor[1]);
}

/* The power of bins k and -k of the signals' transform. */
static inline vf bins(const work *w, const float *x, int32_t k)
{
    const vf none = vf_set(0), one = vf_set(1), step = over(vf_set((float)k), w->count);
    vf m = none, a[2] = {none, none}, b[2] = {none, none};
    for (int32_t row = 0; row < w->n; row++, x += PAIR) {
        const vf re = vf_load(x), im = vf_load(x + VF);
        vf c, d;
        rotation(&c, &d, vf_mul(m, step));
        a[0] = vf_fma(re, c, a[0]);
        a[1] = vf_fma(im, c, a[1]);
        b[0] = vf_fma(re, d, b[0]);
        b[1] = vf_fma(im, d, b[1]);
        m = vf_add(m, vf_select(w->active[row], one, none));
    }
    /* |A - jB|^2 + |A + jB|^2 */
    return vf_mul(vf_set(2), vf_add(square_of(a[0], a[1]), square_of(b[0], b[1])));
}

static inline void reduce_generalised(vf out[2], const work *w, const float *x,
                                      const sac_reduction *r)
{
    const vf none = vf_set(0);
    vf sums[N_SUMS] = {none, none, none, none, none, none};
    const int32_t n_side = (int32_t)r->amount, most = (int32_t)vf_greatest(w->count);
    add_signals(sums, w, x, r);
    vf low = square_of(sums[RE], sums[IM]);
    for (int32_t k = 1; k <= n_side && 2 * n_side + 1 < most; k++)
        low = vf_add(low, bins(w, x, k));
    finish_sums(out, sums, low, r);
    if (n_side > 0) { /* the bins are all there are */
        const mf all = vf_ge(vf_set((float)(2 * n_side + 1)), w->count);
        out[0] = vf_select(all, sums[RE], out[0]);
        out[1] = vf_select(all, sums[IM], out[1]);
    }
}

static inline void reduce_sums(vf out[2], const work *w, const float *x, const sac_reduction *r)
{
    const vf none = vf_set(0);
    vf sums[N_SUMS] = {none, none, none, none, none, none};
    add_signals(sums, w, x, r);
    finish_sums(out, sums, square_of(sums[RE], sums[IM]), r);
}

/* Sum over rows of Re(u_i conj(u_(i + m))). */
static inline vf lag(const float *u, int32_t n, int32_t m)
{
    vf a = vf_set(0), b = vf_set(0);
    for (const float *v = u + (ptrdiff_t)m * PAIR; m < n; m++, u += PAIR, v += PAIR) {
        a = vf_fma(vf_load(u), vf_load(v), a);
        b = vf_fma(vf_load(u + VF), vf_load(v + VF), b);
    }
    return vf_add(a, b);
}

static inline void reduce_short_lags(vf out[2], const work *w, const float *x,
                                     const sac_reduction *r)
{
    float *u = w->spare[0], n_lags[VF], n[VF];
    int32_t count[VF], most = 0;
    if (w->holes) {
        compact(w->spare[1], w, x, count);
        x = w->spare[1];
    }
    for (int32_t row = 0; row < w->n; row++) {
        const vf re = vf_load(x + row * PAIR), im = vf_load(x + row * PAIR + VF);
        const vf scale = over(vf_set(1), vf_sqrt(square_of(re, im)));
        vf_store(u + row * PAIR, vf_mul(re, scale));
        vf_store(u + row * PAIR + VF, vf_mul(im, scale));
    }
    vf_store(n, w->count);
    for (int32_t k = 0; k < VF; k++) {
        const int32_t lags = n[k] > 1 ? sac_reduction_lags(r, (int32_t)n[k]) : 0;
        n_lags[k] = (float)lags;
        most = lags > most ? lags : most;
    }
    out[0] = out[1] = vf_set(0);
    for (int32_t m = 1; m <= most; m++) {
        const vf of_lag = over(lag(u, w->n, m), vf_sub(w->count, vf_set((float)m)));
        const mf taken = vf_ge(vf_load(n_lags), vf_set((float)m));
        out[0] = vf_add(out[0], vf_select(taken, of_lag, vf_set(0)));
    }
    out[0] = over(out[0], vf_load(n_lags));
}

#endif
