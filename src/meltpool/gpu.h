/*
 * A meltpool plan on a GPU, as open and run see it. In a build without CUDA opening says so.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_GPU_H
#define SAC_MELTPOOL_GPU_H

#include "meltpool/plan.h"

enum { SAC_MELTPOOL_GPU_BLOCK = 4096 /* frames of a launched batch's block */ };

/* Fills in plan->gpu, plan->variant and plan->n_block. SAC_E_UNSUPPORTED, SAC_E_DEVICE,
 * SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_meltpool_gpu_open(sac_meltpool *plan, sac_error *err);
/* What is still at work after timeout_s is left alone, and its memory not freed. */
void sac_meltpool_gpu_close(sac_meltpool_gpu **gpu, double timeout_s);

/* Why a run returned SAC_E_DEVICE; "" where none did. */
const char *sac_meltpool_gpu_fault(const sac_meltpool_gpu *gpu);

/* n frames that fit the plan: a frame (h, w), or frames (n, h, w). SAC_E_DEVICE: they are counted
 * as failed. */
SAC_NODISCARD sac_status sac_meltpool_gpu_run(sac_meltpool *plan, sac_meltpool_record *records,
                                              const sac_array *frames,
                                              const sac_meltpool_signals *signals, int64_t n);

#endif
