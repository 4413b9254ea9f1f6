/*
 * Groups on a GPU (beamform/plan.h): what a plan keeps there of each, and how a part of a batch
 * goes through them, directly or in two stages (beamform/dual.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_GPU_GROUPS_H
#define SAC_BEAMFORM_GPU_GROUPS_H

#include "beamform/gpu_plan.h"
#include "beamform/kernels/dual_cuda.h"

/* A group's records among the plan's: evenly spaced, or gathered before the run. */
typedef struct sac_beamform_gpu_group {
    sac_das_cuda das; /* dual-stage: the first stage's */
    void *geometry;   /* its memory */
    bool is_even;
    int32_t first_tx, first_rx, step_tx, step_rx; /* where they are even */
    int32_t *which; /* else, on the device: (n_tx) transmits, then (n_rx) elements */
    sac_dual_cuda dual;
    void *taps; /* its memory */
} sac_beamform_gpu_group;

/* Their geometry, in place of the plan's. */
SAC_NODISCARD sac_status sac_beamform_gpu_groups_open(sac_beamform_gpu *g, sac_beamform *plan,
                                                      sac_error *err);
void sac_beamform_gpu_groups_close(sac_beamform_gpu *g);

/* sac_das_cuda_cut of all groups, one after the other. */
void sac_beamform_gpu_groups_cut(sac_das_cuda_cuts *cuts, const sac_beamform *plan, int32_t size,
                                 sac_tier tier, bool inner);

/* Bytes on the device that parts of n frames take besides: gathered records, and what the first of
 * two stages leaves. And that memory. */
size_t sac_beamform_gpu_gathered_bytes(const sac_beamform *plan, int32_t n_frames);
size_t sac_beamform_gpu_stage_bytes(const sac_beamform *plan);

/* The images of a part's frames, from channel data that lies on the device. */
SAC_NODISCARD sac_status sac_beamform_gpu_groups_run(const sac_beamform *plan,
                                                     const sac_beamform_part *part, float *image,
                                                     const void *in,
                                                     const sac_das_cuda_strides *from);

/* Of a group in two stages: what its second stage takes, set up; and a part's frames, added to
 * their images or not, from samples where `run` says. */
SAC_NODISCARD sac_status sac_beamform_gpu_dual_open(sac_beamform_gpu_group *group,
                                                    const sac_beamform *plan, int32_t i,
                                                    sac_gpu *gpu, sac_error *err);
SAC_NODISCARD sac_status sac_beamform_gpu_dual_run(const sac_beamform *plan,
                                                   const sac_beamform_part *part, float *image,
                                                   const sac_das_cuda *run, int32_t i);

#endif
