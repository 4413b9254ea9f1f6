/*
 * adjust_u8 on a GPU, many pictures in one launch.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_ADJUST_CUDA_H
#define SAC_MOTION_ADJUST_CUDA_H

#include "motion/kernels/adjust_mix.h"
#include "motion/kernels/pairs_cuda.h"

/* Enqueues n pictures, pairs[i].current to pairs[i].out, which may be the same; as heat maps in
 * pairs_cuda.h, with `current` as `previous`, too. SAC_E_DEVICE. */
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status sac_adjust_u8_pairs(sac_gpu_stream stream,
                                                                       const sac_pair *pairs,
                                                                       int32_t n,
                                                                       const sac_adjust_mix *mix);

/* The room's rungs. */
typedef sac_status (*sac_adjust_u8_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                            const sac_pair *pair, const sac_adjust_mix *mix);
SAC_EXTERN_C SAC_INTERNAL const sac_variant sac_adjust_u8_cuda[];

#endif
