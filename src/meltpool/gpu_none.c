/*
 * A meltpool plan on a GPU in a build without CUDA: there is none.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/gpu.h"

#include "gpu/gpu.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

sac_status sac_meltpool_gpu_open(sac_meltpool *plan, sac_error *err)
{
    sac_gpu *gpu = NULL;
    return sac_gpu_open(&gpu, 0, err);
}

const char *sac_meltpool_gpu_fault(const sac_meltpool_gpu *gpu)
{
    return "";
}

void sac_meltpool_gpu_close(sac_meltpool_gpu **gpu, double timeout_s)
{
}

sac_status sac_meltpool_gpu_run(sac_meltpool *plan, sac_meltpool_record *records,
                                const sac_array *frames, const sac_meltpool_signals *signals,
                                int64_t n)
{
    return SAC_E_UNSUPPORTED;
}
