/*
 * Instructions of a GPU that C++ has no words for: loads and stores with a memory order, barriers
 * of some of a block's warps, the clock of all multiprocessors. tests/emulate/gpu/ptx.cuh is the
 * same for kernels that run on the CPU there.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_PTX_CUH
#define SAC_GPU_PTX_CUH

#include <stdint.h>

/* A load or store of that order and scope; `reg` is the constraint of a register of the type. */
#define SAC_PTX_LOAD(name, type, reg, how)                                                         \
    __device__ static inline type name(const type *p)                                              \
    {                                                                                              \
        type v;                                                                                    \
        asm volatile("ld." how " %0, [%1];" : "=" reg(v) : "l"(p) : "memory");                     \
        return v;                                                                                  \
    }
#define SAC_PTX_STORE(name, type, reg, how)                                                        \
    __device__ static inline void name(type *p, type v)                                            \
    {                                                                                              \
        asm volatile("st." how " [%0], %1;" ::"l"(p), reg(v) : "memory");                          \
    }

/* Words that other blocks write: acquire pairs with release, and with an atomicAdd after a
 * fence. */
SAC_PTX_LOAD(sac_load_acquire, uint32_t, "r", "acquire.gpu.global.u32")
SAC_PTX_STORE(sac_store_release, uint32_t, "r", "release.gpu.global.u32")
SAC_PTX_LOAD(sac_load_relaxed, uint32_t, "r", "relaxed.gpu.global.u32")
SAC_PTX_STORE(sac_store_relaxed, uint32_t, "r", "relaxed.gpu.global.u32")

/* Words that the host writes or reads. */
SAC_PTX_LOAD(sac_load_acquire_sys, uint64_t, "l", "acquire.sys.global.u64")
SAC_PTX_STORE(sac_store_relaxed_sys, uint64_t, "l", "relaxed.sys.global.u64")
SAC_PTX_STORE(sac_store_relaxed_sys, uint32_t, "r", "relaxed.sys.global.u32")
SAC_PTX_STORE(sac_store_release_sys, uint64_t, "l", "release.sys.global.u64")
SAC_PTX_STORE(sac_store_release_sys, uint32_t, "r", "release.sys.global.u32")

/* Of shared memory that threads of the block write at the same time, by atomics. */
__device__ static inline uint32_t sac_load_relaxed_shared(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];"
                 : "=r"(v)
                 : "r"((uint32_t)__cvta_generic_to_shared(p))
                 : "memory");
    return v;
}

/* Not by way of the read-only cache: the host may have written there since. */
__device__ static inline uint2 sac_load_8(const uint8_t *from)
{
    uint2 v;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(from));
    return v;
}

__device__ static inline uint8_t sac_load_1(const uint8_t *from)
{
    uint32_t v;
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(from));
    return (uint8_t)v;
}

/* Barrier 1 .. 15 (0 is __syncthreads) of N threads, whole warps, whose lanes are together: each
 * warp waits for the others, or only says that it was there. */
template <int BARRIER, int N> __device__ static inline void sac_barrier_sync()
{
    asm volatile("bar.sync %0, %1;" ::"n"(BARRIER), "n"(N) : "memory");
}

template <int BARRIER, int N> __device__ static inline void sac_barrier_arrive()
{
    asm volatile("bar.arrive %0, %1;" ::"n"(BARRIER), "n"(N) : "memory");
}

/* Nanoseconds; all multiprocessors have the same. */
__device__ static inline uint64_t sac_global_timer_ns()
{
    uint64_t v;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v));
    return v;
}

/* The square root, off by 2^-22 of itself at most; of denormal numbers 0. */
__device__ static inline float sac_sqrt_approx(float x)
{
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* 1 / sqrt(x) within 1e-7 of itself; x is normalized. */
__device__ static inline float sac_rsqrt(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* 1 / x within 2^-23, of 2^-126 <= |x| < 2^126. */
__device__ static inline float sac_reciprocal(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* From here on the compiler knows nothing of these values: it keeps them in registers, rather than
 * to compute them again. */
__device__ static inline void sac_keep(float &a, float &b, float &c, float &d, float &e, float &f,
                                       float &g)
{
    asm("" : "+f"(a), "+f"(b), "+f"(c), "+f"(d), "+f"(e), "+f"(f), "+f"(g));
}

__device__ static inline void sac_keep(uint32_t &x)
{
    asm("" : "+r"(x));
}

template <typename T> __device__ static inline void sac_keep(const T *&x)
{
    asm("" : "+l"(x));
}

/* Nor of what memory holds: what was computed of either is computed again. */
__device__ static inline void sac_forget()
{
    asm volatile("" ::: "memory");
}

__device__ static inline void sac_forget(uint32_t &x)
{
    asm volatile("" : "+r"(x)::"memory");
}

/*
 * sum += a b on tensor cores, a (16, 16) and b (16, 8) in half precision, two numbers a word, from
 * compute capability 8.0 on. Of lane 4 g + t are rows g and g + 8 of a with terms 2 t, 2 t + 1 and,
 * from a[2] on, 2 t + 8, 2 t + 9; column g of b with the same terms; and rows g and g + 8 of the
 * sum, columns 2 t and 2 t + 1.
 */
__device__ static inline void sac_multiply_halves(float sum[4], const uint32_t a[4], uint32_t b0,
                                                  uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    (void)sum, (void)a, (void)b0, (void)b1;
    __trap(); /* who calls it asked before */
#endif
}

#endif
