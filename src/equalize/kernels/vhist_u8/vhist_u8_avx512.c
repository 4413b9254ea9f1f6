/*
 * vhist_u8 with AVX-512 VBMI and VBMI2: one count for two similar neighbors.
 *
 * A histogram is limited by one store per count. Neighbors (a, b) of a picture mostly differ
 * little: if d = b - a + 8 is in 0..15, the pair is counted as one, in a table [a][d] of 4,096
 * counters that the L1 cache holds. Values of other pairs are counted one by one, in the eight
 * plain tables. Compressed vectors sort the pairs into both kinds. On noise nearly all pairs are of
 * the second kind, which costs a sixth more than counting at once. For packed RGB and dense gray;
 * other layouts use the plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "image/vmax_inline.h"
#include "image/rgb_avx512.h"
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
    _Alignas(64) uint16_t near[BLOCK / 2 + 32];
    _Alignas(64) uint16_t far[BLOCK / 2 + 32];
    int64_t n_near, n_far;
} lists;

/* Sorts 32 pairs, given as 64 values of V. */
static inline void sort(lists *l, __m512i v)
{
    const __m512i low_byte = _mm512_set1_epi16(0xff);
    __m512i a = _mm512_and_si512(v, low_byte), b = _mm512_srli_epi16(v, 8);
    __m512i d = _mm512_add_epi16(_mm512_sub_epi16(b, a), _mm512_set1_epi16(NEAR / 2));
    __mmask32 near = _mm512_cmplt_epu16_mask(d, _mm512_set1_epi16(NEAR));
    __m512i index = _mm512_or_si512(_mm512_slli_epi16(a, 4), d); /* NEAR a + d */
    int64_t n_near = __builtin_popcount(near);
    _mm512_storeu_si512(l->near + l->n_near, _mm512_maskz_compress_epi16(near, index));
    _mm512_storeu_si512(l->far + l->n_far, _mm512_maskz_compress_epi16(~near, v));
    l->n_near += n_near;
    l->n_far += 32 - n_near;
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

/* n values, a multiple of 64, at most BLOCK: 1 or 3 bytes each. The next block is fetched
 * meanwhile. */
static inline void count_block(counters *c, const uint8_t *from, int64_t n, int step)
{
    lists l;
    l.n_near = l.n_far = 0;
    for (int64_t i = 0; i < n; i += 64) {
        const uint8_t *at = from + step * i;
        for (int k = 0; k < step; k++)
            _mm_prefetch((const char *)at + step * BLOCK + 64 * k, _MM_HINT_T0);
        if (step == 1) {
            sort(&l, _mm512_loadu_si512(at));
            continue;
        }
        sac_rgb64 p = sac_rgb64_load(at, 64);
        sort(&l, _mm512_max_epu8(_mm512_max_epu8(p.c[0], p.c[1]), p.c[2]));
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

void sac_vhist_u8_avx512(uint32_t *hist, const sac_pixels *in)
{
    bool rgb = sac_is_rgb64(in), gray = in->n_colors == 1 && in->pixel == 1;
    if (!rgb && !gray) {
        sac_vhist_u8_auto_v4(hist, in);
        return;
    }
    counters c;
    memset(&c, 0, sizeof c);
    for (int64_t y = 0; y < in->h; y++) {
        const uint8_t *row = sac_rgb64_row(in, y);
        int64_t whole = in->w / 64 * 64;
        for (int64_t x = 0; x < whole; x += BLOCK) {
            int64_t n = whole - x < BLOCK ? whole - x : BLOCK;
            if (rgb)
                count_block(&c, row + 3 * x, n, 3);
            else
                count_block(&c, row + x, n, 1);
        }
        uint8_t v[64];
        sac_vmax(v, in, whole, y, in->w - whole);
        count(&c.single, v, in->w - whole);
    }
    total_pairs(hist, &c);
}
