/*
 * Scaling by V, pixel by pixel, for both depths: dividing for each sample, or once for each V
 * before.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VSCALE_CUH
#define SAC_EQUALIZE_VSCALE_CUH

#include "gpu/launch.cuh"
#include "image/pixels.cuh"
#include "equalize/kernels/depths_cuda.h"

/* The definition: a 128-bit division a sample. */
template <typename T> struct sac_divide {
    __device__ static T scale(const sac_scale &s, uint32_t v, uint32_t x)
    {
        return (T)sac_scale_exact(&s, v, x);
    }
};

/* The multipliers of the table. */
template <typename T> struct sac_multiply {
    __device__ static T scale(const sac_scale &s, uint32_t v, uint32_t x)
    {
        if (sizeof(T) == 1)
            return (T)((s.q8[v] * x + (UINT32_C(1) << (SAC_SCALE_SHIFT_U8 - 1))) >>
                       SAC_SCALE_SHIFT_U8);
        return (T)((s.q16[v] * x + (UINT64_C(1) << (SAC_SCALE_SHIFT_U16 - 1))) >>
                   SAC_SCALE_SHIFT_U16);
    }
};

template <typename T, typename HOW>
__global__ void sac_vscale(const __grid_constant__ sac_pixels out,
                           const __grid_constant__ sac_pixels in,
                           const __grid_constant__ sac_scale s)
{
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    for (int64_t i = sac_grid_thread(); i < n; i += step) {
        int64_t x, y;
        sac_place(&x, &y, in, i);
        const uint32_t v = sac_value<T>(in, x, y);
        for (int c = 0; c < in.n_colors; c++)
            *sac_sample<T>(out, c, x, y) = HOW::scale(s, v, *sac_sample<T>(in, c, x, y));
        sac_copy_alpha<T>(out, in, x, y);
    }
}

template <typename T, typename HOW>
static sac_status sac_vscale_launch(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                    const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    const sac_launch l = sac_launch_of(shape, in->w * in->h);
    sac_vscale<T, HOW><<<l.grid, l.block, 0, stream>>>(*out, *in, *s);
    return sac_cuda_launched();
}

#endif
