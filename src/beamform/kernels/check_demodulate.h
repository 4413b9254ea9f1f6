/*
 * The demodulate rooms for the harness: modes, records, comparison. A case is h records of w
 * samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_CHECK_DEMODULATE_H
#define SAC_BEAMFORM_CHECK_DEMODULATE_H

#include "beamform/kernels/demodulate.h"
#include "room/check.h"

enum { SAC_DEMODULATE_OUT, SAC_DEMODULATE_IN };

SAC_INTERNAL extern const char *const sac_demodulate_modes[];
SAC_INTERNAL extern const char *const sac_demodulate_contents[];
SAC_INTERNAL extern const char *const sac_demodulate_tasks[];

SAC_INTERNAL void sac_check_demodulate_shape(sac_check_case *c, size_t size);
SAC_INTERNAL sac_status sac_check_demodulate_open(sac_check_case *c);
SAC_INTERNAL void sac_check_demodulate_close(sac_check_case *c);
SAC_INTERNAL void sac_check_demodulate_fill(sac_check_case *c);
SAC_INTERNAL void sac_check_demodulate_compare(sac_check_diff *d, const sac_check_case *want,
                                               const sac_check_case *got, const sac_variant *v);
SAC_INTERNAL uint64_t sac_check_demodulate_bytes(const sac_check_case *c);
SAC_INTERNAL void sac_check_demodulate_task(sac_check_case *c, int32_t i);
SAC_INTERNAL sac_status sac_check_demodulate_open_cuda(sac_check_case *c, sac_gpu *gpu);
SAC_INTERNAL void sac_check_demodulate_close_cuda(sac_check_case *c, sac_gpu *gpu);
SAC_INTERNAL sac_status sac_check_demodulate_call_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                                       const sac_gpu_shape *shape,
                                                       const sac_check_case *c);

/* The first sample of the first record, and the bytes to the next. */
SAC_INTERNAL void *sac_check_demodulate_samples(const sac_check_case *c, ptrdiff_t *in_sample);

#endif
