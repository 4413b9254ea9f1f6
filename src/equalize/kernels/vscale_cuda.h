/*
 * CUDA rungs of the vscale rooms: the scale's num, q8 and q16 are in device memory. In
 * libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VSCALE_CUDA_H
#define SAC_EQUALIZE_VSCALE_CUDA_H

#include "image/pixels.h"
#include "equalize/kernels/scale.h"
#include "room/variant_cuda.h"

typedef sac_status (*sac_vscale_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                         const sac_pixels *out, const sac_pixels *in,
                                         const sac_scale *s);

#if SAC_CUDA
SAC_EXTERN_C const sac_variant sac_vscale_u8_cuda[];
SAC_EXTERN_C const sac_variant sac_vscale_u16_cuda[];
#else
#define sac_vscale_u8_cuda NULL
#define sac_vscale_u16_cuda NULL
#endif

#endif
