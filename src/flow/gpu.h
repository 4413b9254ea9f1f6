/*
 * The part of a flow plan that is on a GPU. Functions are there in a build without CUDA, too, where
 * open refuses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_GPU_H
#define SAC_FLOW_GPU_H

#include <saccade/flow.h>

#include "base/error.h"

typedef struct sac_flow_gpu sac_flow_gpu;

/* Sets plan->gpu, ->pool and ->variant; all else of the plan but what is the CPU's alone is there.
 * On failure the plan is to be closed. */
SAC_NODISCARD sac_status sac_flow_gpu_open(sac_flow *plan, sac_error *err);

/* Freeing device memory waits for what is enqueued. Takes *gpu == NULL. */
void sac_flow_gpu_close(sac_flow_gpu **gpu);

/* Arrays that sac_flow_check_arrays has seen. */
SAC_NODISCARD sac_status sac_flow_gpu_run(sac_flow *plan, const sac_array *out, const sac_array *in,
                                          sac_error *err);

#endif
