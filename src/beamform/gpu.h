/*
 * The part of a beamform plan that is on a GPU. Functions are there in a build without CUDA, too,
 * where open refuses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_GPU_H
#define SAC_BEAMFORM_GPU_H

#include <saccade/beamform.h>

#include "base/error.h"

typedef struct sac_beamform_gpu sac_beamform_gpu;

/* Sets plan->gpu, ->pool, ->variant and the frames of a batch, das.n_frames; the das is complete
 * but for its data. On failure the plan is to be closed. */
SAC_NODISCARD sac_status sac_beamform_gpu_open(sac_beamform *plan, sac_error *err);

/* Freeing device memory waits for what is enqueued. Takes *gpu == NULL. */
void sac_beamform_gpu_close(sac_beamform_gpu **gpu);

SAC_NODISCARD sac_status sac_beamform_gpu_run(sac_beamform *plan, const sac_array *out,
                                              const sac_array *in, sac_error *err);

#endif
