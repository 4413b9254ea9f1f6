/*
 * gaussian_u8 with AVX-512 VNNI, 3 x 3 and two rows at once: along the row in 16 bits as
 * the plain C, then down the columns by dot products of pairs of rows into 32 bits, of which the
 * third byte is the result. 5 x 5 is the plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "gaussian_u8.h"
#include "kernels/samples_inline.h"

/* Sums along a line less 2^15, so that they are signed; n samples. */
static inline void sum_line(int16_t *to, const uint8_t *p, int32_t n, int32_t step,
                            const sac_filter *f)
{
    const __m512i w0 = _mm512_set1_epi16((short)f->weight[0]);
    const __m512i w1 = _mm512_set1_epi16((short)f->weight[1]);
    const __m512i middle = _mm512_set1_epi16((short)0x8000);
    for (int32_t i = 0; i < n; i += 32) {
        __m512i l = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(p + i - step)));
        __m512i m = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(p + i)));
        __m512i r = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(p + i + step)));
        __m512i sum = _mm512_add_epi16(_mm512_mullo_epi16(m, w0),
                                       _mm512_mullo_epi16(_mm512_add_epi16(l, r), w1));
        _mm512_storeu_si512(to + i, _mm512_xor_si512(sum, middle));
    }
}

/* The third bytes of 64 sums, which lie as unpacklo and unpackhi left them: 4 of each register's
 * 128-bit lanes in turn. */
static inline __m512i third_bytes(__m512i a, __m512i b, __m512i c, __m512i d)
{
    /* Words 1 of a and b by shifts and a pack, in their lanes: 8 of a lane together. */
    __m512i ab = _mm512_packus_epi32(_mm512_srli_epi32(a, 16), _mm512_srli_epi32(b, 16));
    __m512i cd = _mm512_packus_epi32(_mm512_srli_epi32(c, 16), _mm512_srli_epi32(d, 16));
    __m512i lanes = _mm512_packus_epi16(ab, cd);
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), lanes);
}

/* Rows a, b, c, d interleaved: weights of the pairs (a, b) and (c, d) for either row. */
typedef struct {
    __m512i ab, cd;
} pair;

static inline __m512i weigh(__m512i ab, __m512i cd, pair w)
{
    /* 2^15 to round, and what sum_line took away: 256 2^15. */
    __m512i sum = _mm512_set1_epi32((1 << 15) + (256 << 15));
    return _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(sum, ab, w.ab), cd, w.cd);
}

static inline void two_rows(uint8_t *to, uint8_t *below, int16_t *const *s, int32_t n,
                            const sac_filter *f)
{
    const int w0 = f->weight[0], w1 = f->weight[1];
    const pair above = {_mm512_set1_epi32(w0 << 16 | w1), _mm512_set1_epi32(w1)};
    const pair under = {_mm512_set1_epi32(w1 << 16), _mm512_set1_epi32(w1 << 16 | w0)};
    for (int32_t i = 0; i < n; i += 64) {
        __m512i first[4], second[4];
        for (int k = 0; k < 2; k++) {
            __m512i a = _mm512_loadu_si512(s[0] + i + 32 * k);
            __m512i b = _mm512_loadu_si512(s[1] + i + 32 * k);
            __m512i c = _mm512_loadu_si512(s[2] + i + 32 * k);
            __m512i d = _mm512_loadu_si512(s[3] + i + 32 * k);
            __m512i ab = _mm512_unpacklo_epi16(a, b), cd = _mm512_unpacklo_epi16(c, d);
            first[2 * k] = weigh(ab, cd, above);
            second[2 * k] = weigh(ab, cd, under);
            ab = _mm512_unpackhi_epi16(a, b), cd = _mm512_unpackhi_epi16(c, d);
            first[2 * k + 1] = weigh(ab, cd, above);
            second[2 * k + 1] = weigh(ab, cd, under);
        }
        _mm512_storeu_si512(to + i, third_bytes(first[0], first[1], first[2], first[3]));
        _mm512_storeu_si512(below + i, third_bytes(second[0], second[1], second[2], second[3]));
    }
}

static void block(const sac_block *b, const sac_filter *f)
{
    int16_t sums[4][SAC_LINE];
    uint8_t buffer[SAC_LINE_ALL], result[2][SAC_LINE];
    const int32_t n = sac_grains(b->n), step = b->step;
    int16_t *s[4] = {sums[0], sums[1], sums[2], sums[3]}; /* of rows y - 1 to y + 2 */
    sum_line(s[2], sac_block_line(b, b->y - 1, buffer), n, step, f);
    sum_line(s[3], sac_block_line(b, b->y, buffer), n, step, f);
    for (int64_t y = 0; y < b->out->h; y += 2) {
        const bool last = y + 1 == b->out->h;
        for (int k = 0; k < 2; k++) {
            int16_t *free_line = s[k];
            s[k] = s[k + 2];
            s[k + 2] = free_line;
            sum_line(free_line, sac_block_line(b, b->y + y + 1 + k, buffer), n, step, f);
        }
        uint8_t *to = sac_block_out(b, y, result[0]);
        uint8_t *below = last ? result[1] : sac_block_out(b, y + 1, result[1]);
        two_rows(to, below, s, n, f);
        sac_block_done(b, y, to);
        if (!last)
            sac_block_done(b, y + 1, below);
    }
}

void sac_gaussian_u8_avx512(const sac_samples *out, const sac_samples *in, int64_t y,
                            const sac_filter *f)
{
    if (f->size == 3)
        sac_filter_blocks(out, in, y, 1, f, block);
    else
        sac_gaussian_u8_auto_v4(out, in, y, f);
}
