/*
 * Memory and kernels of launched batches.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "meltpool/gpu_batch.h"
#include "gpu/open.h"

enum { HOST = SAC_MELTPOOL_HOST, DEVICE = SAC_MELTPOOL_DEVICE };

static sac_any_fn rung(const sac_variant *table, int32_t kind)
{
    return sac_variant_of_kind(table, kind, SAC_TIER_EXACT)->fn;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* `bytes` on the device, and `host_bytes` page-locked unless that is 0. */
static sac_status allocate(sac_gpu *gpu, void *memory[SAC_MELTPOOL_SIDES], size_t bytes,
                           size_t host_bytes, sac_error *err)
{
    const sac_status status = sac_gpu_alloc(gpu, &memory[DEVICE], bytes, err);
    return status || host_bytes == 0 ? status
                                     : sac_gpu_alloc_pinned(gpu, &memory[HOST], host_bytes, err);
}

static sac_status open_memory(sac_meltpool_batch *b, sac_meltpool_slot *slot, sac_error *err)
{
    const sac_meltpool_desc *d = &b->plan->desc;
    const size_t n = (size_t)b->plan->n_block, most = SAC_MELTPOOL_BATCH_PIXELS;
    const size_t frame = (size_t)d->w * (size_t)d->h, roi = (size_t)d->roi * (size_t)d->roi;
    const size_t rois = smaller(n * roi, most);
    const size_t frames = frame <= SAC_MELTPOOL_WHOLE ? smaller(n * frame, most) : rois;
    const size_t jobs = n * (sizeof(sac_meltpool_rows) + sizeof(sac_meltpool_frame_job));
    const size_t results =
        n * (SAC_MELTPOOL_FEATURES + SAC_MELTPOOL_PREDICTIONS + 1) * sizeof(uint32_t);
    void *pixels[SAC_MELTPOOL_SIDES] = {0}, *words[SAC_MELTPOOL_SIDES] = {0};
    void *places[SAC_MELTPOOL_SIDES] = {0};
    sac_status status = allocate(b->gpu, slot->jobs, jobs, jobs, err);
    if (status == SAC_OK)
        status = allocate(b->gpu, pixels, frames, rois, err);
    if (status == SAC_OK)
        status = allocate(b->gpu, words, results, results, err);
    if (status == SAC_OK && d->locate == SAC_MELTPOOL_BRIGHTEST)
        status = allocate(b->gpu, places, n * sizeof(uint32_t), n * sizeof(uint32_t), err);
    for (int side = 0; side < SAC_MELTPOOL_SIDES; side++) {
        slot->pixels[side] = pixels[side];
        slot->results[side] = words[side];
        slot->places[side] = places[side];
    }
    return status;
}

static sac_status open_slot(sac_meltpool_batch *b, sac_meltpool_slot *slot, sac_error *err)
{
    const sac_status status = open_memory(b, slot, err);
    sac_gpu_event *const events[] = {&slot->found, &slot->here, &slot->done, &slot->gone};
    if (status)
        return status;
    slot->planned = sac_alloc((size_t)b->plan->n_block, sizeof *slot->planned);
    if (!slot->planned)
        return sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for a batch");
    return sac_gpu_events_open_untimed(b->gpu, events, sizeof events / sizeof events[0], err);
}

/* Every kernel once, on a dark frame, so that all are loaded before the worker is there: loading
 * one waits for it. No frame reads row 0 of the ring before another wrote it. */
static sac_status load(sac_meltpool_batch *b)
{
    sac_meltpool_slot *slot = &b->slot[0];
    sac_meltpool_rows *rows = slot->jobs[HOST];
    const int32_t roi = b->plan->desc.roi;
    const sac_meltpool_search_cuda frames = {slot->pixels[DEVICE], 0, roi, roi, roi, 1};
    b->source = SAC_MELTPOOL_ON_DEVICE;
    rows[0] = (sac_meltpool_rows){.n = 1};
    sac_meltpool_jobs_of(b, slot, HOST)[0] = (sac_meltpool_frame_job){
        .frame = slot->pixels[DEVICE],
        .row = roi,
        .n = roi,
        .threshold = 1,
        .spatter_min = 1,
    };
    slot->n_jobs = 1;
    sac_status status = SAC_OK;
    if (slot->places[HOST])
        status = sac_meltpool_batch_search(b, slot, &frames);
    for (int i = 0; i < 2 && status == SAC_OK; i++) {
        b->few = i == 0 ? 0 : SAC_MELTPOOL_FEW;
        status = sac_meltpool_batch_send(b, slot);
        if (status == SAC_OK)
            status = sac_gpu_event_sync(slot->gone);
    }
    return status;
}

static sac_status load_kernels(sac_meltpool_batch *b, sac_error *err)
{
    sac_status status = sac_gpu_enter(b->gpu);
    if (status == SAC_OK) {
        status = load(b);
        sac_gpu_leave(b->gpu);
    }
    return status ? sac_fail(err, status, "device: cuda:%d does not run meltpool's kernels",
                             b->plan->desc.device.index)
                  : SAC_OK;
}

static sac_status open_parts(sac_meltpool_batch *b, sac_error *err)
{
    const size_t n = (size_t)b->plan->n_block;
    void *integers = NULL;
    b->counts = sac_alloc(n / SAC_MELTPOOL_COLLECT + 1, sizeof *b->counts);
    if (!b->counts)
        return sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for a batch");
    sac_status status = sac_gpu_alloc(b->gpu, &integers, n * sizeof *b->integers, err);
    b->integers = integers;
    for (int i = 0; i < SAC_MELTPOOL_SLOTS && status == SAC_OK; i++)
        status = open_slot(b, &b->slot[i], err);
    return status ? status : load_kernels(b, err);
}

sac_status sac_meltpool_batch_open(sac_meltpool_batch **out, sac_meltpool *plan, sac_error *err)
{
    sac_meltpool_batch *b = sac_alloc(1, sizeof *b);
    *out = b;
    if (!b)
        return sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for a batch");
    b->plan = plan;
    b->gpu = plan->gpu->gpu;
    b->timeout_ns = (int64_t)(plan->desc.timeout_s * 1e9);
    b->by_blocks = (sac_frame_u8_cuda_fn)rung(sac_frame_u8_cuda, SAC_FRAME_U8_BY_BLOCKS);
    b->by_warps = (sac_frame_u8_cuda_fn)rung(sac_frame_u8_cuda, SAC_FRAME_U8_BY_WARPS);
    b->variance = (sac_variance_f32_cuda_fn)rung(sac_variance_f32_cuda, SAC_VARIANCE_F32_MANY);
    b->mlp = (sac_mlp_f32_cuda_fn)rung(sac_mlp_f32_cuda, 0);
    const sac_status status = open_parts(b, err);
    if (status)
        sac_meltpool_batch_close(out);
    return status;
}

static void close_slot(sac_gpu *gpu, sac_meltpool_slot *slot)
{
    sac_gpu_event *events[] = {&slot->found, &slot->here, &slot->done, &slot->gone};
    void *memory[][SAC_MELTPOOL_SIDES] = {{slot->jobs[HOST], slot->jobs[DEVICE]},
                                          {slot->pixels[HOST], slot->pixels[DEVICE]},
                                          {slot->results[HOST], slot->results[DEVICE]},
                                          {slot->places[HOST], slot->places[DEVICE]}};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        sac_gpu_event_close(events[i]);
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        sac_gpu_free_pinned(gpu, memory[i][HOST]);
        sac_gpu_free(gpu, memory[i][DEVICE]);
    }
    sac_free(slot->planned);
}

void sac_meltpool_batch_close(sac_meltpool_batch **batch)
{
    sac_meltpool_batch *b = *batch;
    if (!b)
        return;
    const bool entered = sac_gpu_enter(b->gpu) == SAC_OK;
    for (int i = 0; i < SAC_MELTPOOL_SLOTS; i++)
        close_slot(b->gpu, &b->slot[i]);
    if (entered)
        sac_gpu_leave(b->gpu);
    sac_gpu_free(b->gpu, b->integers);
    sac_free(b->counts);
    sac_free(b);
    *batch = NULL;
}
