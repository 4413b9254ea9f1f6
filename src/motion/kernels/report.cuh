/*
 * How the report's kernels divide a frame: K threads in one block, a contiguous section each.
 *
 * A section is a whole number of pixels, words or chunks: n / K, rounded down as in the report. Its
 * programs leave out what remains. Here that is a second pass, one item each for the first threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_REPORT_CUH
#define SAC_MOTION_REPORT_CUH

#include "gpu/block.cuh"
#include "gpu/launch.cuh"
#include "image/pixels.h"
#include "motion/kernels/report_cuda.h"

/* The most that a block has: the report's K until it was swept. */
#define SAC_REPORT_K 1024
/* The best of the report's sweep, on a Jetson Nano. */
#define SAC_REPORT_BEST_K 716

/* This thread's items in a pass: first <= i < end. */
typedef struct sac_section {
    int32_t first, end;
} sac_section;

#define SAC_SECTION_PASSES 2

__device__ static inline sac_section sac_section_of(int pass, int32_t n)
{
    const int64_t threads = sac_grid_threads(), x = sac_grid_thread();
    const int64_t each = n / threads, left = threads * each + x;
    sac_section s = {(int32_t)(x * each), (int32_t)(x * each + each)};
    if (pass > 0) {
        s.first = (int32_t)(left < n ? left : n);
        s.end = left < n ? s.first + 1 : n;
    }
    return s;
}

/* One block of k threads, or the user's shape: K is then all of its threads. */
static inline sac_launch sac_report_launch(const sac_gpu_shape *shape, unsigned k)
{
    sac_launch l = sac_launch_of(shape, 1);
    if (!shape)
        l.block = dim3(k);
    return l;
}

/* Of packed pixels with three bytes each: the first in memory, and how many bytes there are. */
static inline uint8_t *sac_report_bytes(const sac_pixels *p)
{
    return (uint8_t *)p->color[2]; /* blue */
}

static inline int32_t sac_report_size(const sac_pixels *p)
{
    return (int32_t)(3 * p->w * p->h);
}

#endif
