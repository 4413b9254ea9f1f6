/*
 * Filters of pictures on a GPU: the launchers of mean_u8, gaussian_u8, median3_u8, median5_u8 and
 * temporal_u8, which take what the CPU's kernels take, in device memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_FILTERS_CUDA_H
#define SAC_MOTION_FILTERS_CUDA_H

#include "motion/denoise_table.h"
#include "motion/kernels/samples.h"
#include "room/variant_cuda.h"

/* Whole pictures of the same size, n of each; those that follow each other and lie alike share a
 * launch. No overlap. */
typedef sac_status (*sac_filter_u8_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                            const sac_samples *outs, const sac_samples *ins,
                                            int32_t n, const sac_filter *f);
/* keep (256) and state (h, w, n_channels) are device memory, too. */
typedef sac_status (*sac_temporal_u8_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                              const sac_samples *out, uint16_t *state,
                                              const sac_samples *in, const uint16_t *keep);

/* What a temporal plan keeps on the device: 0 at first, but noise where that is given. */
typedef struct sac_temporal_cuda {
    double noise;
    uint32_t hist[SAC_NOISE_BINS]; /* 0 before and after each estimate */
    uint16_t keep[256];
} sac_temporal_cuda;

/* Enqueue: t->noise from a frame; t->keep from t->noise. SAC_E_DEVICE. */
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status
sac_temporal_estimate_cuda(sac_gpu_stream stream, sac_temporal_cuda *t, const sac_samples *in);
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status sac_temporal_keep_cuda(sac_gpu_stream stream,
                                                                          sac_temporal_cuda *t,
                                                                          double strength);

SAC_EXTERN_C SAC_INTERNAL const sac_variant sac_mean_u8_cuda[];
SAC_EXTERN_C SAC_INTERNAL const sac_variant sac_gaussian_u8_cuda[];
SAC_EXTERN_C SAC_INTERNAL const sac_variant sac_median3_u8_cuda[];
SAC_EXTERN_C SAC_INTERNAL const sac_variant sac_median5_u8_cuda[];
SAC_EXTERN_C SAC_INTERNAL const sac_variant sac_temporal_u8_cuda[];

#endif
