/*
 * adapt_iq_f32 on a GPU: delay-and-sum's run, das_cuda.h, of group 1 with its `reduction`. Frames
 * are reduced one by one; other orders than rows of points are that header's.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_IQ_F32_CUDA_H
#define SAC_BEAMFORM_ADAPT_IQ_F32_CUDA_H

#include "beamform/kernels/das/cuda/das_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which reductions a rung is for: a variant's kind. */
typedef enum sac_adapt_kind {
    SAC_ADAPT_SIGNALS = 1, /* all of them */
    SAC_ADAPT_POINTS       /* the coherence factor, but over compounded signals */
} sac_adapt_kind;

static inline sac_adapt_kind sac_adapt_kind_of(const sac_reduction *r)
{
    return r->kind == SAC_REDUCE_CF && r->over != SAC_OVER_COMPOUND ? SAC_ADAPT_POINTS
                                                                    : SAC_ADAPT_SIGNALS;
}

SAC_INTERNAL extern const sac_variant sac_adapt_iq_f32_cuda[]; /* in builds with CUDA */

/* Bytes of `scratch` on the device with which a run works that goes by the signals, also with fewer
 * of its transmits: about `most`, unless a single tile of points needs more. With fewer bytes it
 * goes through fewer points at a time. */
SAC_INTERNAL size_t sac_adapt_cuda_bytes(const sac_das_cuda *run, double most);
#define SAC_ADAPT_CUDA_BYTES 0x1p29 /* of which more gain nothing */

/* Values below 0 of n complex ones become 0, real parts alone: the envelope of coherence. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_adapt_cuda_clip(sac_gpu_stream stream, float *values,
                                                          int64_t n);

/* Rungs, by delays in double precision and in single. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_adapt_cuda_points(sac_gpu_stream stream,
                                                            const sac_gpu_shape *shape, float *out,
                                                            const sac_das_cuda *run);
SAC_INTERNAL SAC_NODISCARD sac_status sac_adapt_cuda_points_single(sac_gpu_stream stream,
                                                                   const sac_gpu_shape *shape,
                                                                   float *out,
                                                                   const sac_das_cuda *run);

#ifdef __cplusplus
}
#endif
#endif
