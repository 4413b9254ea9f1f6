/*
 * median3_u8 in plain C, two rows at once: both use the order of the two samples of a column that
 * they share.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/samples_inline.h"
#include "median3_u8.h"

typedef uint8_t value;

static inline value low(value a, value b)
{
    return a < b ? a : b;
}

static inline value high(value a, value b)
{
    return a < b ? b : a;
}

#include "median3_u8_sorted.h"

/* Two rows of medians, n samples each, from the four lines around them. */
static inline void two_rows(uint8_t *restrict to, uint8_t *restrict below,
                            const uint8_t *const *line, int32_t n, int32_t step)
{
    const uint8_t *a = line[0] - step, *b = line[1] - step, *c = line[2] - step,
                  *d = line[3] - step;
    for (int32_t i = 0; i < n; i++) {
        sorted first[3], second[3];
        for (int k = 0; k < 3; k++) {
            int32_t at = i + k * step;
            uint8_t p = low(b[at], c[at]), q = high(b[at], c[at]);
            first[k] = insert(p, q, a[at]);
            second[k] = insert(p, q, d[at]);
        }
        to[i] = merge(first[0], first[1], first[2]);
        below[i] = merge(second[0], second[1], second[2]);
    }
}

static inline void block(const sac_block *b, const sac_filter *f)
{
    (void)f;
    uint8_t buffer[4][SAC_LINE_ALL], result[2][SAC_LINE];
    const uint8_t *line[4]; /* of rows y - 1 to y + 2 */
    line[2] = sac_block_line(b, b->y - 1, buffer[2]);
    line[3] = sac_block_line(b, b->y, buffer[3]);
    for (int64_t y = 0; y < b->out->h; y += 2) {
        const int64_t half = y % 4;
        const bool last = y + 1 == b->out->h;
        line[0] = line[2];
        line[1] = line[3];
        line[2] = sac_block_line(b, b->y + y + 1, buffer[half]);
        line[3] = sac_block_line(b, b->y + y + 2, buffer[half + 1]);
        uint8_t *to = sac_block_out(b, y, result[0]);
        uint8_t *below = last ? result[1] : sac_block_out(b, y + 1, result[1]);
        two_rows(to, below, line, sac_grains(b->n), b->step);
        sac_block_done(b, y, to);
        if (!last)
            sac_block_done(b, y + 1, below);
    }
}

void sac_median3_u8_plain(const sac_samples *out, const sac_samples *in, int64_t y,
                          const sac_filter *f)
{
    sac_filter_blocks(out, in, y, 1, f, block);
}
