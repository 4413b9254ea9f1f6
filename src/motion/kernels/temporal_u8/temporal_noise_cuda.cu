/*
 * The noise that temporal_u8 on a GPU goes by, and the table made of it: as sac_denoise_estimate
 * and sac_denoise_keep find them on the CPU (motion/denoise.h), to the last bit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "motion/denoise_table.h"
#include "motion/kernels/filters_cuda.h"

#define THREADS 256
#define ROW_BLOCKS 8 /* that share a row */

__device__ static int absolute_l(const sac_samples &in, int64_t x, int64_t y, int32_t c)
{
    const uint8_t *b = in.data + y * in.row + x * in.pixel + c * in.channel;
    const uint8_t *a = b - in.row, *d = b + in.row;
    const ptrdiff_t s = in.pixel;
    return abs(a[-s] - 2 * a[0] + a[s] - 2 * b[-s] + 4 * b[0] - 2 * b[s] + d[-s] - 2 * d[0] + d[s]);
}

/* |L| of the rows looked at: blockIdx.y is the row's number. */
__global__ void __launch_bounds__(THREADS)
    temporal_count(sac_temporal_cuda *t, const sac_samples in, int32_t n_rows)
{
    __shared__ uint32_t hist[SAC_NOISE_BINS];
    for (uint32_t v = threadIdx.x; v < SAC_NOISE_BINS; v += THREADS)
        hist[v] = 0;
    __syncthreads();
    const int64_t y = sac_noise_row((int32_t)blockIdx.y, n_rows, in.h);
    const int64_t n = (in.w - 2) * in.n_channels;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * THREADS) {
        const int64_t x = 1 + i / in.n_channels;
        const int32_t c = (int32_t)(i % in.n_channels);
        const uint8_t at = in.data[y * in.row + x * in.pixel + c * in.channel];
        if (at != 0 && at != 255)
            atomicAdd(&hist[absolute_l(in, x, y, c)], 1u);
    }
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < SAC_NOISE_BINS; v += THREADS)
        if (hist[v])
            atomicAdd(&t->hist[v], hist[v]);
}

__global__ void temporal_estimate(sac_temporal_cuda *t)
{
    if (threadIdx.x == 0)
        t->noise = sac_noise_of(t->hist);
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < SAC_NOISE_BINS; v += THREADS)
        t->hist[v] = 0;
}

__global__ void temporal_keep(sac_temporal_cuda *t, double strength)
{
    t->keep[threadIdx.x] = sac_keep_of((int)threadIdx.x, strength, t->noise);
}

extern "C" sac_status sac_temporal_estimate_cuda(sac_gpu_stream stream, sac_temporal_cuda *t,
                                                 const sac_samples *in)
{
    const int32_t n_rows = sac_noise_rows(in->h);
    if (n_rows > 0 && in->w > 2)
        temporal_count<<<dim3(ROW_BLOCKS, (unsigned)n_rows), THREADS, 0, stream>>>(t, *in, n_rows);
    temporal_estimate<<<1, THREADS, 0, stream>>>(t);
    return sac_cuda_launched();
}

extern "C" sac_status sac_temporal_keep_cuda(sac_gpu_stream stream, sac_temporal_cuda *t,
                                             double strength)
{
    temporal_keep<<<1, 256, 0, stream>>>(t, strength);
    return sac_cuda_launched();
}
