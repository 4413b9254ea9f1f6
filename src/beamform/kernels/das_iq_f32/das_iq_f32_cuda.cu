/*
 * das_iq_f32 on a GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das_frames.cuh"
#include "beamform/kernels/das_points.cuh"
#include "beamform/kernels/das_rungs_cuda.h"

static sac_status points(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                         const sac_das_cuda *run)
{
    return sac_das_points_launch_any<float2, double>(stream, out, run);
}

/* Receive delays in single precision. */
static sac_status points_single(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                                const sac_das_cuda *run)
{
    return sac_das_points_launch_any<float2, float>(stream, out, run);
}

static sac_status frames(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                         const sac_das_cuda *run)
{
    return sac_das_frames_launch_any<float2>(stream, out, run);
}

extern "C" const sac_variant sac_das_iq_f32_cuda[] = {
    {"points", 0, true, SAC_FN(sac_das_cuda_fn, points), SAC_TIER_EXACT},
    {"frames", 0, true, SAC_FN(sac_das_cuda_fn, frames), SAC_TIER_EXACT, SAC_DAS_CUDA_FRAMES},
    {"points-single", 0, true, SAC_FN(sac_das_cuda_fn, points_single), SAC_TIER_FP32},
    {"tensor", 0, true, SAC_FN(sac_das_cuda_fn, sac_das_iq_f32_tensor), SAC_TIER_FAST,
     SAC_DAS_CUDA_HALF},
    {},
};
