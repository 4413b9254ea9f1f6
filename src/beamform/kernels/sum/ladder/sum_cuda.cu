/*
 * sum on a GPU: the parallel reductions of Harris ("Optimizing parallel reduction in CUDA") as
 * Jarosik, Lewandowski, Yiu (2023) have them, a block a line; then some lanes a line. Every order
 * is fixed by the shapes. A thread adds its own values first where a line has more than the block
 * has threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "gpu/launch.cuh"
#include "beamform/kernels/sum/sum_cuda.h"

#define MAX_THREADS 1024
#define MAX_BLOCKS INT32_MAX

__global__ void sequential(float *out, sac_sum_job job)
{
    for (int64_t m = sac_grid_thread(); m < job.n_lines; m += sac_grid_threads()) {
        const float *in = job.in + m * job.in_m;
        float sum = 0;
        for (int64_t k = 0; k < job.n; k++)
            sum += in[k * job.in_k];
        out[m * job.out_m] = sum;
    }
}

/*
 * Folds: value (n) in shared memory, one a thread, of which i is this one, into value[0]. On return
 * no thread reads what another wrote.
 */
typedef void fold_fn(float *value, uint32_t i, uint32_t n);

/* Neighbors first, then those two apart, and so on: half of each warp's lanes rest, then more. */
__device__ static void fold_tree(float *value, uint32_t i, uint32_t n)
{
    for (uint32_t step = 1; step < n; step *= 2) {
        if (i % (2 * step) == 0 && i + step < n)
            value[i] += value[i + step];
        __syncthreads();
    }
}

/* The same additions by the first threads; their accesses meet in the same banks. */
__device__ static void fold_strided(float *value, uint32_t i, uint32_t n)
{
    for (uint32_t step = 1; step < n; step *= 2) {
        const uint32_t at = 2 * step * i;
        if (at + step < n)
            value[at] += value[at + step];
        __syncthreads();
    }
}

__device__ static void fold_half(float *value, uint32_t i, uint32_t n)
{
    const uint32_t half = (n + 1) / 2;
    if (i + half < n)
        value[i] += value[i + half];
    __syncthreads();
}

/* The upper half onto the lower: threads and banks side by side. */
__device__ static void fold_halves(float *value, uint32_t i, uint32_t n)
{
    for (; n > 1; n = (n + 1) / 2)
        fold_half(value, i, n);
}

/* The same down to two values a lane of the first warp, which needs no barriers. */
__device__ static void fold_last_warp(float *value, uint32_t i, uint32_t n)
{
    const uint32_t lanes = min(n, (uint32_t)SAC_WARP);
    for (; n > 2 * SAC_WARP; n = (n + 1) / 2)
        fold_half(value, i, n);
    if (i < lanes) {
        const uint32_t mask = lanes == SAC_WARP ? SAC_ALL_LANES : (1u << lanes) - 1;
        float sum = i + SAC_WARP < n ? value[i] + value[i + SAC_WARP] : value[i];
#pragma unroll
        for (uint32_t step = SAC_WARP / 2; step > 0; step /= 2) {
            const float above = __shfl_down_sync(mask, sum, step);
            sum += i + step < lanes ? above : 0;
        }
        if (i == 0)
            value[0] = sum;
    }
    __syncthreads();
}

template <fold_fn FOLD> __global__ void a_block_a_line(float *out, sac_sum_job job)
{
    extern __shared__ float value[];
    const uint32_t i = sac_thread(), n_threads = sac_block_threads();
    for (int64_t m = sac_block(); m < job.n_lines; m += sac_blocks()) {
        const float *in = job.in + m * job.in_m;
        float sum = 0;
        for (int64_t k = i; k < job.n; k += n_threads)
            sum += in[k * job.in_k];
        value[i] = sum;
        __syncthreads();
        FOLD(value, i, n_threads);
        if (i == 0)
            out[m * job.out_m] = value[0];
    }
}

/* n values of a line, `step` apart; VECTOR: side by side and on a boundary of 16 bytes. */
template <int N, bool VECTOR>
__device__ static void read_values(float *value, const float *in, ptrdiff_t step)
{
#pragma unroll
    for (int j = 0; j < N; j += 4) {
        if (VECTOR) {
            const float4 four = __ldcs((const float4 *)(const void *)(in + j));
            value[j] = four.x;
            value[j + 1] = four.y;
            value[j + 2] = four.z;
            value[j + 3] = four.w;
        } else {
#pragma unroll
            for (int i = j; i < j + 4; i++)
                value[i] = in[i * step];
        }
    }
}

/* Adds to a lane's N partial sums those of its values that lie in line[0, n). */
template <int LANES, int N, bool VECTOR>
__device__ static void add_line(float *part, const float *line, ptrdiff_t step, int64_t n, int lane)
{
    enum { ROW = LANES * N, AHEAD = 32 / N }; /* 32 values of a lane in flight */
    const float *in = line + lane * N * step;
    int64_t k = 0;
    for (; k + AHEAD * ROW <= n; k += AHEAD * ROW) {
        float value[AHEAD][N];
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            read_values<N, VECTOR>(value[a], in + (k + a * ROW) * step, step);
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
#pragma unroll
            for (int j = 0; j < N; j++)
                part[j] += value[a][j];
    }
    for (; k + ROW <= n; k += ROW) {
        float value[N];
        read_values<N, VECTOR>(value, in + k * step, step);
#pragma unroll
        for (int j = 0; j < N; j++)
            part[j] += value[j];
    }
#pragma unroll
    for (int j = 0; j < N; j++)
        if (k + lane * N + j < n)
            part[j] += in[(k + j) * step];
}

/*
 * LANES lanes of a warp a line, N neighboring values each at a time: value k is added to partial
 * sum k mod (LANES N), one after another, then these are folded, across lanes first. LANES N = 16
 * is the contract's order. A warp's lanes stay together: those after the last line sum nothing.
 */
template <int LANES, int N, bool VECTOR>
__global__ void some_lanes_a_line(float *out, sac_sum_job job)
{
    enum { LINES = SAC_WARP / LANES };
    const int thread = (int)sac_thread(), lane = thread % LANES;
    const int64_t warps = sac_block_threads() / SAC_WARP;
    int64_t first = (sac_block() * warps + thread / SAC_WARP) * LINES;
    for (; first < job.n_lines; first += sac_blocks() * warps * LINES) {
        const int64_t m = first + thread % SAC_WARP / LANES;
        float part[N] = {0};
        if (m < job.n_lines)
            add_line<LANES, N, VECTOR>(part, job.in + m * job.in_m, VECTOR ? 1 : job.in_k, job.n,
                                       lane);
#pragma unroll
        for (int step = LANES / 2; step > 0; step /= 2)
#pragma unroll
            for (int j = 0; j < N; j++)
                part[j] += __shfl_xor_sync(SAC_ALL_LANES, part[j], step);
#pragma unroll
        for (int half = N / 2; half > 0; half /= 2)
#pragma unroll
            for (int j = 0; j < half; j++)
                part[j] += part[j + half];
        if (lane == 0 && m < job.n_lines)
            out[m * job.out_m] = part[0];
    }
}

/* The user's shape, or n_blocks of n_threads. */
static sac_launch shape_of(const sac_gpu_shape *shape, int64_t n_blocks, unsigned n_threads)
{
    if (shape)
        return sac_launch_of(shape, 1);
    const int64_t blocks = n_blocks < MAX_BLOCKS ? n_blocks : MAX_BLOCKS;
    const sac_launch own = {dim3(blocks > 0 ? (unsigned)blocks : 1u), dim3(n_threads)};
    return own;
}

static sac_status launch_sequential(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                    const sac_sum_job *job, float *)
{
    const sac_launch l = sac_launch_of(shape, job->n_lines);
    sequential<<<l.grid, l.block, 0, stream>>>(out, *job);
    return sac_cuda_launched();
}

/* A power of two of threads, one for every VALUES of a line. */
template <fold_fn FOLD, int VALUES>
static sac_status launch_block(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                               const sac_sum_job *job, float *)
{
    unsigned n_threads = SAC_WARP;
    while (n_threads < MAX_THREADS && (int64_t)n_threads * VALUES < job->n)
        n_threads *= 2;
    const sac_launch l = shape_of(shape, job->n_lines, n_threads);
    const size_t bytes = sizeof(float) * l.block.x * l.block.y * l.block.z;
    a_block_a_line<FOLD><<<l.grid, l.block, bytes, stream>>>(out, *job);
    return sac_cuda_launched();
}

/*
 * SAC_SUM_BLOCK neighbours a block, as das-unrolled-last-warp has them; then the block sums in the
 * same way, until one is left. What is no whole block is a line of its own.
 */
static sac_status launch_recursive(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                   const sac_sum_job *job, float *scratch)
{
    sac_sum_job level = *job;
    while (level.n > SAC_SUM_BLOCK) {
        const int64_t n_whole = level.n / SAC_SUM_BLOCK, rest = level.n % SAC_SUM_BLOCK;
        sac_sum_job blocks = {level.in, level.in_k,    SAC_SUM_BLOCK * level.in_k,
                              1,        SAC_SUM_BLOCK, n_whole};
        sac_status status = launch_block<fold_last_warp, 2>(stream, shape, scratch, &blocks, NULL);
        if (status == SAC_OK && rest != 0) {
            blocks.in += n_whole * blocks.in_m;
            blocks.n = rest;
            blocks.n_lines = 1;
            status =
                launch_block<fold_last_warp, 2>(stream, shape, scratch + n_whole, &blocks, NULL);
        }
        if (status != SAC_OK)
            return status;
        level.in = scratch;
        level.in_k = 1;
        level.n = n_whole + (rest != 0);
        scratch += level.n;
    }
    return launch_block<fold_last_warp, 2>(stream, shape, out, &level, NULL);
}

/* Blocks are of whole warps, whatever the user's shape. */
template <int LANES, int N, bool VECTOR>
static sac_status launch_lanes(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                               const sac_sum_job *job)
{
    const int64_t lines = SAC_RUNG_THREADS / LANES;
    const sac_launch l = shape_of(shape, (job->n_lines + lines - 1) / lines, SAC_RUNG_THREADS);
    const unsigned n_threads = l.block.x * l.block.y * l.block.z;
    const unsigned whole = (n_threads + SAC_WARP - 1) / SAC_WARP * SAC_WARP;
    some_lanes_a_line<LANES, N, VECTOR><<<l.grid, whole, 0, stream>>>(out, *job);
    return sac_cuda_launched();
}

static bool is_aligned(const sac_sum_job *job)
{
    return job->in_k == 1 && ((uintptr_t)job->in | (uintptr_t)(4 * job->in_m)) % 16 == 0;
}

static sac_status launch_warp(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                              const sac_sum_job *job, float *)
{
    return is_aligned(job) ? launch_lanes<32, 4, true>(stream, shape, out, job)
                           : launch_lanes<32, 4, false>(stream, shape, out, job);
}

/* Four lanes with four partial sums each; where lines are neighbors, not values, one with all. */
static sac_status launch_hybrid(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                const sac_sum_job *job, float *)
{
    if (job->in_k != 1)
        return launch_lanes<1, SAC_SUM_PARTS, false>(stream, shape, out, job);
    return is_aligned(job) ? launch_lanes<4, 4, true>(stream, shape, out, job)
                           : launch_lanes<4, 4, false>(stream, shape, out, job);
}

#define RUNG(name, ...) SAC_RUNG(sac_sum_cuda_fn, name, SAC_TIER_FP32, __VA_ARGS__)

extern "C" const sac_variant sac_sum_cuda[] = {
    RUNG("1d-sequential", launch_sequential),
    RUNG("1d-tree", launch_block<fold_tree, 1>),
    RUNG("1d-non-divergent", launch_block<fold_halves, 1>),
    RUNG("1d-first-add", launch_block<fold_halves, 2>),
    RUNG("1d-unrolled-last-warp", launch_block<fold_last_warp, 2>),
    RUNG("1d-recursive", launch_recursive),
    RUNG("das-sequential", launch_sequential),
    RUNG("das-tree", launch_block<fold_tree, 1>),
    RUNG("das-non-divergent", launch_block<fold_strided, 1>),
    RUNG("das-conflict-free", launch_block<fold_halves, 1>),
    RUNG("das-first-add", launch_block<fold_halves, 2>),
    RUNG("das-unrolled-last-warp", launch_block<fold_last_warp, 2>),
    RUNG("warp-a-line", launch_warp),
    RUNG("hybrid", launch_hybrid),
    {NULL, 0, false, NULL, SAC_TIER_EXACT},
};
