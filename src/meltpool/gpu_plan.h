/*
 * The GPU's part of a meltpool plan: a ring of features in its memory, and two ways to it. The
 * worker, a kernel that stays there, takes few frames at once and soon; launched batches take many.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_GPU_PLAN_H
#define SAC_MELTPOOL_GPU_PLAN_H

#include "gpu/gpu.h"
#include "meltpool/kernels/mlp_f32/mlp_f32_cuda.h"
#include "meltpool/gpu.h"

typedef struct sac_meltpool_worker sac_meltpool_worker;
typedef struct sac_meltpool_batch sac_meltpool_batch;

struct sac_meltpool_gpu {
    sac_gpu *gpu;
    float *ring; /* (plan->n_rows, SAC_MELTPOOL_RING_ROW), device memory */
    sac_meltpool_net_cuda net;
    sac_meltpool_worker *worker;
    sac_meltpool_batch *batch;
    int32_t resident; /* frames that the worker takes at once */
    bool by_warps;    /* the worker's mapping */
    bool failed;      /* the GPU gave no answer once, or an error */
    uint8_t *frame;   /* (h, w), page-locked: one of the device's that the host must look at */
};

/* What planning says of a frame, until its record is written: records are far apart in memory, and
 * planning is one thread's. */
typedef struct sac_meltpool_planned {
    int32_t at; /* its job; -1: it is left out */
    uint32_t flags;
    sac_meltpool_signals signals;
} sac_meltpool_planned;

/* Plans the block's i-th frame, but for `at`. False: it is left out. */
static inline bool sac_meltpool_plan_ahead(sac_meltpool *plan, sac_meltpool_step *step, int32_t i,
                                           sac_meltpool_planned *frame)
{
    frame->signals = sac_meltpool_signals_of(plan, i);
    frame->flags = sac_meltpool_plan_frame(plan, step, i, &frame->signals);
    return !sac_meltpool_is_left_out(frame->flags);
}

/* The record of a frame as it was planned. False: that is all, it is left out. */
static inline bool sac_meltpool_begin_record(sac_meltpool_record *record,
                                             const sac_meltpool_planned *frame)
{
    record->signals = frame->signals;
    record->flags = frame->flags;
    if (frame->at < 0)
        sac_meltpool_leave_out(record);
    return frame->at >= 0;
}

/* The worker: opened with the plan, launched by its first frames. */
SAC_NODISCARD sac_status sac_meltpool_worker_open(sac_meltpool_worker **out, sac_meltpool *plan,
                                                  sac_error *err);
/* Why there was no answer; NULL: there always was. */
const char *sac_meltpool_worker_fault(const sac_meltpool_worker *worker);

/* Tells it to leave, and waits until it has. False: it did not. */
bool sac_meltpool_worker_leave(sac_meltpool_worker *worker);
/* When it has left. */
void sac_meltpool_worker_close(sac_meltpool_worker **worker);

/*
 * The frames of plan->block, at most plan->gpu->resident of them: steps are taken, records written.
 * `on_device`: they lie there. SAC_E_DEVICE.
 */
SAC_NODISCARD sac_status sac_meltpool_worker_run(sac_meltpool *plan, bool on_device);

/* Batches by launches, in blocks of plan->n_block frames. */
SAC_NODISCARD sac_status sac_meltpool_batch_open(sac_meltpool_batch **out, sac_meltpool *plan,
                                                 sac_error *err);
void sac_meltpool_batch_close(sac_meltpool_batch **batch);
/* Any number of frames (n, h, w); counts them, too, unless it fails. SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_meltpool_batch_run(sac_meltpool *plan, sac_meltpool_record *records,
                                                const sac_array *frames,
                                                const sac_meltpool_signals *signals);

#endif
