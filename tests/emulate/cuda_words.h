/*
 * The words of CUDA C++ for a plain C++ compiler, included before a kernel's file: a thread of a
 * block is a fiber (block.h). Lanes of a warp go on by themselves between the places where they
 * meet, as on GPUs since Volta.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EMULATE_CUDA_WORDS_H
#define SAC_EMULATE_CUDA_WORDS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tuple>

#include "emulated.h"

#define __CUDACC__
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif
#define __device__
#define __host__
#define __global__
#define __grid_constant__
#define __shared__ thread_local /* a block is a thread of the system */
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

#define threadIdx (emulated_place()->thread)
#define blockIdx (emulated_place()->block)
#define blockDim (emulated_place()->block_size)
#define gridDim (emulated_place()->grid_size)

struct dim3 {
    uint32_t x, y, z;
    dim3(uint32_t w = 1, uint32_t h = 1, uint32_t d = 1) : x(w), y(h), z(d)
    {
    }
};

struct __align__(8) uint2
{
    uint32_t x, y;
};

static inline uint2 make_uint2(uint32_t x, uint32_t y)
{
    return {x, y};
}

struct __align__(8) int2
{
    int32_t x, y;
};

static inline int2 make_int2(int32_t x, int32_t y)
{
    return {x, y};
}

struct __align__(16) uint4
{
    uint32_t x, y, z, w;
};

static inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return {x, y, z, w};
}

struct __align__(16) float4
{
    float x, y, z, w;
};

static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

struct __align__(8) float2
{
    float x, y;
};

static inline float2 make_float2(float x, float y)
{
    return {x, y};
}

struct __align__(16) double2
{
    double x, y;
};

static inline double2 make_double2(double x, double y)
{
    return {x, y};
}

/* On a GPU within 2^-21.4 between -pi and pi; glibc declares the names. */
#define __sinf sinf
#define __sincosf sincosf

/* Where lanes or warps meet, the line says whether they do so at one place. */
#define HERE int line = __builtin_LINE()

static inline void __syncwarp(HERE)
{
    (void)emulated_meet(EMULATED_SYNC, 0, 0, UINT32_MAX, line);
}

static inline void __syncthreads(HERE)
{
    (void)emulated_barrier(0, 0, true, true, line);
}

static inline int __syncthreads_and(int value, HERE)
{
    return emulated_barrier(0, 0, true, value != 0, line);
}

static inline int __syncthreads_or(int value, HERE)
{
    return !emulated_barrier(0, 0, true, value == 0, line);
}

template <class T> static inline uint64_t emulated_bits(T value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> static inline T emulated_value(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T> static inline T __shfl_sync(uint32_t lanes, T value, int lane, HERE)
{
    return emulated_value<T>(
        emulated_meet(EMULATED_FROM, emulated_bits(value), (uint32_t)lane, lanes, line));
}

template <class T> static inline T __shfl_xor_sync(uint32_t lanes, T value, uint32_t mask, HERE)
{
    return emulated_value<T>(emulated_meet(EMULATED_XOR, emulated_bits(value), mask, lanes, line));
}

template <class T> static inline T __shfl_up_sync(uint32_t lanes, T value, uint32_t step, HERE)
{
    return emulated_value<T>(emulated_meet(EMULATED_UP, emulated_bits(value), step, lanes, line));
}

template <class T> static inline T __shfl_down_sync(uint32_t lanes, T value, uint32_t step, HERE)
{
    return emulated_value<T>(emulated_meet(EMULATED_DOWN, emulated_bits(value), step, lanes, line));
}

static inline uint32_t __ballot_sync(uint32_t lanes, bool value, HERE)
{
    return (uint32_t)emulated_meet(EMULATED_VOTES, value, 0, lanes, line);
}

static inline bool __all_sync(uint32_t lanes, bool value, HERE)
{
    return emulated_meet(EMULATED_VOTES, value, 0, lanes, line) == lanes;
}

static inline bool __any_sync(uint32_t lanes, bool value, HERE)
{
    return emulated_meet(EMULATED_VOTES, value, 0, lanes, line) != 0;
}

static inline uint32_t __reduce_add_sync(uint32_t lanes, uint32_t value, HERE)
{
    return (uint32_t)emulated_meet(EMULATED_SUM, value, 0, lanes, line);
}

static inline uint32_t __reduce_min_sync(uint32_t lanes, uint32_t value, HERE)
{
    return (uint32_t)emulated_meet(EMULATED_LEAST, value, 0, lanes, line);
}

/* As an operation on a word of all, since sanitizers do not follow fences. */
static inline void __threadfence()
{
    static uint32_t word;
    (void)__atomic_fetch_add(&word, 0, __ATOMIC_ACQ_REL);
}

static inline void __threadfence_system()
{
    __threadfence();
}

static inline uint32_t atomicAdd(uint32_t *p, uint32_t v)
{
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

static inline unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

static inline unsigned long long atomicExch(unsigned long long *p, unsigned long long v)
{
    return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);
}

static inline uint32_t atomicOr(uint32_t *p, uint32_t v)
{
    return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);
}

template <class T> static inline T atomicMin(T *p, T v)
{
    T was = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < was &&
           !__atomic_compare_exchange_n(p, &was, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return was;
}

template <class T> static inline T atomicMax(T *p, T v)
{
    T was = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (was < v &&
           !__atomic_compare_exchange_n(p, &was, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return was;
}

template <class T> static inline T __ldcg(const T *p)
{
    return *p;
}

template <class T> static inline T __ldg(const T *p)
{
    return *p;
}

template <class T> static inline T __ldcs(const T *p)
{
    return *p;
}

template <class T> static inline void __stcs(T *p, T v)
{
    *p = v;
}

template <class T> static inline void __stcg(T *p, T v)
{
    *p = v;
}

template <class T> static inline T min(T a, T b)
{
    return b < a ? b : a;
}

template <class T> static inline T max(T a, T b)
{
    return a < b ? b : a;
}

static inline uint32_t __float_as_uint(float v)
{
    return (uint32_t)emulated_bits(v);
}

static inline int __float_as_int(float v)
{
    return (int)__float_as_uint(v);
}

static inline float __uint_as_float(uint32_t v)
{
    return emulated_value<float>(v);
}

/* Toward 0; the nearest that an int has, and 0 for what is no number. */
static inline int __double2int_rz(double v)
{
    return v != v ? 0 : v >= 0x1p31 ? INT32_MAX : v < -0x1p31 ? INT32_MIN : (int)v;
}

static inline int __float2int_rz(float v)
{
    return __double2int_rz((double)v);
}

static inline int __float2int_rd(float v)
{
    return __double2int_rz(floor((double)v));
}

static inline long long __double2ll_rn(double v)
{
    return llrint(v);
}

static inline int __double2loint(double v)
{
    return (int)(uint32_t)emulated_bits(v);
}

static inline int __double2hiint(double v)
{
    return (int)(uint32_t)(emulated_bits(v) >> 32);
}

/* Rounded down: what the nearest sum is off by is exact (Knuth). */
static inline double __dadd_rd(double a, double b)
{
    const double near = a + b, of_b = near - a;
    return (a - (near - of_b)) + (b - of_b) < 0 ? nextafter(near, -INFINITY) : near;
}

/* Rounded down: the sum in double is exact for what is added here. */
static inline float __fadd_rd(float a, float b)
{
    const double exact = (double)a + (double)b;
    const float near = (float)exact;
    return (double)near > exact ? nextafterf(near, -INFINITY) : near;
}

static inline double rsqrt(double v)
{
    return 1 / sqrt(v);
}

static inline float __fdividef(float a, float b)
{
    return a / b;
}

#include "cuda_bits.h"
#include "cuda_launch.h"
#include "cuda_textures.h"

#endif
