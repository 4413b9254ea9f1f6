/*
 * The part of an equalize plan that is on a GPU. Functions are there in a build without CUDA, too,
 * where open refuses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_GPU_H
#define SAC_EQUALIZE_GPU_H

#include <saccade/equalize.h>

#include "base/error.h"

typedef struct sac_equalize_gpu sac_equalize_gpu;

/* Sets plan->gpu, ->pool, ->counts and ->variant; on failure the plan is to be closed. */
SAC_NODISCARD sac_status sac_equalize_gpu_open(sac_equalize *plan, sac_error *err);

/* Freeing device memory waits for what is enqueued. Takes *gpu == NULL. */
void sac_equalize_gpu_close(sac_equalize_gpu **gpu);

SAC_NODISCARD sac_status sac_equalize_gpu_run(sac_equalize *plan, const sac_array *outs,
                                              const sac_array *ins, int32_t n, sac_error *err);

/* plan->counts, filled; NULL where the device is lost. */
const uint64_t *sac_equalize_gpu_counts(const sac_equalize *plan);

#endif
