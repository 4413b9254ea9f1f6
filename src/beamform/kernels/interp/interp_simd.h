/*
 * interp with vectors: places VF at a time, of linear interpolation both samples by one load.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_INTERP_SIMD_H
#define SAC_BEAMFORM_INTERP_SIMD_H

#include "interp_inline.h"
#include "simd/floats.h"

#define SAC_INTERP_FLOATS (1 << 24) /* places of records of up to so many samples are floats */

_Static_assert(SAC_INTERP_BLOCK % 16 == 0, "places are written by whole vectors");

/* i where the delay s is `held`, i.e. inside, or all are to be; else -1. */
static inline void sac_interp_put(sac_interp_places *to, int k, vi i, vf u, mf is_outside,
                                  const sac_interp_job *job)
{
    if (job->interp == SAC_INTERP_NEAREST)
        i = vi_select(vf_ge(u, vf_set(0.5f)), vi_add(i, vi_set(1)), i);
    if (job->outside != SAC_OUTSIDE_CLAMP)
        i = vi_select(is_outside, vi_set(-1), i);
    vi_store(to->i + k, i);
    vf_store(to->u + k, u);
}

/* In single precision nothing is rounded: the whole and the rest of a float are floats. */
static inline void sac_interp_place_f32(sac_interp_places *to, const sac_interp_job *job,
                                        const float *delays, int n)
{
    const vf last = vf_set((float)(job->n_samples - 1)), zero = vf_set(0);
    float rest[VF] = {0};
    for (int k = 0; k < n; k += VF) {
        if (n - k < VF)
            memcpy(rest, delays + k, (size_t)(n - k) * sizeof *rest);
        const vf s = vf_load(n - k < VF ? rest : delays + k);
        const vf held = vf_min(vf_max(s, zero), last); /* NaN: 0 */
        const vf whole = vf_floor(held);
        sac_interp_put(to, k, vi_from_vf(whole), vf_sub(held, whole), vf_ne(held, s), job);
    }
}

static inline void sac_interp_place_f64(sac_interp_places *to, const sac_interp_job *job,
                                        const double *delays, int n)
{
    const double last = job->n_samples - 1;
    double rest[VF] = {0};
    for (int k = 0; k < n; k += VF) {
        if (n - k < VF)
            memcpy(rest, delays + k, (size_t)(n - k) * sizeof *rest);
        const vd s = vd_load(n - k < VF ? rest : delays + k);
        const vd held = vd_clamp(s, last), whole = vd_floor(held);
        const mf is_outside = vd_ne(held, s);
        sac_interp_put(to, k, vi_from_vd(whole), vf_from_vd(vd_sub(held, whole)), is_outside, job);
    }
}

static inline void sac_interp_place_simd(sac_interp_places *restrict at, const sac_interp_job *job,
                                         const char *row, int64_t p, int n)
{
    const float *floats = (const float *)(const void *)row + p;
    double doubles[SAC_INTERP_BLOCK];
    if (job->delays_dtype == SAC_F64) {
        sac_interp_place_f64(at, job, (const double *)(const void *)row + p, n);
    } else if (job->n_samples <= SAC_INTERP_FLOATS) {
        sac_interp_place_f32(at, job, floats, n);
    } else {
        for (int k = 0; k < n; k++)
            doubles[k] = (double)floats[k];
        sac_interp_place_f64(at, job, doubles, n);
    }
}

/* Linear, of at least two samples. The last one is the second of its pair. */
static inline void sac_interp_take_pairs(float *restrict out, const char *in,
                                         const sac_interp_places *at, int n, int32_t last,
                                         sac_dtype dtype)
{
    const vi zero = vi_set(0), before_last = vi_set(last - 1);
    for (int k = 0; k < n; k += VF) {
        const vi i = vi_load(at->i + k);
        const mf is_inside = vi_below(i, (uint32_t)last + 1), is_last = vi_eq(i, vi_set(last));
        uint32_t safe[VF];
        float rest[VF];
        vf b, c;
        vi_store(safe, vi_min(vi_max(i, zero), before_last));
        if (dtype == SAC_I16)
            vf_pairs_i16(&b, &c, in, safe);
        else
            vf_pairs_f32(&b, &c, (const void *)in, safe);
        b = vf_select(is_last, c, b);
        const vf v = vf_fma(vf_load(at->u + k), vf_sub(c, b), b);
        vf_store(n - k < VF ? rest : out + k, vf_select(is_inside, v, vf_set(0)));
        if (n - k < VF)
            memcpy(out + k, rest, (size_t)(n - k) * sizeof *rest);
    }
}

static inline void sac_interp_take_simd(float *out, const char *in, const sac_interp_places *at,
                                        int n, const sac_interp_job *job)
{
    const bool pairs = job->interp == SAC_INTERP_LINEAR && job->n_samples > 1;
    if (pairs && job->dtype == SAC_F32)
        sac_interp_take_pairs(out, in, at, n, job->n_samples - 1, SAC_F32);
    else if (pairs && job->dtype == SAC_I16)
        sac_interp_take_pairs(out, in, at, n, job->n_samples - 1, SAC_I16);
    else
        sac_interp_block(out, in, at, n, job);
}

#endif
