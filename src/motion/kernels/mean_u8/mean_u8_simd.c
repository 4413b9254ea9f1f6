/*
 * mean_u8 with vectors, 3 x 3 and 5 x 5: sums along the rows, then down the columns, of which two
 * rows of results share all but one row.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mean_u8.h"
#include "motion/kernels/strips.h"
#include "simd/filters.h"

SIMD_INLINE v16x2 along(const uint8_t *p, int32_t step, int radius)
{
    const v16x2 sum =
        wide_add(v8_wide_sum(v8_load(p - step), v8_load(p + step)), v8_wide(v8_load(p)));
    if (radius == 1)
        return sum;
    return wide_add(sum, v8_wide_sum(v8_load(p - 2 * step), v8_load(p + 2 * step)));
}

/* floor(sum / n + 1/2): (sum + n / 2) ceil(2^19 / n) / 2^19 (docs/numerics.md); n / 2 is in. */
SIMD_INLINE v16 divide(v16 sum, int n)
{
    return v16_shr(v16_mulhi(sum, v16_set((uint16_t)((1 << 19) / n + 1))), 3);
}

SIMD_INLINE v8 mean(v16x2 sum, int n)
{
    return wide_bytes((v16x2){divide(sum.lo, n), divide(sum.hi, n)});
}

SIMD_INLINE void make(const sac_strip *s, int64_t first, int64_t last, int radius)
{
    const int side = 2 * radius + 1, n = side * side;
    const v16 half = v16_set((uint16_t)(n / 2));
    for (int64_t x = first; x <= last; x = sac_strip_next(x, last)) {
        v16x2 row[6]; /* the sums of `side` rows and one */
        for (int i = 0; i < side - 1; i++)
            row[i] = along(s->line[i] + x, s->step, radius);
        for (int64_t k = 0; k < s->h; k += 2) {
            v16x2 shared = {half, half};
            row[side - 1] = along(s->line[k + side - 1] + x, s->step, radius);
            row[side] = along(s->line[k + side] + x, s->step, radius);
            for (int i = 1; i < side; i++)
                shared = wide_add(shared, row[i]);
            v8_store(s->to[k + 1] + x, mean(wide_add(shared, row[side]), n));
            v8_store(s->to[k] + x, mean(wide_add(shared, row[0]), n));
            for (int i = 0; i < side - 1; i++)
                row[i] = row[i + 2];
        }
    }
}

static void make3(const sac_strip *s, int64_t first, int64_t last, const sac_filter *f)
{
    (void)f;
    make(s, first, last, 1);
}

static void make5(const sac_strip *s, int64_t first, int64_t last, const sac_filter *f)
{
    (void)f;
    make(s, first, last, 2);
}

static void whole_rows(const sac_samples *out, const sac_samples *in, int64_t y,
                       const sac_filter *f)
{
    sac_strips(out, in, y, f->size / 2, f, f->size == 3 ? make3 : make5);
}

void sac_mean_u8_simd(const sac_samples *out, const sac_samples *in, int64_t y, const sac_filter *f)
{
    sac_filter_rows(out, in, y, f, SAC_STRIP_LEAST, whole_rows, SIMD_OTHERWISE(mean_u8));
}
