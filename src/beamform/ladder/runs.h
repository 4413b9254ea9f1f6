/*
 * What the room `beamform` runs, and the plans that run it: a case's state.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_LADDER_RUNS_H
#define SAC_BEAMFORM_LADDER_RUNS_H

#include <saccade/beamform.h>

#include "room/check.h"

#define MAX_ELEMENTS 1024
#define MAX_TRANSMITS 75

/* A row of the table; or for a case: at least one point along y, and of a check in a task's mode
 * some transmits and elements. */
typedef struct sac_beamform_ladder_run {
    sac_dtype dtype;
    sac_channel_layout layout;
    int32_t n_frames, n_tx, n_rx, n_samples;
    int32_t demodulate; /* sac_demodulate_choice */
    bool lri;
    int32_t output; /* sac_beamform_output */
    double f_number, fs_hz, fc_hz, c_m_s, pitch_m, t0_s, angle_rad;
    double x_m, z0_m, z1_m; /* the points' ends */
    int32_t decimation;     /* 0: 1 */
    /* A volume: elements of a side of a matrix array, whose waves diverge; points along y, as far
     * as along x. 0: no. */
    int32_t side, n_y;
    /* What follows for a case. */
    int32_t n_images;   /* of a frame */
    bool is_complex;    /* images are */
    bool is_compounded; /* there are several low-resolution images to sum */
} sac_beamform_ladder_run;

SAC_INTERNAL extern const char *const sac_beamform_ladder_modes[];
SAC_INTERNAL extern const sac_check_task sac_beamform_ladder_tasks[];
SAC_INTERNAL sac_beamform_ladder_run sac_beamform_ladder_run_of(const sac_check_case *c);

/* Plans; on a GPU by tier, on the harness's stream. */
enum { REFERENCE, PRECISE, EXACT, CHOSEN, KEPT, N_PLANS, CUDA_PLANS = N_PLANS };
enum { KEPT_CUDA = CUDA_PLANS + SAC_TIER_FAST + 1 }; /* LRIs, by the tier of CHOSEN */

typedef struct sac_beamform_ladder_plans {
    sac_element elements[MAX_ELEMENTS];
    sac_transmit transmits[MAX_TRANSMITS];
    sac_acquisition acquisition;
    sac_beamform_desc desc;
    sac_beamform *plans[KEPT_CUDA + 1];
    sac_device gpu_device;
    float *lris, *lris_cuda; /* of KEPT and KEPT_CUDA */
} sac_beamform_ladder_plans;

/* The room's open, close, open_cuda and close_cuda. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_beamform_ladder_open(sac_check_case *c);
SAC_INTERNAL void sac_beamform_ladder_close(sac_check_case *c);
SAC_INTERNAL SAC_NODISCARD sac_status sac_beamform_ladder_open_cuda(sac_check_case *c,
                                                                    sac_gpu *gpu);
SAC_INTERNAL void sac_beamform_ladder_close_cuda(sac_check_case *c, sac_gpu *gpu);

#endif
