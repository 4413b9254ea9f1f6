/*
 * gpu/ptx.cuh as C++ knows it, for kernels on fibers. A thread that waits for another block or
 * the host looks with an acquire, and lets others go on there.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_KERNELS_PTX_CUH
#define SAC_KERNELS_PTX_CUH

#include <time.h>

#include "cuda_fp16.h"
#include "cuda_words.h"

static inline uint32_t sac_load_acquire(const uint32_t *p)
{
    emulated_yield();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void sac_store_release(uint32_t *p, uint32_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static inline uint32_t sac_load_relaxed(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void sac_store_relaxed(uint32_t *p, uint32_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static inline uint64_t sac_load_acquire_sys(const uint64_t *p)
{
    emulated_yield();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

/* An answer's words follow from the pixels, so that no pixel is read behind them: a sanitizer does
 * not see what follows from what, and is told. */
static inline void sac_store_relaxed_sys(uint64_t *p, uint64_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static inline void sac_store_relaxed_sys(uint32_t *p, uint32_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static inline void sac_store_release_sys(uint32_t *p, uint32_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static inline uint32_t sac_load_relaxed_shared(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline uint2 sac_load_8(const uint8_t *from)
{
    uint2 v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline uint8_t sac_load_1(const uint8_t *from)
{
    return *from;
}

template <int BARRIER, int N> static inline void sac_barrier_sync()
{
    (void)emulated_barrier(BARRIER, N, true, true, 0);
}

template <int BARRIER, int N> static inline void sac_barrier_arrive()
{
    (void)emulated_barrier(BARRIER, N, false, true, 0);
}

static inline uint64_t sac_global_timer_ns()
{
    struct timespec t;
    emulated_yield();
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline float sac_sqrt_approx(float x)
{
    return sqrtf(x);
}

static inline float sac_rsqrt(float x)
{
    return 1 / sqrtf(x);
}

static inline float sac_reciprocal(float x)
{
    return 1 / x;
}

/* For a compiler that these are to hinder. */
template <class... T> static inline void sac_keep(T &...)
{
}

template <class... T> static inline void sac_forget(T &...)
{
}

/* Every lane's numbers, six words each, then every lane's sums of sixteen products. */
static inline void sac_multiply_halves(float sum[4], const uint32_t a[4], uint32_t b0, uint32_t b1)
{
    static thread_local __half2 of_block[1024][6];
    const uint32_t lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const uint32_t own[6] = {a[0], a[1], a[2], a[3], b0, b1};
    __half2(*of)[6] = &of_block[threadIdx.x - lane];
    __syncwarp(); /* the product before this one is done */
    memcpy(of[lane], own, sizeof own);
    __syncwarp();
    for (uint32_t i = 0; i < 4; i++) {
        double all = (double)sum[i];
        for (uint32_t k = 0; k < 8; k++) {
            const float2 x = __half22float2(of[4 * g + k % 4][i / 2 + k / 4 * 2]);
            const float2 y = __half22float2(of[4 * (2 * t + i % 2) + k % 4][4 + k / 4]);
            all += (double)x.x * (double)y.x + (double)x.y * (double)y.y;
        }
        sum[i] = (float)all;
    }
}

#endif
