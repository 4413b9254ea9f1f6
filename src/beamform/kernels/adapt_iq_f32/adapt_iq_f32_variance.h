/*
 * adapt_iq_f32 with vectors: minimum variance. Each lane solves its point's own system, all of the
 * size of the largest: rows that a lane does not have are the identity's.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_IQ_F32_VARIANCE_H
#define SAC_BEAMFORM_ADAPT_IQ_F32_VARIANCE_H

#include "adapt_iq_f32_sums.h"

typedef struct complex_lanes {
    vf re, im;
} complex_lanes;

static inline complex_lanes load_pair(const float *x)
{
    return (complex_lanes){vf_load(x), vf_load(x + VF)};
}

static inline void store_pair(float *x, complex_lanes a)
{
    vf_store(x, a.re);
    vf_store(x + VF, a.im);
}

/* sum + a conj(b), and less that. */
static inline complex_lanes add_product(complex_lanes sum, complex_lanes a, complex_lanes b)
{
    sum.re = vf_fma(a.im, b.im, vf_fma(a.re, b.re, sum.re));
    sum.im = vf_fnma(a.re, b.im, vf_fma(a.im, b.re, sum.im));
    return sum;
}

static inline complex_lanes less_product(complex_lanes sum, complex_lanes a, complex_lanes b)
{
    sum.re = vf_fnma(a.im, b.im, vf_fnma(a.re, b.re, sum.re));
    sum.im = vf_fma(a.re, b.im, vf_fnma(a.im, b.re, sum.im));
    return sum;
}

static inline complex_lanes scaled(complex_lanes a, vf scale)
{
    return (complex_lanes){vf_mul(a.re, scale), vf_mul(a.im, scale)};
}

/* The systems of a tile: a triangle of n rows, then two of n columns, 1 and the conjugate of s. */
typedef struct systems {
    float *rows;
    const float *x, *held, *shifted; /* signals; those that begin a subarray; after K of them */
    int32_t n, n_subarrays;          /* n: even */
    vf length, subarrays;            /* of the lanes */
} systems;

static inline float *row_of(const systems *s, int32_t i)
{
    const ptrdiff_t n = s->n, at = i;
    return s->rows + (at <= n ? at * (at + 1) / 2 : n * (n + 1) / 2 + n) * PAIR;
}

static inline complex_lanes zero_pair(void)
{
    return (complex_lanes){vf_set(0), vf_set(0)};
}

/* Sums over the subarrays, each from the one that is a row and a column less: what leaves it, and
 * what enters. R's first column is summed up. n: rows of x. */
static inline void fill_systems(const systems *s, int32_t n)
{
    float *sums = row_of(s, s->n + 1);
    complex_lanes sum = zero_pair();
    for (int32_t k = 0; k < s->n_subarrays; k++) {
        const complex_lanes held = load_pair(s->held + (ptrdiff_t)k * PAIR);
        sum.re = vf_add(sum.re, held.re);
        sum.im = vf_sub(sum.im, held.im);
    }
    for (int32_t i = 0; i < s->n; i++) {
        complex_lanes first = zero_pair();
        for (int32_t k = 0; k < s->n_subarrays && k + i < n; k++)
            first = add_product(first, load_pair(s->x + (ptrdiff_t)(k + i) * PAIR),
                                load_pair(s->held + (ptrdiff_t)k * PAIR));
        store_pair(row_of(s, i), first);
        store_pair(sums + (ptrdiff_t)i * PAIR, sum);
        const complex_lanes out = load_pair(s->x + (ptrdiff_t)i * PAIR),
                            in = load_pair(s->shifted + (ptrdiff_t)i * PAIR);
        sum.re = vf_add(sum.re, vf_sub(in.re, out.re));
        sum.im = vf_add(sum.im, vf_sub(out.im, in.im));
    }
    for (int32_t i = 1; i < s->n; i++) {
        const float *before = row_of(s, i - 1);
        float *row = row_of(s, i) + PAIR;
        const complex_lanes out = load_pair(s->x + (ptrdiff_t)(i - 1) * PAIR),
                            in = load_pair(s->shifted + (ptrdiff_t)(i - 1) * PAIR);
        for (int32_t j = 0; j < i; j++, row += PAIR, before += PAIR) {
            complex_lanes r = load_pair(before);
            r = less_product(r, out, load_pair(s->x + (ptrdiff_t)j * PAIR));
            store_pair(row, add_product(r, in, load_pair(s->shifted + (ptrdiff_t)j * PAIR)));
        }
    }
}

/* Loads the diagonal; rows beyond a lane's own become the identity's. */
static inline void load_systems(const systems *s, double loading)
{
    float *ones = row_of(s, s->n), *sums = row_of(s, s->n + 1);
    vf trace = vf_set(0);
    for (int32_t i = 0; i < s->n; i++) {
        const mf own = vf_ge(s->length, vf_set((float)(i + 1)));
        const vf r = vf_load(row_of(s, i) + (ptrdiff_t)i * PAIR);
        trace = vf_add(trace, vf_select(own, r, vf_set(0)));
    }
    const float least = vf_least(s->length);
    const vf load = over(vf_mul(trace, vf_set((float)loading)), s->length);
    for (int32_t i = 0; i < s->n; i++) {
        const mf own = vf_ge(s->length, vf_set((float)(i + 1)));
        float *row = row_of(s, i), *diagonal = row + (ptrdiff_t)i * PAIR;
        for (int32_t j = 0; j < 2 * i && (float)(i + 1) > least; j++)
            vf_store(row + (ptrdiff_t)j * VF,
                     vf_select(own, vf_load(row + (ptrdiff_t)j * VF), vf_set(0)));
        vf_store(diagonal, vf_select(own, vf_add(vf_load(diagonal), load), vf_set(1)));
        const ptrdiff_t at = (ptrdiff_t)i * PAIR;
        store_pair(ones + at, (complex_lanes){vf_select(own, vf_set(1), vf_set(0)), vf_set(0)});
        vf_store(sums + at, vf_select(own, vf_load(sums + at), vf_set(0)));
        vf_store(sums + at + VF, vf_select(own, vf_load(sums + at + VF), vf_set(0)));
    }
}

/* Columns j and j + 1 of rows i and i + 1: Cholesky's sums over the columns before, in registers.
 * a and b are the inverse pivots, `below` L[j + 1][j]. */
static inline void solve_rows(const systems *s, int32_t i, int32_t j, vf a, vf b,
                              complex_lanes below)
{
    const float *p = row_of(s, j), *q = row_of(s, j + 1);
    float *r = row_of(s, i), *t = row_of(s, i + 1);
    const ptrdiff_t end = (ptrdiff_t)j * PAIR;
    complex_lanes r0 = load_pair(r + end), r1 = load_pair(r + end + PAIR);
    complex_lanes t0 = load_pair(t + end), t1 = load_pair(t + end + PAIR);
    for (ptrdiff_t k = 0; k < end; k += PAIR) {
        const complex_lanes x = load_pair(p + k), y = load_pair(q + k);
        const complex_lanes u = load_pair(r + k), v = load_pair(t + k);
        r0 = less_product(r0, u, x);
        r1 = less_product(r1, u, y);
        t0 = less_product(t0, v, x);
        t1 = less_product(t1, v, y);
    }
    r0 = scaled(r0, a);
    t0 = scaled(t0, a);
    store_pair(r + end, r0);
    store_pair(t + end, t0);
    store_pair(r + end + PAIR, scaled(less_product(r1, r0, below), b));
    store_pair(t + end + PAIR, scaled(less_product(t1, t0, below), b));
}

static inline vf inverse_root(vf a)
{
    return over(vf_set(1), vf_sqrt(vf_max(vf_set(0), a)));
}

/* Cholesky's factor, two columns at a time. */
static inline void solve_systems(const systems *s)
{
    for (int32_t j = 0; j < s->n; j += 2) {
        const float *p = row_of(s, j);
        float *q = row_of(s, j + 1);
        const ptrdiff_t end = (ptrdiff_t)j * PAIR;
        vf a = vf_load(p + end), b = vf_load(q + end + PAIR);
        complex_lanes below = load_pair(q + end);
        for (ptrdiff_t k = 0; k < end; k += PAIR) {
            const complex_lanes x = load_pair(p + k), y = load_pair(q + k);
            a = vf_fnma(x.im, x.im, vf_fnma(x.re, x.re, a));
            b = vf_fnma(y.im, y.im, vf_fnma(y.re, y.re, b));
            below = less_product(below, y, x);
        }
        a = inverse_root(a);
        below = scaled(below, a);
        b = inverse_root(vf_fnma(below.im, below.im, vf_fnma(below.re, below.re, b)));
        store_pair(q + end, below);
        for (int32_t i = j + 2; i < s->n + 2; i += 2)
            solve_rows(s, i, j, a, b, below);
    }
}

/* Signals of each lane, those that begin one of its subarrays, and those K later. */
static inline systems open_systems(const work *w, const float *x, const sac_reduction *r)
{
    systems s = {.rows = w->rows, .x = w->spare[0], .held = w->spare[1], .shifted = w->spare[2]};
    float length[VF], subarrays[VF];
    int32_t count[VF];
    compact(w->spare[0], w, x, count);
    for (int32_t k = 0; k < VF; k++) {
        const int32_t l = count[k] > 0 ? sac_reduction_length(r, count[k]) : 0;
        const int32_t n = l > 0 ? count[k] - l + 1 : 0;
        s.n = l > s.n ? l : s.n;
        s.n_subarrays = n > s.n_subarrays ? n : s.n_subarrays;
        length[k] = (float)l;
        subarrays[k] = (float)n;
        for (int32_t i = 0; i < w->n; i++)
            for (int32_t part = 0; part < PAIR; part += VF) {
                const ptrdiff_t at = (ptrdiff_t)i * PAIR + part + k;
                w->spare[1][at] = i < n ? w->spare[0][at] : 0;
                w->spare[2][at] = i + n < w->n ? w->spare[0][at + (ptrdiff_t)n * PAIR] : 0;
            }
    }
    s.n += s.n % 2;
    s.length = vf_load(length);
    s.subarrays = vf_load(subarrays);
    return s;
}

static __attribute__((noinline)) void reduce_variance(vf out[2], const work *w, const float *x,
                                                      const sac_reduction *r)
{
    const systems s = open_systems(w, x, r);
    const float *ones = row_of(&s, s.n), *sums = row_of(&s, s.n + 1);
    complex_lanes ws = zero_pair();
    vf w2 = vf_set(0);
    fill_systems(&s, w->n);
    load_systems(&s, r->loading);
    solve_systems(&s);
    for (int32_t j = 0; j < s.n; j++, ones += PAIR, sums += PAIR) {
        const complex_lanes a = load_pair(ones);
        w2 = vf_add(w2, square_of(a.re, a.im));
        ws = add_product(ws, a, load_pair(sums));
    }
    const vf scale = over(over(w->count, s.subarrays), w2);
    out[0] = vf_mul(ws.re, scale);
    out[1] = vf_mul(ws.im, scale);
}

#endif
