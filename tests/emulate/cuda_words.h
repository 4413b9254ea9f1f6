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
    uint32_t x;
    dim3(uint32_t n) : x(n)
    {
    }
};

struct __align__(8) uint2
{
    uint32_t x, y;
};

struct __align__(16) float4
{
    float x, y, z, w;
};

struct __align__(8) float2
{
    float x, y;
};

/* Where lanes or warps meet, the line says whether they do so at one place. */
#define HERE int line = __builtin_LINE()

static inline void __syncwarp(HERE)
{
    (void)emulated_meet(EMULATED_SYNC, 0, 0, line);
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

template <class T> static inline T __shfl_sync(uint32_t, T value, int lane, HERE)
{
    return emulated_value<T>(
        emulated_meet(EMULATED_FROM, emulated_bits(value), (uint32_t)lane, line));
}

template <class T> static inline T __shfl_xor_sync(uint32_t, T value, uint32_t mask, HERE)
{
    return emulated_value<T>(emulated_meet(EMULATED_XOR, emulated_bits(value), mask, line));
}

template <class T> static inline T __shfl_up_sync(uint32_t, T value, uint32_t step, HERE)
{
    return emulated_value<T>(emulated_meet(EMULATED_UP, emulated_bits(value), step, line));
}

template <class T> static inline T __shfl_down_sync(uint32_t, T value, uint32_t step, HERE)
{
    return emulated_value<T>(emulated_meet(EMULATED_DOWN, emulated_bits(value), step, line));
}

static inline uint32_t __ballot_sync(uint32_t, bool value, HERE)
{
    return (uint32_t)emulated_meet(EMULATED_VOTES, value, 0, line);
}

static inline bool __all_sync(uint32_t, bool value, HERE)
{
    return emulated_meet(EMULATED_VOTES, value, 0, line) == UINT32_MAX;
}

static inline bool __any_sync(uint32_t, bool value, HERE)
{
    return emulated_meet(EMULATED_VOTES, value, 0, line) != 0;
}

static inline uint32_t __reduce_add_sync(uint32_t, uint32_t value, HERE)
{
    return (uint32_t)emulated_meet(EMULATED_SUM, value, 0, line);
}

static inline uint32_t __reduce_min_sync(uint32_t, uint32_t value, HERE)
{
    return (uint32_t)emulated_meet(EMULATED_LEAST, value, 0, line);
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

template <class T> static inline T __ldcg(const T *p)
{
    return *p;
}

template <class T> static inline T __ldg(const T *p)
{
    return *p;
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

static inline uint32_t __vcmpgeu4(uint32_t a, uint32_t b)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= emulated_byte(a, i) >= emulated_byte(b, i) ? 255u << 8 * i : 0;
    return v;
}

static inline uint32_t __float_as_uint(float v)
{
    return (uint32_t)emulated_bits(v);
}

static inline float __uint_as_float(uint32_t v)
{
    return emulated_value<float>(v);
}

/* Rounded down: the sum in double is exact for what is added here. */
static inline float __fadd_rd(float a, float b)
{
    const double exact = (double)a + (double)b;
    const float near = (float)exact;
    return (double)near > exact ? nextafterf(near, -INFINITY) : near;
}

static inline float __fdividef(float a, float b)
{
    return a / b;
}

/* kernel<<<blocks, threads, bytes, stream>>>(..) is emulated(kernel, blocks, threads, bytes,
 * stream)(..). */
template <class... P> struct emulated_call {
    void (*kernel)(P...);
    uint32_t n_blocks, n_threads;
    size_t shared_bytes;
    sac_gpu_stream stream;
    bool is_cooperative;

    struct bound {
        void (*kernel)(P...);
        std::tuple<P...> arguments;
    };
    static void run(const void *argument)
    {
        const bound *b = (const bound *)argument;
        std::apply(b->kernel, b->arguments);
    }
    static void release(const void *argument)
    {
        delete (const bound *)argument;
    }
    template <class... A> void operator()(A... arguments) const
    {
        const emulated_launch launch = {run,
                                        release,
                                        new bound{kernel, {arguments...}},
                                        n_blocks,
                                        n_threads,
                                        shared_bytes,
                                        is_cooperative,
                                        0};
        emulated_enqueue(stream, &launch);
    }
};

template <class... P>
static inline emulated_call<P...> emulated(void (*kernel)(P...), uint32_t blocks, uint32_t threads,
                                           size_t bytes, sac_gpu_stream stream)
{
    return {kernel, blocks, threads, bytes, stream, false};
}

/* What launchers ask the runtime. */
typedef int cudaError_t;
enum { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorNotSupported };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaDevAttrMaxSharedMemoryPerBlockOptin };

struct cudaFuncAttributes {
    int binaryVersion;
};

static inline cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}

static inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceGetAttribute(int *value, int, int)
{
    *value = EMULATED_SHARED;
    return cudaSuccess;
}

static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *)
{
    return cudaSuccess;
}

/* Of a kernel of one argument. */
template <class P>
static inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P), dim3 blocks, dim3 threads,
                                                      void **arguments, size_t bytes,
                                                      sac_gpu_stream stream)
{
    emulated_call<P>{kernel, blocks.x, threads.x, bytes, stream, true}(*(const P *)arguments[0]);
    return cudaSuccess;
}

enum { cudaMemcpyDeviceToHost };

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int,
                                          sac_gpu_stream stream)
{
    return sac_gpu_copy(to, from, bytes, stream);
}

static inline cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes,
                                          sac_gpu_stream stream)
{
    return sac_gpu_set(memory, (uint8_t)value, bytes, stream);
}

static inline cudaError_t cudaStreamSynchronize(sac_gpu_stream stream)
{
    return sac_gpu_wait(stream);
}

/* There are no graphs: nothing is captured. */
typedef void *cudaGraph_t, *cudaGraphExec_t;
enum { cudaStreamCaptureModeThreadLocal };

static inline cudaError_t cudaStreamBeginCapture(sac_gpu_stream, int)
{
    return cudaErrorNotSupported;
}

static inline cudaError_t cudaStreamEndCapture(sac_gpu_stream, cudaGraph_t *)
{
    return cudaErrorNotSupported;
}

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, int)
{
    return cudaErrorNotSupported;
}

static inline cudaError_t cudaGraphLaunch(cudaGraphExec_t, sac_gpu_stream)
{
    return cudaErrorNotSupported;
}

static inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t)
{
    return cudaSuccess;
}

static inline cudaError_t cudaGraphDestroy(cudaGraph_t)
{
    return cudaSuccess;
}

template <class F> static inline cudaError_t cudaFuncSetAttribute(F *, int, int)
{
    return cudaSuccess;
}

static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *, int,
                                                                        size_t)
{
    *n = 2;
    return cudaSuccess;
}

#endif
