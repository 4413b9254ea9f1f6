/*
 * Equalize plans for a GPU in a build without CUDA: refused at open.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/gpu.h"
#include "gpu/gpu.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

sac_status sac_equalize_gpu_open(sac_equalize *plan, sac_error *err)
{
    sac_gpu *gpu;
    return sac_gpu_open(&gpu, 0, err);
}

void sac_equalize_gpu_close(sac_equalize_gpu **gpu)
{
}

sac_status sac_equalize_gpu_run(sac_equalize *plan, const sac_array *outs, const sac_array *ins,
                                int32_t n, sac_error *err)
{
    return SAC_E_UNSUPPORTED;
}

const uint64_t *sac_equalize_gpu_counts(const sac_equalize *plan)
{
    return NULL;
}
