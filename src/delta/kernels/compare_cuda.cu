/*
 * The encoder's first kernels: look for a new scene; compare, which decides what is still, sparse
 * or whole, and makes the picture that the decoder will have. All cells are compared before one is
 * predicted (pack_cuda.cu), since a spatial cell is predicted from cells of the new picture. What
 * is sent of a cell is then the difference of the two pictures.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/kernels/encode_cuda.h"
#include "delta/kernels/words.cuh"

__device__ static inline uint32_t sample(const sac_delta_encode_job &job, int64_t x, int64_t y,
                                         int c)
{
    return job.frame[y * job.row + x * job.pixel + c * job.channel];
}

/* A pixel of the frame; beyond its edge the last one. */
template <int C>
__device__ static inline uint32_t load(const sac_delta_encode_job &job, int32_t x, int32_t y)
{
    uint32_t word = 0;
    x = min(x, job.layout.w - 1);
    y = min(y, job.layout.h - 1);
#pragma unroll
    for (int c = 0; c < C; c++)
        word |= sample(job, x, y, c) << 8 * c;
    return word;
}

/* Whether any channel is off by more than the threshold. */
__device__ static inline bool is_off(uint32_t a, uint32_t b, uint32_t threshold)
{
    return (__vcmpgeu4(__vabsdiffu4(a, b), SAC_FOUR * (threshold + 1))) != 0;
}

#define LOOK_THREADS 256
#define LOOK_BLOCK 40 /* the bit from which on blocks are counted, above pixels */

/* Says what the frame is, once all is seen. */
__device__ static void take_turn(const sac_delta_encode_job &job, uint64_t n_changed, uint64_t n)
{
    sac_delta_clock clock = job.state->clock[job.parity];
    const bool is_key = job.wants_key || sac_delta_is_late(&clock, &job.pace, job.time_ns) ||
                        (job.looks && 2 * n_changed > n);
    job.state->sent.turn = sac_delta_take_turn(&clock, &job.pace, job.time_ns, is_key);
    job.state->clock[job.parity ^ 1] = clock;
}

template <int C>
__global__ void __launch_bounds__(LOOK_THREADS)
    look(const __grid_constant__ sac_delta_encode_job job)
{
    __shared__ uint32_t sums[LOOK_THREADS / SAC_WARP];
    const sac_delta_layout &l = job.layout;
    const size_t row = (size_t)l.cells_x * SAC_DELTA_COLUMNS;
    const typename sac_picture<C>::pixel *was = (const typename sac_picture<C>::pixel *)job.was;
    const int64_t per_row = (l.w + SAC_SCENE_STEP_X - 1) / SAC_SCENE_STEP_X;
    const int64_t n = job.looks ? (l.h + SAC_SCENE_STEP_Y / 2 - 1) / SAC_SCENE_STEP_Y * per_row : 0;
    uint32_t count = 0;
    sac_wait_for_stream();
    sac_let_next_begin();
    for (int64_t i = sac_grid_thread(); i < n; i += sac_grid_threads()) {
        const int32_t y = (int32_t)(i / per_row) * SAC_SCENE_STEP_Y + SAC_SCENE_STEP_Y / 2;
        const int32_t x = (int32_t)(i % per_row) * SAC_SCENE_STEP_X;
        count += is_off(load<C>(job, x, y), was[(size_t)y * row + (size_t)x], SAC_SCENE_LEVELS);
    }
    count = sac_warp_sum(count);
    if (sac_thread() % SAC_WARP == 0)
        sums[sac_thread() / SAC_WARP] = count;
    __syncthreads();
    if (sac_thread() > 0)
        return;
    unsigned long long sum = 1ull << LOOK_BLOCK;
    for (int k = 0; k < LOOK_THREADS / SAC_WARP; k++)
        sum += sums[k];
    sum += atomicAdd(&job.state->seen, sum);
    if (sum >> LOOK_BLOCK < gridDim.x)
        return;
    job.state->seen = 0;
    take_turn(job, sum & ((1ull << LOOK_BLOCK) - 1), (uint64_t)n);
}

template <int C>
__global__ void __launch_bounds__(SAC_CELL_THREADS)
    compare(const __grid_constant__ sac_delta_encode_job job)
{
    const sac_delta_layout &l = job.layout;
    const int32_t index = sac_cell_index(l);
    const uint32_t lane = sac_thread() % SAC_WARP;
    const size_t row = (size_t)l.cells_x * SAC_DELTA_COLUMNS;
    sac_wait_for_stream();
    sac_let_next_begin();
    if (index == l.n_cells)
        return;
    const sac_cell_at at = sac_cell_of(l, index);
    const typename sac_picture<C>::pixel *was = sac_pixels_at<C>((void *)job.was, l, at);
    uint32_t is[SAC_CELL_WORDS], old[SAC_CELL_WORDS], bits = 0;
#pragma unroll
    for (int k = 0; k < SAC_CELL_WORDS; k++) {
        const int32_t x = k % SAC_CELL_HALVES * (int32_t)SAC_WARP, y = k / SAC_CELL_HALVES;
        is[k] = load<C>(job, at.x + x + (int32_t)lane, at.y + y);
        old[k] = was[y * row + x];
    }
    const sac_delta_turn turn = job.state->sent.turn;
    const uint32_t threshold =
        (uint32_t)sac_delta_threshold(&turn, (uint64_t)l.n_cells, (uint64_t)index, job.threshold);
#pragma unroll
    for (int k = 0; k < SAC_CELL_WORDS; k++)
        bits |= is_off(is[k], old[k], threshold) ? 1u << k : 0;
    const uint32_t n = sac_warp_sum((uint32_t)__popc(bits));
    const bool is_whole = turn.is_key || n > SAC_DELTA_SPARSE_MOST;
    typename sac_picture<C>::pixel *now = sac_pixels_at<C>(job.now, l, at);
#pragma unroll
    for (int k = 0; k < SAC_CELL_WORDS; k++) {
        const int32_t x = k % SAC_CELL_HALVES * (int32_t)SAC_WARP, y = k / SAC_CELL_HALVES;
        now[y * row + x] =
            (typename sac_picture<C>::pixel)(is_whole || (bits >> k & 1) ? is[k] : old[k]);
    }
    if (lane > 0)
        return;
    *sac_cell_kind(job.streams, l, at) = (uint8_t)(is_whole ? SAC_CELL_TEMPORAL
                                                   : n      ? SAC_CELL_SPARSE
                                                            : SAC_CELL_STILL);
    job.places[index] = {0, {n, C > 1 ? n : 0, C > 2 ? n : 0, C > 3 ? n : 0}};
}

typedef void (*kernel)(sac_delta_encode_job job);

#define LOOK_BLOCKS 128u

static dim3 look_grid(const sac_delta_encode_job *job)
{
    const int64_t samples =
        (int64_t)job->layout.w * job->layout.h / (SAC_SCENE_STEP_X * SAC_SCENE_STEP_Y);
    const int64_t blocks = job->looks ? samples / LOOK_THREADS + 1 : 1;
    return dim3(blocks < LOOK_BLOCKS ? (unsigned)blocks : LOOK_BLOCKS);
}

extern "C" sac_status sac_delta_compare_cuda(sac_gpu_stream stream, const sac_delta_encode_job *job)
{
    const sac_delta_layout *l = &job->layout;
    const sac_status status = sac_launch_early(stream, look_grid(job), LOOK_THREADS,
                                               SAC_BY_CHANNELS(kernel, look, l->channels), *job);
    return status ? status
                  : sac_launch_early(stream, sac_cell_grid(l), SAC_CELL_THREADS,
                                     SAC_BY_CHANNELS(kernel, compare, l->channels), *job);
}
