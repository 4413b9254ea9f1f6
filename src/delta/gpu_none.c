/*
 * Delta streams on a GPU in a build without CUDA: refused at open.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/decode_gpu.h"
#include "delta/encode_gpu.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

sac_status sac_delta_encode_gpu_open(sac_delta_encode *plan, sac_error *err)
{
    sac_gpu *none;
    return sac_gpu_open(&none, plan->desc.device.index, err);
}

void sac_delta_encode_gpu_close(sac_delta_encode_gpu **gpu)
{
}

sac_status sac_delta_encode_gpu_run(sac_delta_encode *plan, const sac_delta_taker *taker,
                                    const sac_array *frames, const uint64_t *times_ns, int32_t n,
                                    sac_error *err)
{
    return SAC_E_UNSUPPORTED;
}

sac_status sac_delta_decode_gpu_open(sac_delta_decode *plan, sac_error *err)
{
    sac_gpu *none;
    return sac_gpu_open(&none, plan->desc.device.index, err);
}

void sac_delta_decode_gpu_close(sac_delta_decode *plan)
{
}

sac_status sac_delta_decode_gpu_room(sac_delta_decode *plan, sac_delta_chain *chain)
{
    return SAC_E_UNSUPPORTED;
}

void sac_delta_decode_gpu_share(sac_delta_decode *plan)
{
}

sac_status sac_delta_decode_gpu_bands(sac_delta_decode *plan)
{
    return SAC_E_UNSUPPORTED;
}

void *sac_delta_decode_gpu_picture(const sac_delta_decode *plan)
{
    return NULL;
}
