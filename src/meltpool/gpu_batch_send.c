/*
 * A block's way to the GPU and back: copies on streams of their own, kernels on the main one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/gpu_batch.h"

enum { HOST = SAC_MELTPOOL_HOST, DEVICE = SAC_MELTPOOL_DEVICE };
enum { WORDS = SAC_MELTPOOL_FEATURES + SAC_MELTPOOL_PREDICTIONS + 1 /* of a result */ };

/* What `from` has reached, `to` waits for. */
static sac_status pass(sac_gpu_event event, sac_gpu_stream from, sac_gpu_stream to)
{
    const sac_status status = sac_gpu_event_record(event, from);
    return status ? status : sac_gpu_event_wait(event, to);
}

static sac_status send_jobs(const sac_meltpool_batch *b, const sac_meltpool_slot *slot)
{
    const sac_gpu_stream copy = sac_gpu_copy_stream(b->gpu);
    const size_t bytes = (size_t)b->plan->n_block * sizeof(sac_meltpool_rows) +
                         (size_t)slot->n_jobs * sizeof(sac_meltpool_frame_job);
    const size_t roi = (size_t)b->plan->desc.roi;
    sac_status status = sac_gpu_copy(slot->jobs[DEVICE], slot->jobs[HOST], bytes, copy);
    if (status == SAC_OK && b->source == SAC_MELTPOOL_CROPPED)
        status = sac_gpu_copy(slot->pixels[DEVICE], slot->pixels[HOST],
                              (size_t)slot->n_jobs * roi * roi, copy);
    return status;
}

/* The kernels, one behind the other: a variance may need the features of any frame before. */
static sac_status compute(const sac_meltpool_batch *b, const sac_meltpool_slot *slot)
{
    const sac_meltpool_gpu *g = b->plan->gpu;
    const sac_gpu_stream stream = sac_gpu_main_stream(b->gpu);
    const sac_meltpool_results_cuda out = sac_meltpool_results_of(slot, DEVICE);
    const sac_meltpool_frames_cuda frames = {
        .jobs = sac_meltpool_jobs_of(b, slot, DEVICE),
        .n = slot->n_jobs,
        .max_roi = b->plan->desc.roi,
    };
    const sac_meltpool_rings_cuda rings = {
        .ring = g->ring,
        .window = b->plan->n_rows,
        .rows = slot->jobs[DEVICE],
        .n = slot->n_jobs,
    };
    const sac_frame_u8_cuda_fn frame = slot->n_jobs < b->few ? b->by_blocks : b->by_warps;
    sac_status status = frame(stream, b->integers, sizeof *b->integers, &frames);
    if (status == SAC_OK)
        status =
            sac_meltpool_features_cuda(stream, &out, g->ring, b->integers, rings.rows, rings.n);
    if (status == SAC_OK)
        status = b->variance(stream, out.features + SAC_MELTPOOL_OF_FRAME, SAC_MELTPOOL_FEATURES,
                             &rings);
    if (status == SAC_OK && g->net.n_units > 0)
        status = b->mlp(stream, out.predictions, out.features, rings.n, &g->net);
    return status;
}

sac_status sac_meltpool_batch_send(sac_meltpool_batch *b, sac_meltpool_slot *slot)
{
    const sac_gpu_stream copy = sac_gpu_copy_stream(b->gpu), back = sac_gpu_back_stream(b->gpu);
    const sac_gpu_stream stream = sac_gpu_main_stream(b->gpu);
    sac_status status = send_jobs(b, slot);
    if (status == SAC_OK)
        status = pass(slot->here, copy, stream);
    if (status == SAC_OK)
        status = compute(b, slot);
    if (status == SAC_OK)
        status = pass(slot->done, stream, back);
    if (status == SAC_OK)
        status = sac_gpu_copy(slot->results[HOST], slot->results[DEVICE],
                              (size_t)slot->n_jobs * WORDS * sizeof(uint32_t), back);
    return status ? status : sac_gpu_event_record(slot->gone, back);
}

sac_status sac_meltpool_batch_search(sac_meltpool_batch *b, sac_meltpool_slot *slot,
                                     const sac_meltpool_search_cuda *frames)
{
    const sac_gpu_stream stream = sac_gpu_copy_stream(b->gpu);
    sac_status status = sac_meltpool_brightest_cuda(stream, slot->places[DEVICE], frames);
    if (status == SAC_OK)
        status = sac_gpu_copy(slot->places[HOST], slot->places[DEVICE],
                              (size_t)frames->n * sizeof(uint32_t), stream);
    return status ? status : sac_gpu_event_record(slot->found, stream);
}
