/*
 * scan_u64 on a GPU: out, in and second, for those that need another array, are (n). In
 * libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_SCAN_U64_CUDA_H
#define SAC_EQUALIZE_SCAN_U64_CUDA_H

#include "room/variant_cuda.h"

typedef sac_status sac_scan_u64_cuda_function(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                              uint64_t *out, uint64_t *second, const uint64_t *in,
                                              int64_t n);
typedef sac_scan_u64_cuda_function *sac_scan_u64_cuda_fn;

#if SAC_CUDA
SAC_EXTERN_C const sac_variant sac_scan_u64_cuda[];
#else
#define sac_scan_u64_cuda NULL
#endif

SAC_EXTERN_C sac_scan_u64_cuda_function sac_scan_u64_kogge_stone_shared;

#endif
