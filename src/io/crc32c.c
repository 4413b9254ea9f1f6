/*
 * CRC-32C, by the processor's own instruction where it has one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "crc32c.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

/* A byte's remainder is the sum of its bits': x^8 .. x^15 modulo the polynomial 0x1edc6f41, all
 * bit-reversed. */
#define BIT(b, i, r) ((b) >> (i)&1 ? UINT32_C(r) : 0)
#define BYTE(b)                                                                                    \
    (BIT(b, 7, 0x82f63b78) ^ BIT(b, 6, 0x417b1dbc) ^ BIT(b, 5, 0x20bd8ede) ^                       \
     BIT(b, 4, 0x105ec76f) ^ BIT(b, 3, 0x8ad958cf) ^ BIT(b, 2, 0xc79a971f) ^                       \
     BIT(b, 1, 0xe13b70f7) ^ BIT(b, 0, 0xf26b8303))
#define ROW_4(b) BYTE(b), BYTE((b) + 1), BYTE((b) + 2), BYTE((b) + 3)
#define ROW_16(b) ROW_4(b), ROW_4((b) + 4), ROW_4((b) + 8), ROW_4((b) + 12)
#define ROW_64(b) ROW_16(b), ROW_16((b) + 16), ROW_16((b) + 32), ROW_16((b) + 48)

static const uint32_t table[256] = {ROW_64(0), ROW_64(64), ROW_64(128), ROW_64(192)};

static uint32_t by_table(uint32_t crc, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
    return crc;
}

#if defined(__x86_64__)
#define HAS_STEP
#define STEP_TARGET __attribute__((target("sse4.2")))
#define step(sum, word) _mm_crc32_u64(sum, word)

static bool has_step(void)
{
    return __builtin_cpu_supports("sse4.2") != 0;
}
#elif defined(__ARM_FEATURE_CRC32)
#define HAS_STEP
#define STEP_TARGET
#define step(sum, word) __crc32cd((uint32_t)(sum), word)

static bool has_step(void)
{
    return true;
}
#endif

#ifdef HAS_STEP
/* A step takes three cycles, and another can begin in each: three sums of neighbouring blocks are
 * made at once. What is in front of n bytes counts x^8n fold. */
#define BLOCK 1536
#define BEFORE_1 UINT32_C(0x835305c9) /* x^(8 BLOCK) */
#define BEFORE_2 UINT32_C(0x5f60970f) /* x^(16 BLOCK) */

/* a b modulo the polynomial. */
static uint32_t times(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (int i = 31; i >= 0; i--) {
        product ^= b & (0 - (a >> i & 1));
        b = b >> 1 ^ (UINT32_C(0x82f63b78) & (0 - (b & 1)));
    }
    return product;
}

STEP_TARGET static uint32_t by_words(uint32_t crc, const uint8_t *bytes, size_t n)
{
    uint64_t w[3], sum[3];
    for (; n >= (size_t)3 * BLOCK; n -= (size_t)3 * BLOCK, bytes += (size_t)3 * BLOCK) {
        sum[0] = crc;
        sum[1] = sum[2] = 0;
        for (size_t i = 0; i < BLOCK; i += 8) {
            memcpy(&w[0], bytes + i, 8);
            memcpy(&w[1], bytes + i + BLOCK, 8);
            memcpy(&w[2], bytes + i + (size_t)2 * BLOCK, 8);
            sum[0] = step(sum[0], w[0]);
            sum[1] = step(sum[1], w[1]);
            sum[2] = step(sum[2], w[2]);
        }
        crc = times((uint32_t)sum[0], BEFORE_2) ^ times((uint32_t)sum[1], BEFORE_1) ^
              (uint32_t)sum[2];
    }
    sum[0] = crc;
    for (; n >= 8; n -= 8, bytes += 8) {
        memcpy(&w[0], bytes, 8);
        sum[0] = step(sum[0], w[0]);
    }
    return by_table((uint32_t)sum[0], bytes, n);
}
#endif

uint32_t sac_crc32c(uint32_t crc, const uint8_t *bytes, size_t n)
{
#ifdef HAS_STEP
    if (has_step())
        return ~by_words(~crc, bytes, n);
#endif
    return ~by_table(~crc, bytes, n);
}
