/*
 * das_rf_f32's ladder on a GPU: what its rungs need besides a run. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_F32_CUDA_H
#define SAC_BEAMFORM_DAS_RF_F32_CUDA_H

#include "beamform/kernels/das/cuda/das_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The geometry as a kernel's parameter: with a run it has to fit into 4 KiB. */
#define SAC_DAS_STEPS_TX 8
#define SAC_DAS_STEPS_RX 128
typedef struct sac_das_rf_f32_constants {
    sac_das_wave waves[SAC_DAS_STEPS_TX];
    float place[SAC_DAS_STEPS_RX][4]; /* as place_f32 */
} sac_das_rf_f32_constants;

/*
 * A run of the ladder, whose rungs are sac_das_cuda_fn, and read `run` as the first part of this.
 * One frame, linear, zero outside, no f-number.
 */
typedef struct sac_das_rf_f32_steps {
    sac_das_cuda run;
    float *delayed; /* (n_tx, n_rx, n_points) of scratch, or the samples, if they are more */
    void *halves;   /* (n_tx, n_rx, n_samples) fp16: the samples */
    void *pairs;    /* the same, each with the next one of its record */
    sac_das_rf_f32_constants constants;
} sac_das_rf_f32_steps;

#if SAC_CUDA
extern const sac_variant sac_das_rf_f32_steps_cuda[];

/*
 * Fills halves, pairs and constants from the samples, which are the host's, (n_tx, n_rx,
 * n_samples), and the run. They and *steps must stay until the stream is done.
 */
SAC_NODISCARD sac_status sac_das_rf_f32_steps_fill(sac_das_rf_f32_steps *steps, const float *data,
                                                   sac_gpu_stream stream);
#endif

#ifdef __cplusplus
}
#endif
#endif
