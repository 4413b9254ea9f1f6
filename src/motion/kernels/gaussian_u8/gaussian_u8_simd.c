/*
 * gaussian_u8 with vectors, 3 x 3: sums along the rows, then down the columns for two rows of
 * results at once. 5 x 5 is plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gaussian_u8.h"
#include "motion/kernels/strips.h"
#include "simd/filters.h"

SIMD_INLINE v16x2 along(const uint8_t *p, int32_t step, const weights3 *w)
{
    return weigh3_along(v8_load(p - step), v8_load(p), v8_load(p + step), w);
}

static void make(const sac_strip *s, int64_t first, int64_t last, const sac_filter *f)
{
    const weights3 w = weigh3_by(f->weight[0], f->weight[1]);
    for (int64_t x = first; x <= last; x = sac_strip_next(x, last)) {
        v16x2 a = along(s->line[0] + x, s->step, &w), b = along(s->line[1] + x, s->step, &w);
        for (int64_t k = 0; k < s->h; k += 2) {
            const v16x2 c = along(s->line[k + 2] + x, s->step, &w);
            const v16x2 d = along(s->line[k + 3] + x, s->step, &w);
            const v8x2 rows = weigh3_down(a, b, c, d, &w);
            v8_store(s->to[k + 1] + x, rows.c[1]);
            v8_store(s->to[k] + x, rows.c[0]);
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

void sac_gaussian_u8_simd(const sac_samples *out, const sac_samples *in, int64_t y,
                          const sac_filter *f)
{
    if (f->size == 3 && f->weight[1] > 0) /* else w_0 is 256, which is no byte */
        sac_filter_rows(out, in, y, f, SAC_STRIP_LEAST, whole_rows, SIMD_OTHERWISE(gaussian_u8));
    else
        SIMD_OTHERWISE(gaussian_u8)(out, in, y, f);
}
