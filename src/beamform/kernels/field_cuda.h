/*
 * Transmit apodization on a GPU: images of waves, weighted point by point and summed. Definition
 * and weights are field.h's.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_FIELD_CUDA_H
#define SAC_BEAMFORM_FIELD_CUDA_H

#include "beamform/kernels/das/cuda/das_cuda.h"
#include "beamform/kernels/field.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A field whose waves are on the device, and what it needs to know of every point: 1 / max(1, sum
 * of W), or for lines which wave a point takes. */
typedef struct sac_field_cuda {
    sac_field field;
    float *share;  /* (n_points) */
    int32_t *line; /* (n_points) */
} sac_field_cuda;

/* arrivals_s (n_points): tau_tx of wave t, a focused one. Only enqueues. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_field_cuda_arrivals(sac_gpu_stream stream,
                                                              double *arrivals_s,
                                                              const sac_field_cuda *field,
                                                              const sac_das *das, int32_t t);

/* Fills in share or line, for the points of `das`, whose memory is on the device. Only enqueues. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_field_cuda_prepare(sac_gpu_stream stream,
                                                             const sac_field_cuda *field,
                                                             const sac_das *das);

/* out (n_frames, n_points) = or, unless `begin` is 0, += what the points take of waves [begin, end)
 * of (n_frames, end - begin, n_points), both of n_parts floats a value. Only enqueues. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_field_cuda_add(
    sac_gpu_stream stream, float *out, const float *waves, const sac_field_cuda *field,
    const sac_das *das, int32_t begin, int32_t end, int32_t n_frames, int32_t n_parts);

#ifdef __cplusplus
}
#endif
#endif
