/*
 * The vhist rooms' rungs on a GPU: hist (2^depth), overwritten; w h < 2^32. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VHIST_CUDA_H
#define SAC_EQUALIZE_VHIST_CUDA_H

#include "image/pixels.h"
#include "room/variant_cuda.h"

typedef sac_status (*sac_vhist_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                        uint32_t *hist, const sac_pixels *in);

#if SAC_CUDA
SAC_EXTERN_C const sac_variant sac_vhist_u8_cuda[];
SAC_EXTERN_C const sac_variant sac_vhist_u16_cuda[];
#else
#define sac_vhist_u8_cuda NULL
#define sac_vhist_u16_cuda NULL
#endif

#endif
