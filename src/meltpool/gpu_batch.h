/*
 * Batches by launches: what lies where while blocks of frames go to the GPU and back.
 *
 * A block's slot is on the way for three turns: it is planned and sent; the GPU is at it while the
 * next one is planned; its results are written into records while the one after that is.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_GPU_BATCH_H
#define SAC_MELTPOOL_GPU_BATCH_H

#include "meltpool/kernels/batch_cuda.h"
#include "meltpool/kernels/frame_u8/frame_u8_cuda.h"
#include "meltpool/gpu_plan.h"

enum {
    SAC_MELTPOOL_SLOTS = 3,
    SAC_MELTPOOL_FEW = 1024,             /* jobs: less than fill a GPU by warps */
    SAC_MELTPOOL_COLLECT = 128,          /* records that a task writes */
    SAC_MELTPOOL_WHOLE = 1 << 16,        /* larger frames go up as their ROI only */
    SAC_MELTPOOL_BATCH_PIXELS = 12 << 20 /* bytes of a slot's pixels: 0.2 ms of PCIe 5 */
};

/* Where frames lie, and so what goes up. */
typedef enum sac_meltpool_source {
    SAC_MELTPOOL_ON_DEVICE, /* nothing */
    SAC_MELTPOOL_DIRECT,    /* page-locked: all of their pixels, by the device itself */
    SAC_MELTPOOL_CROPPED    /* their ROIs, through page-locked memory of the slot's */
} sac_meltpool_source;

/* Memory is twice there: page-locked, and on the device. */
enum { SAC_MELTPOOL_HOST, SAC_MELTPOOL_DEVICE, SAC_MELTPOOL_SIDES };

typedef struct sac_meltpool_slot {
    void *jobs[SAC_MELTPOOL_SIDES];        /* rows (n_block), then jobs (n_block) */
    uint8_t *pixels[SAC_MELTPOOL_SIDES];   /* ROIs, or on the device frames, packed */
    uint32_t *results[SAC_MELTPOOL_SIDES]; /* features (n_jobs, 40), predictions (n_jobs, 2), then
                                              flags (n_jobs) */
    uint32_t *places[SAC_MELTPOOL_SIDES];  /* (n_block): the brightest pixels; or NULL */
    sac_gpu_event found, here, done, gone; /* places; all that goes up; results; they are back */

    sac_meltpool_record *records; /* (n) of the block at work */
    int32_t n, n_jobs;
    sac_meltpool_planned *planned; /* (n_block) */
} sac_meltpool_slot;

struct sac_meltpool_batch {
    sac_meltpool *plan;
    sac_gpu *gpu;
    sac_frame_u8_cuda_fn by_blocks, by_warps;
    int32_t few; /* jobs: fewer go by blocks, which are sooner done, no fewer by warps */
    sac_variance_f32_cuda_fn variance;
    sac_mlp_f32_cuda_fn mlp;
    sac_meltpool_integers *integers; /* (n_block), on the device */
    sac_meltpool_slot slot[SAC_MELTPOOL_SLOTS];
    sac_meltpool_counts *counts; /* (n_block / COLLECT, rounded up): what tasks counted */
    int64_t timeout_ns;

    /* The run at work. */
    sac_meltpool_source source;
    sac_meltpool_block all; /* of the run, but its number of frames: */
    int64_t n;
    int32_t n_block;
    bool timed_out;
    /* The turn at work. */
    sac_meltpool_slot *next, *last; /* the block to be planned, the one that came back; or NULL */
    int64_t done_ns;
};

/* The slot's jobs on one side. */
static inline sac_meltpool_frame_job *sac_meltpool_jobs_of(const sac_meltpool_batch *b,
                                                           const sac_meltpool_slot *slot, int side)
{
    return (sac_meltpool_frame_job *)(void *)((sac_meltpool_rows *)slot->jobs[side] +
                                              b->plan->n_block);
}

/* Where results of the slot's jobs lie on one side. */
static inline sac_meltpool_results_cuda sac_meltpool_results_of(const sac_meltpool_slot *slot,
                                                                int side)
{
    float *features = (float *)(void *)slot->results[side];
    return (sac_meltpool_results_cuda){
        .features = features,
        .predictions = features + (ptrdiff_t)slot->n_jobs * SAC_MELTPOOL_FEATURES,
        .flags = slot->results[side] +
                 (ptrdiff_t)slot->n_jobs * (SAC_MELTPOOL_FEATURES + SAC_MELTPOOL_PREDICTIONS),
    };
}

/* Enqueues all that is to be done of the slot's jobs, till their results are back. SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_meltpool_batch_send(sac_meltpool_batch *b, sac_meltpool_slot *slot);

/* Enqueues looking for the brightest pixels of frames on the device. SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_meltpool_batch_search(sac_meltpool_batch *b, sac_meltpool_slot *slot,
                                                   const sac_meltpool_search_cuda *frames);

#endif
