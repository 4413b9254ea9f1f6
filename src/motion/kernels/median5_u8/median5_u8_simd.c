/*
 * median5_u8 with vectors: samples are sorted along the rows, rows are merged by twos, and of the
 * four rows that two rows of results share, the six samples are found that can be a median.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "median5_u8.h"
#include "motion/kernels/strips.h"

/* In order. */
typedef struct {
    v8 v[5];
} five;
typedef struct {
    v8 v[6];
} six;
typedef struct {
    v8 v[10];
} ten;

/* A step of a network: the smaller value to place a, the larger to place b. */
SIMD_INLINE void order(v8 *v, int a, int b)
{
    const v8 x = v[a];
    v[a] = v8_min(x, v[b]);
    v[b] = v8_max(x, v[b]);
}

#define M5 v8
#define M5_INLINE SIMD_INLINE
#include "median5_network.h"

SIMD_INLINE five sort(const uint8_t *p, int32_t step)
{
    five f;
    v8 *v = f.v;
    for (int i = 0; i < 5; i++)
        v[i] = v8_load(p + (i - 2) * step);
    sort5(v);
    return f;
}

SIMD_INLINE ten merge(five a, five b)
{
    v8 v[10];
    memcpy(v, a.v, sizeof a.v);
    memcpy(v + 5, b.v, sizeof b.v);
    merge10(v);
    return (ten){{v[0], v[1], v[2], v[3], v[4], v[6], v[7], v[8], v[5], v[9]}};
}

/* The 8th to 13th of 20. */
SIMD_INLINE six middle(ten a, ten b)
{
    v8 v[20];
    memcpy(v, a.v, sizeof a.v);
    memcpy(v + 10, b.v, sizeof b.v);
    middle20(v);
    return (six){{v[7], v[8], v[9], v[12], v[13], v[14]}};
}

/* The 6th of eleven: the smallest, over the ways to take six from both beginnings, of the largest
 * that is taken. */
SIMD_INLINE v8 select6(six s, five f)
{
    v8 r = s.v[5];
    for (int i = 0; i < 5; i++)
        r = v8_min(r, v8_max(s.v[4 - i], f.v[i]));
    return r;
}

static void make(const sac_strip *s, int64_t first, int64_t last, const sac_filter *f)
{
    (void)f;
    const int32_t step = s->step;
    for (int64_t x = first; x <= last; x = sac_strip_next(x, last)) {
        five r0 = sort(s->line[0] + x, step), r1 = sort(s->line[1] + x, step);
        five r2 = sort(s->line[2] + x, step), r3 = sort(s->line[3] + x, step);
        ten r12 = merge(r1, r2);
        for (int64_t k = 0; k < s->h; k += 2) { /* rows k to k + 4, and k + 1 to k + 5 */
            const five r4 = sort(s->line[k + 4] + x, step), r5 = sort(s->line[k + 5] + x, step);
            const ten r34 = merge(r3, r4);
            const six shared = middle(r12, r34);
            v8_store(s->to[k + 1] + x, select6(shared, r5));
            v8_store(s->to[k] + x, select6(shared, r0));
            r0 = r2;
            r2 = r4;
            r3 = r5;
            r12 = r34;
        }
    }
}

static void whole_rows(const sac_samples *out, const sac_samples *in, int64_t y,
                       const sac_filter *f)
{
    sac_strips(out, in, y, 2, f, make);
}

void sac_median5_u8_simd(const sac_samples *out, const sac_samples *in, int64_t y,
                         const sac_filter *f)
{
    sac_filter_rows(out, in, y, f, SAC_STRIP_LEAST, whole_rows, SIMD_OTHERWISE(median5_u8));
}
