/*
 * The median of nine from three sorted columns, or rows, for values and for vectors: the file that
 * includes this defines the type `value` and its low() and high(), the smaller and the larger of
 * two. The median is that of the largest low, the median middle and the smallest high (Smith,
 * "Implementing median filters in XC4000E FPGAs", 1996).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_MEDIAN3_U8_SORTED_H
#define SAC_MOTION_MEDIAN3_U8_SORTED_H

/* Three values in order. */
typedef struct {
    value lo, mid, hi;
} sorted;

static inline value middle(value a, value b, value c)
{
    return high(low(a, b), low(high(a, b), c));
}

/* Of p <= q and a third value. */
static inline sorted insert(value p, value q, value a)
{
    return (sorted){low(p, a), high(p, low(q, a)), high(q, a)};
}

static inline value merge(sorted a, sorted b, sorted c)
{
    return middle(high(high(a.lo, b.lo), c.lo), middle(a.mid, b.mid, c.mid),
                  low(low(a.hi, b.hi), c.hi));
}

#endif
