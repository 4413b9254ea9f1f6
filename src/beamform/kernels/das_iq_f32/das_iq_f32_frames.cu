/*
 * das_iq_f32 on a GPU, of frames side by side: receive delays in double. A file of its own, so that
 * a process loads what it runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/cuda/das_frames.cuh"
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"

extern "C" sac_status sac_das_iq_f32_frames(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                            float *out, const sac_das_cuda *run)
{
    return sac_das_frames_rung<float2, double>(stream, shape, out, run);
}
