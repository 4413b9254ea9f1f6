/*
 * mean_u8 in plain C: sums along the row, kept for as many rows as the window has, then down the
 * columns, in 16 bits. The division is a multiplication by ceil(2^19 / n) (docs/numerics.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/samples_inline.h"
#include "mean_u8.h"

static inline uint8_t divide(uint32_t sum, uint32_t n)
{
    return (uint8_t)(((uint16_t)(sum + n / 2) * ((UINT32_C(1) << 19) / n + 1)) >> 19);
}

/* Sums of the neighbors along a line. */
static inline void sum_line(uint16_t *restrict to, const uint8_t *restrict p, int32_t n,
                            int32_t step, int32_t radius)
{
    if (radius == 1)
        for (int32_t i = 0; i < n; i++)
            to[i] = (uint16_t)(p[i - step] + p[i] + p[i + step]);
    else
        for (int32_t i = 0; i < n; i++)
            to[i] =
                (uint16_t)(p[i - 2 * step] + p[i - step] + p[i] + p[i + step] + p[i + 2 * step]);
}

static inline void mean3(uint8_t *restrict to, const uint16_t *restrict a,
                         const uint16_t *restrict b, const uint16_t *restrict c, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        to[i] = divide((uint16_t)(a[i] + b[i] + c[i]), 9);
}

static inline void mean5(uint8_t *restrict to, const uint16_t *restrict a,
                         const uint16_t *restrict b, const uint16_t *restrict c,
                         const uint16_t *restrict d, const uint16_t *restrict e, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        to[i] = divide((uint16_t)(a[i] + b[i] + c[i] + d[i] + e[i]), 25);
}

static inline void block(const sac_block *b, const sac_filter *f)
{
    uint16_t sums[SAC_MAX_SIDE][SAC_LINE];
    uint8_t buffer[SAC_LINE_ALL], result[SAC_LINE];
    const int32_t r = b->radius, size = f->size, n = sac_grains(b->n);
    for (int64_t y = -r; y < b->out->h + r; y++) {
        uint16_t *s[SAC_MAX_SIDE]; /* of rows y - 2r to y */
        for (int64_t k = 0; k < size; k++)
            s[k] = sums[(y + k + r + 1) % size];
        sum_line(s[size - 1], sac_block_line(b, b->y + y, buffer), n, b->step, r);
        if (y < r)
            continue;
        uint8_t *to = sac_block_out(b, y - r, result);
        if (size == 3)
            mean3(to, s[0], s[1], s[2], n);
        else
            mean5(to, s[0], s[1], s[2], s[3], s[4], n);
        sac_block_done(b, y - r, to);
    }
}

void sac_mean_u8_plain(const sac_samples *out, const sac_samples *in, int64_t y,
                       const sac_filter *f)
{
    sac_filter_blocks(out, in, y, f->size / 2, f, block);
}
