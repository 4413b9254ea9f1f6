/*
 * The second of two stages on a GPU (beamform/dual.h): a way's volume from its waves' images in a
 * few planes.
 *
 *     out[z, i, x] = or += e(z) sum over t of a[i, t] sum over k of w[i, t, k] images[t, row + k,
 *                                                                                    plane, x]
 *
 * with row = z refined + row[i, t], x across the lines that receive and i along them. Images come
 * without the turns of their depth (sac_das_cuda's `unturned`), so that real coefficients do; e(z)
 * brings those of the point's depth back, a those of the shift, with the wave's weight.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DUAL_CUDA_H
#define SAC_BEAMFORM_DUAL_CUDA_H

#include <stdint.h>

#include "base/error.h"
#include "base/host_device.h"
#include "gpu/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a thread's points along the lines: a block of them, of one plane. Their rows go one way. */
#define SAC_DUAL_CUDA_ALONG 16

/* Of a point and a wave. */
typedef struct sac_dual_cuda_tap {
    float w[4];   /* of the first row, the next, ... as the block's rows go */
    float re, im; /* a */
    int32_t rows; /* further than those of the point before */
    int32_t unused;
} sac_dual_cuda_tap;

typedef struct sac_dual_cuda_block {
    int32_t first, n, plane;
} sac_dual_cuda_block;

/* Of a block and a wave. */
typedef struct sac_dual_cuda_start {
    int32_t row, way; /* of the first point's first coefficient; 1 or -1 */
} sac_dual_cuda_start;

typedef struct sac_dual_cuda {
    int32_t n_tx, n_planes, refined, n_blocks;
    int64_t n_across, n_depths, n_z;
    int64_t out_across, out_along, out_z; /* in values */
    double turn_first, turn_step;         /* of depths, in turns */
    const sac_dual_cuda_block *blocks;    /* (n_blocks) */
    const sac_dual_cuda_start *starts;    /* (n_blocks, n_tx) */
    const sac_dual_cuda_tap *taps;        /* (n_blocks, n_tx, SAC_DUAL_CUDA_ALONG); 0 of no point */
} sac_dual_cuda;

/* images (n_tx, n_depths, n_planes, n_across) and out are complex; the row before and the one after
 * all images can be read. Only enqueues. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_dual_cuda_run(sac_gpu_stream stream, float *out,
                                                        const float *images,
                                                        const sac_dual_cuda *job, bool adds);

#ifdef __cplusplus
}
#endif
#endif
