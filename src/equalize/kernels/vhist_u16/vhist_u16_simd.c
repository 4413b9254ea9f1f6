/*
 * vhist_u16 with vectors: V of a block into the L1 cache, then counted. 65,536 counters of 32 bits
 * fill an L2 cache, and a picture's V spread over more of them than an L1 cache holds; so a count
 * is a byte, and every 256th of a value goes to the histogram. Two tables by turns, so that equal
 * neighbors do not wait for each other's count.
 * SPDX-License-Identifier: Apache-2.0
 */
#define SAC_DEPTH 16
#include "image/vmax_inline.h"
#include "simd/words.h"
#include "vhist_u16.h"

typedef struct {
    uint8_t n[2][65536];
} counters;

static inline void count_one(uint32_t *hist, uint8_t *n, uint16_t v)
{
    if (++n[v] == 0)
        hist[v] += 256;
}

static inline void count(uint32_t *hist, counters *c, const uint16_t *v, int64_t n)
{
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        count_one(hist, c->n[0], v[i]);
        count_one(hist, c->n[1], v[i + 1]);
    }
    if (i < n)
        count_one(hist, c->n[0], v[i]);
}

/* V of a multiple of V16 packed pixels. Those of the next row are fetched meanwhile. */
SIMD_INLINE void packed_values(uint16_t *v, const uint16_t *from, ptrdiff_t row, int64_t n)
{
    for (int64_t i = 0; i < n; i += V16) {
        const uint16_t *at = from + 3 * i;
        for (int k = 0; k < 6 * V16; k += 64)
            __builtin_prefetch((const char *)at + row + k);
        const v16x3 p = v16_load3(at);
        v16_store(v + i, v16_max(v16_max(p.c[0], p.c[1]), p.c[2]));
    }
}

void sac_vhist_u16_simd(uint32_t *hist, const sac_pixels *in)
{
    const bool packed = in->n_colors == 3 && sac_dense_step(in, in, 2) == 3;
    const ptrdiff_t low = packed ? sac_low_color_u8(in, 0, 0) - sac_row_u8(in, 0, 0, 0) : 0;
    uint16_t v[SAC_BLOCK];
    counters c;
    memset(hist, 0, 65536 * sizeof *hist);
    memset(&c, 0, sizeof c);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            const int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            const int64_t whole = packed ? n / V16 * V16 : 0;
            packed_values(v, sac_row_u16(in, 0, x, y) + low / 2, in->row, whole);
            sac_vmax(v + whole, in, x + whole, y, n - whole);
            count(hist, &c, v, n);
        }
    for (int i = 0; i < 65536; i++)
        hist[i] += (uint32_t)c.n[0][i] + c.n[1][i];
}
