/*
 * Numbers of MATLAB's classes, and as samples of ours.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/mat_numbers.h"

#include <math.h>
#include <string.h>

#include "io/recording/parts.h"

sac_dtype sac_mat_dtype(const matvar_t *v)
{
    static const sac_dtype dtypes[] = {
        [MAT_C_DOUBLE] = SAC_F64, [MAT_C_SINGLE] = SAC_F32, [MAT_C_INT8] = SAC_I8,
        [MAT_C_UINT8] = SAC_U8,   [MAT_C_INT16] = SAC_I16,  [MAT_C_UINT16] = SAC_U16,
        [MAT_C_INT32] = SAC_I32,  [MAT_C_UINT32] = SAC_U32, [MAT_C_INT64] = SAC_I64,
        [MAT_C_UINT64] = SAC_U64,
    };
    const size_t class_type = (size_t)v->class_type;
    return class_type < sizeof dtypes / sizeof *dtypes ? dtypes[class_type] : (sac_dtype)0;
}

double sac_mat_number(const matvar_t *v, size_t i)
{
    const sac_dtype dtype = sac_mat_dtype(v);
    return sac_must_number((const char *)v->data + i * sac_dtype_size(dtype), dtype);
}

bool sac_mat_convert(const sac_array *samples, size_t to, const matvar_t *v, size_t from, size_t n)
{
    if (samples->dtype == SAC_I16) {
        int16_t *rf = (int16_t *)samples->data + to;
        for (size_t i = 0; i < n; i++)
            rf[i] = (int16_t)sac_mat_number(v, from + i);
        return true;
    }
    if (samples->dtype == SAC_C64) {
        const mat_complex_split_t *parts = v->data;
        const matvar_t re = {.class_type = v->class_type, .data = parts->Re};
        const matvar_t im = {.class_type = v->class_type, .data = parts->Im};
        float *iq = (float *)samples->data + 2 * to;
        for (size_t i = 0; i < n; i++) {
            iq[2 * i] = (float)sac_mat_number(&re, from + i);
            iq[2 * i + 1] = (float)sac_mat_number(&im, from + i);
        }
        return false;
    }
    bool whole = true;
    float *rf = (float *)samples->data + to;
    for (size_t i = 0; i < n; i++) {
        double x = sac_mat_number(v, from + i);
        rf[i] = (float)x;
        whole = whole && x >= INT16_MIN && x <= INT16_MAX && x == rint(x);
    }
    return whole;
}

void sac_mat_narrow(sac_array *samples)
{
    char *data = samples->data;
    int64_t n = sac_array_count(samples);
    for (int64_t i = 0; data && i < n; i++) {
        float x;
        memcpy(&x, data + i * 4, sizeof x);
        int16_t y = (int16_t)x;
        memcpy(data + i * 2, &y, sizeof y);
    }
    samples->dtype = SAC_I16;
    for (int i = 0; i < 4; i++)
        samples->stride[i] /= 2;
}
