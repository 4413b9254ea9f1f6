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

SIMD_INLINE five sort(const uint8_t *p, int32_t step)
{
    five f;
    v8 *v = f.v;
    for (int i = 0; i < 5; i++)
        v[i] = v8_load(p + (i - 2) * step);
    order(v, 0, 3);
    order(v, 1, 4);
    order(v, 0, 2);
    order(v, 1, 3);
    order(v, 0, 1);
    order(v, 2, 4);
    order(v, 1, 2);
    order(v, 3, 4);
    order(v, 2, 3);
    return f;
}

/* Batcher's odd-even merge (Knuth, The Art of Computer Programming 3, 5.3.4). */
SIMD_INLINE ten merge(five a, five b)
{
    v8 v[10];
    memcpy(v, a.v, sizeof a.v);
    memcpy(v + 5, b.v, sizeof b.v);
    order(v, 0, 5);
    order(v, 4, 9);
    order(v, 4, 5);
    order(v, 2, 7);
    order(v, 2, 4);
    order(v, 7, 5);
    order(v, 1, 6);
    order(v, 3, 8);
    order(v, 3, 6);
    order(v, 1, 2);
    order(v, 3, 4);
    order(v, 6, 7);
    order(v, 8, 5);
    return (ten){{v[0], v[1], v[2], v[3], v[4], v[6], v[7], v[8], v[5], v[9]}};
}

/* The 8th to 13th of 20: with five samples more, the 13th of 25 is one of them or of the five. The
 * same merge, without the steps that these need not. */
SIMD_INLINE six middle(ten a, ten b)
{
    v8 v[20];
    memcpy(v, a.v, sizeof a.v);
    memcpy(v + 10, b.v, sizeof b.v);
    order(v, 0, 10);
    order(v, 8, 18);
    order(v, 8, 10);
    order(v, 4, 14);
    order(v, 4, 8);
    order(v, 14, 10);
    order(v, 2, 12);
    order(v, 6, 16);
    order(v, 6, 12);
    order(v, 6, 8);
    order(v, 12, 14);
    order(v, 1, 11);
    order(v, 9, 19);
    order(v, 9, 11);
    order(v, 5, 15);
    order(v, 5, 9);
    order(v, 15, 11);
    order(v, 3, 13);
    order(v, 7, 17);
    order(v, 7, 13);
    order(v, 7, 9);
    order(v, 13, 15);
    order(v, 7, 8);
    order(v, 9, 12);
    order(v, 13, 14);
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
