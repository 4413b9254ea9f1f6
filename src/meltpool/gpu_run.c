/*
 * Frames to a GPU: few at once to the worker, many by launches.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/gpu_plan.h"

/* A frame of the device that the host must look at, to find its maximum. */
static sac_status fetch(sac_meltpool *plan)
{
    sac_meltpool_gpu *g = plan->gpu;
    const sac_gpu_stream stream = sac_gpu_main_stream(g->gpu);
    const size_t w = (size_t)plan->desc.w, h = (size_t)plan->desc.h;
    sac_status status = sac_gpu_enter(g->gpu);
    if (status)
        return status;
    if (plan->block.row >= (ptrdiff_t)w)
        status = sac_gpu_copy_rows(g->frame, (ptrdiff_t)w, plan->block.pixels, plan->block.row, w,
                                   h, stream);
    else
        for (size_t y = 0; y < h && status == SAC_OK; y++)
            status = sac_gpu_copy(g->frame + y * w,
                                  plan->block.pixels + (ptrdiff_t)y * plan->block.row, w, stream);
    const sac_status waited = sac_gpu_wait(stream);
    sac_gpu_leave(g->gpu);
    plan->block.pixels = g->frame;
    plan->block.row = (ptrdiff_t)w;
    return status ? status : waited;
}

static sac_status run_block(sac_meltpool *plan, bool on_device)
{
    const int32_t locate = plan->desc.locate;
    const bool looks = locate == SAC_MELTPOOL_BRIGHTEST || locate == SAC_MELTPOOL_PREVIOUS;
    sac_status status = SAC_OK;
    if (on_device && looks)
        status = fetch(plan);
    if (status == SAC_OK && locate == SAC_MELTPOOL_BRIGHTEST)
        sac_meltpool_search(plan);
    if (status == SAC_OK)
        status = sac_meltpool_worker_run(plan, on_device && !looks);
    if (status == SAC_OK)
        sac_meltpool_count(&plan->counts, &plan->block, &plan->places);
    return status;
}

/* By the worker, at most `at_once` frames in a submission. Sets how many were done. */
static sac_status run_resident(sac_meltpool *plan, const sac_meltpool_block *all, bool on_device,
                               int32_t at_once, int64_t n, int64_t *done)
{
    sac_status status = SAC_OK;
    for (*done = 0; *done < n && status == SAC_OK;) {
        const int32_t part = (int32_t)(n - *done < at_once ? n - *done : at_once);
        plan->block = *all;
        plan->block.n = part;
        plan->block.records += *done;
        plan->block.signals += all->signals ? *done : 0;
        plan->block.pixels += *done * all->frame;
        status = run_block(plan, on_device);
        *done += status == SAC_OK ? part : 0;
    }
    return status;
}

/* A frame as a batch of one. */
static sac_array as_batch(const sac_array *frames)
{
    sac_array batch = *frames;
    if (frames->n_dims == 2) {
        batch.n_dims = 3;
        batch.shape[0] = 1;
        batch.stride[0] = 0;
        for (int i = 0; i < 2; i++) {
            batch.shape[1 + i] = frames->shape[i];
            batch.stride[1 + i] = frames->stride[i];
        }
    }
    return batch;
}

sac_status sac_meltpool_gpu_run(sac_meltpool *plan, sac_meltpool_record *records,
                                const sac_array *frames, const sac_meltpool_signals *signals,
                                int64_t n)
{
    sac_meltpool_gpu *g = plan->gpu;
    const int32_t locate = plan->desc.locate;
    const bool on_device = frames->device.kind == SAC_DEVICE_CUDA;
    const sac_meltpool_block all = {
        .records = records,
        .signals = signals,
        .pixels = frames->data,
        .frame = frames->n_dims == 3 ? frames->stride[0] : 0,
        .row = frames->stride[frames->n_dims - 2],
    };
    /* Frames that follow each other, and those of the device that the host looks at, go one by one.
     */
    const bool one_by_one = locate == SAC_MELTPOOL_PREVIOUS || (n == 1 && g->resident > 0);
    const int32_t at_once = one_by_one ? 1 : g->resident;
    const bool few =
        one_by_one || (n <= g->resident && !(on_device && locate == SAC_MELTPOOL_BRIGHTEST));
    int64_t done = 0;
    sac_status status = g->failed ? SAC_E_DEVICE : SAC_OK;
    if (status == SAC_OK && few) {
        status = run_resident(plan, &all, on_device, at_once, n, &done);
    } else if (status == SAC_OK) {
        const sac_array batch = as_batch(frames);
        status = sac_meltpool_batch_run(plan, records, &batch, signals);
        done = status == SAC_OK ? n : 0;
    }
    if (status) {
        g->failed = true;
        plan->counts.frames += n - done;
        plan->counts.failed += n - done;
    }
    return status;
}
