/*
 * Running a meltpool plan, block by block: places in the stream's order, then frames by themselves,
 * then variances and predictions; the last two shared out to threads by parts of a block.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/array_check.h"
#include "base/clock.h"
#include "base/struct.h"
#include "gpu/gpu.h"
#include "meltpool/kernels/frame_u8/features.h"
#include "meltpool/gpu.h"
#include "meltpool/plan.h"

static int32_t begin_of(const sac_meltpool_block *block, int32_t part)
{
    const int32_t begin = part * SAC_MELTPOOL_PART;
    return begin < block->n ? begin : block->n;
}

/* Features 0..19 of a frame, into its record and its row of the ring. */
static void analyse(sac_meltpool *plan, sac_meltpool_integers *in, int32_t i)
{
    const sac_meltpool_step *step = &plan->steps[i];
    sac_meltpool_record *record = &plan->block.records[i];
    float *row = plan->ring + (ptrdiff_t)step->row * SAC_MELTPOOL_RING_ROW;
    plan->frame(in, &step->job);
    sac_meltpool_features(row, in);
    memcpy(record->features, row, SAC_MELTPOOL_OF_FRAME * sizeof *row);
    record->flags |= in->flags;
}

static void analyse_part(void *arg, int32_t part)
{
    sac_meltpool *plan = arg;
    sac_meltpool_integers in;
    for (int32_t i = begin_of(&plan->block, part); i < begin_of(&plan->block, part + 1); i++)
        if (!sac_meltpool_is_left_out(plan->block.records[i].flags))
            analyse(plan, &in, i);
}

static void search_part(void *arg, int32_t part)
{
    sac_meltpool *plan = arg;
    const sac_meltpool_block *b = &plan->block;
    for (int32_t i = begin_of(b, part); i < begin_of(b, part + 1); i++)
        if (!b->signals || b->signals[i].laser_on)
            plan->steps[i].brightest = sac_meltpool_brightest(b->pixels + i * b->frame,
                                                              plan->desc.h, plan->desc.w, b->row);
}

static void predict(const sac_meltpool *plan, int32_t begin, int32_t end)
{
    _Alignas(64) float features[SAC_MELTPOOL_PART][SAC_MELTPOOL_FEATURES];
    float predictions[SAC_MELTPOOL_PART][SAC_MELTPOOL_PREDICTIONS];
    sac_meltpool_record *records = plan->block.records;
    int32_t n = 0;
    for (int32_t i = begin; i < end; i++)
        if (!sac_meltpool_is_left_out(records[i].flags))
            memcpy(features[n++], records[i].features, sizeof features[0]);
    if (n == 0)
        return;
    plan->mlp(predictions[0], features[0], n, plan->net);
    n = 0;
    for (int32_t i = begin; i < end; i++)
        if (!sac_meltpool_is_left_out(records[i].flags))
            memcpy(records[i].prediction, predictions[n++], sizeof predictions[0]);
}

static void finish_part(void *arg, int32_t part)
{
    sac_meltpool *plan = arg;
    sac_meltpool_record *records = plan->block.records;
    const int32_t begin = begin_of(&plan->block, part), end = begin_of(&plan->block, part + 1);
    for (int32_t i = begin; i < end; i++) {
        if (sac_meltpool_is_left_out(records[i].flags))
            continue;
        plan->variance(records[i].features + SAC_MELTPOOL_OF_FRAME, plan->ring, plan->steps[i].n,
                       plan->steps[i].row, plan->n_rows);
        memset(records[i].prediction, 0, sizeof records[i].prediction);
    }
    if (plan->net)
        predict(plan, begin, end);
    const int64_t now_ns = sac_clock_ns();
    for (int32_t i = begin; i < end; i++)
        records[i].done_ns = now_ns;
}

void sac_meltpool_share_out(sac_meltpool *plan, sac_task_fn task)
{
    const int32_t n_parts = (plan->block.n + SAC_MELTPOOL_PART - 1) / SAC_MELTPOOL_PART;
    if (n_parts == 1)
        task(plan, 0);
    else
        sac_pool_run(plan->pool, n_parts, task, plan);
}

void sac_meltpool_search(sac_meltpool *plan)
{
    sac_meltpool_share_out(plan, search_part);
}

/* Where the last pool says where the next one is, a frame has to be done before the next. */
static void follow(sac_meltpool *plan)
{
    sac_meltpool_integers in;
    for (int32_t i = 0; i < plan->block.n; i++) {
        sac_meltpool_plan_step(plan, i);
        if (sac_meltpool_is_left_out(plan->block.records[i].flags))
            continue;
        analyse(plan, &in, i);
        sac_meltpool_follow(&plan->stream, &plan->steps[i].job, &in);
    }
}

static void run_block(sac_meltpool *plan)
{
    if (plan->desc.locate == SAC_MELTPOOL_BRIGHTEST)
        sac_meltpool_search(plan);
    if (plan->desc.locate == SAC_MELTPOOL_PREVIOUS) {
        follow(plan);
    } else {
        for (int32_t i = 0; i < plan->block.n; i++)
            sac_meltpool_plan_step(plan, i);
        sac_meltpool_share_out(plan, analyse_part);
    }
    sac_meltpool_share_out(plan, finish_part);
    sac_meltpool_count(&plan->counts, &plan->block, &plan->places);
}

/* The CPU's memory, or that of the plan's device. */
static bool is_in_reach(const sac_meltpool *plan, sac_device device)
{
    return device.kind == SAC_DEVICE_CPU ||
           (device.kind == plan->desc.device.kind && device.index == plan->desc.device.index);
}

/* Whether the array, 2 or 3 axes, is frames of the plan in memory that it can work on. */
static sac_status check_frames(const sac_meltpool *plan, const sac_array *array, int32_t n_dims,
                               sac_error *err)
{
    const char *name = n_dims == 2 ? "frame" : "frames";
    const int64_t sizes[] = {array && n_dims == 3 ? array->shape[0] : 0, plan->desc.h,
                             plan->desc.w};
    const sac_status status =
        sac_array_expect(array, name, SAC_U8, n_dims, sizes + (3 - n_dims), err);
    if (status)
        return status;
    sac_known(array);
    if (!is_in_reach(plan, array->device))
        return sac_fail(err, SAC_E_SHAPE, "%s: expected memory of the CPU or of the plan's device",
                        name);
    if (array->stride[n_dims - 1] != 1)
        return sac_fail(err, SAC_E_SHAPE, "%s: expected pixels of a row side by side", name);
    return SAC_OK;
}

/* Frames of an array with n_dims axes, `frame` bytes apart. */
static sac_status run(sac_meltpool *plan, sac_meltpool_record *records, const sac_array *array,
                      const sac_meltpool_signals *signals, int32_t n_dims, sac_error *err)
{
    if (!plan)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    const bool is_batch = n_dims == 3 && array && array->n_dims == 3 && array->shape[0] >= 0;
    const int64_t n = is_batch ? array->shape[0] : 1;
    sac_status status = check_frames(plan, array, n_dims, err);
    if (status == SAC_OK && !records && n > 0)
        status = sac_fail(err, SAC_E_INVALID, "record: is NULL");
    if (status == SAC_OK && !signals && plan->desc.locate == SAC_MELTPOOL_LASER)
        status =
            sac_fail(err, SAC_E_SHAPE, "signals: are NULL, but the pool is located by the laser");
    if (status) {
        plan->counts.frames += n;
        plan->counts.refused_shape += n;
        return status;
    }
    if (plan->gpu)
        return sac_gpu_fail(sac_meltpool_gpu_run(plan, records, array, signals, n), err);
    const ptrdiff_t frame = array->n_dims == 3 ? array->stride[0] : 0;
    for (int64_t from = 0; from < n; from += plan->n_block) {
        plan->block = (sac_meltpool_block){
            .records = records + from,
            .signals = signals ? signals + from : NULL,
            .pixels = (const uint8_t *)array->data + from * frame,
            .frame = frame,
            .row = array->stride[array->n_dims - 2],
            .n = (int32_t)(n - from < plan->n_block ? n - from : plan->n_block),
        };
        run_block(plan);
    }
    return SAC_OK;
}

sac_status sac_meltpool_run(sac_meltpool *plan, sac_meltpool_record *record, const sac_array *frame,
                            const sac_meltpool_signals *signals, sac_error *err)
{
    return run(plan, record, frame, signals, 2, err);
}

sac_status sac_meltpool_run_batch(sac_meltpool *plan, sac_meltpool_record *records,
                                  const sac_array *frames, const sac_meltpool_signals *signals,
                                  sac_error *err)
{
    return run(plan, records, frames, signals, 3, err);
}

void sac_meltpool_get_counts(const sac_meltpool *plan, sac_meltpool_counts *counts)
{
    if (plan)
        sac_struct_give(counts, &plan->counts);
}
