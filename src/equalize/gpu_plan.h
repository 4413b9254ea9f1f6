/*
 * What an equalize plan keeps on a GPU and for it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_GPU_PLAN_H
#define SAC_EQUALIZE_GPU_PLAN_H

#include "equalize/plan.h"
#include "gpu/stage.h"
#include "equalize/kernels/picture_cuda.h"

/* Frames on the device: one is copied in, one worked on, one copied back. */
#define SAC_EQUALIZE_FRAMES 3

/* A picture from the CPU's memory, equalized in place. */
typedef struct sac_equalize_frame {
    void *memory;
    sac_pixels pixels;
    sac_gpu_event here, done, gone; /* copied in; equalized; copied back */
} sac_equalize_frame;

struct sac_equalize_gpu {
    sac_gpu *gpu;
    sac_gpu_stream stream; /* the caller's or the plan's */
    bool waits;            /* it is the plan's: a run is complete when it returns */
    sac_equalize_picture_cuda *launch;
    sac_equalize_cuda tables;

    /* For pictures in the CPU's memory; NULL where the stream is the caller's. */
    sac_stage *stage;
    sac_equalize_frame frame[SAC_EQUALIZE_FRAMES];
};

/* Bytes from a row of a frame on the device to the next. */
size_t sac_equalize_frame_row(const sac_equalize_desc *desc);

#endif
