/*
 * src/simd's operations as functions on arrays, compiled once for each set (SIMD_OPS names the
 * list).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "simd_ops.h"
#include "simd/filters.h"
#include "simd/levels.h"
#include "simd/mixes.h"
#include "simd/sums.h"
#include "simd/words.h"

static inline uint64_t count(const uint8_t *out)
{
    uint64_t n;
    memcpy(&n, out, sizeof n);
    return n;
}

static inline void add(uint8_t *out, uint64_t n)
{
    const uint64_t sum = count(out) + n;
    memcpy(out, &sum, sizeof sum);
}

/* After the values that a count at the beginning of `out` says are there: n more, of `size`. */
static inline void append(uint8_t *out, const void *values, int n, size_t size)
{
    memcpy(out + 8 + count(out) * size, values, (size_t)n * size);
    add(out, (uint64_t)n);
}

static inline uint64_t set_bits(uint64_t bits)
{
    return (uint64_t)__builtin_popcountll(bits);
}

static inline void planes3(uint8_t *out, v8x3 x)
{
    for (int k = 0; k < 3; k++)
        v8_store(out + k * N_BYTES, x.c[k]);
}

static inline void planes4(uint8_t *out, v8x4 x)
{
    for (int k = 0; k < 4; k++)
        v8_store(out + k * N_BYTES, x.c[k]);
}

static inline void words(uint8_t *out, v16x2 x)
{
    v16_store(out, x.lo);
    v16_store(out + V8, x.hi);
}

static inline void words2(uint8_t *out, v16x2 x)
{
    v16_store(out, x.lo);
    v16_store(out + N_BYTES, x.hi);
}

static inline void words3(uint8_t *out, v16x3 x)
{
    for (int k = 0; k < 3; k++)
        v16_store(out + k * N_BYTES, x.c[k]);
}

/* Sums of 16 values, each cut to a limit. */
static inline void sum_up(uint32_t *x, uint32_t limit)
{
    vc before = vc_set(0);
    for (int k = 0; k < 16; k += VC) {
        const vc sums = vc_sums(vc_min(vc_load(x + k), vc_set(limit << 23)));
        vc_store(x + k, vc_add(before, sums));
        before = vc_add(before, vc_last(sums));
    }
}

/* 256 values, or places in a table of as many. */
typedef struct {
    uint16_t of[256], at[V16];
} words_copy;

static inline words_copy words_of(const uint8_t *from)
{
    words_copy r = {0};
    memcpy(r.of, from, N_BYTES);
    for (int i = 0; i < V16; i++)
        r.at[i] = from[i];
    return r;
}

/* Pairs mixed by weights of 12 bits that sum up to 2^12, all sums made positive. */
static inline void out_mixed(uint8_t *out, v16p pairs, const uint8_t *from)
{
    int16_t weights[2 * V16];
    for (int i = 0; i < V16; i++) {
        weights[2 * i] = (int16_t)(16 * from[i]);
        weights[2 * i + 1] = (int16_t)(4096 - weights[2 * i]);
    }
    const v16d mixed = v16p_mix(pairs, v16p_load(weights));
    words2(out, v16d_halves(v16d_sub(mixed, v16d_set(-0x1p27))));
}

/* Half of each value. */
static inline v8 halves(v16x2 a)
{
    return wide_bytes((v16x2){v16_shr(a.lo, 1), v16_shr(a.hi, 1)});
}

/* Two rows of weighted means, of rows that begin with a, b, c and d. */
static inline v8x2 weigh3(v8 a, v8 b, v8 c, v8 d, int w1)
{
    const weights3 w = weigh3_by(256 - 2 * w1, w1);
    return weigh3_down(weigh3_along(a, b, c, &w), weigh3_along(b, c, d, &w),
                       weigh3_along(c, d, a, &w), weigh3_along(d, a, b, &w), &w);
}

/* Looked up in a table whose first n values are at `from`, the others 0. */
static inline v16x2 table16_all(const uint8_t *from, size_t n, v16x2 at)
{
    uint16_t of[256] = {0};
    memcpy(of, from, n * sizeof of[0]);
    table16 t;
    table16_make(&t, of);
    return table16_at(&t, at);
}

/* Factors of either sign, small enough for the sum of both products and what is added. */
static inline v8 mixed(v16x2 a, v16x2 b, const uint8_t *from)
{
    int16_t p, q;
    memcpy(&p, from, sizeof p);
    memcpy(&q, from + 2, sizeof q);
    const int32_t o = (from[4] - 128) * 65536;
    const mix2 m = mix2_by(p, q, o, from[5] % 22);
    const v16x2 scaled = {v16_shl(a.lo, 7), v16_shl(a.hi, 7)}; /* up to 32640 */
    return mix2_bytes(from[6] % 2 ? a : scaled, b, &m);
}

/* With half of the factors, and a shift of 16 and more. */
static inline v16 mixed_with(v16 a, v16 b, const uint8_t *from)
{
    int16_t p, q;
    memcpy(&p, from, sizeof p);
    memcpy(&q, from + 2, sizeof q);
    const mix2 m = mix2_by(p / 2, q / 2, (from[4] - 128) * 65536, 16 + from[5] % 5);
    const mix2_share share = mix2_share_of(v16_shr(b, 1), &m);
    return mix2_words_with(v16_shr(a, 1), &share, &m);
}

typedef struct {
    uint16_t of[3 * V16];
} pixels_16;

/* At an address for 16 bits. */
static inline pixels_16 copy_of(const uint8_t *from)
{
    pixels_16 p;
    memcpy(p.of, from, sizeof p.of);
    return p;
}

typedef struct {
    double of[512];
} line_table;

/* Of levels of 24 bits, with fractions. */
static inline line_table lines(const uint8_t *from)
{
    line_table t;
    for (int k = 0; k < 512; k++)
        t.of[k] = (1 - k % 2 * from[k + 1] / 128) * (from[k] * 65536 + from[2 * k % 512] + 0.5);
    for (int k = 0; k < 512; k += 2)
        t.of[k] += 16777216;
    return t;
}

/* A number made of the lengths of all pairs of bytes with y. */
static inline void all_lengths(uint8_t *out, int y)
{
    uint32_t hash = 0;
    for (int x = 0; x < 256 && y < 256; x += V16) {
        uint8_t bytes[V16];
        uint16_t lengths[V16];
        for (int k = 0; k < V16; k++)
            bytes[k] = (uint8_t)(x + k);
        v16_store(lengths, v16_lengths_16(v16_load_bytes(bytes), v16_set((uint16_t)y)));
        for (int k = 0; k < V16; k++)
            hash = 31 * hash + lengths[k];
    }
    memcpy(out, &hash, sizeof hash);
}

#define ANY(name, ...)                                                                             \
    static void do_##name(uint8_t *out, const uint8_t *const in[N_INPUTS])                         \
    {                                                                                              \
        for (int i = 0; i < N_BYTES; i += V8) {                                                    \
            const v8 a = v8_load(in[0] + i), b = v8_load(in[1] + i);                               \
            const v8 c = v8_load(in[2] + i), d = v8_load(in[3] + i);                               \
            (void)a, (void)b, (void)c, (void)d;                                                    \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define BYTES(name, ...) ANY(name, v8_store(out + i, __VA_ARGS__);)
#define WORDS(name, ...)                                                                           \
    static void do_##name(uint8_t *out, const uint8_t *const in[N_INPUTS])                         \
    {                                                                                              \
        for (int i = 0; i < N_BYTES; i += 2 * V16) {                                               \
            const v16 a = v16_load(in[0] + i), b = v16_load(in[1] + i), c = v16_load(in[2] + i);   \
            (void)a, (void)b, (void)c;                                                             \
            v16_store(out + i, __VA_ARGS__);                                                       \
        }                                                                                          \
    }
#include "simd_ops.def"
#undef ANY
#undef BYTES
#undef WORDS

#define ANY(name, ...) {#name, do_##name},
#define BYTES ANY
#define WORDS ANY

static const simd_op list[] = {
#include "simd_ops.def"
    {0},
};

const simd_op *SIMD_OPS(void)
{
    return list;
}
