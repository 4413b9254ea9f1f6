/*
 * Equalize plans for a GPU in a build without CUDA: refused at open.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/gpu.h"
#include "gpu/gpu.h"

sac_status sac_equalize_gpu_open(sac_equalize *plan, sac_error *err)
{
    sac_gpu *gpu;
    (void)plan;
    return sac_gpu_open(&gpu, 0, err);
}

void sac_equalize_gpu_close(sac_equalize_gpu **gpu)
{
    (void)gpu;
}

sac_status sac_equalize_gpu_run(sac_equalize *plan, const sac_array *outs, const sac_array *ins,
                                int32_t n, sac_error *err)
{
    (void)err;
    (void)plan;
    (void)outs;
    (void)ins;
    (void)n;
    return SAC_E_UNSUPPORTED;
}

const uint64_t *sac_equalize_gpu_counts(const sac_equalize *plan)
{
    (void)plan;
    return NULL;
}
