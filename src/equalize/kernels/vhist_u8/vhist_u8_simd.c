/*
 * vhist_u8 with vectors: one count for two similar neighbors.
 *
 * A histogram is limited by one store per count. Neighbors (a, b) of a picture mostly differ
 * little: if d = b - a + 8 is in 0..15, the pair is counted as one, in a table [a][d] of 4,096
 * counters that the L1 cache holds. Values of other pairs are counted one by one, in the eight
 * plain tables. Compressed vectors sort the pairs into both kinds. On noise nearly all pairs are of
 * the second kind, which costs a sixth more than counting at once. For packed RGB and dense gray;
 * other layouts use the plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/vmax_inline.h"
#include "simd/simd.h"
#include "vhist_u8.h"
#include "vhist_u8_count.h"

#define NEAR 16    /* differences that the pair table holds: -8..7 */
#define BLOCK 1024 /* pixels sorted, then counted: the lists stay in the L1 cache */

/*
 * Tables used by turns, so that a flat area does not wait for its own last count. Their distance is
 * a few cache lines more than a multiple of 4,096 bytes: otherwise a load waits for every store
 * with the same low address bits.
 */
#define N_PAIR_TABLES 4
#define PAD 80

typedef struct {
    uint32_t pair[N_PAIR_TABLES][256 * NEAR + PAD];
    tables single;
} counters;

/* Compressed stores write whole vectors past the last value, hence the room at the ends. */
typedef struct {
    _Alignas(64) uint16_t near[BLOCK / 2 + V16];
    _Alignas(64) uint16_t far[BLOCK / 2 + V16];
    int64_t n_near, n_far;
} lists;

/* Sorts V16 pairs, given as V8 values of V. */
SIMD_INLINE void sort(lists *l, v8 values)
{
    const v16 v = v8_pairs(values), a = v16_and(v, v16_set(255)), b = v16_shr(v, 8);
    const v16 d = v16_add(v16_sub(b, a), v16_set(NEAR / 2));
    const uint32_t near = v16_below(d, NEAR), all = (uint32_t)((UINT64_C(1) << V16) - 1);
    l->n_near += v16_compress(l->near + l->n_near, v16_or(v16_shl(a, 4), d), near); /* NEAR a + d */
    l->n_far += v16_compress(l->far + l->n_far, v, ~near & all);
}

static inline void count_pairs(counters *c, const uint16_t *near, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        uint64_t x;
        memcpy(&x, near + i, 8);
        c->pair[0][(uint16_t)x]++;
        c->pair[1][(uint16_t)(x >> 16)]++;
        c->pair[2][(uint16_t)(x >> 32)]++;
        c->pair[3][x >> 48]++;
    }
    for (; i < n; i++)
        c->pair[0][near[i]]++;
}

/* n values, a multiple of V8, at most BLOCK: 1 or 3 bytes each. The next block is fetched
 * meanwhile. */
SIMD_INLINE void count_block(counters *c, const uint8_t *from, int64_t n, int step)
{
    lists l;
    l.n_near = l.n_far = 0;
    for (int64_t i = 0; i < n; i += V8) {
        const uint8_t *at = from + step * i;
        for (int k = 0; k < step * V8; k += 64)
            __builtin_prefetch(at + step * BLOCK + k);
        if (step == 1) {
            sort(&l, v8_load(at));
            continue;
        }
        const v8x3 p = v8_load3(at);
        sort(&l, v8_max(v8_max(p.c[0], p.c[1]), p.c[2]));
    }
    count_pairs(c, l.near, l.n_near);
    count(&c->single, (const uint8_t *)l.far, 2 * l.n_far);
}

static void total_pairs(uint32_t *hist, const counters *c)
{
    total(hist, &c->single);
    for (int a = 0; a < 256; a++)
        for (int d = 0; d < NEAR; d++) {
            uint32_t n = 0;
            for (int t = 0; t < N_PAIR_TABLES; t++)
                n += c->pair[t][NEAR * a + d];
            hist[a] += n;
            hist[(uint8_t)(a + d - NEAR / 2)] += n;
        }
}

void sac_vhist_u8_simd(uint32_t *hist, const sac_pixels *in)
{
    const bool rgb = sac_is_packed_rgb_u8(in), gray = in->n_colors == 1 && in->pixel == 1;
    if (!rgb && !gray) {
        SIMD_OTHERWISE(vhist_u8)(hist, in);
        return;
    }
    counters c;
    memset(&c, 0, sizeof c);
    const int64_t whole = in->w / V8 * V8;
    for (int64_t y = 0; y < in->h; y++) {
        const uint8_t *row = rgb ? sac_low_color_u8(in, 0, y) : sac_row_u8(in, 0, 0, y);
        for (int64_t x = 0; x < whole; x += BLOCK) {
            const int64_t n = whole - x < BLOCK ? whole - x : BLOCK;
            if (rgb)
                count_block(&c, row + 3 * x, n, 3);
            else
                count_block(&c, row + x, n, 1);
        }
        uint8_t v[V8];
        sac_vmax(v, in, whole, y, in->w - whole);
        count(&c.single, v, in->w - whole);
    }
    total_pairs(hist, &c);
}
