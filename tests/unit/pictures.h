/*
 * Pictures in memory for tests of whole pipelines.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_PICTURES_H
#define SAC_TESTS_PICTURES_H

#include <saccade/array.h>

#include <stdlib.h>

#include "room/check.h"
#include "unit.h"

/* (h, w) or (h, w, n_channels), of malloc'ed samples: free(data). A dark gradient with noise. */
static inline sac_array new_picture(sac_dtype dtype, int64_t w, int64_t h, int32_t n_channels)
{
    const int64_t shape[] = {h, w, n_channels};
    const size_t n = (size_t)(w * h * n_channels);
    uint8_t *data = malloc(n * sac_dtype_size(dtype));
    sac_array a;
    sac_error err = {0};
    uint64_t random = 1;
    assert_non_null(data);
    for (size_t i = 0; i < n; i++) {
        const uint64_t noise = sac_check_random(&random) >> 48;
        const uint64_t value = i * 20000 / n + noise / 4;
        if (dtype == SAC_U8)
            data[i] = (uint8_t)(value >> 8);
        else
            ((uint16_t *)(void *)data)[i] = (uint16_t)value;
    }
    assert_ok(sac_array_view(&a, data, dtype, n_channels == 1 ? 2 : 3, shape, &err), &err);
    return a;
}

static inline size_t picture_bytes(const sac_array *a)
{
    return (size_t)sac_array_count(a) * sac_dtype_size(a->dtype);
}

#endif
