/*
 * rgb2hsv_u8 on a GPU. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_RGB2HSV_U8_CUDA_H
#define SAC_EQUALIZE_RGB2HSV_U8_CUDA_H

#include "equalize/kernels/hsv.h"
#include "room/variant_cuda.h"

typedef sac_status sac_rgb2hsv_u8_cuda_function(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                                const sac_hsv *out, const uint8_t *rgb, int64_t n);
typedef sac_rgb2hsv_u8_cuda_function *sac_rgb2hsv_u8_cuda_fn;

SAC_EXTERN_C sac_rgb2hsv_u8_cuda_function sac_rgb2hsv_u8_v0_cuda;
SAC_EXTERN_C sac_rgb2hsv_u8_cuda_function sac_rgb2hsv_u8_v1_cuda;

#if SAC_CUDA
SAC_EXTERN_C const sac_variant sac_rgb2hsv_u8_cuda[];
#else
#define sac_rgb2hsv_u8_cuda NULL
#endif

#endif
