/*
 * gaussian_u8 in plain C: along the row, kept for as many rows as the window has, then down the
 * columns. Sums along the row fit in 16 bits; their high and low bytes are weighted apart, so that
 * no lane needs more (docs/numerics.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gaussian_u8.h"
#include "motion/kernels/samples_inline.h"

/* High and low bytes of the sums along a row. */
typedef struct {
    uint16_t hi[SAC_LINE], lo[SAC_LINE];
} sums;

static inline void sum_line(sums *restrict to, const uint8_t *restrict p, int32_t n, int32_t step,
                            const sac_filter *f)
{
    const uint16_t w0 = (uint16_t)f->weight[0], w1 = (uint16_t)f->weight[1];
    const uint16_t w2 = (uint16_t)f->weight[2];
    if (f->size == 3)
        for (int32_t i = 0; i < n; i++) {
            uint16_t v = (uint16_t)(w0 * p[i] + w1 * (p[i - step] + p[i + step]));
            to->hi[i] = v >> 8;
            to->lo[i] = v & 255;
        }
    else
        for (int32_t i = 0; i < n; i++) {
            uint16_t v = (uint16_t)(w0 * p[i] + w1 * (p[i - step] + p[i + step]) +
                                    w2 * (p[i - 2 * step] + p[i + 2 * step]));
            to->hi[i] = v >> 8;
            to->lo[i] = v & 255;
        }
}

/* floor((256 high + low + 2^15) / 2^16), without a lane wider than 16 bits. */
static inline uint8_t round_sum(uint16_t high, uint16_t low)
{
    return (uint8_t)((uint16_t)(high + (low >> 8) + 128) >> 8);
}

static inline void weigh3(uint8_t *restrict to, const sums *restrict a, const sums *restrict b,
                          const sums *restrict c, int32_t n, const sac_filter *f)
{
    const uint16_t w0 = (uint16_t)f->weight[0], w1 = (uint16_t)f->weight[1];
    for (int32_t i = 0; i < n; i++) {
        uint16_t high = (uint16_t)(w0 * b->hi[i] + w1 * (uint16_t)(a->hi[i] + c->hi[i]));
        uint16_t low = (uint16_t)(w0 * b->lo[i] + w1 * (uint16_t)(a->lo[i] + c->lo[i]));
        to[i] = round_sum(high, low);
    }
}

static inline void weigh5(uint8_t *restrict to, const sums *const *s, int32_t n,
                          const sac_filter *f)
{
    const uint16_t w0 = (uint16_t)f->weight[0], w1 = (uint16_t)f->weight[1];
    const uint16_t w2 = (uint16_t)f->weight[2];
    const sums *a = s[0], *b = s[1], *c = s[2], *d = s[3], *e = s[4];
    for (int32_t i = 0; i < n; i++) {
        uint16_t high = (uint16_t)(w0 * c->hi[i] + w1 * (uint16_t)(b->hi[i] + d->hi[i]) +
                                   w2 * (uint16_t)(a->hi[i] + e->hi[i]));
        uint16_t low = (uint16_t)(w0 * c->lo[i] + w1 * (uint16_t)(b->lo[i] + d->lo[i]) +
                                  w2 * (uint16_t)(a->lo[i] + e->lo[i]));
        to[i] = round_sum(high, low);
    }
}

static inline void block(const sac_block *b, const sac_filter *f)
{
    sums kept[SAC_MAX_SIDE];
    uint8_t buffer[SAC_LINE_ALL], result[SAC_LINE];
    const int32_t r = b->radius, size = f->size, n = sac_grains(b->n);
    for (int64_t y = -r; y < b->out->h + r; y++) {
        const sums *s[SAC_MAX_SIDE]; /* of rows y - 2r to y */
        for (int64_t k = 0; k < size; k++)
            s[k] = &kept[(y + k + r + 1) % size];
        sum_line(&kept[(y + r) % size], sac_block_line(b, b->y + y, buffer), n, b->step, f);
        if (y < r)
            continue;
        uint8_t *to = sac_block_out(b, y - r, result);
        if (size == 3)
            weigh3(to, s[0], s[1], s[2], n, f);
        else
            weigh5(to, s, n, f);
        sac_block_done(b, y - r, to);
    }
}

void sac_gaussian_u8_plain(const sac_samples *out, const sac_samples *in, int64_t y,
                           const sac_filter *f)
{
    sac_filter_blocks(out, in, y, f->size / 2, f, block);
}
