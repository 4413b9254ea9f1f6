/*
 * What a motion plan keeps on a GPU and for it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_GPU_PLAN_H
#define SAC_MOTION_GPU_PLAN_H

#include "gpu/stage.h"
#include "motion/gpu.h"

/* Calls on their way: one is copied in, one worked on, one copied back. */
#define SAC_MOTION_SLOTS 3
#define SAC_MOTION_MEMORIES 4 /* of a plan */

/* What a call of arrays in the CPU's memory has on the device. */
typedef struct sac_motion_slot {
    sac_array current, previous, out; /* previous: where it is not the frame of the call before */
    sac_gpu_event here, done, gone;   /* copied in; drawn; copied back */
} sac_motion_slot;

struct sac_motion_gpu {
    sac_motion_gpu_desc desc;
    sac_gpu *gpu;
    sac_gpu_stream stream; /* the caller's or the plan's */
    bool waits;            /* it is the plan's: a run is complete when it returns */
    void *memory[SAC_MOTION_MEMORIES];
    int32_t n_memory;
    sac_array kept[2]; /* of arrays on the device: the frame before, and room for this one */
    sac_array before;  /* the current frame of the run before; no data: there was none */

    /* For arrays in the CPU's memory; NULL where the stream is the caller's. */
    sac_pool *pool;
    sac_stage *stage;
    sac_motion_slot slot[SAC_MOTION_SLOTS];
    int64_t n_sent; /* calls; which tells a call's slot */
};

/* Bytes from a row of a frame on the device to the next. */
static inline size_t sac_motion_pitch(const sac_frame_shape *s)
{
    return sac_stage_pitch((size_t)s->w * (size_t)s->n_channels);
}

#endif
