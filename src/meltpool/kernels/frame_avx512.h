/*
 * What meltpool's rooms share with AVX-512. A row of the ROI is one or two words of 64 pixels: of
 * each, its bright pixels, sums by sectors, and gradients as bytes, laid side by side without the
 * rows' rest. Then runs and sums of the pool, and votes, 32 at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_AVX512_H
#define SAC_MELTPOOL_FRAME_AVX512_H

#include <immintrin.h>
#include <string.h>

#include "meltpool/kernels/sectors.h"
#include "meltpool/kernels/segments.h"

/* Votes are below 2^13, so that 5 of them may be added in 16 bits with a sign. */
enum {
    SAC_MELTPOOL_LANES = 32,
    SAC_MELTPOOL_BLOCK = 5 * SAC_MELTPOOL_LANES,
    SAC_MELTPOOL_MAX_PIXELS = SAC_MELTPOOL_MAX_ROI * SAC_MELTPOOL_MAX_ROI
};

/* The lowest n bits, n being 0..64. */
SAC_MELTPOOL_INLINE __mmask64 sac_meltpool_lowest(int32_t n)
{
    return _bzhi_u64(~UINT64_C(0), (uint32_t)n);
}

/* The lowest n - from bits of those at from .. from + 63. */
SAC_MELTPOOL_INLINE __mmask64 sac_meltpool_lowest_from(int32_t n, int32_t from)
{
    return from == 0 ? sac_meltpool_lowest(n < 64 ? n : 64)
                     : sac_meltpool_lowest(n > from ? n - from : 0);
}

/* sac_meltpool_sum_fn */
SAC_MELTPOOL_INLINE uint32_t sac_meltpool_sum64(const uint8_t *pixels, int32_t n)
{
    __m512i sum = _mm512_setzero_si512();
    for (int32_t x = 0; x < n; x += 64) {
        const __m512i v = _mm512_maskz_loadu_epi8(sac_meltpool_lowest_from(n - x, 0), pixels + x);
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(v, _mm512_setzero_si512()));
    }
    return (uint32_t)_mm512_reduce_add_epi64(sum);
}

/* The bright ones of those pixels of v that are in `in`; threshold: the job's, of which 256 is
 * never reached. */
SAC_MELTPOOL_INLINE uint64_t sac_meltpool_bright(__mmask64 in, __m512i v, int32_t threshold)
{
    const __mmask64 some = threshold < 256 ? in : 0;
    return _mm512_mask_cmpge_epu8_mask(some, v, _mm512_set1_epi8((char)threshold));
}

/* Sums, 4 pixels in each lane, of rows' pixels: of all, and of those before each end of a sector.
 */
typedef struct {
    __m512i all, before[SAC_MELTPOOL_SCAN_ENDS];
} sac_meltpool_sums64;

SAC_MELTPOOL_INLINE sac_meltpool_sums64 sac_meltpool_no_sums(void)
{
    const __m512i zero = _mm512_setzero_si512();
    return (sac_meltpool_sums64){zero, {zero, zero, zero}};
}

/* Adds row y's pixels v, which are 0 outside the ROI, from column x on; n_ends: a constant. */
SAC_MELTPOOL_INLINE void sac_meltpool_add_sums(sac_meltpool_sums64 *sums, __m512i v,
                                               const sac_meltpool_sectors *s, int32_t x, int32_t y,
                                               const int32_t n_ends)
{
    const __m512i ones = _mm512_set1_epi8(1);
    sums->all = _mm512_dpbusd_epi32(sums->all, v, ones);
    for (int32_t j = 0; j < n_ends; j++) {
        const __m512i before = _mm512_maskz_mov_epi8(sac_meltpool_lowest_from(s->end[j][y], x), v);
        sums->before[j] = _mm512_dpbusd_epi32(sums->before[j], before, ones);
    }
}

SAC_MELTPOOL_INLINE sac_meltpool_part sac_meltpool_part_of(const sac_meltpool_sums64 *sums,
                                                           const int32_t n_ends)
{
    sac_meltpool_part part = {.all = (uint32_t)_mm512_reduce_add_epi32(sums->all)};
    for (int32_t j = 0; j < n_ends; j++)
        part.before[j] = (uint32_t)_mm512_reduce_add_epi32(sums->before[j]);
    return part;
}

/* |gx|, |gy|, and 255 where one of them is positive and the other negative, or gx 0, so that the
 * turned gradient is of the second quadrant; and zeros to the end of a block. */
typedef struct {
    uint8_t gx[SAC_MELTPOOL_MAX_PIXELS + SAC_MELTPOOL_BLOCK];
    uint8_t gy[SAC_MELTPOOL_MAX_PIXELS + SAC_MELTPOOL_BLOCK];
    uint8_t second[SAC_MELTPOOL_MAX_PIXELS + SAC_MELTPOOL_BLOCK];
} sac_meltpool_gradients;

SAC_MELTPOOL_INLINE __m512i sac_meltpool_differ(__m512i a, __m512i b)
{
    return _mm512_sub_epi8(_mm512_max_epu8(a, b), _mm512_min_epu8(a, b));
}

/* Of row y's pixels v from column x on, with those above and below; n: the ROI's side. */
SAC_MELTPOOL_INLINE void sac_meltpool_put_gradients(sac_meltpool_gradients *g, __m512i v,
                                                    __m512i up, __m512i down, const uint8_t *pixels,
                                                    int32_t x, int32_t y, int32_t n)
{
    /* Beside the ROI is its border pixel itself. */
    const __mmask64 in = sac_meltpool_lowest_from(n, x);
    const __mmask64 has_left = x == 0 ? in & ~UINT64_C(1) : in;
    const __mmask64 has_right = sac_meltpool_lowest_from(n - 1, x);
    const __m512i west = _mm512_mask_loadu_epi8(v, has_left, pixels - 1);
    const __m512i east = _mm512_mask_loadu_epi8(v, has_right, pixels + 1);
    const __m512i gx = sac_meltpool_differ(east, west), gy = sac_meltpool_differ(down, up);
    const __mmask64 second = _mm512_cmplt_epu8_mask(east, west) ^ _mm512_cmplt_epu8_mask(down, up);
    const int32_t at = y * n + x; /* what is after the row is overwritten */
    _mm512_storeu_si512(g->gx + at, gx);
    _mm512_storeu_si512(g->gy + at, gy);
    _mm512_storeu_si512(g->second + at,
                        _mm512_movm_epi8(_mm512_mask_test_epi8_mask(second, gy, gy)));
}

/* 0, 1 .. 63. */
static const uint8_t sac_meltpool_counting[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* A word has 32 runs at most. */
SAC_MELTPOOL_INLINE int32_t sac_meltpool_find_runs64(sac_meltpool_runs *runs, int32_t first,
                                                     uint64_t bits)
{
    const __m512i at = _mm512_loadu_si512(sac_meltpool_counting);
    const __m256i begin =
        _mm512_castsi512_si256(_mm512_maskz_compress_epi8(sac_meltpool_begins(bits), at));
    const __m256i last =
        _mm512_castsi512_si256(_mm512_maskz_compress_epi8(sac_meltpool_lasts(bits), at));
    const __m512i index = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(at));
    _mm256_storeu_si256((void *)(runs->begin + first), begin);
    _mm256_storeu_si256((void *)(runs->last + first), last);
    _mm512_storeu_si512(runs->parent + first,
                        _mm512_add_epi16(index, _mm512_set1_epi16((short)first)));
    return first + (int32_t)_mm_popcnt_u64(sac_meltpool_begins(bits));
}

/* What is after the word's runs may be picked, but has no bit to go to. A run's bits are twice its
 * last one less its first, modulo 2^64. */
SAC_MELTPOOL_INLINE uint64_t sac_meltpool_pick_runs64(const sac_meltpool_runs *runs, int32_t first,
                                                      uint64_t bits, int32_t root)
{
    const __mmask32 picked = _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(runs->parent + first),
                                                     _mm512_set1_epi16((short)root));
    return (_pdep_u64(picked, sac_meltpool_lasts(bits)) << 1) -
           _pdep_u64(picked, sac_meltpool_begins(bits));
}

/* The pool's sums, row by row under its bits; words: of 64 pixels in a row, a constant. */
SAC_MELTPOOL_INLINE void sac_meltpool_add_pool(sac_meltpool_integers *out,
                                               const sac_meltpool_frame_job *job,
                                               const sac_meltpool_bits *pool, const int32_t words)
{
    const __m512i ones = _mm512_set1_epi8(1), zero = _mm512_setzero_si512();
    __m512i sum_x = zero, sum_xx = zero, sum_xy = zero, sum_i = zero;
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t k = 0; k < words; k++) {
            const uint64_t bits = pool->row[y][k];
            if (!bits)
                continue;
            const uint32_t n = (uint32_t)_mm_popcnt_u64(bits), at = (uint32_t)y;
            const __m512i index = _mm512_add_epi8(_mm512_loadu_si512(sac_meltpool_counting),
                                                  _mm512_set1_epi8((char)(64 * k)));
            const __m512i x = _mm512_maskz_mov_epi8(bits, index);
            const __m512i x4 = _mm512_dpbusd_epi32(zero, x, ones);
            const __m512i v = _mm512_maskz_loadu_epi8(bits, sac_meltpool_at(job, 64 * k, y));
            sum_x = _mm512_add_epi32(sum_x, x4);
            sum_xx = _mm512_dpbusd_epi32(sum_xx, x, x); /* x < 128 */
            sum_xy = _mm512_add_epi32(sum_xy, _mm512_mullo_epi32(x4, _mm512_set1_epi32(y)));
            sum_i = _mm512_dpbusd_epi32(sum_i, v, ones);
            out->sum_y += at * n;
            out->sum_yy += at * at * n;
        }
    out->sum_x = (uint32_t)_mm512_reduce_add_epi32(sum_x);
    out->sum_xx = (uint32_t)_mm512_reduce_add_epi32(sum_xx);
    out->sum_xy = (uint32_t)_mm512_reduce_add_epi32(sum_xy);
    out->sum_i = (uint32_t)_mm512_reduce_add_epi32(sum_i);
}

#define SAC_MELTPOOL_TO_ZERO (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)

/*
 * floor(32 sqrt(x^2 + y^2)) of 16 pairs (x, y) of 16 bits, in the low halves of 32. Rounded to
 * zero, neither step passes a multiple of 1/32 that the exact root is not below: those are floats,
 * and the last digit of a float of 2^18 and more.
 */
SAC_MELTPOOL_INLINE __m512i sac_meltpool_root32(__m512i pairs)
{
    const __m512 squares = _mm512_cvtepi32_ps(_mm512_madd_epi16(pairs, pairs));
    const __m512 root = _mm512_sqrt_round_ps(squares, SAC_MELTPOOL_TO_ZERO);
    return _mm512_castps_si512(
        _mm512_add_round_ps(root, _mm512_set1_ps(0x1p18f), SAC_MELTPOOL_TO_ZERO));
}

/* The magnitudes of 32 gradients: floor(16 root + 1/2) is floor(32 root) halved and rounded up. */
SAC_MELTPOOL_INLINE __m512i sac_meltpool_votes_of(__m512i gx, __m512i gy, __m512i order)
{
    const __m512i low = sac_meltpool_root32(_mm512_unpacklo_epi16(gx, gy));
    const __m512i high = sac_meltpool_root32(_mm512_unpackhi_epi16(gx, gy));
    return _mm512_avg_epu16(_mm512_permutex2var_epi16(low, order, high), _mm512_setzero_si512());
}

/* Sums of the votes of all, or of the second quadrant, that have not reached an edge of the first:
 * at SAC_MELTPOOL_ALL + k - 1 and SAC_MELTPOOL_SECOND + k - 1 edge k; SAC_MELTPOOL_ALL + 4: of all
 * votes. */
enum { SAC_MELTPOOL_ALL = 0, SAC_MELTPOOL_SECOND = 5, SAC_MELTPOOL_SUMS = 9 };

/*
 * Of the edges (ex, ey) of the first quadrant, ey / ex or ex / ey, whichever is below 1, in
 * 1/65536: floor(gx ey / ex) and floor(gy ex / ey) come out exactly for all bytes.
 */
static const uint16_t sac_meltpool_slopes[] = {23853, 54991, 37837, 11556};

SAC_MELTPOOL_INLINE void sac_meltpool_add_32(__m512i sums[SAC_MELTPOOL_SUMS],
                                             const sac_meltpool_gradients *g, int32_t i,
                                             __m512i order)
{
    const __m512i gx = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(g->gx + i)));
    const __m512i gy = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(g->gy + i)));
    const __mmask32 second = _mm256_movepi8_mask(_mm256_loadu_si256((const void *)(g->second + i)));
    const __m512i votes = sac_meltpool_votes_of(gx, gy, order);
    for (int k = 0; k < 4; k++) {
        const __m512i slope = _mm512_set1_epi16((short)sac_meltpool_slopes[k]);
        const __mmask32 before = k < 2 ? _mm512_cmple_epu16_mask(gy, _mm512_mulhi_epu16(gx, slope))
                                       : _mm512_cmpgt_epu16_mask(gx, _mm512_mulhi_epu16(gy, slope));
        sums[SAC_MELTPOOL_ALL + k] = _mm512_mask_add_epi16(sums[SAC_MELTPOOL_ALL + k], before,
                                                           sums[SAC_MELTPOOL_ALL + k], votes);
        sums[SAC_MELTPOOL_SECOND + k] = _mm512_mask_add_epi16(
            sums[SAC_MELTPOOL_SECOND + k], before & second, sums[SAC_MELTPOOL_SECOND + k], votes);
    }
    sums[SAC_MELTPOOL_ALL + 4] = _mm512_add_epi16(sums[SAC_MELTPOOL_ALL + 4], votes);
}

/* Where low and high halves of 8 pairs each, 4 times, become 32 values in order. */
static const uint16_t sac_meltpool_in_order[32] = {0,  2,  4,  6,  32, 34, 36, 38, 8,  10, 12,
                                                   14, 40, 42, 44, 46, 16, 18, 20, 22, 48, 50,
                                                   52, 54, 24, 26, 28, 30, 56, 58, 60, 62};

/* Of n_pixels gradients; what is after them in the last block is set to 0. */
SAC_MELTPOOL_INLINE void sac_meltpool_vote_all(uint32_t *hog, sac_meltpool_gradients *g,
                                               int32_t n_pixels)
{
    memset(g->gx + n_pixels, 0, SAC_MELTPOOL_BLOCK);
    memset(g->gy + n_pixels, 0, SAC_MELTPOOL_BLOCK);
    memset(g->second + n_pixels, 0, SAC_MELTPOOL_BLOCK);
    const __m512i order = _mm512_loadu_si512(sac_meltpool_in_order), ones = _mm512_set1_epi16(1);
    __m512i total[SAC_MELTPOOL_SUMS];
    for (int k = 0; k < SAC_MELTPOOL_SUMS; k++)
        total[k] = _mm512_setzero_si512();
    for (int32_t i = 0; i < n_pixels; i += SAC_MELTPOOL_BLOCK) {
        __m512i sums[SAC_MELTPOOL_SUMS];
        for (int k = 0; k < SAC_MELTPOOL_SUMS; k++)
            sums[k] = _mm512_setzero_si512();
        for (int32_t j = 0; j < SAC_MELTPOOL_BLOCK; j += SAC_MELTPOOL_LANES)
            sac_meltpool_add_32(sums, g, i + j, order);
        for (int k = 0; k < SAC_MELTPOOL_SUMS; k++)
            total[k] = _mm512_dpwssd_epi32(total[k], sums[k], ones);
    }
    uint32_t sum[SAC_MELTPOOL_SUMS];
    for (int k = 0; k < SAC_MELTPOOL_SUMS; k++)
        sum[k] = (uint32_t)_mm512_reduce_add_epi32(total[k]);
    for (int k = 0; k < 4; k++) {
        const uint32_t second =
            sum[SAC_MELTPOOL_SECOND + k] - (k > 0 ? sum[SAC_MELTPOOL_SECOND + k - 1] : 0);
        hog[k] = sum[SAC_MELTPOOL_ALL + k] - (k > 0 ? sum[SAC_MELTPOOL_ALL + k - 1] : 0) - second;
        hog[SAC_MELTPOOL_BINS - 1 - k] = second;
    }
    hog[4] = sum[SAC_MELTPOOL_ALL + 4] - sum[SAC_MELTPOOL_ALL + 3];
}

#endif
