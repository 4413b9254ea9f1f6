/*
 * The encoder on a GPU: two frames on their way, so that one is copied and compared while the other
 * one's streams go through the codec.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/encode_gpu.h"

#include <stdio.h>

#include "base/alloc.h"
#include "delta/kernels/encode_cuda.h"
#include "gpu/stage.h"
#include "gpu/open.h"

/* A frame reads what the one before it left, and leaves that as it was: so a frame that was sent,
 * but is not to be, is forgotten by not counting it. */
#define SLOTS 2

typedef struct slot {
    void *frame; /* on the device, rows `pitch` apart; NULL where the stream is the caller's */
    sac_gpu_event here, read, done; /* copied in; compared; streams and sent are there */
    sac_delta_sent *sent;           /* page-locked, as the streams */
    uint8_t *streams;
} slot;

struct sac_delta_encode_gpu {
    sac_gpu *gpu;
    sac_gpu_stream stream; /* the caller's or the plan's */
    sac_stage *stage;      /* NULL where it is the caller's */
    size_t pitch;
    sac_delta_encode_job job; /* what all frames have in common */
    void *picture[SLOTS];     /* before a frame and after it, in turn */
    slot slot[SLOTS];
};

static sac_status open_slot(sac_delta_encode_gpu *g, slot *s, sac_error *err)
{
    const sac_delta_layout *l = &g->job.layout;
    sac_status status = SAC_OK;
    if (g->stage)
        status = sac_gpu_alloc(g->gpu, &s->frame, g->pitch * (size_t)l->h, err);
    if (status == SAC_OK)
        status =
            sac_gpu_alloc_pinned(g->gpu, (void **)&s->streams, l->band * (size_t)l->n_bands, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc_pinned(g->gpu, (void **)&s->sent, sizeof *s->sent, err);
    sac_gpu_event *const events[] = {&s->here, &s->read, &s->done};
    return status ? status : sac_gpu_events_open_untimed(g->gpu, events, 3, err);
}

static sac_status open_memory(sac_delta_encode_gpu *g, sac_error *err)
{
    sac_delta_encode_job *job = &g->job;
    const sac_delta_layout *l = &job->layout;
    const size_t pixels = (size_t)l->n_cells * SAC_DELTA_ROWS * SAC_DELTA_COLUMNS;
    sac_status status = SAC_OK;
    for (int i = 0; i < SLOTS && status == SAC_OK; i++)
        status =
            sac_gpu_alloc(g->gpu, &g->picture[i], pixels * sac_delta_pixel_bytes(l->channels), err);
    if (status == SAC_OK)
        status = sac_gpu_alloc(g->gpu, (void **)&job->state, sizeof *job->state, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc(g->gpu, (void **)&job->places,
                               (size_t)l->n_cells * sizeof *job->places, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc(g->gpu, (void **)&job->streams, l->band * (size_t)l->n_bands, err);
    for (int i = 0; i < SLOTS && status == SAC_OK; i++)
        status = open_slot(g, &g->slot[i], err);
    return status;
}

static void set_job(sac_delta_encode_gpu *g, const sac_delta_encode *plan)
{
    g->pitch = sac_stage_pitch((size_t)plan->desc.w * (size_t)plan->desc.n_channels);
    g->job = (sac_delta_encode_job){
        .layout = sac_delta_layout_of(&plan->geometry),
        .threshold = plan->desc.threshold,
        .looks = plan->desc.scene_change,
        .pace = plan->pace,
    };
}

static sac_status open_parts(sac_delta_encode_gpu *g, sac_delta_encode *plan, sac_error *err)
{
    const sac_delta_encode_desc *d = &plan->desc;
    set_job(g, plan);
    sac_status status = sac_pool_open(&plan->pool, d->n_threads, d->executor, err);
    if (status == SAC_OK && !d->stream)
        status = sac_stage_open(&g->stage, g->gpu, plan->pool, g->pitch * (size_t)d->h, err);
    return status ? status : open_memory(g, err);
}

sac_status sac_delta_encode_gpu_open(sac_delta_encode *plan, sac_error *err)
{
    const sac_delta_encode_desc *d = &plan->desc;
    const int32_t index = d->device.index;
    if (d->variant)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "variant: can be forced on the CPU only, and the device is cuda:%d", index);
    sac_delta_encode_gpu *g = plan->gpu = sac_alloc(1, sizeof *g);
    if (!g)
        return sac_fail(err, SAC_E_NOMEM, "delta: no memory for a plan");
    sac_status status = sac_gpu_open(&g->gpu, index, err);
    if (status)
        return status;
    g->stream = d->stream ? d->stream : sac_gpu_main_stream(g->gpu);
    if (sac_gpu_enter(g->gpu))
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d is lost", index);
    status = open_parts(g, plan, err);
    sac_gpu_leave(g->gpu);
    snprintf(plan->variant, sizeof plan->variant, "change_u8:cuda predict_u8:cuda pack_u8:cuda");
    if (status == SAC_OK)
        sac_log_line(d->log, SAC_LOG_INFO, "delta: %s, cuda:%d", plan->variant, index);
    return status;
}

static void close_parts(sac_delta_encode_gpu *g)
{
    sac_stage_close(&g->stage);
    for (int i = 0; i < SLOTS; i++) {
        slot *s = &g->slot[i];
        sac_gpu_event_close(&s->here);
        sac_gpu_event_close(&s->read);
        sac_gpu_event_close(&s->done);
        sac_gpu_free(g->gpu, s->frame);
        sac_gpu_free_pinned(g->gpu, s->streams);
        sac_gpu_free_pinned(g->gpu, s->sent);
        sac_gpu_free(g->gpu, g->picture[i]);
    }
    sac_gpu_free(g->gpu, g->job.state);
    sac_gpu_free(g->gpu, g->job.places);
    sac_gpu_free(g->gpu, g->job.streams);
}

void sac_delta_encode_gpu_close(sac_delta_encode_gpu **gpu)
{
    if (!*gpu)
        return;
    sac_delta_encode_gpu *g = *gpu;
    const bool entered = g->gpu && sac_gpu_enter(g->gpu) == SAC_OK;
    close_parts(g);
    if (entered)
        sac_gpu_leave(g->gpu);
    sac_gpu_close(&g->gpu);
    sac_free(g);
    *gpu = NULL;
}

/* Where the kernels find the frame: on the device, or in the slot, whose copy it waits for. */
static sac_status take_frame(sac_delta_encode_gpu *g, sac_delta_encode_job *job, slot *s,
                             const sac_array *frame)
{
    const bool is_flat = frame->n_dims == 2;
    if (frame->device.kind != SAC_DEVICE_CPU) {
        job->frame = frame->data;
        job->row = frame->stride[0];
        job->pixel = frame->stride[1];
        job->channel = is_flat ? 1 : frame->stride[2];
        return SAC_OK;
    }
    const sac_gpu_stream copy = sac_gpu_copy_stream(g->gpu);
    job->frame = s->frame;
    job->row = (ptrdiff_t)g->pitch;
    job->pixel = job->layout.channels;
    job->channel = 1;
    sac_status status = sac_gpu_event_wait(s->read, copy);
    if (status == SAC_OK)
        status = sac_stage_up(g->stage, s->frame, g->pitch, frame, is_flat ? 1 : 2);
    if (status == SAC_OK)
        status = sac_gpu_event_record(s->here, copy);
    return status ? status : sac_gpu_event_wait(s->here, g->stream);
}

/* Enqueues the frame that comes `ahead` of the next packet. */
static sac_status send(sac_delta_encode *plan, const sac_array *frame, uint64_t time_ns,
                       int32_t ahead)
{
    sac_delta_encode_gpu *g = plan->gpu;
    const uint64_t turn = (plan->frame + (uint64_t)ahead) % SLOTS;
    slot *s = &g->slot[turn];
    sac_delta_encode_job job = g->job;
    job.was = g->picture[turn];
    job.now = g->picture[!turn];
    job.parity = (uint8_t)turn;
    job.wants_key = ahead == 0 && plan->wants_key;
    job.time_ns = time_ns;
    job.sent = s->sent;
    job.streams_out = s->streams;
    sac_status status = take_frame(g, &job, s, frame);
    if (status == SAC_OK)
        status = sac_delta_compare_cuda(g->stream, &job);
    if (status == SAC_OK)
        status = sac_gpu_event_record(s->read, g->stream);
    if (status == SAC_OK)
        status = sac_delta_pack_cuda(g->stream, &job);
    return status ? status : sac_gpu_event_record(s->done, g->stream);
}

/* Waits for the oldest frame's streams, and makes its packet; NULL: does without. */
static sac_status finish(sac_delta_encode *plan, sac_delta_packet *packet, uint64_t time_ns)
{
    const sac_delta_encode_gpu *g = plan->gpu;
    const sac_delta_layout *l = &g->job.layout;
    const slot *s = &g->slot[plan->frame % SLOTS];
    const sac_status status = sac_gpu_event_sync(s->done);
    if (status)
        return status;
    if (!packet) {
        plan->wants_key = false;
        plan->frame++;
        return SAC_OK;
    }
    for (int32_t k = 0; k < l->n_bands; k++)
        for (int32_t i = 0; i < sac_delta_n_streams(l->channels); i++) {
            plan->bands[k].stream[i] = s->streams + (size_t)k * l->band + l->stream[i];
            plan->bands[k].size[i] = s->sent->size.of[k][i];
        }
    plan->turn = s->sent->turn;
    sac_pool_run(plan->pool, l->n_bands, sac_delta_encode_band_put, plan);
    sac_delta_encode_finish(plan, packet, time_ns);
    return SAC_OK;
}

/* A frame is sent before the one ahead of it is finished, so that the device always has work. */
static sac_status run(sac_delta_encode *plan, const sac_delta_taker *taker, const sac_array *frames,
                      const uint64_t *times_ns, int32_t n, sac_error *err)
{
    for (int32_t i = 0; i <= n; i++) {
        sac_delta_packet packet;
        sac_status status = i < n ? send(plan, &frames[i], times_ns[i], i > 0) : SAC_OK;
        if (i > 0 && status == SAC_OK)
            status = finish(plan, taker ? &packet : NULL, times_ns[i - 1]);
        if (status) {
            plan->wants_key = true; /* what the device holds is not known */
            return sac_gpu_fail(status, err);
        }
        if (i > 0 && taker)
            status = taker->take(taker->ctx, &packet, err);
        if (status)
            return status;
    }
    return SAC_OK;
}

sac_status sac_delta_encode_gpu_run(sac_delta_encode *plan, const sac_delta_taker *taker,
                                    const sac_array *frames, const uint64_t *times_ns, int32_t n,
                                    sac_error *err)
{
    const sac_delta_encode_gpu *g = plan->gpu;
    if (sac_gpu_enter(g->gpu))
        return sac_gpu_fail(SAC_E_DEVICE, err);
    sac_status status = run(plan, taker, frames, times_ns, n, err);
    /* Whatever failed: the caller's memory is his again. */
    const sac_gpu_stream streams[] = {sac_gpu_copy_stream(g->gpu), g->stream};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        const sac_status waited = sac_gpu_wait(streams[i]);
        if (status == SAC_OK && waited)
            status = sac_gpu_fail(waited, err);
    }
    sac_gpu_leave(g->gpu);
    return status;
}
