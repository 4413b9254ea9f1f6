/*
 * median5_u8 in plain C: columns of five are sorted once and shared by five windows; then a
 * selection network on the five columns.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/samples_inline.h"
#include "median5_u8.h"

/*
 * A step of a network: the smaller value to place a, the larger to place b. A network finds the
 * median of any values if it finds that of zeros and ones (Knuth, The Art of Computer Programming
 * 3, 5.3.4); of five sorted columns there are 6^5 of those, and the unit tests try all.
 */
static inline void order(uint8_t *v, int a, int b)
{
    uint8_t x = v[a], y = v[b];
    v[a] = x < y ? x : y;
    v[b] = x < y ? y : x;
}

static inline void sort5(uint8_t *v)
{
    order(v, 0, 3);
    order(v, 1, 4);
    order(v, 0, 2);
    order(v, 1, 3);
    order(v, 0, 1);
    order(v, 2, 4);
    order(v, 1, 2);
    order(v, 3, 4);
    order(v, 2, 3);
}

/*
 * The median of five sorted columns, place 5 rank + column. Ranks are ordered across the columns,
 * so that 6 places hold values too small and 6 values too large to be the median. Then the smallest
 * and the largest of the rest are removed by turns. Steps that no input needs are left out.
 */
static inline uint8_t select25(uint8_t *v)
{
    order(v, 0, 3);
    order(v, 1, 4);
    order(v, 0, 2);
    order(v, 1, 3);
    order(v, 2, 4);
    order(v, 3, 4);
    order(v, 2, 3);
    order(v, 5, 8);
    order(v, 6, 9);
    order(v, 6, 8);
    order(v, 5, 6);
    order(v, 7, 9);
    order(v, 6, 7);
    order(v, 8, 9);
    order(v, 7, 8);
    order(v, 10, 13);
    order(v, 11, 14);
    order(v, 10, 12);
    order(v, 11, 13);
    order(v, 10, 11);
    order(v, 12, 14);
    order(v, 11, 12);
    order(v, 13, 14);
    order(v, 15, 18);
    order(v, 16, 19);
    order(v, 15, 17);
    order(v, 16, 18);
    order(v, 15, 16);
    order(v, 17, 19);
    order(v, 16, 17);
    order(v, 17, 18);
    order(v, 20, 23);
    order(v, 21, 24);
    order(v, 21, 23);
    order(v, 20, 21);
    order(v, 22, 24);
    order(v, 21, 22);
    order(v, 16, 8);
    order(v, 16, 7);
    order(v, 9, 8);
    order(v, 7, 15);
    order(v, 9, 17);
    order(v, 9, 12);
    order(v, 15, 11);
    order(v, 12, 13);
    order(v, 11, 4);
    order(v, 9, 20);
    order(v, 11, 9);
    order(v, 20, 4);
    order(v, 9, 3);
    order(v, 12, 20);
    order(v, 20, 3);
    order(v, 12, 21);
    order(v, 12, 20);
    order(v, 20, 21);
    return v[20];
}

typedef struct {
    uint8_t rank[5][SAC_LINE_ALL];
} columns;

static inline void sort_columns(columns *restrict s, const uint8_t *const *line, int32_t n)
{
    const uint8_t *a = line[0], *b = line[1], *c = line[2], *d = line[3], *e = line[4];
    for (int32_t i = 0; i < n; i++) {
        uint8_t v[5] = {a[i], b[i], c[i], d[i], e[i]};
        sort5(v);
        s->rank[0][i] = v[0];
        s->rank[1][i] = v[1];
        s->rank[2][i] = v[2];
        s->rank[3][i] = v[3];
        s->rank[4][i] = v[4];
    }
}

static inline void merge_columns(uint8_t *restrict to, const columns *restrict s, int32_t n,
                                 int32_t step)
{
    for (int32_t i = 0; i < n; i++) {
        uint8_t v[25];
        for (int k = 0; k < 5; k++)
            for (int c = 0; c < 5; c++)
                v[5 * k + c] = s->rank[k][i + c * step];
        to[i] = select25(v);
    }
}

static inline void block(const sac_block *b, const sac_filter *f)
{
    (void)f;
    columns s;
    uint8_t buffer[5][SAC_LINE_ALL], result[SAC_LINE];
    const int32_t step = b->step, n = sac_grains(b->n);
    const uint8_t *line[5] = {0}; /* of rows y - 4 to y, from where columns begin */
    for (int64_t y = -2; y < b->out->h + 2; y++) {
        for (int k = 0; k < 4; k++)
            line[k] = line[k + 1];
        line[4] = sac_block_line(b, b->y + y, buffer[(y + 5) % 5]) - 2 * step;
        if (y < 2)
            continue;
        sort_columns(&s, line, n + SAC_GRAIN);
        uint8_t *to = sac_block_out(b, y - 2, result);
        merge_columns(to, &s, n, step);
        sac_block_done(b, y - 2, to);
    }
}

void sac_median5_u8_plain(const sac_samples *out, const sac_samples *in, int64_t y,
                          const sac_filter *f)
{
    sac_filter_blocks(out, in, y, 2, f, block);
}
