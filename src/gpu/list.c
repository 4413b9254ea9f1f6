/*
 * The devices of a set, of which each must be there.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/device.h>

#include "base/error.h"

sac_status sac_device_list(sac_device out[SAC_MAX_DEVICES], int32_t *n, sac_device device,
                           sac_error *err)
{
    if (!out || !n)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "n" : "out");
    *n = 0;
    if (device.kind == SAC_DEVICE_CPU || device.kind == SAC_DEVICE_CUDA) {
        out[(*n)++] = device;
        return SAC_OK;
    }
    if (device.kind != SAC_DEVICE_CUDA_SET || device.index == 0)
        return sac_fail(err, SAC_E_INVALID, "device: no such kind");
    const int32_t n_gpus = sac_gpu_count();
    for (int32_t i = 0; i < SAC_MAX_DEVICES; i++) {
        sac_gpu_info gpu = {.struct_size = sizeof gpu};
        const bool all = device.index == -1;
        if (!(device.index & (int32_t)(1U << i)) || (all && i >= n_gpus && i > 0))
            continue;
        const sac_status st = i < n_gpus ? SAC_OK : sac_gpu_describe(&gpu, i, err);
        if (st != SAC_OK)
            return st;
        out[(*n)++] = (sac_device){SAC_DEVICE_CUDA, i};
    }
    return SAC_OK;
}
