/*
 * src/simd's operations as functions on arrays, compiled once for each set (SIMD_OPS names the
 * list).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "simd_ops.h"
#include "simd/simd.h"

static inline void add(uint8_t *out, uint64_t n)
{
    uint64_t sum;
    memcpy(&sum, out, sizeof sum);
    sum += n;
    memcpy(out, &sum, sizeof sum);
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
