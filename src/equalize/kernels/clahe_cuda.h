/*
 * CUDA rungs of the clahe rooms: whole pictures; c's level and column are in device memory. In
 * libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_CLAHE_CUDA_H
#define SAC_EQUALIZE_CLAHE_CUDA_H

#include "equalize/kernels/clahe.h"
#include "image/pixels.h"
#include "room/variant_cuda.h"

typedef sac_status (*sac_clahe_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                        const sac_pixels *out, const sac_pixels *in,
                                        const sac_clahe *c);

#if SAC_CUDA
SAC_EXTERN_C const sac_variant sac_clahe_u8_cuda[];
SAC_EXTERN_C const sac_variant sac_clahe_u16_cuda[];
#else
#define sac_clahe_u8_cuda NULL
#define sac_clahe_u16_cuda NULL
#endif

#endif
