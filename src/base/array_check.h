/*
 * What a run asks of its arrays, with a text that names the one at fault.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_ARRAY_CHECK_H
#define SAC_BASE_ARRAY_CHECK_H

#include <saccade/array.h>

#include "base/error.h"

/* Whether `array` is sound and has this type and shape, (n_dims) sizes. SAC_E_INVALID (NULL, or no
 * data), SAC_E_SHAPE: "in: expected u8 (1080, 1920, 3), got u8 (1080, 1920)". */
SAC_INTERNAL SAC_NODISCARD sac_status sac_array_expect(const sac_array *array, const char *name,
                                                       sac_dtype dtype, int32_t n_dims,
                                                       const int64_t *shape, sac_error *err);

#define SAC_CPU ((sac_device){SAC_DEVICE_CPU, 0})

/* Whether it lies in the memory of this device. SAC_E_SHAPE. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_array_expect_on(const sac_array *array, const char *name,
                                                          sac_device device, sac_error *err);

/* The first of a picture: u8 (h, w, n_channels), or (h, w) where n_channels is 1. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_array_expect_frame(const sac_array *array,
                                                             const char *name, int64_t h, int64_t w,
                                                             int32_t n_channels, sac_error *err);

#endif
