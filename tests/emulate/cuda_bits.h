/*
 * Instructions on bits, and on the bytes and halves of words, by their definitions in the CUDA math
 * API; a part of cuda_words.h. tests/gpu/words.cu asks the same of a GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EMULATE_CUDA_BITS_H
#define SAC_EMULATE_CUDA_BITS_H

#include <stdint.h>

static inline int __ffs(int v)
{
    return __builtin_ffs(v);
}

static inline int __ffsll(long long v)
{
    return __builtin_ffsll(v);
}

static inline int __clz(int v)
{
    return v ? __builtin_clz((unsigned)v) : 32;
}

static inline int __clzll(long long v)
{
    return v ? __builtin_clzll((unsigned long long)v) : 64;
}

static inline int __popc(unsigned v)
{
    return __builtin_popcount(v);
}

static inline int __popcll(unsigned long long v)
{
    return __builtin_popcountll(v);
}

/* f of the bytes (8 bits) or halves (16) of two words, each by itself. */
template <int BITS, class F> static inline uint32_t emulated_each(uint32_t a, uint32_t b, F f)
{
    const uint32_t mask = (1u << BITS) - 1;
    uint32_t v = 0;
    for (int at = 0; at < 32; at += BITS)
        v |= (f(a >> at & mask, b >> at & mask) & mask) << at;
    return v;
}

static inline uint32_t emulated_least(uint32_t a, uint32_t b)
{
    return b < a ? b : a;
}

static inline uint32_t emulated_most(uint32_t a, uint32_t b)
{
    return a < b ? b : a;
}

static inline uint32_t __vcmpgeu4(uint32_t a, uint32_t b)
{
    return emulated_each<8>(a, b, [](uint32_t x, uint32_t y) { return x >= y ? 255u : 0u; });
}

static inline uint32_t __vabsdiffu4(uint32_t a, uint32_t b)
{
    return emulated_each<8>(a, b, [](uint32_t x, uint32_t y) { return x > y ? x - y : y - x; });
}

static inline uint32_t __vadd4(uint32_t a, uint32_t b)
{
    return emulated_each<8>(a, b, [](uint32_t x, uint32_t y) { return x + y; });
}

static inline uint32_t __vsub4(uint32_t a, uint32_t b)
{
    return emulated_each<8>(a, b, [](uint32_t x, uint32_t y) { return x - y; });
}

static inline uint32_t __vminu4(uint32_t a, uint32_t b)
{
    return emulated_each<8>(a, b, emulated_least);
}

static inline uint32_t __vmaxu4(uint32_t a, uint32_t b)
{
    return emulated_each<8>(a, b, emulated_most);
}

static inline uint32_t __vminu2(uint32_t a, uint32_t b)
{
    return emulated_each<16>(a, b, emulated_least);
}

static inline uint32_t __vmaxu2(uint32_t a, uint32_t b)
{
    return emulated_each<16>(a, b, emulated_most);
}

static inline uint32_t __vimin3_u16x2(uint32_t a, uint32_t b, uint32_t c)
{
    return __vminu2(__vminu2(a, b), c);
}

static inline uint32_t __vimax3_u16x2(uint32_t a, uint32_t b, uint32_t c)
{
    return __vmaxu2(__vmaxu2(a, b), c);
}

static inline uint32_t emulated_byte(uint64_t v, int i)
{
    return (uint32_t)(v >> 8 * i & 255);
}

static inline uint32_t __byte_perm(uint32_t low, uint32_t high, uint32_t which)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= emulated_byte((uint64_t)high << 32 | low, which >> 4 * i & 7) << 8 * i;
    return v;
}

static inline uint32_t __dp4a(uint32_t a, uint32_t b, uint32_t sum)
{
    for (int i = 0; i < 4; i++)
        sum += emulated_byte(a, i) * emulated_byte(b, i);
    return sum;
}

/* The lower word of both, shifted down; by 31 at most, or by 32. */
static inline uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> (by & 31));
}

static inline uint32_t __funnelshift_rc(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> (by < 32 ? by : 32));
}

#endif
