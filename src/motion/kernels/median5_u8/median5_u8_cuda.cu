/*
 * median5_u8 on a GPU: as with vectors on a CPU (median5_u8_simd.c), samples are sorted along the
 * rows, rows are merged by twos, and of the four rows that two rows of results share, the six
 * samples are found that can be a median.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/filters.cuh"

#define ROWS (SAC_PART_ROWS + 4) /* that a thread looks at */

/* A step of a network: the smaller value to place a, the larger to place b. */
__device__ static inline void order(uint32_t *v, int a, int b)
{
    const uint32_t x = v[a];
    v[a] = __vminu2(x, v[b]);
    v[b] = __vmaxu2(x, v[b]);
}

#define M5 uint32_t
#define M5_INLINE __device__ static inline
#include "motion/kernels/median5_u8/median5_network.h"

/* Five samples of a row, `step` apart, of half `half` of a word. */
__device__ static inline void sort(uint32_t *v, const uint32_t *at, int step, int half)
{
    v[0] = sac_before(at, 2 * step);
    v[1] = sac_before(at, step);
    v[2] = *at;
    v[3] = sac_behind(at, step);
    v[4] = sac_behind(at, 2 * step);
#pragma unroll
    for (int i = 0; i < 5; i++)
        v[i] = v[i] >> 8 * half & 0x00ff00ff;
    sort5(v);
}

__device__ static inline void merge(uint32_t *to, const uint32_t *a, const uint32_t *b)
{
    uint32_t v[10];
#pragma unroll
    for (int i = 0; i < 5; i++) {
        v[i] = a[i];
        v[5 + i] = b[i];
    }
    merge10(v);
    const uint32_t sorted[10] = {v[0], v[1], v[2], v[3], v[4], v[6], v[7], v[8], v[5], v[9]};
#pragma unroll
    for (int i = 0; i < 10; i++)
        to[i] = sorted[i];
}

/* The 8th to 13th of 20. */
__device__ static inline void middle(uint32_t *to, const uint32_t *a, const uint32_t *b)
{
    uint32_t v[20];
#pragma unroll
    for (int i = 0; i < 10; i++) {
        v[i] = a[i];
        v[10 + i] = b[i];
    }
    middle20(v);
    const uint32_t six[6] = {v[7], v[8], v[9], v[12], v[13], v[14]};
#pragma unroll
    for (int i = 0; i < 6; i++)
        to[i] = six[i];
}

/* The 6th of eleven: the smallest, over the ways to take six from both beginnings, of the largest
 * that is taken. */
__device__ static inline uint32_t select6(const uint32_t *six, const uint32_t *five)
{
    uint32_t r = six[5];
#pragma unroll
    for (int i = 0; i < 5; i++)
        r = __vminu2(r, __vmaxu2(six[4 - i], five[i]));
    return r;
}

/* A half of SAC_PART_ROWS words of results, down from `at`, which is two rows above the first. */
__device__ static inline void column(uint32_t *to, const uint32_t *at, int step, int half)
{
    enum { ROW = SAC_PART_PITCH / 4 };
    uint32_t five[ROWS][5], pair[2][10], six[6];
#pragma unroll
    for (int k = 0; k < 4; k++)
        sort(five[k], at + k * ROW, step, half);
    merge(pair[0], five[1], five[2]);
#pragma unroll
    for (int k = 0; k < SAC_PART_ROWS; k += 2) { /* rows k to k + 4, and k + 1 to k + 5 */
        sort(five[k + 4], at + (k + 4) * ROW, step, half);
        sort(five[k + 5], at + (k + 5) * ROW, step, half);
        merge(pair[(k / 2 + 1) % 2], five[k + 3], five[k + 4]);
        middle(six, pair[0], pair[1]);
        to[k] |= select6(six, five[k]) << 8 * half;
        to[k + 1] |= select6(six, five[k + 5]) << 8 * half;
    }
}

template <bool VECTORS>
__global__ void __launch_bounds__(SAC_PART_THREADS)
    median5_part(const sac_samples out, const sac_samples in)
{
    __shared__ __align__(16) uint8_t part[SAC_PART_MOST * SAC_PART_PITCH];
    const sac_part_place p = sac_part_of();
    sac_wait_for_stream();
    for (int64_t y = p.y; y < in.h; y += p.step) {
        sac_part_load<VECTORS>(part, in, p.x, y, 2);
        uint32_t word[SAC_PART_ROWS] = {0};
#pragma unroll 1
        for (int half = 0; half < 2; half++)
            column(word, sac_part_at(part, p), in.n_channels, half);
        sac_part_store<VECTORS>(out, p, y, word);
        __syncthreads();
    }
}

static sac_status run(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_samples *out,
                      const sac_samples *in, const sac_filter *f)
{
    (void)shape; /* a block a part */
    (void)f;
    const bool aligned = sac_samples_aligned(in) && sac_samples_aligned(out);
    return sac_launch_early(stream, sac_part_grid(in), SAC_PART_THREADS,
                            aligned ? median5_part<true> : median5_part<false>, *out, *in);
}

extern "C" const sac_variant sac_median5_u8_cuda[] = {
    {"parts", 0, true, SAC_FN(sac_filter_u8_cuda_fn, run)},
    {NULL, 0, false, NULL},
};
