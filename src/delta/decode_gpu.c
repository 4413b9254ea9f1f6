/*
 * The decoder on a GPU: streams are unpacked in page-locked memory, from which it fetches them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/decode_gpu.h"

#include <stdio.h>

#include "base/alloc.h"
#include "delta/kernels/decode_cuda.h"
#include "gpu/open.h"

/* Memory that grows with the pictures. */
typedef struct memory {
    void *data;
    size_t room;
} memory;

struct sac_delta_decode_gpu {
    sac_gpu *gpu;
    sac_gpu_stream stream; /* the caller's or the plan's */
    bool waits;            /* a picture is complete when run returns */
    sac_gpu_event fetched; /* the device has what is in `in` */
    sac_delta_decode_job job;
    memory in, picture;           /* page-locked; picture: for the caller */
    memory streams, places, done; /* on the device */
    sac_delta_sizes *sizes;       /* page-locked */
};

static sac_status open_parts(sac_delta_decode_gpu *g, sac_delta_decode *plan, sac_error *err)
{
    sac_delta_decode_job *job = &g->job;
    sac_status status = sac_pool_open(&plan->pool, plan->desc.n_threads, plan->desc.executor, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc_pinned(g->gpu, (void **)&g->sizes, sizeof *g->sizes, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc(g->gpu, (void **)&job->scratch, sizeof *job->scratch, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc(g->gpu, (void **)&job->ticket, sizeof *job->ticket, err);
    sac_gpu_event *const events[] = {&g->fetched};
    job->sizes = g->sizes;
    return status ? status : sac_gpu_events_open_untimed(g->gpu, events, 1, err);
}

sac_status sac_delta_decode_gpu_open(sac_delta_decode *plan, sac_error *err)
{
    const sac_delta_decode_desc *d = &plan->desc;
    const int32_t index = d->device.index;
    if (d->variant)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "variant: can be forced on the CPU only, and the device is cuda:%d", index);
    sac_delta_decode_gpu *g = plan->gpu = sac_alloc(1, sizeof *g);
    if (!g)
        return sac_fail(err, SAC_E_NOMEM, "delta: no memory for a plan");
    sac_status status = sac_gpu_open(&g->gpu, index, err);
    if (status)
        return status;
    g->stream = d->stream ? d->stream : sac_gpu_main_stream(g->gpu);
    g->waits = !d->stream || !d->on_device;
    if (sac_gpu_enter(g->gpu))
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d is lost", index);
    status = open_parts(g, plan, err);
    sac_gpu_leave(g->gpu);
    snprintf(plan->variant, sizeof plan->variant, "unpack_u8:cuda");
    if (status == SAC_OK)
        sac_log_line(d->log, SAC_LOG_INFO, "delta: %s, cuda:%d", plan->variant, index);
    return status;
}

static void close_parts(sac_delta_decode_gpu *g)
{
    sac_gpu_event_close(&g->fetched);
    sac_gpu_free(g->gpu, g->streams.data);
    sac_gpu_free(g->gpu, g->places.data);
    sac_gpu_free(g->gpu, g->done.data);
    sac_gpu_free(g->gpu, g->job.scratch);
    sac_gpu_free(g->gpu, g->job.ticket);
    sac_gpu_free_pinned(g->gpu, g->in.data);
    sac_gpu_free_pinned(g->gpu, g->picture.data);
    sac_gpu_free_pinned(g->gpu, g->sizes);
}

void sac_delta_decode_gpu_close(sac_delta_decode *plan)
{
    sac_delta_decode_gpu *g = plan->gpu;
    if (!g)
        return;
    const bool entered = g->gpu && sac_gpu_enter(g->gpu) == SAC_OK;
    if (entered)
        (void)!sac_gpu_wait(g->stream); /* what is enqueued uses the memory */
    for (int i = 0; i < 2; i++)
        sac_gpu_free(g->gpu, plan->chains[i].picture);
    close_parts(g);
    if (entered)
        sac_gpu_leave(g->gpu);
    sac_gpu_close(&g->gpu);
    sac_free(g);
    plan->gpu = NULL;
}

/* Room for `bytes`, which need not keep what is there. */
static sac_status make_room(sac_gpu *gpu, memory *m, size_t bytes, bool is_pinned)
{
    if (bytes <= m->room)
        return SAC_OK;
    if (is_pinned)
        sac_gpu_free_pinned(gpu, m->data);
    else
        sac_gpu_free(gpu, m->data);
    const sac_status status = is_pinned ? sac_gpu_alloc_pinned(gpu, &m->data, bytes, NULL)
                                        : sac_gpu_alloc(gpu, &m->data, bytes, NULL);
    m->data = status ? NULL : m->data;
    m->room = status ? 0 : bytes;
    return status;
}

/* What both chains use: without it none of them can go on. */
static sac_status share_room(sac_delta_decode_gpu *g, const sac_delta_layout *l, size_t picture)
{
    const size_t streams = l->band * (size_t)l->n_bands, n_cells = (size_t)l->n_cells;
    sac_status status = make_room(g->gpu, &g->in, streams, true);
    if (status == SAC_OK)
        status = make_room(g->gpu, &g->streams, streams, false);
    if (status == SAC_OK)
        status = make_room(g->gpu, &g->places, n_cells * sizeof *g->job.places, false);
    if (status == SAC_OK)
        status = make_room(g->gpu, &g->done, n_cells * sizeof *g->job.done, false);
    if (status == SAC_OK && picture > 0)
        status = make_room(g->gpu, &g->picture, picture, true);
    return status;
}

sac_status sac_delta_decode_gpu_room(sac_delta_decode *plan, sac_delta_chain *chain)
{
    sac_delta_decode_gpu *g = plan->gpu;
    const sac_delta_layout l = sac_delta_layout_of(&chain->geometry);
    memory own = {chain->picture, chain->room};
    if (sac_gpu_enter(g->gpu))
        return SAC_E_DEVICE;
    sac_status status = sac_gpu_wait(g->stream); /* what is enqueued uses the memory */
    if (status == SAC_OK)
        status = share_room(g, &l, plan->desc.on_device ? 0 : chain->geometry.bytes);
    if (status)
        plan->chains[0].is_whole = plan->chains[1].is_whole = false;
    if (status == SAC_OK)
        status = make_room(g->gpu, &own, chain->geometry.bytes, false);
    sac_gpu_leave(g->gpu);
    chain->picture = own.data;
    chain->room = own.room;
    return status;
}

void sac_delta_decode_gpu_share(sac_delta_decode *plan)
{
    sac_delta_decode_gpu *g = plan->gpu;
    g->job.layout = sac_delta_layout_of(&plan->chain->geometry);
    const sac_delta_layout *l = &g->job.layout;
    if (sac_gpu_enter(g->gpu) == SAC_OK) {
        (void)!sac_gpu_event_sync(g->fetched); /* a fault shows in the launch */
        sac_gpu_leave(g->gpu);
    }
    for (int32_t k = 0; k < l->n_bands; k++)
        for (int32_t i = 0; i < sac_delta_n_streams(l->channels); i++)
            plan->bands[k].stream[i] = (uint8_t *)g->in.data + (size_t)k * l->band + l->stream[i];
}

static void set_job(sac_delta_decode *plan)
{
    sac_delta_decode_gpu *g = plan->gpu;
    sac_delta_decode_job *job = &g->job;
    job->streams_in = g->in.data;
    job->picture = plan->chain->picture;
    job->streams = g->streams.data;
    job->places = g->places.data;
    job->done = g->done.data;
    job->packet += job->packet == UINT32_MAX ? 2 : 1;
    job->is_spatial = false;
    for (int32_t k = 0; k < job->layout.n_bands; k++) {
        const sac_delta_decode_band *band = &plan->bands[k];
        job->is_spatial = job->is_spatial || band->is_spatial;
        for (int32_t i = 0; i < sac_delta_n_streams(job->layout.channels); i++)
            g->sizes->of[k][i] = (uint32_t)band->raw[i];
    }
}

static sac_status enqueue(const sac_delta_decode *plan)
{
    sac_delta_decode_gpu *g = plan->gpu;
    const sac_delta_geometry *geometry = &plan->chain->geometry;
    sac_status status = sac_delta_fetch_cuda(g->stream, &g->job);
    if (status == SAC_OK)
        status = sac_gpu_event_record(g->fetched, g->stream);
    if (status == SAC_OK)
        status = sac_delta_unpack_cuda(g->stream, &g->job);
    if (status == SAC_OK && !plan->desc.on_device)
        status = sac_gpu_copy(g->picture.data, plan->chain->picture,
                              (size_t)geometry->h * geometry->row, g->stream);
    if (status == SAC_OK && g->waits)
        status = sac_gpu_wait(g->stream);
    return status;
}

sac_status sac_delta_decode_gpu_bands(sac_delta_decode *plan)
{
    const sac_delta_decode_gpu *g = plan->gpu;
    set_job(plan);
    if (sac_gpu_enter(g->gpu))
        return SAC_E_DEVICE;
    const sac_status status = enqueue(plan);
    sac_gpu_leave(g->gpu);
    return status;
}

void *sac_delta_decode_gpu_picture(const sac_delta_decode *plan)
{
    return plan->desc.on_device ? plan->chain->picture : plan->gpu->picture.data;
}
