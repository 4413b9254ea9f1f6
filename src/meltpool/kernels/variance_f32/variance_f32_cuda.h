/*
 * variance_f32 on a GPU, for many frames at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_VARIANCE_F32_CUDA_H
#define SAC_MELTPOOL_VARIANCE_F32_CUDA_H

#include "room/variant_cuda.h"
#include "variance_f32.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows that a frame's variances are of. */
typedef struct sac_meltpool_rows {
    int32_t n, newest;
} sac_meltpool_rows;

/* Frames with one ring, all in device memory. */
typedef struct sac_meltpool_rings_cuda {
    const float *ring;
    int32_t window;                /* rows of the ring */
    const sac_meltpool_rows *rows; /* (n) */
    int64_t n;
} sac_meltpool_rings_cuda;

/* out: n results of 20, `row` floats apart. The same bytes by every rung. Shapes are the rung's
 * own. */
typedef sac_status (*sac_variance_f32_cuda_fn)(sac_gpu_stream stream, float *out, ptrdiff_t row,
                                               const sac_meltpool_rings_cuda *frames);

/* A batch takes SAC_VARIANCE_F32_MANY; the other is faster where there are few frames. */
enum { SAC_VARIANCE_F32_MANY, SAC_VARIANCE_F32_FEW };

SAC_INTERNAL extern const sac_variant sac_variance_f32_cuda[]; /* ends with NULL name */

#ifdef __cplusplus
}
#endif
#endif
