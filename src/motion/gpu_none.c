/*
 * Motion plans for a GPU in a build without CUDA: refused at open.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/denoise.h"
#include "motion/kernels/adjust_cuda.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

sac_status sac_motion_gpu_open(sac_motion_gpu **gpu, const sac_motion_gpu_desc *desc,
                               sac_error *err)
{
    sac_gpu *none;
    *gpu = NULL;
    return sac_gpu_open(&none, desc->device.index, err);
}

void sac_motion_gpu_say(const sac_motion_gpu_desc *desc, char *text, size_t size,
                        const char *variant)
{
}

void sac_motion_gpu_close(sac_motion_gpu **gpu)
{
}

sac_status sac_motion_gpu_keep(sac_motion_gpu *gpu, void **memory, size_t bytes, const void *from,
                               sac_error *err)
{
    return SAC_E_UNSUPPORTED;
}

sac_status sac_motion_gpu_run(sac_motion_gpu *gpu, void *plan, const sac_array *outs,
                              const sac_array *currents, const sac_array *previouses, int32_t n,
                              sac_error *err)
{
    return SAC_E_UNSUPPORTED;
}

sac_status sac_motion_gpu_read(sac_motion_gpu *gpu, void *to, const void *memory, size_t bytes)
{
    return SAC_E_UNSUPPORTED;
}

sac_status sac_heat_u8_pairs(sac_gpu_stream stream, const sac_pair *pairs, int32_t n,
                             const uint32_t *table)
{
    return SAC_E_UNSUPPORTED;
}

sac_status sac_noise_u8_pairs(sac_gpu_stream stream, const sac_pair *pairs, int32_t n,
                              sac_noise_view view, int32_t threshold, uint64_t *counts,
                              sac_noise_scratch *scratch)
{
    return SAC_E_UNSUPPORTED;
}

sac_status sac_adjust_u8_pairs(sac_gpu_stream stream, const sac_pair *pairs, int32_t n,
                               const sac_adjust_mix *mix)
{
    return SAC_E_UNSUPPORTED;
}

sac_status sac_denoise_gpu_open(sac_denoise *plan, sac_error *err)
{
    return sac_motion_gpu_open(&plan->gpu, &(sac_motion_gpu_desc){.pipeline = "denoise"}, err);
}

double sac_denoise_gpu_noise(const sac_denoise *plan)
{
    return 0;
}
