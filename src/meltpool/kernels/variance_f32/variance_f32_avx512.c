/*
 * variance_f32 with AVX-512: two passes in single precision, which is exact where it has
 * to be, as docs/numerics.md shows. Sums of 64 rows at most are in single precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "variance_f32.h"

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 64, CHAINS = 4 };

/* 20 features: of a row, or sums of them in a block. */
typedef struct {
    __m512 low;  /* 0..15 */
    __m128 high; /* 16..19 */
} values;

typedef struct {
    __m512d a, b; /* 0..7, 8..15 */
    __m256d c;    /* 16..19 */
} totals;

static const totals no_totals;

INLINE values row_of(const float *ring, int32_t k, int32_t newest, int32_t window)
{
    const float *row = sac_meltpool_ring_row(ring, k, newest, window);
    return (values){_mm512_load_ps(row), _mm_load_ps(row + 16)};
}

INLINE values add(values x, values y)
{
    return (values){_mm512_add_ps(x.low, y.low), _mm_add_ps(x.high, y.high)};
}

INLINE values subtract(values x, values y)
{
    return (values){_mm512_sub_ps(x.low, y.low), _mm_sub_ps(x.high, y.high)};
}

INLINE values add_square(values x, values sum)
{
    return (values){_mm512_fmadd_ps(x.low, x.low, sum.low), _mm_fmadd_ps(x.high, x.high, sum.high)};
}

INLINE void zero(values sums[CHAINS])
{
    for (int i = 0; i < CHAINS; i++)
        sums[i] = (values){_mm512_setzero_ps(), _mm_setzero_ps()};
}

INLINE values fold(const values sums[CHAINS])
{
    return add(add(sums[0], sums[1]), add(sums[2], sums[3]));
}

INLINE totals add_block(totals total, values sum)
{
    const __m256 behind = _mm512_extractf32x8_ps(sum.low, 1);
    return (totals){
        _mm512_add_pd(total.a, _mm512_cvtps_pd(_mm512_castps512_ps256(sum.low))),
        _mm512_add_pd(total.b, _mm512_cvtps_pd(behind)),
        _mm256_add_pd(total.c, _mm256_cvtps_pd(sum.high)),
    };
}

/* Rows k .. to - 1. */
INLINE values sum_rows(const float *ring, int32_t k, int32_t to, int32_t newest, int32_t window)
{
    values sums[CHAINS];
    zero(sums);
    for (; k + CHAINS <= to; k += CHAINS)
        for (int32_t i = 0; i < CHAINS; i++)
            sums[i] = add(sums[i], row_of(ring, k + i, newest, window));
    for (; k < to; k++)
        sums[0] = add(sums[0], row_of(ring, k, newest, window));
    return fold(sums);
}

/* The same of what they differ from `mean`, and of its squares. */
INLINE void sum_squares(values *sum, values *squares, values mean, const float *ring, int32_t k,
                        int32_t to, int32_t newest, int32_t window)
{
    values sums[CHAINS], squared[CHAINS];
    zero(sums);
    zero(squared);
    for (; k + CHAINS <= to; k += CHAINS)
        for (int32_t i = 0; i < CHAINS; i++) {
            const values x = subtract(row_of(ring, k + i, newest, window), mean);
            sums[i] = add(sums[i], x);
            squared[i] = add_square(x, squared[i]);
        }
    for (; k < to; k++) {
        const values x = subtract(row_of(ring, k, newest, window), mean);
        sums[0] = add(sums[0], x);
        squared[0] = add_square(x, squared[0]);
    }
    *sum = fold(sums);
    *squares = fold(squared);
}

INLINE values mean_of(totals sum, int32_t n)
{
    const __m512d factor = _mm512_set1_pd(1.0 / n);
    const __m256 a = _mm512_cvtpd_ps(_mm512_mul_pd(sum.a, factor));
    const __m256 b = _mm512_cvtpd_ps(_mm512_mul_pd(sum.b, factor));
    return (values){_mm512_insertf32x8(_mm512_castps256_ps512(a), b, 1),
                    _mm256_cvtpd_ps(_mm256_mul_pd(sum.c, _mm512_castpd512_pd256(factor)))};
}

/* (squares - sum^2 / n) / n, whose difference, times n, is one of exact products where it is 0. */
INLINE __m256 variance_of(__m512d sum, __m512d squares, int32_t n)
{
    const __m512d difference =
        _mm512_sub_pd(_mm512_mul_pd(squares, _mm512_set1_pd(n)), _mm512_mul_pd(sum, sum));
    return _mm512_cvtpd_ps(_mm512_mul_pd(difference, _mm512_set1_pd(1.0 / ((double)n * n))));
}

void sac_variance_f32_avx512(float *restrict out, const float *restrict ring, int32_t n,
                             int32_t newest, int32_t window)
{
    totals sum = no_totals, squares = no_totals;
    for (int32_t k = 0; k < n; k += BLOCK)
        sum = add_block(sum, sum_rows(ring, k, n - k < BLOCK ? n : k + BLOCK, newest, window));
    const values mean = mean_of(sum, n);
    sum = no_totals;
    for (int32_t k = 0; k < n; k += BLOCK) {
        values s, q;
        sum_squares(&s, &q, mean, ring, k, n - k < BLOCK ? n : k + BLOCK, newest, window);
        sum = add_block(sum, s);
        squares = add_block(squares, q);
    }
    const __m256 last =
        variance_of(_mm512_castpd256_pd512(sum.c), _mm512_castpd256_pd512(squares.c), n);
    _mm256_storeu_ps(out, variance_of(sum.a, squares.a, n));
    _mm256_storeu_ps(out + 8, variance_of(sum.b, squares.b, n));
    _mm_storeu_ps(out + 16, _mm256_castps256_ps128(last));
}
