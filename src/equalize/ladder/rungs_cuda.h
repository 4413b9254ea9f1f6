/*
 * The whole-picture rungs of equalize on a GPU. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_LADDER_RUNGS_CUDA_H
#define SAC_EQUALIZE_LADDER_RUNGS_CUDA_H

#include "equalize/kernels/picture_cuda.h"
#include "room/variant_cuda.h"

typedef struct sac_equalize_cuda_job {
    sac_pixels out, in;
    const sac_equalize_cuda *t; /* here, with its buffers on the device */
    /* Scratch of the HSV rungs, on the device. */
    float *hsv;                             /* (3, h, w) */
    float *s;                               /* (256) */
    uint64_t *counts, *cumulative, *second; /* (256) */
} sac_equalize_cuda_job;

typedef sac_status sac_equalize_cuda_function(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                              const sac_equalize_cuda_job *job);
typedef sac_equalize_cuda_function *sac_equalize_cuda_fn;

/* By way of HSV, one launch a step: the program of Duong, in any shape. Packed 8-bit RGB. */
SAC_EXTERN_C sac_equalize_cuda_function sac_equalize_hsv_triples_cuda;
SAC_EXTERN_C sac_equalize_cuda_function sac_equalize_hsv_planes_cuda;
/* 8 bit: counting, whose last block makes the table; then scaling. */
SAC_EXTERN_C sac_equalize_cuda_function sac_equalize_two_launch_cuda;

#endif
