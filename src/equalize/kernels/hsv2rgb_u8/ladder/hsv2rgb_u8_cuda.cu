/*
 * hsv2rgb_u8 on a GPU: v0 reads triples, v1 reads planes; both store single bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "equalize/kernels/hsv2rgb_u8/hsv2rgb_u8_cuda.h"
#include "equalize/kernels/hsv2rgb_u8/ladder/hsv2rgb_u8_pixel.h"
#include "gpu/launch.cuh"

template <int STEP>
__global__ void hsv2rgb(uint8_t *rgb, const __grid_constant__ sac_hsv in, int64_t n)
{
    for (int64_t i = sac_grid_thread(); i < n; i += sac_grid_threads())
        sac_hsv2rgb_pixel(rgb + 3 * i, in.h[STEP * i], in.s[STEP * i], in.v[STEP * i]);
}

template <int STEP>
static sac_status launch(sac_gpu_stream stream, const sac_gpu_shape *shape, uint8_t *rgb,
                         const sac_hsv *in, int64_t n)
{
    const sac_launch l = sac_launch_of(shape, n);
    hsv2rgb<STEP><<<l.grid, l.block, 0, stream>>>(rgb, *in, n);
    return sac_cuda_launched();
}

extern "C" sac_status sac_hsv2rgb_u8_v0_cuda(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                             uint8_t *rgb, const sac_hsv *in, int64_t n)
{
    return launch<3>(stream, shape, rgb, in, n);
}

extern "C" sac_status sac_hsv2rgb_u8_v1_cuda(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                             uint8_t *rgb, const sac_hsv *in, int64_t n)
{
    return launch<1>(stream, shape, rgb, in, n);
}

extern "C" const sac_variant sac_hsv2rgb_u8_cuda[] = {
    {"v0", 0, false, SAC_FN(sac_hsv2rgb_u8_cuda_fn, sac_hsv2rgb_u8_v0_cuda)},
    {"v1", 0, false, SAC_FN(sac_hsv2rgb_u8_cuda_fn, sac_hsv2rgb_u8_v1_cuda)},
    {NULL, 0, false, NULL},
};
