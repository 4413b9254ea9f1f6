/*
 * Layers and a lens on a GPU (beamform/layered.h): each slab of the points' depths is a run of its
 * own, of moved elements and given arrivals, into its part of the images.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_GPU_LAYERS_H
#define SAC_BEAMFORM_GPU_LAYERS_H

#include "beamform/gpu_plan.h"

/* Their geometry, in place of the plan's. Set-up: finds the arrivals of all points, and waits. */
SAC_NODISCARD sac_status sac_beamform_gpu_layers_open(sac_beamform_gpu *g, const sac_beamform *plan,
                                                      sac_error *err);
void sac_beamform_gpu_layers_close(sac_beamform_gpu *g);

/* What all points' arrivals and places take on the device; 0 without layers. */
double sac_beamform_gpu_layers_bytes(const sac_beamform *plan);

/* What part->beamform makes of `run`, whose waves are the plan's from t on. Only enqueues. */
SAC_NODISCARD sac_status sac_beamform_gpu_layers_run(const sac_beamform *plan,
                                                     const sac_beamform_part *part, float *image,
                                                     const sac_das_cuda *run, int32_t t);

#endif
