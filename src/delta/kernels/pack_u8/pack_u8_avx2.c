/*
 * pack_u8 for AVX2: masks are the sign bits of comparisons. A shuffle moves the kept ones of eight
 * bytes together, by a table of all masks: PEXT needs none, but is slow on Zen 1 and 2.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>
#include <string.h>

#include "pack_u8.h"

/* For a mask of eight bytes the places of those kept, the first in the lowest byte. */
#define BIT(m, k) ((uint64_t)(m) >> (k)&1)
#define BEFORE(m, k)                                                                               \
    ((k > 0) * BIT(m, 0) + (k > 1) * BIT(m, 1) + (k > 2) * BIT(m, 2) + (k > 3) * BIT(m, 3) +       \
     (k > 4) * BIT(m, 4) + (k > 5) * BIT(m, 5) + (k > 6) * BIT(m, 6))
#define PLACE(m, k) (BIT(m, k) * (k) << 8 * BEFORE(m, k))
#define KEPT(m)                                                                                    \
    PLACE(m, 1) | PLACE(m, 2) | PLACE(m, 3) | PLACE(m, 4) | PLACE(m, 5) | PLACE(m, 6) | PLACE(m, 7)
#define KEPT4(m) KEPT(m), KEPT((m) + 1), KEPT((m) + 2), KEPT((m) + 3)
#define KEPT16(m) KEPT4(m), KEPT4((m) + 4), KEPT4((m) + 8), KEPT4((m) + 12)
#define KEPT64(m) KEPT16(m), KEPT16((m) + 16), KEPT16((m) + 32), KEPT16((m) + 48)
static const uint64_t places[256] = {KEPT64(0), KEPT64(64), KEPT64(128), KEPT64(192)};

/* Which of 16 bytes of vector v are color c of 16 packed RGB pixels; 0x80: another vector has it.
 */
#define AT(c, v, i) (3 * (i)-16 * (v) + (c))
#define FROM(c, v, i) (char)(AT(c, v, i) >= 0 && AT(c, v, i) < 16 ? AT(c, v, i) : 0x80)
#define FROM4(c, v, i) FROM(c, v, i), FROM(c, v, i + 1), FROM(c, v, i + 2), FROM(c, v, i + 3)
#define FROM16(c, v) FROM4(c, v, 0), FROM4(c, v, 4), FROM4(c, v, 8), FROM4(c, v, 12)
#define FROM48(c)                                                                                  \
    {                                                                                              \
        {FROM16(c, 0)}, {FROM16(c, 1)},                                                            \
        {                                                                                          \
            FROM16(c, 2)                                                                           \
        }                                                                                          \
    }
static const char rgb[3][3][16] = {FROM48(0), FROM48(1), FROM48(2)};

static inline __m256i same_halves(const char *sixteen)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)sixteen));
}

static inline __m256i halves(const uint8_t *first, const uint8_t *second)
{
    return _mm256_loadu2_m128i((const __m128i *)second, (const __m128i *)first);
}

static inline void split_rgb(__m256i e[3], const __m256i x[3])
{
    for (int c = 0; c < 3; c++) {
        e[c] = _mm256_shuffle_epi8(x[0], same_halves(rgb[c][0]));
        for (int v = 1; v < 3; v++)
            e[c] = _mm256_or_si256(e[c], _mm256_shuffle_epi8(x[v], same_halves(rgb[c][v])));
    }
}

static inline void split_rgba(__m256i e[4], const __m256i x[4])
{
    const __m256i by = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m256i four[4]; /* four pixels of each color */
    for (int v = 0; v < 4; v++)
        four[v] = _mm256_shuffle_epi8(x[v], by);
    const __m256i a = _mm256_unpacklo_epi32(four[0], four[1]);
    const __m256i b = _mm256_unpacklo_epi32(four[2], four[3]);
    const __m256i c = _mm256_unpackhi_epi32(four[0], four[1]);
    const __m256i d = _mm256_unpackhi_epi32(four[2], four[3]);
    e[0] = _mm256_unpacklo_epi64(a, b);
    e[1] = _mm256_unpackhi_epi64(a, b);
    e[2] = _mm256_unpacklo_epi64(c, d);
    e[3] = _mm256_unpackhi_epi64(c, d);
}

/* 32 pixels' channels, green taken out. */
static inline void split(__m256i e[4], const uint8_t *in, int32_t channels)
{
    __m256i x[4];
    if (channels == 1) {
        e[0] = halves(in, in + 16);
        return;
    }
    for (int32_t v = 0; v < channels; v++)
        x[v] = halves(in + 16 * v, in + 16 * (v + channels));
    if (channels == 3)
        split_rgb(e, x);
    else
        split_rgba(e, x);
    e[0] = _mm256_sub_epi8(e[0], e[1]);
    e[2] = _mm256_sub_epi8(e[2], e[1]);
}

/* A row's channel. */
typedef struct {
    __m256i half[2];
} channel;

static inline uint64_t kept_of(channel e)
{
    const __m256i zero = _mm256_setzero_si256();
    uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(e.half[0], zero));
    uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(e.half[1], zero));
    return ~((uint64_t)high << 32 | low);
}

/* Each store is of 8 bytes, which fit: the values before are no more than the pixels before. */
static inline void put(uint8_t **value, channel e, uint64_t kept)
{
    uint8_t byte[64], *at = *value;
    memcpy(byte, &e, sizeof byte);
    for (int i = 0; i < 64; i += 8) {
        const uint8_t mask = (uint8_t)(kept >> i);
        const __m128i eight = _mm_loadl_epi64((const __m128i *)(byte + i));
        const __m128i by = _mm_loadl_epi64((const __m128i *)&places[mask]);
        _mm_storel_epi64((__m128i *)at, _mm_shuffle_epi8(eight, by));
        at += _mm_popcnt_u32(mask);
    }
    *value = at;
}

static inline void put_mask(uint8_t **mask, uint64_t kept)
{
    memcpy(*mask, &kept, sizeof kept);
    *mask += sizeof kept;
}

static inline void rows(sac_delta_planes *planes, uint8_t *in, int64_t n_rows, int32_t channels,
                        bool shared)
{
    sac_delta_planes out = *planes;
    for (int64_t y = 0; y < n_rows; y++, in += SAC_DELTA_COLUMNS * channels) {
        channel e[4], any = {{_mm256_setzero_si256(), _mm256_setzero_si256()}};
        for (int h = 0; h < 2; h++) {
            __m256i half[4];
            split(half, in + 32 * h * channels, channels);
            for (int32_t c = 0; c < channels; c++) {
                e[c].half[h] = half[c];
                any.half[h] = _mm256_or_si256(any.half[h], half[c]);
            }
        }
        uint64_t kept = kept_of(any);
        if (shared)
            put_mask(&out.mask[0], kept);
        for (int32_t c = 0; c < channels; c++) {
            if (!shared) {
                kept = kept_of(e[c]);
                put_mask(&out.mask[c], kept);
            }
            if (kept)
                put(&out.value[c], e[c], kept);
        }
    }
    *planes = out;
}

void sac_pack_u8_avx2(sac_delta_planes *out, const uint8_t *in, int64_t n_rows, int32_t channels,
                      bool shared)
{
    /* rows only reads `in`. */
    sac_delta_rows_by_channels(rows, out, (uint8_t *)in, n_rows, channels, shared);
}
