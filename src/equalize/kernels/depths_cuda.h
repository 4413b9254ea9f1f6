/*
 * The same rooms' rungs on a GPU: whole pictures. hist (2^depth) is overwritten, and w h < 2^32;
 * what a scale or a clahe points to is in device memory. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_DEPTHS_CUDA_H
#define SAC_EQUALIZE_DEPTHS_CUDA_H

#include "equalize/kernels/depths.h"
#include "room/variant_cuda.h"

typedef sac_status (*sac_vhist_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                        uint32_t *hist, const sac_pixels *in);
typedef sac_status (*sac_vscale_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                         const sac_pixels *out, const sac_pixels *in,
                                         const sac_scale *s);
typedef sac_status (*sac_clahe_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                        const sac_pixels *out, const sac_pixels *in,
                                        const sac_clahe *c);

SAC_EXTERN_C const sac_variant sac_vhist_u8_cuda[];
SAC_EXTERN_C const sac_variant sac_vhist_u16_cuda[];
SAC_EXTERN_C const sac_variant sac_vscale_u8_cuda[];
SAC_EXTERN_C const sac_variant sac_vscale_u16_cuda[];
SAC_EXTERN_C const sac_variant sac_clahe_u8_cuda[];
SAC_EXTERN_C const sac_variant sac_clahe_u16_cuda[];

#endif
