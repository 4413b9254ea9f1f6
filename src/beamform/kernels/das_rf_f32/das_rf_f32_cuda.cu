/*
 * das_rf_f32 on a GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das_frames.cuh"
#include "beamform/kernels/das_points.cuh"
#include "beamform/kernels/das_rungs_cuda.h"

static sac_status points(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                         const sac_das_cuda *run)
{
    return sac_das_points_launch_any<float, double>(stream, out, run);
}

/* Receive delays in single precision. */
static sac_status points_single(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                                const sac_das_cuda *run)
{
    return sac_das_points_launch_any<float, float>(stream, out, run);
}

static sac_status frames(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                         const sac_das_cuda *run)
{
    return sac_das_frames_launch_any<float>(stream, out, run);
}

extern "C" const sac_variant sac_das_rf_f32_cuda[] = {
    {"points", 0, true, SAC_FN(sac_das_cuda_fn, points), SAC_TIER_EXACT},
    {"frames", 0, true, SAC_FN(sac_das_cuda_fn, frames), SAC_TIER_EXACT, SAC_DAS_CUDA_FRAMES},
    {"points-single", 0, true, SAC_FN(sac_das_cuda_fn, points_single), SAC_TIER_FP32},
    {},
};
