/*
 * Checks of the arrays that the signal steps are given.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/steps/lines.h"

#include "base/error.h"

sac_status sac_lines_check(const sac_array *array, const char *name, sac_dtype dtype,
                           sac_error *err)
{
    sac_status status = sac_array_check(array, name, err);
    if (status)
        return status;
    if (array->device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_SHAPE, "%s: expected memory of the CPU", name);
    if (array->dtype != dtype)
        return sac_fail(err, SAC_E_SHAPE, "%s: expected %s, got %s", name, sac_dtype_name(dtype),
                        sac_dtype_name(array->dtype));
    return SAC_OK;
}

sac_status sac_lines_alike(const sac_array *out, const sac_array *in, int32_t n_dims,
                           sac_error *err)
{
    if (out->n_dims != in->n_dims)
        return sac_fail(err, SAC_E_SHAPE, "out: %d axes, and in has %d", out->n_dims, in->n_dims);
    for (int32_t i = 0; i < n_dims; i++)
        if (out->shape[i] != in->shape[i])
            return sac_fail(err, SAC_E_SHAPE, "out: axis %d has %lld, and that of in %lld", i,
                            (long long)out->shape[i], (long long)in->shape[i]);
    return SAC_OK;
}
