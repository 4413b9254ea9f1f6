/*
 * Delay-and-sum's kernels on a GPU: the tables, slowest to fastest within a tier.
 *
 *   points   a thread a point, frames apart: takes every run of group 1
 *   frames   lanes are frames: takes every packed run
 *   tensor   of half-precision IQ: matrices
 *
 * Of the first two there are forms with receive delays in single precision, -single.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RUNGS_CUDA_H
#define SAC_BEAMFORM_DAS_RUNGS_CUDA_H

#include "beamform/kernels/das/cuda/das_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which runs a rung is for: a variant's kind, 0 for all. */
typedef enum sac_das_kind {
    SAC_DAS_CUDA_POINTS = 1, /* group 1 */
    SAC_DAS_CUDA_FRAMES,     /* packed */
    SAC_DAS_CUDA_HALF,       /* packed, in half precision */
    SAC_DAS_STEPS,           /* what the ladder's steps take, on the CPU or on a GPU */
    SAC_DAS_STEPS_HALF       /* the same, with samples in half precision */
} sac_das_kind;

#if SAC_CUDA
SAC_INTERNAL extern const sac_variant sac_das_iq_f32_cuda[], sac_das_rf_f32_cuda[],
    sac_das_rf_i16_cuda[];
#else
#define sac_das_iq_f32_cuda NULL
#define sac_das_rf_f32_cuda NULL
#define sac_das_rf_i16_cuda NULL
#endif

/* Whether the current device multiplies matrices of halves. */
SAC_INTERNAL bool sac_das_cuda_has_tensor(void);

#define SAC_DAS_RUNG(name)                                                                         \
    SAC_INTERNAL SAC_NODISCARD sac_status name(sac_gpu_stream stream, const sac_gpu_shape *shape,  \
                                               float *out, const sac_das_cuda *run)
SAC_DAS_RUNG(sac_das_iq_f32_tensor);
SAC_DAS_RUNG(sac_das_iq_f32_frames);
SAC_DAS_RUNG(sac_das_iq_f32_frames_single);
SAC_DAS_RUNG(sac_das_rf_f32_frames);
SAC_DAS_RUNG(sac_das_rf_f32_frames_single);
#undef SAC_DAS_RUNG

/* arrivals_s (n_points) of a transmit with delays_s (n_firing), all on the device, whose wave meets
 * points like that. */
SAC_NODISCARD sac_status sac_das_cuda_arrivals(sac_gpu_stream stream, double *arrivals_s,
                                               const sac_das_cuda *run, const double *delays_s,
                                               const sac_das_meeting *meeting);

#ifdef __cplusplus
}
#endif
#endif
