/*
 * vhist_u16 on a GPU: 65,536 counters in the L2 cache. Each lane counts alone, or lanes with the
 * same value count once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/vhist.cuh"

#define VALUES 65536

/* Lanes with the same value add their number in one atomic operation. */
__global__ void together(uint32_t *hist, const __grid_constant__ sac_pixels in)
{
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    for (int64_t i = sac_grid_thread(); i < n; i += step) {
        const uint32_t v = sac_value_at<uint16_t>(in, i);
        const uint32_t same = __match_any_sync(__activemask(), v);
        if (sac_thread() % SAC_WARP == (uint32_t)__ffs((int)same) - 1)
            atomicAdd(&hist[v], (uint32_t)__popc(same));
    }
}

template <sac_vhist_kernel KERNEL>
static sac_status launch(sac_gpu_stream stream, const sac_gpu_shape *shape, uint32_t *hist,
                         const sac_pixels *in)
{
    return sac_vhist_launch(KERNEL, stream, shape, hist, in, VALUES, 0);
}

extern "C" const sac_variant sac_vhist_u16_cuda[] = {
    {"global", 0, false, SAC_FN(sac_vhist_cuda_fn, launch<sac_vhist_global<uint16_t>>)},
    {"together", 0, false, SAC_FN(sac_vhist_cuda_fn, launch<together>)},
    {NULL, 0, false, NULL},
};
