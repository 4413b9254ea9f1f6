/*
 * median3_u8 with AVX-512 VBMI: the plain C's two rows, but columns are loaded and sorted once, and
 * their neighbors made by permutes of two registers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "median3_u8_rows.h"

static inline __m512i low(__m512i a, __m512i b)
{
    return _mm512_min_epu8(a, b);
}

static inline __m512i high(__m512i a, __m512i b)
{
    return _mm512_max_epu8(a, b);
}

static inline __m512i middle(__m512i a, __m512i b, __m512i c)
{
    return high(low(a, b), low(high(a, b), c));
}

/* 64 columns of three, sorted. */
typedef struct {
    __m512i lo, mid, hi;
} columns;

static inline columns insert(__m512i p, __m512i q, __m512i a)
{
    return (columns){low(p, a), high(p, low(q, a)), high(q, a)};
}

/* Those of both rows, from sample i of the four lines on. */
static inline void sort_columns(columns s[2], const uint8_t *const *line, int32_t i)
{
    __m512i b = _mm512_loadu_si512(line[1] + i), c = _mm512_loadu_si512(line[2] + i);
    __m512i p = low(b, c), q = high(b, c);
    s[0] = insert(p, q, _mm512_loadu_si512(line[0] + i));
    s[1] = insert(p, q, _mm512_loadu_si512(line[3] + i));
}

static inline __m512i merge(const columns *s, const columns *next, __m512i by1, __m512i by2)
{
    __m512i lo1 = _mm512_permutex2var_epi8(s->lo, by1, next->lo);
    __m512i lo2 = _mm512_permutex2var_epi8(s->lo, by2, next->lo);
    __m512i mid1 = _mm512_permutex2var_epi8(s->mid, by1, next->mid);
    __m512i mid2 = _mm512_permutex2var_epi8(s->mid, by2, next->mid);
    __m512i hi1 = _mm512_permutex2var_epi8(s->hi, by1, next->hi);
    __m512i hi2 = _mm512_permutex2var_epi8(s->hi, by2, next->hi);
    return middle(high(high(s->lo, lo1), lo2), middle(s->mid, mid1, mid2),
                  low(low(s->hi, hi1), hi2));
}

static inline void two_rows(uint8_t *restrict to, uint8_t *restrict below,
                            const uint8_t *const *line, int32_t n, int32_t step)
{
    uint8_t count[64];
    for (int i = 0; i < 64; i++)
        count[i] = (uint8_t)i;
    const __m512i first = _mm512_loadu_si512(count);
    const __m512i by1 = _mm512_add_epi8(first, _mm512_set1_epi8((char)step));
    const __m512i by2 = _mm512_add_epi8(by1, _mm512_set1_epi8((char)step));
    columns s[2], next[2];
    sort_columns(s, line, -step);
    for (int32_t i = 0; i < n; i += 64) {
        sort_columns(next, line, i + 64 - step);
        _mm512_storeu_si512(to + i, merge(&s[0], &next[0], by1, by2));
        _mm512_storeu_si512(below + i, merge(&s[1], &next[1], by1, by2));
        s[0] = next[0];
        s[1] = next[1];
    }
}

static void block(const sac_block *b, const sac_filter *f)
{
    (void)f;
    sac_median3_rows(b, two_rows);
}

void sac_median3_u8_avx512(const sac_samples *out, const sac_samples *in, int64_t y,
                           const sac_filter *f)
{
    sac_filter_blocks(out, in, y, 1, f, block);
}
