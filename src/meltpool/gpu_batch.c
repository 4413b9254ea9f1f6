/*
 * Batches by launches: the host plans a block and writes the records of another, by all of the
 * plan's threads, while the GPU is at the one between.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/gpu_batch.h"

#include <string.h>

#include "base/clock.h"

enum { HOST = SAC_MELTPOOL_HOST, DEVICE = SAC_MELTPOOL_DEVICE };
enum { N_FEATURES = SAC_MELTPOOL_FEATURES, N_OUTPUTS = SAC_MELTPOOL_PREDICTIONS };

/* The run's k-th block. */
static sac_meltpool_block block_at(const sac_meltpool_batch *b, int64_t k)
{
    const int64_t from = k * b->n_block, left = b->n - from;
    sac_meltpool_block block = b->all;
    block.records += from;
    block.signals += block.signals ? from : 0;
    block.pixels += from * block.frame;
    block.n = (int32_t)(left < b->n_block ? left : b->n_block);
    return block;
}

/* Where a frame's job finds its pixels on the device: `frame` lies so that the ROI is where it is
 * in packed ROIs. */
static void set_pixels(const sac_meltpool_batch *b, const sac_meltpool_slot *slot,
                       sac_meltpool_frame_job *job, int32_t i)
{
    const sac_meltpool_desc *d = &b->plan->desc;
    const uintptr_t first = (uintptr_t)slot->pixels[DEVICE];
    if (b->source == SAC_MELTPOOL_DIRECT) {
        job->row = d->w;
        job->frame = slot->pixels[DEVICE] + (ptrdiff_t)i * d->w * d->h;
    } else if (b->source == SAC_MELTPOOL_CROPPED) {
        const int32_t roi = d->roi;
        job->row = roi;
        job->frame = (const uint8_t *)(first + (uintptr_t)((ptrdiff_t)slot->n_jobs * roi * roi -
                                                           ((ptrdiff_t)job->y0 * roi + job->x0)));
    }
}

/* Frames of a part of the next block. Jobs are copied when all are planned: a copy of what was just
 * written piece by piece would wait for it. */
static void plan_part(sac_meltpool_batch *b, int32_t begin, int32_t n)
{
    sac_meltpool_slot *slot = b->next;
    sac_meltpool_rows *rows = slot->jobs[HOST];
    sac_meltpool_frame_job *jobs = sac_meltpool_jobs_of(b, slot, HOST);
    sac_meltpool_step steps[SAC_MELTPOOL_PART];
    for (int32_t i = 0; i < n; i++) {
        if (b->plan->desc.locate == SAC_MELTPOOL_BRIGHTEST)
            steps[i].brightest = b->plan->steps[begin + i].brightest;
        (void)sac_meltpool_plan_ahead(b->plan, &steps[i], begin + i, &slot->planned[begin + i]);
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t at = slot->n_jobs;
        const bool is_left_out = sac_meltpool_is_left_out(slot->planned[begin + i].flags);
        slot->planned[begin + i].at = is_left_out ? -1 : at;
        if (is_left_out)
            continue;
        rows[at] = (sac_meltpool_rows){.n = steps[i].n, .newest = steps[i].row};
        jobs[at] = steps[i].job;
        set_pixels(b, slot, &jobs[at], begin + i);
        slot->n_jobs++;
    }
}

/* All frames of the next block, in the stream's order. */
static void plan_block(sac_meltpool_batch *b)
{
    const int32_t n = b->next->n, part = SAC_MELTPOOL_PART;
    b->next->n_jobs = 0;
    for (int32_t begin = 0; begin < n; begin += part)
        plan_part(b, begin, n - begin < part ? n - begin : part);
}

/* Results of a part of the block that came back, into its records. */
static void collect(sac_meltpool_batch *b, int32_t part)
{
    const sac_meltpool_slot *slot = b->last;
    const sac_meltpool_results_cuda in = sac_meltpool_results_of(slot, HOST);
    const int32_t begin = part * SAC_MELTPOOL_COLLECT;
    const int32_t left = slot->n - begin,
                  n = left < SAC_MELTPOOL_COLLECT ? left : SAC_MELTPOOL_COLLECT;
    const sac_meltpool_block block = {.records = slot->records + begin, .n = n};
    for (int32_t i = 0; i < n; i++) {
        sac_meltpool_record *record = &block.records[i];
        const sac_meltpool_planned *frame = &slot->planned[begin + i];
        const ptrdiff_t at = frame->at;
        record->done_ns = b->done_ns;
        if (!sac_meltpool_begin_record(record, frame))
            continue;
        record->flags |= in.flags[at];
        memcpy(record->features, in.features + at * N_FEATURES, sizeof record->features);
        if (b->plan->net)
            memcpy(record->prediction, in.predictions + at * N_OUTPUTS, sizeof record->prediction);
        else
            memset(record->prediction, 0, sizeof record->prediction);
    }
    b->counts[part] = (sac_meltpool_counts){0};
    sac_meltpool_count(&b->counts[part], &block, &b->plan->places);
}

/* What is to be done on the host meanwhile: planning, which takes longest, comes first. */
static void work(void *arg, int32_t i)
{
    sac_meltpool_batch *b = arg;
    if (b->next && i == 0)
        plan_block(b);
    else
        collect(b, b->next ? i - 1 : i);
}

static void add(sac_meltpool_counts *sum, const sac_meltpool_counts *part)
{
    sum->frames += part->frames;
    sum->processed += part->processed;
    sum->empty += part->empty;
    sum->refused_place += part->refused_place;
    sum->no_pool += part->no_pool;
    sum->clipped += part->clipped;
    sum->gaps += part->gaps;
    sum->outside += part->outside;
    sum->spatters += part->spatters;
}

static void work_by_all(sac_meltpool_batch *b)
{
    const int32_t n = b->last ? b->last->n : 0;
    const int32_t n_parts = (n + SAC_MELTPOOL_COLLECT - 1) / SAC_MELTPOOL_COLLECT;
    const int32_t n_tasks = (b->next != NULL) + n_parts;
    if (n_tasks > 0)
        sac_pool_run(b->plan->pool, n_tasks, work, b);
    for (int32_t i = 0; i < n_parts; i++)
        add(&b->plan->counts, &b->counts[i]);
}

/* ROIs of a part of the next block. */
static void crop_part(void *arg, int32_t part)
{
    const sac_meltpool *plan = arg;
    const sac_meltpool_block *block = &plan->block; /* in the caller's memory */
    const sac_meltpool_slot *slot = plan->gpu->batch->next;
    const sac_meltpool_frame_job *jobs = sac_meltpool_jobs_of(plan->gpu->batch, slot, HOST);
    const ptrdiff_t roi = plan->desc.roi;
    const int32_t begin = part * SAC_MELTPOOL_PART, end = begin + SAC_MELTPOOL_PART;
    for (int32_t i = begin; i < end && i < slot->n; i++) {
        const int32_t at = slot->planned[i].at;
        if (at < 0)
            continue;
        const sac_meltpool_frame_job *job = &jobs[at];
        const uint8_t *from = block->pixels + i * block->frame + job->y0 * block->row + job->x0;
        uint8_t *to = slot->pixels[HOST] + at * roi * roi;
        for (int32_t y = 0; y < roi; y++)
            memcpy(to + y * roi, from + y * block->row, (size_t)roi);
    }
}

static sac_status wait_for(sac_meltpool_batch *b, sac_gpu_event event)
{
    bool came;
    const sac_status status =
        sac_gpu_event_sync_until(&came, event, sac_clock_ns() + b->timeout_ns);
    b->timed_out = status == SAC_OK && !came;
    return b->timed_out ? SAC_E_DEVICE : status;
}

static sac_status search_block(sac_meltpool_batch *b, int64_t k)
{
    const sac_meltpool_block block = block_at(b, k);
    const sac_meltpool_desc *d = &b->plan->desc;
    const sac_meltpool_search_cuda frames = {block.pixels, block.frame, block.row,
                                             d->h,         d->w,        block.n};
    return sac_meltpool_batch_search(b, &b->slot[k % SAC_MELTPOOL_SLOTS], &frames);
}

/* The brightest pixels of the k-th block, which lies on the device; the next one's are looked for
 * meanwhile. */
static sac_status find_brightest(sac_meltpool_batch *b, int64_t k)
{
    const uint32_t *places = b->next->places[HOST], w = (uint32_t)b->plan->desc.w;
    sac_status status = k == 0 ? search_block(b, 0) : SAC_OK;
    if (status == SAC_OK && (k + 1) * b->n_block < b->n)
        status = search_block(b, k + 1);
    if (status == SAC_OK)
        status = wait_for(b, b->next->found);
    for (int32_t i = 0; i < b->next->n && status == SAC_OK; i++)
        b->plan->steps[i].brightest = (sac_meltpool_place){(int32_t)(places[i] % w) * 65536,
                                                           (int32_t)(places[i] / w) * 65536};
    return status;
}

/* All pixels of the plan's block, which the device fetches by itself. */
static sac_status send_frames(const sac_meltpool_batch *b)
{
    const sac_meltpool_block *block = &b->plan->block;
    const ptrdiff_t w = b->plan->desc.w, h = b->plan->desc.h;
    const size_t n = (size_t)block->n;
    const sac_gpu_stream stream = sac_gpu_copy_stream(b->gpu);
    uint8_t *to = b->next->pixels[DEVICE];
    return block->row == w ? sac_gpu_copy_rows(to, w * h, block->pixels, block->frame,
                                               (size_t)(w * h), n, stream)
                           : sac_gpu_copy_rows(to, w, block->pixels, block->row, (size_t)w,
                                               n * (size_t)h, stream);
}

/* What comes before the k-th block can be planned. */
static sac_status begin_block(sac_meltpool_batch *b, int64_t k)
{
    sac_meltpool *plan = b->plan;
    plan->block = block_at(b, k);
    b->next->records = plan->block.records;
    b->next->n = plan->block.n;
    if (b->source == SAC_MELTPOOL_DIRECT) {
        const sac_status status = send_frames(b);
        if (status)
            return status;
    }
    if (plan->desc.locate == SAC_MELTPOOL_BRIGHTEST) {
        if (b->source == SAC_MELTPOOL_ON_DEVICE)
            return find_brightest(b, k);
        sac_meltpool_search(plan);
    }
    return SAC_OK;
}

/* Block k is planned and sent, and block k - 2 collected, those of them that there are. */
static sac_status take_turn(sac_meltpool_batch *b, int64_t k, int64_t n_blocks)
{
    b->next = k < n_blocks ? &b->slot[k % SAC_MELTPOOL_SLOTS] : NULL;
    b->last = k >= 2 ? &b->slot[(k - 2) % SAC_MELTPOOL_SLOTS] : NULL;
    sac_status status = b->next ? begin_block(b, k) : SAC_OK;
    if (status == SAC_OK && b->last) {
        status = wait_for(b, b->last->gone);
        b->done_ns = sac_clock_ns();
    }
    if (status)
        return status;
    work_by_all(b);
    if (b->next && b->source == SAC_MELTPOOL_CROPPED)
        sac_meltpool_share_out(b->plan, crop_part);
    return b->next ? sac_meltpool_batch_send(b, b->next) : SAC_OK;
}

/* Whether the device can copy whole frames by itself. */
static bool is_direct(const sac_meltpool_batch *b)
{
    const sac_meltpool_block *all = &b->all;
    const ptrdiff_t w = b->plan->desc.w, h = b->plan->desc.h;
    const bool is_even = all->row == w ? all->frame >= w * h && all->frame <= INT32_MAX
                                       : all->row > w && all->frame == h * all->row;
    return is_even && w * h <= SAC_MELTPOOL_WHOLE &&
           sac_gpu_is_pinned(all->pixels,
                             (size_t)((b->n - 1) * all->frame + (h - 1) * all->row + w));
}

static void begin_run(sac_meltpool_batch *b, const sac_array *frames)
{
    const sac_meltpool_desc *d = &b->plan->desc;
    b->source = frames->device.kind == SAC_DEVICE_CUDA ? SAC_MELTPOOL_ON_DEVICE
                : is_direct(b)                         ? SAC_MELTPOOL_DIRECT
                                                       : SAC_MELTPOOL_CROPPED;
    const int32_t bytes = b->source == SAC_MELTPOOL_DIRECT ? d->w * d->h : d->roi * d->roi;
    const int32_t fit =
        b->source == SAC_MELTPOOL_ON_DEVICE ? b->plan->n_block : SAC_MELTPOOL_BATCH_PIXELS / bytes;
    b->n_block = fit < b->plan->n_block ? fit : b->plan->n_block;
    b->timed_out = false;
}

static sac_status run(sac_meltpool_batch *b, const sac_array *frames)
{
    begin_run(b, frames);
    const int64_t n_blocks = (b->n + b->n_block - 1) / b->n_block;
    const sac_gpu_stream streams[] = {sac_gpu_copy_stream(b->gpu), sac_gpu_main_stream(b->gpu),
                                      sac_gpu_back_stream(b->gpu)};
    sac_status status = SAC_OK;
    for (int64_t k = 0; k < n_blocks + 2 && status == SAC_OK; k++)
        status = take_turn(b, k, n_blocks);
    /* The caller's memory is his again, unless the device is stuck: it only ever reads it. */
    for (size_t i = 0; i < sizeof streams / sizeof streams[0] && status && !b->timed_out; i++)
        (void)!sac_gpu_wait(streams[i]);
    return status;
}

sac_status sac_meltpool_batch_run(sac_meltpool *plan, sac_meltpool_record *records,
                                  const sac_array *frames, const sac_meltpool_signals *signals)
{
    sac_meltpool_batch *b = plan->gpu->batch;
    const sac_meltpool_counts before = plan->counts;
    sac_status status = sac_gpu_enter(b->gpu);
    if (status)
        return status;
    b->n = frames->shape[0];
    b->all = (sac_meltpool_block){
        .records = records,
        .signals = signals,
        .pixels = frames->data,
        .frame = frames->stride[0],
        .row = frames->stride[1],
    };
    status = run(b, frames);
    sac_gpu_leave(b->gpu);
    if (status)
        plan->counts = before;
    return status;
}
