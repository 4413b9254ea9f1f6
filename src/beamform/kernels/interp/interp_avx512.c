/*
 * interp with AVX-512: places 8 at a time in double; of linear interpolation both samples by
 * one load.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interp_inline.h"
#include "beamform/kernels/pairs_avx512.h"

static __m512d load_delays(const char *row, sac_dtype dtype, int64_t p, __mmask8 m)
{
    if (dtype == SAC_F64)
        return _mm512_maskz_loadu_pd(m, (const double *)(const void *)row + p);
    return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(m, (const float *)(const void *)row + p));
}

static void place_all(sac_interp_places *restrict at, const sac_interp_job *job, const char *row,
                      int64_t p, int n)
{
    const __m512d last = _mm512_set1_pd(job->n_samples - 1), zero = _mm512_setzero_pd();
    const bool hold = job->outside == SAC_OUTSIDE_CLAMP;
    const bool nearest = job->interp == SAC_INTERP_NEAREST;
    for (int k = 0; k < n; k += 8) {
        const __mmask8 m = (__mmask8)(n - k < 8 ? (1u << (n - k)) - 1 : 0xFF);
        const __m512d s = load_delays(row, job->delays_dtype, p + k, m);
        const __m512d held = _mm512_min_pd(_mm512_max_pd(s, zero), last); /* NaN: 0 */
        const __m512d whole = _mm512_floor_pd(held);
        const __m512d u = _mm512_sub_pd(held, whole);
        __m256i i = _mm512_cvttpd_epi32(whole);
        if (nearest)
            i = _mm256_mask_add_epi32(i, _mm512_cmp_pd_mask(u, _mm512_set1_pd(0.5), _CMP_GE_OQ), i,
                                      _mm256_set1_epi32(1));
        const __mmask8 inside = hold ? 0xFF : _mm512_cmp_pd_mask(held, s, _CMP_EQ_OQ);
        i = _mm256_mask_mov_epi32(_mm256_set1_epi32(-1), inside, i);
        _mm256_mask_storeu_epi32(at->i + k, m, i);
        _mm256_mask_storeu_ps(at->u + k, m, _mm512_cvtpd_ps(u));
    }
}

/* Linear, of at least two samples. The last one is the second of its pair. */
static inline void take_linear(float *restrict out, const char *in, const sac_interp_places *at,
                               int n, int32_t last, sac_dtype dtype)
{
    const __m512i zero = _mm512_setzero_si512(), before_last = _mm512_set1_epi32(last - 1);
    for (int k = 0; k < n; k += 16) {
        const __mmask16 m = (__mmask16)(n - k < 16 ? (1u << (n - k)) - 1 : 0xFFFF);
        const __m512i i = _mm512_maskz_loadu_epi32(m, at->i + k);
        const __mmask16 inside = _mm512_cmpge_epi32_mask(i, zero);
        const __mmask16 at_last = _mm512_cmpgt_epi32_mask(i, before_last);
        uint32_t safe[16];
        _mm512_storeu_si512(safe, _mm512_min_epi32(_mm512_max_epi32(i, zero), before_last));
        __m512 b, c, u = _mm512_maskz_loadu_ps(m, at->u + k);
        sac_pairs(&b, &c, in, dtype, safe);
        b = _mm512_mask_mov_ps(b, at_last, c);
        const __m512 v = _mm512_fmadd_ps(u, _mm512_sub_ps(c, b), b);
        _mm512_mask_storeu_ps(out + k, m, _mm512_maskz_mov_ps(inside, v));
    }
}

static void take_block(float *out, const char *in, const sac_interp_places *at, int n,
                       const sac_interp_job *job)
{
    const bool pairs = job->interp == SAC_INTERP_LINEAR && job->n_samples > 1;
    if (pairs && job->dtype == SAC_F32)
        take_linear(out, in, at, n, job->n_samples - 1, SAC_F32);
    else if (pairs && job->dtype == SAC_I16)
        take_linear(out, in, at, n, job->n_samples - 1, SAC_I16);
    else
        sac_interp_block(out, in, at, n, job);
}

void sac_interp_avx512(void *out, const sac_interp_job *job)
{
    sac_interp_by_blocks(out, job, place_all, take_block);
}
