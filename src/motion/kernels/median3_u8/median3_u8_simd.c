/*
 * median3_u8 with vectors: samples are sorted along the rows, which three results down the column
 * share, and merged down the columns, where two rows of results share a half.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "median3_u8.h"
#include "motion/kernels/strips.h"

typedef v8 value;

SIMD_INLINE value low(value a, value b)
{
    return v8_min(a, b);
}

SIMD_INLINE value high(value a, value b)
{
    return v8_max(a, b);
}

#include "median3_u8_sorted.h"

SIMD_INLINE sorted along(const uint8_t *p, int32_t step)
{
    const v8 a = v8_load(p - step), b = v8_load(p), c = v8_load(p + step);
    return insert(low(a, c), high(a, c), b);
}

static void make(const sac_strip *s, int64_t first, int64_t last, const sac_filter *f)
{
    (void)f;
    for (int64_t x = first; x <= last; x = sac_strip_next(x, last)) {
        sorted a = along(s->line[0] + x, s->step), b = along(s->line[1] + x, s->step);
        for (int64_t k = 0; k < s->h; k += 2) {
            const sorted c = along(s->line[k + 2] + x, s->step);
            const sorted d = along(s->line[k + 3] + x, s->step);
            v8_store(s->to[k + 1] + x, merge(b, c, d));
            v8_store(s->to[k] + x, merge(b, c, a));
            a = c;
            b = d;
        }
    }
}

static void whole_rows(const sac_samples *out, const sac_samples *in, int64_t y,
                       const sac_filter *f)
{
    sac_strips(out, in, y, 1, f, make);
}

void sac_median3_u8_simd(const sac_samples *out, const sac_samples *in, int64_t y,
                         const sac_filter *f)
{
    sac_filter_rows(out, in, y, f, SAC_STRIP_LEAST, whole_rows, SIMD_OTHERWISE(median3_u8));
}
