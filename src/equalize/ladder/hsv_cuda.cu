/*
 * equalize by way of HSV on a GPU, as Duong, "Programmation GPU" (2024), does it: RGB to HSV,
 * histogram of V, cumulative sum, equalization of V, HSV to RGB, a launch each, all of one shape.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/ladder/rungs_cuda.h"
#include "equalize/kernels/hsv2rgb_u8/hsv2rgb_u8_cuda.h"
#include "gpu/launch.cuh"
#include "equalize/kernels/rgb2hsv_u8/rgb2hsv_u8_cuda.h"
#include "equalize/kernels/scale.cuh"
#include "equalize/kernels/scan_u64/scan_u64_cuda.h"

#define BINS 256

__device__ static int bin_of(float v)
{
    return (int)(v * 255 + 0.5f);
}

/* A table a block. */
__global__ void histogram(uint64_t *counts, const __grid_constant__ sac_hsv p, int64_t n)
{
    __shared__ uint32_t own[BINS];
    for (uint32_t b = sac_thread(); b < BINS; b += sac_block_threads())
        own[b] = 0;
    __syncthreads();
    for (int64_t i = sac_grid_thread(); i < n; i += sac_grid_threads())
        atomicAdd(&own[bin_of(p.v[i * p.step])], 1u);
    __syncthreads();
    for (uint32_t b = sac_thread(); b < BINS; b += sac_block_threads())
        if (own[b] > 0)
            atomicAdd((unsigned long long *)&counts[b], (unsigned long long)own[b]);
}

/* s of each bin: the division first, once a bin. Where the picture stays as it is, V / 255. */
__global__ void divide(float *s, const uint64_t *counts, const uint64_t *cumulative,
                       const __grid_constant__ sac_equalize_cuda t, uint64_t n)
{
    for (int64_t b = sac_grid_thread(); b < BINS; b += sac_grid_threads()) {
        int first = 0;
        while (counts[first] == 0)
            first++;
        const sac_scaling scaling = sac_scaling_of(t, n, counts[first], counts[0]);
        const uint64_t c = cumulative[b] > scaling.base ? cumulative[b] - scaling.base : 0;
        s[b] = scaling.den ? (float)((double)c / (double)scaling.den) : (float)b / 255;
    }
}

__global__ void equalization(const __grid_constant__ sac_hsv p, const float *s, int64_t n)
{
    for (int64_t i = sac_grid_thread(); i < n; i += sac_grid_threads()) {
        float *v = &p.v[i * p.step];
        *v = *v > 0 ? s[bin_of(*v)] : 0;
    }
}

static sac_status equalize_v(sac_gpu_stream stream, const sac_gpu_shape *shape,
                             const sac_equalize_cuda_job *job, const sac_hsv *p, int64_t n)
{
    const sac_launch l = sac_launch_of(shape, n);
    if (cudaMemsetAsync(job->counts, 0, BINS * sizeof *job->counts, stream) != cudaSuccess)
        return sac_cuda_launched();
    histogram<<<l.grid, l.block, 0, stream>>>(job->counts, *p, n);
    sac_status status = sac_cuda_launched();
    if (status == SAC_OK)
        status = sac_scan_u64_kogge_stone_shared(stream, shape, job->cumulative, job->second,
                                                 job->counts, BINS);
    divide<<<l.grid, l.block, 0, stream>>>(job->s, job->counts, job->cumulative, *job->t,
                                           (uint64_t)n);
    status = status ? status : sac_cuda_launched();
    equalization<<<l.grid, l.block, 0, stream>>>(*p, job->s, n);
    return status ? status : sac_cuda_launched();
}

static sac_status run(sac_gpu_stream stream, const sac_gpu_shape *shape,
                      const sac_equalize_cuda_job *job, int mode, sac_rgb2hsv_u8_cuda_fn to_hsv,
                      sac_hsv2rgb_u8_cuda_fn to_rgb)
{
    const int64_t n = job->in.w * job->in.h;
    const sac_hsv p = sac_hsv_view(job->hsv, n, mode);
    sac_status status = to_hsv(stream, shape, &p, (const uint8_t *)job->in.color[0], n);
    if (status == SAC_OK)
        status = equalize_v(stream, shape, job, &p, n);
    return status ? status : to_rgb(stream, shape, (uint8_t *)job->out.color[0], &p, n);
}

extern "C" sac_status sac_equalize_hsv_triples_cuda(sac_gpu_stream stream,
                                                    const sac_gpu_shape *shape,
                                                    const sac_equalize_cuda_job *job)
{
    return run(stream, shape, job, SAC_HSV_TRIPLES, sac_rgb2hsv_u8_v0_cuda, sac_hsv2rgb_u8_v0_cuda);
}

extern "C" sac_status sac_equalize_hsv_planes_cuda(sac_gpu_stream stream,
                                                   const sac_gpu_shape *shape,
                                                   const sac_equalize_cuda_job *job)
{
    return run(stream, shape, job, SAC_HSV_PLANES, sac_rgb2hsv_u8_v1_cuda, sac_hsv2rgb_u8_v1_cuda);
}
