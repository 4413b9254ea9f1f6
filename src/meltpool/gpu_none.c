/*
 * A meltpool plan on a GPU in a build without CUDA: there is none.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/gpu.h"

#include "gpu/gpu.h"

sac_status sac_meltpool_gpu_open(sac_meltpool *plan, sac_error *err)
{
    sac_gpu *gpu = NULL;
    (void)plan;
    return sac_gpu_open(&gpu, 0, err);
}

const char *sac_meltpool_gpu_fault(const sac_meltpool_gpu *gpu)
{
    (void)gpu;
    return "";
}

void sac_meltpool_gpu_close(sac_meltpool_gpu **gpu, double timeout_s)
{
    (void)gpu;
    (void)timeout_s;
}

sac_status sac_meltpool_gpu_run(sac_meltpool *plan, sac_meltpool_record *records,
                                const sac_array *frames, const sac_meltpool_signals *signals,
                                int64_t n)
{
    (void)plan;
    (void)records;
    (void)frames;
    (void)signals;
    (void)n;
    return SAC_E_UNSUPPORTED;
}
