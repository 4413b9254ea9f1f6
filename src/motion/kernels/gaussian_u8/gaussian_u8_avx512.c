/*
 * gaussian_u8 with AVX-512 VBMI and VNNI, 3 x 3: along the rows by products of bytes, whose sums
 * stay at hand for the next two rows, then down the columns by dot products of pairs of rows into
 * 32 bits, two rows at once. Rows are read where they lie, but for their ends. 5 x 5 is the plain
 * C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "gaussian_u8.h"
#include "motion/kernels/samples_inline.h"

#define CHUNK 64  /* samples that are made at once */
#define CHUNKS 96 /* of a block of columns: their sums, 24 KiB, stay in the L1 cache */
#define BEFORE 28 /* samples loaded before the 32, and 4 after: neighbors are within 4 */
#define HEAD 128  /* samples of a row's copied ends: what chunks at either end read */
#define TAIL 192
#define PAD 32 /* around them */

/* Constants of a call. Bytes are signed (less 128), as one operand of a product has to be. */
typedef struct {
    __m512i left_middle, right;       /* which of 64 samples: pairs for 32 sums along a row */
    __m512i by_left_middle, by_right; /* their weights */
    __m512i above[2], under[2];       /* weights of rows a, b and c, d: for b's result, and c's */
    __m512i third;                    /* bytes 2 of 32-bit lanes, as unpacking left them */
} tables;

static inline tables make_tables(const sac_filter *f, int32_t step)
{
    const int w0 = f->weight[0], w1 = f->weight[1];
    uint8_t left_middle[64], right[64], third[64];
    tables t;
    for (int i = 0; i < 32; i++) {
        left_middle[2 * i] = (uint8_t)(BEFORE + i - step);
        left_middle[2 * i + 1] = (uint8_t)(BEFORE + i);
        right[2 * i] = right[2 * i + 1] = (uint8_t)(BEFORE + i + step);
        third[i] = third[32 + i] = (uint8_t)(i % 8 / 4 * 64 + 4 * (i / 8 * 4 + i % 4) + 2);
    }
    t.left_middle = _mm512_loadu_si512(left_middle);
    t.right = _mm512_loadu_si512(right);
    t.third = _mm512_loadu_si512(third);
    t.by_left_middle = _mm512_set1_epi16((short)(w0 << 8 | w1));
    t.by_right = _mm512_set1_epi16((short)w1);
    t.above[0] = _mm512_set1_epi32(w0 << 16 | w1);
    t.above[1] = _mm512_set1_epi32(w1);
    t.under[0] = _mm512_set1_epi32(w1 << 16);
    t.under[1] = _mm512_set1_epi32(w1 << 16 | w0);
    return t;
}

/* Sums along the row at 32 samples, less 2^15 since the bytes are signed: -2^15 to 2^15 - 256, and
 * neither product saturates where w_1 > 0. */
static inline __m512i sum32(const uint8_t *p, const tables *t)
{
    __m512i x = _mm512_xor_si512(_mm512_loadu_si512(p - BEFORE), _mm512_set1_epi8((char)0x80));
    __m512i left_middle = _mm512_permutexvar_epi8(t->left_middle, x);
    __m512i right = _mm512_permutexvar_epi8(t->right, x);
    return _mm512_add_epi16(_mm512_maddubs_epi16(t->by_left_middle, left_middle),
                            _mm512_maddubs_epi16(t->by_right, right));
}

static inline __m512i weigh(__m512i ab, __m512i cd, const __m512i w[2])
{
    /* 2^15 to round, and what sum32 left out: 256 2^15. */
    __m512i sum = _mm512_set1_epi32((1 << 15) + (256 << 15));
    return _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(sum, ab, w[0]), cd, w[1]);
}

/* The results of 64 sums of 24 bits. */
static inline __m512i third_bytes(const __m512i s[4], const tables *t)
{
    return _mm512_mask_blend_epi64(0xf0, _mm512_permutex2var_epi8(s[0], t->third, s[1]),
                                   _mm512_permutex2var_epi8(s[2], t->third, s[3]));
}

/* Sums along two rows at a chunk. */
typedef struct {
    __m512i upper[2], lower[2];
} sums;

/*
 * Two rows of results from the sums of the rows a and b and from the rows c and d, whose sums take
 * their place. `below` is written first: it may be `to` itself.
 */
static inline void two_rows(uint8_t *to, uint8_t *below, sums *kept, const uint8_t *c,
                            const uint8_t *d, const tables *t)
{
    __m512i first[4], second[4];
    for (int k = 0; k < 2; k++) {
        __m512i sa = kept->upper[k], sb = kept->lower[k];
        __m512i sc = sum32(c + 32 * k, t), sd = sum32(d + 32 * k, t);
        kept->upper[k] = sc;
        kept->lower[k] = sd;
        __m512i ab = _mm512_unpacklo_epi16(sa, sb), cd = _mm512_unpacklo_epi16(sc, sd);
        first[2 * k] = weigh(ab, cd, t->above);
        second[2 * k] = weigh(ab, cd, t->under);
        ab = _mm512_unpackhi_epi16(sa, sb), cd = _mm512_unpackhi_epi16(sc, sd);
        first[2 * k + 1] = weigh(ab, cd, t->above);
        second[2 * k + 1] = weigh(ab, cd, t->under);
    }
    _mm512_storeu_si512(below, third_bytes(second, t));
    _mm512_storeu_si512(to, third_bytes(first, t));
}

/* Copies of a row's ends with their reflected borders. */
typedef struct {
    uint8_t head[PAD + HEAD], tail[TAIL + PAD];
} ends;

/* Row y, of n samples; its ends are copied. */
static const uint8_t *read_row(ends *e, const sac_samples *in, int64_t y, int64_t n)
{
    const int32_t step = in->n_channels;
    const uint8_t *row = in->data + sac_reflect(y, in->h) * in->row;
    memcpy(e->head + PAD, row, HEAD);
    memcpy(e->tail, row + n - TAIL, TAIL);
    for (int32_t i = 0; i < step; i++) {
        e->head[PAD - step + i] = row[step + i];
        e->tail[TAIL + i] = row[n - 2 * step + i];
    }
    return row;
}

/* Chunk k's first sample; the last one ends the row and overlaps the one before. */
static inline int64_t chunk_start(int64_t k, int64_t n)
{
    return sac_min_i64(k * CHUNK, n - CHUNK);
}

/* Where the chunk that begins with sample x is to be read. */
static inline const uint8_t *chunk_at(const uint8_t *row, const ends *e, int64_t x, int64_t n)
{
    if (x == 0)
        return e->head + PAD;
    return x + CHUNK + 32 - BEFORE <= n ? row + x : e->tail + TAIL - (n - x);
}

/* Chunks first, first + 1, ... (n_chunks) of all rows. */
static void columns(const sac_samples *out, const sac_samples *in, int64_t y, const sac_filter *f,
                    int64_t first, int64_t n_chunks)
{
    const tables t = make_tables(f, in->n_channels); /* its own: no store can change it */
    sums kept[CHUNKS];                               /* of rows y + i - 1 and y + i */
    ends ends_c, ends_d;
    const int64_t n = in->w * in->n_channels;
    const uint8_t *c = read_row(&ends_c, in, y - 1, n), *d = read_row(&ends_d, in, y, n);
    for (int64_t k = 0; k < n_chunks; k++) {
        const int64_t x = chunk_start(first + k, n);
        const uint8_t *upper = chunk_at(c, &ends_c, x, n), *lower = chunk_at(d, &ends_d, x, n);
        kept[k] = (sums){{sum32(upper, &t), sum32(upper + 32, &t)},
                         {sum32(lower, &t), sum32(lower + 32, &t)}};
    }
    for (int64_t i = 0; i < out->h; i += 2) {
        c = read_row(&ends_c, in, y + i + 1, n);
        d = read_row(&ends_d, in, y + i + 2, n);
        uint8_t *to = out->data + i * out->row;
        uint8_t *below = i + 1 < out->h ? to + out->row : to;
        for (int64_t k = 0; k < n_chunks; k++) {
            const int64_t x = chunk_start(first + k, n);
            two_rows(to + x, below + x, &kept[k], chunk_at(c, &ends_c, x, n),
                     chunk_at(d, &ends_d, x, n), &t);
        }
    }
}

static void whole_rows(const sac_samples *out, const sac_samples *in, int64_t y,
                       const sac_filter *f)
{
    const int64_t n_chunks = (in->w * in->n_channels + CHUNK - 1) / CHUNK;
    for (int64_t k = 0; k < n_chunks; k += CHUNKS)
        columns(out, in, y, f, k, sac_min_i64(CHUNKS, n_chunks - k));
}

void sac_gaussian_u8_avx512(const sac_samples *out, const sac_samples *in, int64_t y,
                            const sac_filter *f)
{
    if (f->size == 3 && f->weight[1] > 0) /* else w_0 is 256, which is no byte */
        sac_filter_rows(out, in, y, f, TAIL, whole_rows, sac_gaussian_u8_auto_v4);
    else
        sac_gaussian_u8_auto_v4(out, in, y, f);
}
