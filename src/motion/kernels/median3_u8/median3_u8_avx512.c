/*
 * median3_u8 with AVX-512 VBMI: whole rows, two at once as in the plain C, but each column is
 * loaded and sorted once, and its neighbors come by permutes of two registers. Rows are read where
 * they lie: what a border reflects is in the registers too.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "motion/kernels/samples_inline.h"
#include "median3_u8.h"

#define LEAST 192 /* samples of a row: three registers end it */

typedef __m512i value; /* 64 samples */

static inline value low(value a, value b)
{
    return _mm512_min_epu8(a, b);
}

static inline value high(value a, value b)
{
    return _mm512_max_epu8(a, b);
}

#include "median3_u8_columns.h"

/* 64 columns of both rows, from sample i of the four lines on. The empty statement keeps compilers
 * from loading a line once for each use. */
static inline void sort_columns(column s[2], const uint8_t *const *line, int64_t i)
{
    __m512i a = _mm512_loadu_si512(line[0] + i), b = _mm512_loadu_si512(line[1] + i);
    __m512i c = _mm512_loadu_si512(line[2] + i), d = _mm512_loadu_si512(line[3] + i);
    __asm__("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d));
    __m512i p = low(b, c), q = high(b, c);
    s[0] = insert(p, q, a);
    s[1] = insert(p, q, d);
}

/* Columns beyond a border of s: `by` says which column of s each one reflects. */
static inline void reflect(column to[2], const column s[2], __m512i by)
{
    for (int k = 0; k < 2; k++) {
        to[k].lo = _mm512_permutexvar_epi8(by, s[k].lo);
        to[k].mid = _mm512_permutexvar_epi8(by, s[k].mid);
        to[k].hi = _mm512_permutexvar_epi8(by, s[k].hi);
    }
}

/* Which of 128 columns are the neighbors: of l and s, and of s and r. */
typedef struct {
    __m512i left, right;
} neighbors;

/* The medians around the columns s, which l precedes and r follows. */
static inline __m512i merge_neighbors(const column *l, const column *s, const column *r,
                                      neighbors by)
{
    const column left = {_mm512_permutex2var_epi8(l->lo, by.left, s->lo),
                         _mm512_permutex2var_epi8(l->mid, by.left, s->mid),
                         _mm512_permutex2var_epi8(l->hi, by.left, s->hi)};
    const column right = {_mm512_permutex2var_epi8(s->lo, by.right, r->lo),
                          _mm512_permutex2var_epi8(s->mid, by.right, r->mid),
                          _mm512_permutex2var_epi8(s->hi, by.right, r->hi)};
    return merge(*s, left, right);
}

/* `below` first: it may be `to` itself, where there is no row below. */
static inline void merge_rows(uint8_t *to, uint8_t *below, const column *l, const column *s,
                              const column *r, neighbors by)
{
    _mm512_storeu_si512(below, merge_neighbors(&l[1], &s[1], &r[1], by));
    _mm512_storeu_si512(to, merge_neighbors(&l[0], &s[0], &r[0], by));
}

/* Two rows of medians, n samples each, from the four lines around them. */
static void two_rows(uint8_t *to, uint8_t *below, const uint8_t *const *line, int64_t n,
                     int32_t step)
{
    uint8_t count[64];
    for (int i = 0; i < 64; i++)
        count[i] = (uint8_t)i;
    const __m512i first = _mm512_loadu_si512(count), by1 = _mm512_set1_epi8((char)step);
    const __m512i by2 = _mm512_add_epi8(by1, by1);
    const neighbors by = {_mm512_add_epi8(first, _mm512_set1_epi8((char)(64 - step))),
                          _mm512_add_epi8(first, by1)};
    column l[2], s[2], r[2];
    sort_columns(s, line, 0);
    reflect(l, s, _mm512_add_epi8(first, by2));
    for (int64_t i = 0; i + 128 <= n; i += 64) {
        sort_columns(r, line, i + 64);
        merge_rows(to + i, below + i, l, s, r, by);
        l[0] = s[0];
        l[1] = s[1];
        s[0] = r[0];
        s[1] = r[1];
    }
    /* The row's end, which overlaps what is there. */
    sort_columns(l, line, n - 192);
    sort_columns(s, line, n - 128);
    sort_columns(r, line, n - 64);
    merge_rows(to + n - 128, below + n - 128, l, s, r, by);
    reflect(l, r, _mm512_sub_epi8(first, by2));
    merge_rows(to + n - 64, below + n - 64, s, r, l, by);
}

static void whole_rows(const sac_samples *out, const sac_samples *in, int64_t y,
                       const sac_filter *f)
{
    (void)f;
    const int64_t n = in->w * in->n_channels;
    for (int64_t i = 0; i < out->h; i += 2) {
        const uint8_t *line[4]; /* of rows y + i - 1 to y + i + 2 */
        for (int64_t k = 0; k < 4; k++)
            line[k] = in->data + sac_reflect(y + i + k - 1, in->h) * in->row;
        uint8_t *to = out->data + i * out->row;
        two_rows(to, i + 1 < out->h ? to + out->row : to, line, n, in->n_channels);
    }
}

void sac_median3_u8_avx512(const sac_samples *out, const sac_samples *in, int64_t y,
                           const sac_filter *f)
{
    sac_filter_rows(out, in, y, f, LEAST, whole_rows, sac_median3_u8_auto_v4);
}
