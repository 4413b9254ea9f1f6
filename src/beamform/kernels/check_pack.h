/*
 * What the pack rooms are checked and timed with: records of w samples and h frames (task: every
 * record of configuration A), as acquired, frames innermost, and one frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_CHECK_PACK_H
#define SAC_BEAMFORM_CHECK_PACK_H

#include "beamform/kernels/pack.h"
#include "room/check.h"

SAC_INTERNAL extern const char *const sac_check_pack_modes[];
SAC_INTERNAL extern const char *const sac_check_pack_contents[];
SAC_INTERNAL extern const char *const sac_check_pack_tasks[];

SAC_INTERNAL void sac_check_pack_set_task(sac_check_case *c, int32_t i);
SAC_INTERNAL void sac_check_pack_shape(sac_check_case *c, size_t size, int parts);
SAC_INTERNAL SAC_NODISCARD sac_status sac_check_pack_open(sac_check_case *c, size_t size,
                                                          int parts);
SAC_INTERNAL void sac_check_pack_close(sac_check_case *c);
SAC_INTERNAL void sac_check_pack_fill(sac_check_case *c);
SAC_INTERNAL void sac_check_pack_call(sac_any_fn fn, const sac_check_case *c);
SAC_INTERNAL uint64_t sac_check_pack_bytes(const sac_check_case *c);
SAC_INTERNAL void sac_check_pack_compare(sac_check_diff *d, const sac_check_case *want,
                                         const sac_check_case *got, const sac_variant *v);

/* On a GPU: sac_das_cuda_pack, whose layout is another (beamform/kernels/das_cuda.h). */
#if SAC_CUDA
SAC_INTERNAL extern const sac_variant sac_check_pack_cuda[];
SAC_INTERNAL sac_status sac_check_pack_call_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                                 const sac_gpu_shape *shape,
                                                 const sac_check_case *c);
#endif

#endif
