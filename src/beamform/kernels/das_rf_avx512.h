/*
 * Delay-and-sum of real samples with AVX-512, for both rooms. One frame: 16 neighboring points a
 * vector, element after element, so that a record's samples are still in the L1 cache for the next
 * points; a receive delay serves four transmits, whose sums stay in the L1 cache. Of a few vectors
 * first all places are found, then all samples taken: in one go the chain from square root to sum
 * would be longer than what the core can overlap. Several frames: as in plain C, where they are the
 * vector.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_AVX512_H
#define SAC_BEAMFORM_DAS_RF_AVX512_H

#include "beamform/kernels/das_rf_inline.h"
#include "beamform/kernels/pairs_avx512.h"

#define SAC_RF_GROUP 4  /* transmits that share a receive delay */
#define SAC_RF_STRIP 64 /* points whose places are found at a time */

/* A block of points, padded to vectors. */
typedef struct sac_rf_lanes {
    double x_m[SAC_DAS_BLOCK], y_m[SAC_DAS_BLOCK], z_m[SAC_DAS_BLOCK];
    double x[SAC_DAS_BLOCK];       /* samples */
    double across2[SAC_DAS_BLOCK]; /* squared distance to the element along y and z, samples */
    float weight[SAC_DAS_BLOCK];   /* of the element */
    int32_t whole[SAC_RF_GROUP][SAC_DAS_BLOCK]; /* (tau_tx - t0) fs: whole samples, and the rest */
    float rest[SAC_RF_GROUP][SAC_DAS_BLOCK];
    float sum[SAC_RF_GROUP][SAC_DAS_BLOCK];
    int32_t n, n_padded;
} sac_rf_lanes;

static inline void sac_rf_find_lanes(sac_rf_lanes *to, const sac_das *das, int64_t first, int32_t n)
{
    to->n = n;
    to->n_padded = (n + 15) / 16 * 16;
    sac_das_points(to->x_m, to->y_m, to->z_m, das, first, n);
    for (int32_t i = n; i < to->n_padded; i++) {
        to->x_m[i] = to->x_m[n - 1];
        to->y_m[i] = to->y_m[n - 1];
        to->z_m[i] = to->z_m[n - 1];
    }
    for (int32_t i = 0; i < to->n_padded; i++)
        to->x[i] = to->x_m[i] * (das->fs_hz / das->c_m_s);
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
        sac_rf_find_offsets(&tx, das, to->x_m + i, to->y_m + i, to->z_m + i, first + i, n);
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

/* sac_das_in_aperture of 8 points, and their u: the same operations in the same order. */
static inline __mmask8 sac_rf_in_aperture(__m512d *u, const sac_rf_lanes *from, int32_t i,
                                          const sac_element *e, double f_number)
{
    const __m512d zero = _mm512_setzero_pd();
    const double *o = e->position_m, *n = e->normal;
    __m512d x = _mm512_sub_pd(_mm512_loadu_pd(from->x_m + i), _mm512_set1_pd(o[0]));
    __m512d y = _mm512_sub_pd(_mm512_loadu_pd(from->y_m + i), _mm512_set1_pd(o[1]));
    __m512d z = _mm512_sub_pd(_mm512_loadu_pd(from->z_m + i), _mm512_set1_pd(o[2]));
    __m512d depth = _mm512_add_pd(_mm512_add_pd(_mm512_mul_pd(x, _mm512_set1_pd(n[0])),
                                                _mm512_mul_pd(y, _mm512_set1_pd(n[1]))),
                                  _mm512_mul_pd(z, _mm512_set1_pd(n[2])));
    __m512d depth2 = _mm512_mul_pd(depth, depth);
    __m512d l2 =
        _mm512_add_pd(_mm512_add_pd(_mm512_mul_pd(x, x), _mm512_mul_pd(y, y)), _mm512_mul_pd(z, z));
    l2 = _mm512_max_pd(_mm512_sub_pd(l2, depth2), zero);
    l2 = _mm512_mul_pd(_mm512_set1_pd(4 * f_number * f_number), l2);
    *u = _mm512_div_pd(_mm512_sqrt_pd(l2), depth);
    return _mm512_cmp_pd_mask(depth, zero, _CMP_GT_OQ) & _mm512_cmp_pd_mask(l2, depth2, _CMP_LE_OQ);
}

/* Turns of a cosine edge that still leave a weight, 1e-7: who has none is outside of the aperture.
 */
#define SAC_RF_EDGE 0.4999

/* Weights of an element; whether there is any. Outside, the cosine edge is at its end. */
static inline bool sac_rf_find_weights(sac_rf_lanes *to, const sac_das *das, const sac_element *e)
{
    const sac_apodization *a = &das->apodization;
    const bool rect = a->window == SAC_WINDOW_RECT;
    const double flat = a->window == SAC_WINDOW_HANN ? 0 : 1 - a->taper;
    /* rect: no u comes to the edge */
    const __m512d from = _mm512_set1_pd(rect ? 2 : flat);
    const __m512d scale = _mm512_set1_pd(rect || flat >= 1 ? 0 : 0.5 / (1 - flat));
    float turns[SAC_DAS_BLOCK];
    __mmask8 any = 0;
    for (int32_t i = 0; i < to->n_padded; i += 8) {
        __m512d u;
        __mmask8 in = sac_rf_in_aperture(&u, to, i, e, a->f_number);
        u = _mm512_mul_pd(_mm512_max_pd(_mm512_sub_pd(u, from), _mm512_setzero_pd()), scale);
        u = _mm512_min_pd(u, _mm512_set1_pd(SAC_RF_EDGE));
        u = _mm512_mask_mov_pd(_mm512_set1_pd(0.5), in, u);
        _mm256_storeu_ps(turns + i, _mm512_cvtpd_ps(u));
        any |= in;
    }
    for (int32_t i = 0; i < to->n_padded; i++) {
        float edge, unused;
        sac_das_rotation(&edge, &unused, turns[i]);
        to->weight[i] = 0.5f + 0.5f * edge;
    }
    return any != 0;
}

/* Whether n points from `first` on have a weight. */
static inline bool sac_rf_any_weight(const sac_rf_lanes *from, int32_t first, int32_t n)
{
    __mmask16 any = 0;
    for (int32_t i = first; i < first + n; i += 16)
        any |=
            _mm512_cmp_ps_mask(_mm512_loadu_ps(from->weight + i), _mm512_setzero_ps(), _CMP_NEQ_UQ);
    return any != 0;
}

static inline __m512 sac_rf_cubic(__m512 a, __m512 b, __m512 c, __m512 d, __m512 u)
{
    const __m512 half = _mm512_set1_ps(0.5f);
    __m512 bc = _mm512_sub_ps(b, c), da = _mm512_sub_ps(d, a);
    __m512 p1 = _mm512_sub_ps(c, a);
    __m512 p3 = _mm512_fmadd_ps(_mm512_set1_ps(3), bc, da);
    __m512 p2 = _mm512_sub_ps(_mm512_sub_ps(_mm512_sub_ps(a, b), bc), p3);
    __m512 v = _mm512_fmadd_ps(u, _mm512_fmadd_ps(u, p3, p2), p1);
    return _mm512_fmadd_ps(_mm512_mul_ps(half, u), v, b);
}

/* Where a strip's points lie in their records, for each transmit: u after sample `at`, or in the
 * gap of zeros. */
typedef struct sac_rf_places {
    uint32_t at[SAC_RF_GROUP][SAC_RF_STRIP];
    float u[SAC_RF_GROUP][SAC_RF_STRIP];
} sac_rf_places;

/*
 * Receive delays of 16 points in samples, as whole ones and the rest: the root in single precision,
 * then Newton's step with what its square leaves in double.
 */
static inline __m512i sac_rf_receive(__m512 *rest, const double *x, const double *across2,
                                     __m512d x0)
{
    __m512d a = _mm512_sub_pd(_mm512_loadu_pd(x), x0);
    __m512d b = _mm512_sub_pd(_mm512_loadu_pd(x + 8), x0);
    a = _mm512_fmadd_pd(a, a, _mm512_loadu_pd(across2));
    b = _mm512_fmadd_pd(b, b, _mm512_loadu_pd(across2 + 8));
    __m512 square =
        _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), _mm512_cvtpd_ps(b), 1);
    __m512 l = _mm512_sqrt_ps(square);
    __m512d la = _mm512_cvtps_pd(_mm512_castps512_ps256(l));
    __m512d lb = _mm512_cvtps_pd(_mm512_extractf32x8_ps(l, 1));
    a = _mm512_fnmadd_pd(la, la, a);
    b = _mm512_fnmadd_pd(lb, lb, b);
    __m512 left =
        _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), _mm512_cvtpd_ps(b), 1);
    /* 1e-30: at the element itself nothing is left */
    __m512 half = _mm512_mul_ps(_mm512_rsqrt14_ps(_mm512_max_ps(square, _mm512_set1_ps(1e-30f))),
                                _mm512_set1_ps(0.5f));
    __m512 whole = _mm512_floor_ps(l);
    *rest = _mm512_fmadd_ps(left, half, _mm512_sub_ps(l, whole));
    return _mm512_cvttps_epi32(whole);
}

/* What lies outside is held or goes to the gap of zeros; `in`: points that the element receives. */
static inline void sac_rf_hold(__m512i *at, __m512 *u_at, int32_t n_samples, __mmask16 in,
                               sac_outside outside)
{
    const __m512i last = _mm512_set1_epi32(n_samples - 1), gap = _mm512_set1_epi32(n_samples);
    __m512i i = *at;
    __m512 u = *u_at;
    __mmask16 valid = _mm512_cmplt_epu32_mask(i, last);
    if (outside == SAC_OUTSIDE_CLAMP) {
        u = _mm512_maskz_mov_ps(valid, u);
        i = _mm512_min_epi32(_mm512_max_epi32(i, _mm512_setzero_si512()), last);
        valid = 0xFFFF;
    } else {
        valid |= _mm512_mask_cmp_ps_mask(_mm512_cmpeq_epi32_mask(i, last), u, _mm512_setzero_ps(),
                                         _CMP_EQ_OQ);
    }
    *at = _mm512_mask_mov_epi32(gap, valid & in, i);
    *u_at = _mm512_maskz_mov_ps(valid & in, u);
}

/* Places of 16 points: i + u samples, u within (-1, 2). */
static inline void sac_rf_place(uint32_t *at, float *u_at, __m512i i, __m512 u, int32_t n_samples,
                                __mmask16 in, sac_interp interp, sac_outside outside)
{
    __m512 whole = _mm512_floor_ps(u);
    i = _mm512_add_epi32(i, _mm512_cvttps_epi32(whole));
    u = _mm512_sub_ps(u, whole);
    if ((_mm512_cmplt_epu32_mask(i, _mm512_set1_epi32(n_samples - 1)) & in) != 0xFFFF)
        sac_rf_hold(&i, &u, n_samples, in, outside);
    if (interp == SAC_INTERP_NEAREST)
        i = _mm512_mask_add_epi32(i, _mm512_cmp_ps_mask(u, _mm512_set1_ps(0.5f), _CMP_GE_OQ), i,
                                  _mm512_set1_epi32(1));
    _mm512_storeu_si512(at, i);
    _mm512_storeu_ps(u_at, u);
}

/* f of 16 places. */
static inline __m512 sac_rf_interpolate(const char *record, const uint32_t *at, const float *u_at,
                                        int32_t last, sac_dtype dtype, sac_interp interp)
{
    const int size = dtype == SAC_I16 ? 2 : 4;
    const __m512 u = _mm512_loadu_ps(u_at);
    __m512 a, b, c, d;
    sac_pairs(&b, &c, record, dtype, at);
    if (interp == SAC_INTERP_NEAREST)
        return b;
    __m512 v = _mm512_fmadd_ps(u, _mm512_sub_ps(c, b), b);
    if (interp == SAC_INTERP_LINEAR)
        return v;
    const __m512i one = _mm512_set1_epi32(1), i = _mm512_loadu_si512(at);
    __mmask16 four = _mm512_cmpge_epi32_mask(i, one) &
                     _mm512_cmplt_epi32_mask(_mm512_add_epi32(i, one), _mm512_set1_epi32(last));
    uint32_t safe[16];
    _mm512_storeu_si512(safe, _mm512_mask_mov_epi32(one, four, i));
    sac_pairs(&a, &b, record - size, dtype, safe);
    sac_pairs(&c, &d, record + size, dtype, safe);
    return _mm512_mask_mov_ps(v, four, sac_rf_cubic(a, b, c, d, u));
}

/* Places of the n points from `first` on, for element r and n_tx transmits, which is a constant. */
static inline void sac_rf_find_places(sac_rf_places *places, const sac_rf_lanes *from,
                                      const sac_das *das, int32_t r, int32_t first, int32_t n,
                                      int32_t n_tx, sac_interp interp, sac_outside outside,
                                      bool weighed)
{
    const int32_t n_samples = das->n_samples;
    const __m512d x0 = _mm512_set1_pd(das->elements[r].position_m[0] * (das->fs_hz / das->c_m_s));
    for (int32_t i = 0; i < n; i += 16) {
        __m512 rest;
        __mmask16 in = 0xFFFF;
        if (weighed)
            in = _mm512_cmp_ps_mask(_mm512_loadu_ps(from->weight + first + i), _mm512_setzero_ps(),
                                    _CMP_NEQ_UQ);
        __m512i whole = sac_rf_receive(&rest, from->x + first + i, from->across2 + first + i, x0);
        for (int32_t k = 0; k < n_tx; k++) {
            __m512 u = _mm512_add_ps(rest, _mm512_loadu_ps(from->rest[k] + first + i));
            __m512i at = _mm512_add_epi32(whole, _mm512_loadu_si512(from->whole[k] + first + i));
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
        if (weighed && !sac_rf_any_weight(to, first, n))
            continue;
        sac_rf_find_places(&places, to, das, r, first, n, n_tx, interp, outside, weighed);
        for (int32_t k = 0; k < n_tx; k++) {
            for (int32_t i = 0; i < n; i += 16) {
                float *sum = to->sum[k] + first + i;
                __m512 v = sac_rf_interpolate(record + k * tx, &places.at[k][i], &places.u[k][i],
                                              last, dtype, interp);
                v = weighed ? _mm512_fmadd_ps(_mm512_loadu_ps(to->weight + first + i), v,
                                              _mm512_loadu_ps(sum))
                            : _mm512_add_ps(v, _mm512_loadu_ps(sum));
                _mm512_storeu_ps(sum, v);
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

static inline void sac_rf_avx512(float *out, const sac_das *das, int64_t first, int32_t n_points,
                                 sac_dtype dtype)
{
    if (das->n_packed > 1 || das->n_samples >= SAC_RF_FAR) {
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
