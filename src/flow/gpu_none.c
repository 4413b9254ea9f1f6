/*
 * Flow plans for a GPU in a build without CUDA: refused at open.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/gpu.h"
#include "gpu/gpu.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

sac_status sac_flow_gpu_open(sac_flow *plan, sac_error *err)
{
    sac_gpu *gpu;
    return sac_gpu_open(&gpu, 0, err);
}

void sac_flow_gpu_close(sac_flow_gpu **gpu)
{
}

sac_status sac_flow_gpu_run(sac_flow *plan, const sac_array *out, const sac_array *in,
                            sac_error *err)
{
    return SAC_E_UNSUPPORTED;
}
