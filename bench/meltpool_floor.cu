/*
 * The floor of a frame's latency on a GPU: one block that stays, polls, reads and answers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool_floor.h"

#include "gpu/ptx.cuh"

#define FRAME_BYTES (BENCH_FLOOR_SIDE * BENCH_FLOOR_SIDE)
#define THREADS (FRAME_BYTES / 16)      /* a word of 16 bytes of the frame each */
#define ROW_WORDS (BENCH_FLOOR_ROI / 8) /* of 8 bytes, of the region's row */
#define LOOKS 64                        /* at the word between two at the clock */

/* The number that was to come, or the stop's: told, or at the end of patience. */
__device__ static uint64_t await(const uint64_t *told, uint64_t wanted, int64_t idle_ns)
{
    const uint64_t until = sac_global_timer_ns() + (uint64_t)idle_ns;
    do
#pragma unroll 1
        for (int i = 0; i < LOOKS; i++) {
            const uint64_t seen = sac_load_acquire_sys(told);
            if (seen >= wanted)
                return seen == BENCH_FLOOR_STOP ? seen : wanted;
        }
    while (sac_global_timer_ns() < until);
    return BENCH_FLOOR_STOP;
}

/* Whether the number of ones in this thread's word is odd; of threads without one it is not. */
__device__ static int is_odd(const uint8_t *frame, bench_floor_kind kind)
{
    const int t = (int)threadIdx.x;
    if (kind == BENCH_FLOOR_FRAME) {
        const uint4 v = ((const uint4 *)frame)[t];
        return __popc(v.x ^ v.y ^ v.z ^ v.w) & 1;
    }
    if (kind == BENCH_FLOOR_NOTHING || t >= ROW_WORDS * BENCH_FLOOR_ROI)
        return 0;
    const int x = BENCH_FLOOR_AT + t % ROW_WORDS * 8, y = BENCH_FLOOR_AT + t / ROW_WORDS;
    const uint2 v = *(const uint2 *)(frame + y * BENCH_FLOOR_SIDE + x);
    return __popc(v.x ^ v.y) & 1;
}

__global__ static void __launch_bounds__(THREADS)
    stay(bench_floor_words *words, const uint8_t *ring, bench_floor_kind kind, int64_t idle_ns)
{
    __shared__ uint64_t seen;
    for (uint64_t next = 1;; next++) {
        if (threadIdx.x == 0)
            seen = await(&words->told, next, idle_ns);
        __syncthreads();
        if (seen != next)
            return;
        const uint8_t *frame = ring + (next - 1) % BENCH_FLOOR_SLOTS * FRAME_BYTES;
        const int n = __syncthreads_count(is_odd(frame, kind));
        if (threadIdx.x == 0)
            sac_store_release_sys(&words->answer, next << 16 | (uint64_t)n);
    }
}

extern "C" sac_status bench_floor_launch(sac_gpu_stream stream, bench_floor_words *words,
                                         const uint8_t *ring, bench_floor_kind kind,
                                         int64_t idle_ns)
{
    stay<<<1, THREADS, 0, stream>>>(words, ring, kind, idle_ns);
    return sac_cuda_launched();
}
