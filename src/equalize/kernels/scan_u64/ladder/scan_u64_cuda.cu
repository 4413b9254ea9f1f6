/*
 * scan_u64 on a GPU, the ladder of Duong, "Programmation GPU" (2024). Where a step needs what all
 * threads did in the step before, a launch is the barrier, or one block works alone. No step reads
 * what another thread writes in it; n may be more than the threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "gpu/launch.cuh"
#include "equalize/kernels/scan_u64/scan_u64_cuda.h"

#define CHUNK 1024 /* values in shared memory at once */

#define FOR_EACH(i, from, n)                                                                       \
    for (int64_t i = (from) + sac_grid_thread(); i < (n); i += sac_grid_threads())

__global__ void sequential(uint64_t *out, const uint64_t *in, int64_t n)
{
    uint64_t sum = 0;
    if (sac_grid_thread() == 0)
        for (int64_t i = 0; i < n; i++)
            out[i] = sum += in[i];
}

__device__ static uint64_t sum_of(const uint64_t *in, int64_t from, int64_t to)
{
    uint64_t sum = 0;
    for (int64_t i = from; i < to; i++)
        sum += in[i];
    return sum;
}

__global__ void baseline(uint64_t *out, const uint64_t *in, int64_t n)
{
    FOR_EACH(i, 0, n)
    out[i] = sum_of(in, 0, i + 1);
}

/* *sum, zero before. An equalization knows it: the number of pixels. */
__global__ void add_all(uint64_t *sum, const uint64_t *in, int64_t n)
{
    uint64_t mine = 0;
    FOR_EACH(i, 0, n)
    mine += in[i];
    atomicAdd((unsigned long long *)sum, (unsigned long long)mine);
}

__global__ void two_ended(uint64_t *out, const uint64_t *total, const uint64_t *in, int64_t n)
{
    FOR_EACH(i, 0, n)
    out[i] = i < n / 2 ? sum_of(in, 0, i + 1) : *total - sum_of(in, i + 1, n);
}

/*
 * The same, in chunks through shared memory. All threads of a block do the same number of chunks.
 */
__global__ void two_ended_shared(uint64_t *out, const uint64_t *total, const uint64_t *in,
                                 int64_t n)
{
    __shared__ uint64_t chunk[CHUNK];
    const int64_t mine = sac_thread();
    for (int64_t first = sac_grid_thread() - mine; first < n; first += sac_grid_threads()) {
        const int64_t i = first + mine, from = i < n / 2 ? 0 : i + 1, to = i < n / 2 ? i + 1 : n;
        uint64_t sum = 0;
        for (int64_t c = 0; c < n; c += CHUNK) {
            __syncthreads();
            for (int64_t k = mine; k < CHUNK && c + k < n; k += sac_block_threads())
                chunk[k] = in[c + k];
            __syncthreads();
            const int64_t end = min(to, c + CHUNK);
            for (int64_t k = max(from, c); k < end; k++)
                sum += chunk[k - c];
        }
        if (i < n)
            out[i] = i < n / 2 ? sum : *total - sum;
    }
}

/* out[i] += out[i - d] at every 2d-th place from `from` on: reads what no thread of it writes. */
__global__ void tree_step(uint64_t *out, int64_t from, int64_t d, int64_t n)
{
    FOR_EACH(k, 0, n > from ? (n - from + 2 * d - 1) / (2 * d) : 0)
    {
        const int64_t i = from + 2 * d * k;
        out[i] += out[i - d];
    }
}

__global__ void two_array_step(uint64_t *to, const uint64_t *from, int64_t d, int64_t n)
{
    FOR_EACH(i, 0, n)
    to[i] = i < d ? from[i] : from[i] + from[i - d];
}

/* Kogge and Stone in place: one launch copies the values that a step reads, the next adds them. */
__global__ void kogge_stone_read(uint64_t *aside, const uint64_t *out, int64_t d, int64_t n)
{
    FOR_EACH(i, d, n)
    aside[i] = out[i - d];
}

__global__ void kogge_stone_add(uint64_t *out, const uint64_t *aside, int64_t d, int64_t n)
{
    FOR_EACH(i, d, n)
    out[i] += aside[i];
}

/* One block; as many values at once as it has threads, then the next, with the sum so far. */
__global__ void kogge_stone_shared(uint64_t *out, const uint64_t *in, int64_t n)
{
    __shared__ uint64_t value[CHUNK];
    const int64_t i = sac_thread(), n_threads = sac_block_threads();
    uint64_t carry = 0;
    if (sac_block() != 0)
        return;
    for (int64_t c = 0; c < n; c += n_threads) {
        value[i] = c + i < n ? in[c + i] : 0;
        __syncthreads();
        for (int64_t d = 1; d < n_threads; d *= 2) {
            const uint64_t before = i >= d ? value[i - d] : 0;
            __syncthreads();
            value[i] += before;
            __syncthreads();
        }
        if (c + i < n)
            out[c + i] = carry + value[i];
        carry += value[n_threads - 1];
        __syncthreads();
    }
}

/* One warp: each lane sums a run of values, the runs are scanned by shuffles. */
__global__ void one_warp(uint64_t *out, const uint64_t *in, int64_t n)
{
    enum { RUN = 8 };
    uint64_t carry = 0;
    for (int64_t c = 0; c < n; c += SAC_WARP * RUN) {
        const int64_t first = c + (int64_t)threadIdx.x * RUN;
        uint64_t value[RUN], sum = 0;
#pragma unroll
        for (int k = 0; k < RUN; k++)
            value[k] = first + k < n ? in[first + k] : 0;
#pragma unroll
        for (int k = 0; k < RUN; k++)
            value[k] = sum += value[k];
        const uint64_t up_to = sac_warp_scan(sum), before = carry + up_to - sum;
#pragma unroll
        for (int k = 0; k < RUN; k++)
            if (first + k < n)
                out[first + k] = before + value[k];
        carry += __shfl_sync(SAC_ALL_LANES, up_to, SAC_WARP - 1);
    }
}

#define LAUNCHER(name)                                                                             \
    static sac_status launch_##name(sac_gpu_stream stream, const sac_gpu_shape *shape,             \
                                    uint64_t *out, uint64_t *second, const uint64_t *in,           \
                                    int64_t n)

LAUNCHER(sequential)
{
    (void)second;
    const sac_launch l = sac_launch_of(shape, 1);
    sequential<<<l.grid, shape ? l.block : dim3(1), 0, stream>>>(out, in, n);
    return sac_cuda_launched();
}

LAUNCHER(baseline)
{
    (void)second;
    const sac_launch l = sac_launch_of(shape, n);
    baseline<<<l.grid, l.block, 0, stream>>>(out, in, n);
    return sac_cuda_launched();
}

/* The total into second[0]. */
static sac_status launch_total(sac_gpu_stream stream, const sac_launch &l, uint64_t *second,
                               const uint64_t *in, int64_t n)
{
    if (cudaMemsetAsync(second, 0, sizeof *second, stream) != cudaSuccess)
        return sac_cuda_launched();
    add_all<<<l.grid, l.block, 0, stream>>>(second, in, n);
    return sac_cuda_launched();
}

LAUNCHER(two_ended)
{
    const sac_launch l = sac_launch_of(shape, n);
    const sac_status status = launch_total(stream, l, second, in, n);
    two_ended<<<l.grid, l.block, 0, stream>>>(out, second, in, n);
    return status ? status : sac_cuda_launched();
}

LAUNCHER(two_ended_shared)
{
    const sac_launch l = sac_launch_of(shape, n);
    const sac_status status = launch_total(stream, l, second, in, n);
    two_ended_shared<<<l.grid, l.block, 0, stream>>>(out, second, in, n);
    return status ? status : sac_cuda_launched();
}

static sac_status copy(sac_gpu_stream stream, uint64_t *to, const uint64_t *from, int64_t n)
{
    return cudaMemcpyAsync(to, from, (size_t)n * sizeof *to, cudaMemcpyDeviceToDevice, stream) ==
                   cudaSuccess
               ? SAC_OK
               : sac_cuda_launched();
}

LAUNCHER(brent_kung)
{
    (void)second;
    const sac_launch l = sac_launch_of(shape, n);
    sac_status status = copy(stream, out, in, n);
    int64_t d = 1;
    for (; d < n && status == SAC_OK; d *= 2) {
        tree_step<<<l.grid, l.block, 0, stream>>>(out, 2 * d - 1, d, n);
        status = sac_cuda_launched();
    }
    for (; d >= 1 && status == SAC_OK; d /= 2) {
        tree_step<<<l.grid, l.block, 0, stream>>>(out, 3 * d - 1, d, n);
        status = sac_cuda_launched();
    }
    return status;
}

LAUNCHER(two_array)
{
    const sac_launch l = sac_launch_of(shape, n);
    int steps = 0;
    for (int64_t d = 1; d < n; d *= 2)
        steps++;
    /* The last step is to write `out`. */
    uint64_t *to[2] = {out, second};
    sac_status status = steps == 0 ? copy(stream, out, in, n) : SAC_OK;
    const uint64_t *from = in;
    for (int64_t d = 1; d < n && status == SAC_OK; d *= 2) {
        uint64_t *target = to[--steps % 2];
        two_array_step<<<l.grid, l.block, 0, stream>>>(target, from, d, n);
        status = sac_cuda_launched();
        from = target;
    }
    return status;
}

LAUNCHER(kogge_stone)
{
    const sac_launch l = sac_launch_of(shape, n);
    sac_status status = copy(stream, out, in, n);
    for (int64_t d = 1; d < n && status == SAC_OK; d *= 2) {
        kogge_stone_read<<<l.grid, l.block, 0, stream>>>(second, out, d, n);
        status = sac_cuda_launched();
        kogge_stone_add<<<l.grid, l.block, 0, stream>>>(out, second, d, n);
        status = status ? status : sac_cuda_launched();
    }
    return status;
}

extern "C" sac_status sac_scan_u64_kogge_stone_shared(sac_gpu_stream stream,
                                                      const sac_gpu_shape *shape, uint64_t *out,
                                                      uint64_t *second, const uint64_t *in,
                                                      int64_t n)
{
    (void)second;
    const sac_launch l = sac_launch_of(shape, SAC_RUNG_THREADS);
    kogge_stone_shared<<<l.grid, l.block, 0, stream>>>(out, in, n);
    return sac_cuda_launched();
}

LAUNCHER(one_warp)
{
    (void)second;
    (void)shape; /* always one warp */
    one_warp<<<1, SAC_WARP, 0, stream>>>(out, in, n);
    return sac_cuda_launched();
}

#define RUNG(name, launcher)                                                                       \
    {                                                                                              \
        name, 0, false, SAC_FN(sac_scan_u64_cuda_fn, launcher)                                     \
    }

extern "C" const sac_variant sac_scan_u64_cuda[] = {
    RUNG("sequential", launch_sequential),
    RUNG("baseline", launch_baseline),
    RUNG("baseline-two-ended", launch_two_ended),
    RUNG("two-ended-shared", launch_two_ended_shared),
    RUNG("brent-kung", launch_brent_kung),
    RUNG("two-array", launch_two_array),
    RUNG("kogge-stone", launch_kogge_stone),
    RUNG("kogge-stone-shared", sac_scan_u64_kogge_stone_shared),
    RUNG("one-warp", launch_one_warp),
    {NULL, 0, false, NULL},
};
