/*
 * Beamform plans for a GPU in a build without CUDA: refused at open.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/gpu.h"
#include "gpu/gpu.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

sac_status sac_beamform_gpu_open(sac_beamform *plan, sac_error *err)
{
    sac_gpu *gpu;
    return sac_gpu_open(&gpu, 0, err);
}

void sac_beamform_gpu_close(sac_beamform_gpu **gpu)
{
}

sac_status sac_beamform_gpu_run(sac_beamform *plan, const sac_array *out, const sac_array *in,
                                sac_error *err)
{
    return SAC_E_UNSUPPORTED;
}
