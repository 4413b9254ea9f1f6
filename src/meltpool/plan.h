/*
 * The meltpool plan: what open prepares, what a run uses, and what the stream leaves behind from
 * frame to frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_PLAN_H
#define SAC_MELTPOOL_PLAN_H

#include <saccade/meltpool.h>

#include "base/threads.h"
#include "meltpool/kernels/frame_u8/frame_u8.h"
#include "meltpool/kernels/mlp_f32/mlp_f32.h"
#include "meltpool/kernels/variance_f32/variance_f32.h"
#include "meltpool/place.h"

enum {
    SAC_MELTPOOL_MAX_SIDE = 4096, /* of a frame */
    SAC_MELTPOOL_PART = 32,       /* frames of a task */
    SAC_MELTPOOL_PARTS = 128      /* tasks of a block at most */
};

/* The frames of the run at work. */
typedef struct sac_meltpool_block {
    sac_meltpool_record *records;        /* (n) */
    const sac_meltpool_signals *signals; /* (n) or NULL */
    const uint8_t *pixels;
    ptrdiff_t frame, row; /* bytes */
    int32_t n;
} sac_meltpool_block;

typedef struct sac_meltpool_gpu sac_meltpool_gpu; /* meltpool/gpu.h */

struct sac_meltpool {
    sac_meltpool_desc desc;
    sac_meltpool_places places;
    sac_pool *pool;
    sac_meltpool_net *net; /* NULL: no model */
    sac_frame_u8_fn frame;
    sac_variance_f32_fn variance;
    sac_mlp_f32_fn mlp;
    sac_meltpool_gpu *gpu; /* NULL: on the CPU; else the three above are */
    char variant[160];

    int32_t n_block, n_rows;  /* frames of a block; n_rows: those, and a window before them */
    sac_meltpool_step *steps; /* (n_block) */
    float *ring;              /* (n_rows, 32): features of the last processed frames */
    sac_meltpool_stream stream;
    sac_meltpool_counts counts;
    sac_meltpool_block block;
};

/* What the machine says of the i-th frame of the block; without signals, that the laser is on. */
sac_meltpool_signals sac_meltpool_signals_of(const sac_meltpool *plan, int32_t i);

/* The next frame of the stream, the i-th of the block: its flags, and unless it is left out what is
 * to be done of it. The step's `brightest` is there where it is needed. */
uint32_t sac_meltpool_plan_frame(sac_meltpool *plan, sac_meltpool_step *step, int32_t i,
                                 const sac_meltpool_signals *signals);
/* The same into the block's records and steps. */
void sac_meltpool_plan_step(sac_meltpool *plan, int32_t i);

/* The record of a frame that is left out has no features. */
void sac_meltpool_leave_out(sac_meltpool_record *record);

/* The block's frames' brightest pixels, into its steps. */
void sac_meltpool_search(sac_meltpool *plan);

/* Parts of the block to the plan's threads: task(plan, part), frames SAC_MELTPOOL_PART part on. */
void sac_meltpool_share_out(sac_meltpool *plan, sac_task_fn task);

/* Adds the block's records, which are done. */
void sac_meltpool_count(sac_meltpool_counts *counts, const sac_meltpool_block *block,
                        const sac_meltpool_places *places);

/* Whether a frame is empty or refused. */
static inline bool sac_meltpool_is_left_out(uint32_t flags)
{
    return flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED);
}

/* The first maximum of a frame in raster order; `stride` bytes lie between its rows. */
sac_meltpool_place sac_meltpool_brightest(const uint8_t *pixels, int32_t h, int32_t w,
                                          ptrdiff_t stride);

/* What open checks of a desc but the model and what needs a device; and what the desc says of
 * places, but for the rows of a ring. */
sac_status sac_meltpool_check_desc(const sac_meltpool_desc *desc, sac_error *err);
sac_meltpool_places sac_meltpool_places_of(const sac_meltpool_desc *desc);

#endif
