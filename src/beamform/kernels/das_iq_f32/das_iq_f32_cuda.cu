/*
 * das_iq_f32 on a GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/cuda/das_points.cuh"
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"

extern "C" const sac_variant sac_das_iq_f32_cuda[] = {
    {"points", 0, true, SAC_FN(sac_das_cuda_fn, (sac_das_points_rung<float2, double>)),
     SAC_TIER_EXACT, SAC_DAS_CUDA_POINTS},
    {"frames", 0, true, SAC_FN(sac_das_cuda_fn, sac_das_iq_f32_frames), SAC_TIER_EXACT,
     SAC_DAS_CUDA_FRAMES},
    {"points-single", 0, true, SAC_FN(sac_das_cuda_fn, (sac_das_points_rung<float2, float>)),
     SAC_TIER_FP32, SAC_DAS_CUDA_POINTS},
    {"frames-single", 0, true, SAC_FN(sac_das_cuda_fn, sac_das_iq_f32_frames_single), SAC_TIER_FP32,
     SAC_DAS_CUDA_FRAMES},
    {"tensor", 0, true, SAC_FN(sac_das_cuda_fn, sac_das_iq_f32_tensor), SAC_TIER_FAST,
     SAC_DAS_CUDA_HALF},
    {},
};
