/*
 * What a launched batch of meltpool frames needs besides the rooms' kernels: features from
 * integers, and frames' brightest pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_BATCH_CUDA_H
#define SAC_MELTPOOL_BATCH_CUDA_H

#include "meltpool/kernels/frame.h"
#include "meltpool/kernels/variance_f32/variance_f32_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of n frames, in device memory. */
typedef struct sac_meltpool_results_cuda {
    float *features;    /* (n, 40) */
    float *predictions; /* (n, 2) */
    uint32_t *flags;    /* (n) */
} sac_meltpool_results_cuda;

/* Features 0..19 and flags of n frames, from in (n); also into the newest of each frame's rows of
 * the ring, which is aligned to 128 bytes. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_meltpool_features_cuda(
    sac_gpu_stream stream, const sac_meltpool_results_cuda *out, float *ring,
    const sac_meltpool_integers *in, const sac_meltpool_rows *rows, int64_t n);

/* Frames to look at, in device memory. */
typedef struct sac_meltpool_search_cuda {
    const uint8_t *pixels;
    ptrdiff_t frame, row; /* bytes from one to the next, of any sign */
    int32_t h, w, n;      /* at most 4096, 4096 pixels */
} sac_meltpool_search_cuda;

/* out (n): y w + x of each frame's first maximum in raster order. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_meltpool_brightest_cuda(
    sac_gpu_stream stream, uint32_t *out, const sac_meltpool_search_cuda *frames);

#ifdef __cplusplus
}
#endif
#endif
