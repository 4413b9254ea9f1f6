/*
 * rgb2hsv_u8 on a GPU: v0 writes triples, where a warp's 32 stores of one value lie 12 bytes apart;
 * v1 writes planes, where they fill whole sectors. (Duong calls the difference one of bank
 * conflicts; it is one of coalescing: NOTES.md.)
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "gpu/launch.cuh"
#include "equalize/kernels/rgb2hsv_u8/ladder/rgb2hsv_u8_pixel.h"
#include "equalize/kernels/rgb2hsv_u8/rgb2hsv_u8_cuda.h"

template <int STEP>
__global__ void rgb2hsv(const __grid_constant__ sac_hsv out, const uint8_t *rgb, int64_t n)
{
    for (int64_t i = sac_grid_thread(); i < n; i += sac_grid_threads())
        sac_rgb2hsv_pixel(&out.h[STEP * i], &out.s[STEP * i], &out.v[STEP * i], rgb + 3 * i);
}

template <int STEP>
static sac_status launch(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_hsv *out,
                         const uint8_t *rgb, int64_t n)
{
    const sac_launch l = sac_launch_of(shape, n);
    rgb2hsv<STEP><<<l.grid, l.block, 0, stream>>>(*out, rgb, n);
    return sac_cuda_launched();
}

extern "C" sac_status sac_rgb2hsv_u8_v0_cuda(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                             const sac_hsv *out, const uint8_t *rgb, int64_t n)
{
    return launch<3>(stream, shape, out, rgb, n);
}

extern "C" sac_status sac_rgb2hsv_u8_v1_cuda(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                             const sac_hsv *out, const uint8_t *rgb, int64_t n)
{
    return launch<1>(stream, shape, out, rgb, n);
}

extern "C" const sac_variant sac_rgb2hsv_u8_cuda[] = {
    {"v0", 0, false, SAC_FN(sac_rgb2hsv_u8_cuda_fn, sac_rgb2hsv_u8_v0_cuda)},
    {"v1", 0, false, SAC_FN(sac_rgb2hsv_u8_cuda_fn, sac_rgb2hsv_u8_v1_cuda)},
    {NULL, 0, false, NULL},
};
