/*
 * das_rf_f32 on a GPU, of frames side by side: receive delays in single precision. A file of its
 * own, so that a process loads what it runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/cuda/das_frames.cuh"
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"

extern "C" sac_status sac_das_rf_f32_frames_single(sac_gpu_stream stream,
                                                   const sac_gpu_shape *shape, float *out,
                                                   const sac_das_cuda *run)
{
    return sac_das_frames_rung<float, float>(stream, shape, out, run);
}
