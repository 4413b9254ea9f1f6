/*
 * median3_u8's way down a block of columns, two rows at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MEDIAN3_U8_ROWS_H
#define SAC_MEDIAN3_U8_ROWS_H

#include "kernels/samples_inline.h"
#include "median3_u8.h"

/* Two rows of medians, n samples each, from the four lines around them. Reads from `step` samples
 * before the lines to SAC_GRAIN - step behind. */
typedef void (*sac_median3_rows_fn)(uint8_t *restrict to, uint8_t *restrict below,
                                    const uint8_t *const *line, int32_t n, int32_t step);

static inline void sac_median3_rows(const sac_block *b, sac_median3_rows_fn two_rows)
{
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

#endif
