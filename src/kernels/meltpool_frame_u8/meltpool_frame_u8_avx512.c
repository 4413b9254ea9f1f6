/*
 * meltpool_frame_u8 with AVX-512. First row by row, 64 pixels at once: bits above the threshold,
 * sectors by sums under masks, and gradients as bytes, laid side by side without the rows' rest.
 * Then the votes of those, 32 at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>
#include <string.h>

#include "meltpool_frame_u8_inline.h"

#define INLINE SAC_MELTPOOL_INLINE

/* Votes are below 2^13, so that 5 of them may be added in 16 bits with a sign. */
enum { LANES = 32, ROUNDS = 5, BLOCK = LANES * ROUNDS };
enum { MAX_PIXELS = SAC_MELTPOOL_MAX_ROI * SAC_MELTPOOL_MAX_ROI };
#define TO_ZERO (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)

/* |gx|, |gy|, and 255 where one of them is positive and the other negative, or gx 0, so that the
 * turned gradient is of the second quadrant; and zeros to the end of a block. */
typedef struct {
    uint8_t gx[MAX_PIXELS + BLOCK], gy[MAX_PIXELS + BLOCK], second[MAX_PIXELS + BLOCK];
} gradients;

/* The lowest n bits, n being 0..64. */
INLINE __mmask64 lowest(int32_t n)
{
    return _bzhi_u64(~UINT64_C(0), (uint32_t)n);
}

/* The lowest n - from bits of those at from .. from + 63. */
INLINE __mmask64 lowest_from(int32_t n, int32_t from)
{
    return from == 0 ? lowest(n < 64 ? n : 64) : lowest(n > from ? n - from : 0);
}

static inline uint32_t sum_of(const uint8_t *pixels, int32_t n)
{
    __m512i sum = _mm512_setzero_si512();
    for (int32_t x = 0; x < n; x += 64) {
        const __m512i v = _mm512_maskz_loadu_epi8(lowest_from(n - x, 0), pixels + x);
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(v, _mm512_setzero_si512()));
    }
    return (uint32_t)_mm512_reduce_add_epi64(sum);
}

INLINE __m512i differ(__m512i a, __m512i b)
{
    return _mm512_sub_epi8(_mm512_max_epu8(a, b), _mm512_min_epu8(a, b));
}

/* Rows from <= y < to; words: of 64 pixels in a row, a constant. */
INLINE sac_meltpool_part read_rows(gradients *g, sac_meltpool_bits *bits,
                                   const sac_meltpool_frame_job *job, const sac_meltpool_sectors *s,
                                   int32_t from, int32_t to, const int32_t words)
{
    const __m512i ones = _mm512_set1_epi8(1), zero = _mm512_setzero_si512();
    /* A threshold of 256 is never reached: 255 with no lane to compare. */
    const __m512i threshold = _mm512_set1_epi8((char)(job->threshold < 256 ? job->threshold : 255));
    const int32_t n = job->n;
    __m512i up[SAC_MELTPOOL_WORDS], here[SAC_MELTPOOL_WORDS], down[SAC_MELTPOOL_WORDS];
    __m512i all = zero, left = zero, wide = zero;
    __mmask64 in[SAC_MELTPOOL_WORDS];
    const uint8_t *row = sac_meltpool_at(job, 0, from);
    for (int32_t k = 0; k < words; k++) {
        in[k] = lowest_from(n, 64 * k);
        here[k] = _mm512_maskz_loadu_epi8(in[k], row + 64 * k);
        up[k] = from > 0 ? _mm512_maskz_loadu_epi8(in[k], row - job->row + 64 * k) : here[k];
    }
    for (int32_t y = from; y < to; y++, row += job->row) {
        for (int32_t k = 0; k < words; k++) {
            const __m512i v = here[k];
            down[k] = y + 1 < n ? _mm512_maskz_loadu_epi8(in[k], row + job->row + 64 * k) : v;
            /* Beside the ROI is its border pixel itself. */
            const __mmask64 has_left = k == 0 ? in[k] & ~UINT64_C(1) : in[k];
            const __mmask64 has_right = lowest_from(n - 1, 64 * k);
            const __m512i west = _mm512_mask_loadu_epi8(v, has_left, row + 64 * k - 1);
            const __m512i east = _mm512_mask_loadu_epi8(v, has_right, row + 64 * k + 1);
            const __m512i gx = differ(east, west), gy = differ(down[k], up[k]);
            const __mmask64 second =
                _mm512_cmplt_epu8_mask(east, west) ^ _mm512_cmplt_epu8_mask(down[k], up[k]);
            const size_t at = (size_t)(y * n + 64 * k); /* what is behind the row is written over */
            _mm512_storeu_si512(g->gx + at, gx);
            _mm512_storeu_si512(g->gy + at, gy);
            _mm512_storeu_si512(g->second + at,
                                _mm512_movm_epi8(_mm512_mask_test_epi8_mask(second, gy, gy)));
            bits->row[y][k] =
                job->threshold < 256 ? _mm512_mask_cmpge_epu8_mask(in[k], v, threshold) : 0;
            all = _mm512_dpbusd_epi32(all, v, ones);
            left = _mm512_dpbusd_epi32(
                left, _mm512_maskz_mov_epi8(lowest_from(s->left[y], 64 * k), v), ones);
            wide = _mm512_dpbusd_epi32(
                wide, _mm512_maskz_mov_epi8(lowest_from(s->wide[y], 64 * k), v), ones);
            up[k] = v;
            here[k] = down[k];
        }
    }
    return (sac_meltpool_part){(uint32_t)_mm512_reduce_add_epi32(all),
                               (uint32_t)_mm512_reduce_add_epi32(left),
                               (uint32_t)_mm512_reduce_add_epi32(wide)};
}

/* 0, 1 .. 63. */
static const uint8_t counting[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* A word has 32 runs at most. */
INLINE void find_runs(sac_meltpool_runs *runs, int32_t first, uint64_t bits)
{
    const __m512i at = _mm512_loadu_si512(counting);
    const __m256i begin =
        _mm512_castsi512_si256(_mm512_maskz_compress_epi8(sac_meltpool_begins(bits), at));
    const __m256i last =
        _mm512_castsi512_si256(_mm512_maskz_compress_epi8(sac_meltpool_lasts(bits), at));
    const __m512i index = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(at));
    _mm256_storeu_si256((void *)(runs->begin + first), begin);
    _mm256_storeu_si256((void *)(runs->last + first), last);
    _mm512_storeu_si512(runs->parent + first,
                        _mm512_add_epi16(index, _mm512_set1_epi16((short)first)));
}

/* What is behind the word's runs may be picked, but has no bit to go to. A run's bits are twice its
 * last one less its first, modulo 2^64. */
INLINE uint64_t pick_runs(const sac_meltpool_runs *runs, int32_t first, uint64_t bits, int32_t root)
{
    const __mmask32 picked = _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(runs->parent + first),
                                                     _mm512_set1_epi16((short)root));
    return (_pdep_u64(picked, sac_meltpool_lasts(bits)) << 1) -
           _pdep_u64(picked, sac_meltpool_begins(bits));
}

/* The pool's sums, row by row under its bits. */
INLINE void add_pool(sac_meltpool_integers *out, const sac_meltpool_frame_job *job,
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
            const __m512i index =
                _mm512_add_epi8(_mm512_loadu_si512(counting), _mm512_set1_epi8((char)(64 * k)));
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

/*
 * floor(32 sqrt(x^2 + y^2)) of 16 pairs (x, y) of 16 bits, in the low halves of 32. Rounded to
 * zero, neither step passes a multiple of 1/32 that the exact root is not below: those are floats,
 * and the last digit of a float of 2^18 and more.
 */
INLINE __m512i root32(__m512i pairs)
{
    const __m512 squares = _mm512_cvtepi32_ps(_mm512_madd_epi16(pairs, pairs));
    const __m512 root = _mm512_sqrt_round_ps(squares, TO_ZERO);
    return _mm512_castps_si512(_mm512_add_round_ps(root, _mm512_set1_ps(0x1p18f), TO_ZERO));
}

/* The magnitudes of 32 gradients: floor(16 root + 1/2) is floor(32 root) halved and rounded up. */
INLINE __m512i votes_of(__m512i gx, __m512i gy, __m512i order)
{
    const __m512i low = root32(_mm512_unpacklo_epi16(gx, gy));
    const __m512i high = root32(_mm512_unpackhi_epi16(gx, gy));
    return _mm512_avg_epu16(_mm512_permutex2var_epi16(low, order, high), _mm512_setzero_si512());
}

/* Sums of the votes of all, or of the second quadrant, that have not reached an edge of the first:
 * at ALL + k - 1 and SECOND + k - 1 edge k; ALL + 4: of all votes. */
enum { ALL = 0, SECOND = 5, N_SUMS = 9 };

/*
 * Of the edges (ex, ey) of the first quadrant, ey / ex or ex / ey, whichever is below 1, in
 * 1/65536: floor(gx ey / ex) and floor(gy ex / ey) come out exactly for all bytes.
 */
static const uint16_t slopes[] = {23853, 54991, 37837, 11556};

INLINE void add_32(__m512i sums[N_SUMS], const gradients *g, int32_t i, __m512i order)
{
    const __m512i gx = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(g->gx + i)));
    const __m512i gy = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(g->gy + i)));
    const __mmask32 second = _mm256_movepi8_mask(_mm256_loadu_si256((const void *)(g->second + i)));
    const __m512i votes = votes_of(gx, gy, order);
    for (int k = 0; k < 4; k++) {
        const __m512i slope = _mm512_set1_epi16((short)slopes[k]);
        const __mmask32 before = k < 2 ? _mm512_cmple_epu16_mask(gy, _mm512_mulhi_epu16(gx, slope))
                                       : _mm512_cmpgt_epu16_mask(gx, _mm512_mulhi_epu16(gy, slope));
        sums[ALL + k] = _mm512_mask_add_epi16(sums[ALL + k], before, sums[ALL + k], votes);
        sums[SECOND + k] =
            _mm512_mask_add_epi16(sums[SECOND + k], before & second, sums[SECOND + k], votes);
    }
    sums[ALL + 4] = _mm512_add_epi16(sums[ALL + 4], votes);
}

/* Where low and high halves of 8 pairs each, 4 times, become 32 values in order. */
static const uint16_t in_order[32] = {0,  2,  4,  6,  32, 34, 36, 38, 8,  10, 12,
                                      14, 40, 42, 44, 46, 16, 18, 20, 22, 48, 50,
                                      52, 54, 24, 26, 28, 30, 56, 58, 60, 62};

INLINE void vote_all(uint32_t *hog, const gradients *g, int32_t n_pixels)
{
    const __m512i order = _mm512_loadu_si512(in_order), ones = _mm512_set1_epi16(1);
    __m512i total[N_SUMS];
    for (int k = 0; k < N_SUMS; k++)
        total[k] = _mm512_setzero_si512();
    for (int32_t i = 0; i < n_pixels; i += BLOCK) {
        __m512i sums[N_SUMS];
        for (int k = 0; k < N_SUMS; k++)
            sums[k] = _mm512_setzero_si512();
        for (int32_t j = 0; j < BLOCK; j += LANES)
            add_32(sums, g, i + j, order);
        for (int k = 0; k < N_SUMS; k++)
            total[k] = _mm512_dpwssd_epi32(total[k], sums[k], ones);
    }
    uint32_t sum[N_SUMS];
    for (int k = 0; k < N_SUMS; k++)
        sum[k] = (uint32_t)_mm512_reduce_add_epi32(total[k]);
    for (int k = 0; k < 4; k++) {
        const uint32_t second = sum[SECOND + k] - (k > 0 ? sum[SECOND + k - 1] : 0);
        hog[k] = sum[ALL + k] - (k > 0 ? sum[ALL + k - 1] : 0) - second;
        hog[SAC_MELTPOOL_BINS - 1 - k] = second;
    }
    hog[4] = sum[ALL + 4] - sum[ALL + 3];
}

/* words: of 64 pixels in a row, a constant. */
INLINE void run(sac_meltpool_integers *out, const sac_meltpool_frame_job *job, const int32_t words)
{
    sac_meltpool_bits bits, pool;
    sac_meltpool_sectors s;
    gradients g;
    const int32_t n_pixels = job->n * job->n;
    *out = (sac_meltpool_integers){0};
    sac_meltpool_sector_ends(&s, job);
    const sac_meltpool_part above = read_rows(&g, &bits, job, &s, 0, s.n_above, words);
    const sac_meltpool_part below = read_rows(&g, &bits, job, &s, s.n_above, job->n, words);
    memset(g.gx + n_pixels, 0, BLOCK);
    memset(g.gy + n_pixels, 0, BLOCK);
    memset(g.second + n_pixels, 0, BLOCK);
    sac_meltpool_polar(out, job, &s, above, below, sum_of);
    sac_meltpool_segment(out, &pool, job, &bits, words, find_runs, pick_runs);
    if (out->area > 0)
        add_pool(out, job, &pool, words);
    vote_all(out->hog, &g, n_pixels);
}

void sac_meltpool_frame_u8_avx512(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    if (job->n <= 64)
        run(out, job, 1);
    else
        run(out, job, 2);
}
