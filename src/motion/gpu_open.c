/*
 * A motion plan's memory, streams and events on a GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "base/alloc.h"
#include "motion/gpu_plan.h"
#include "gpu/open.h"

/* A frame on the device, its rows `sac_motion_pitch` apart. */
static sac_status open_array(sac_motion_gpu *g, sac_array *a, const sac_frame_shape *s,
                             size_t *most, sac_error *err)
{
    size_t bytes;
    if (__builtin_mul_overflow(sac_motion_pitch(s), (size_t)s->h, &bytes))
        return sac_fail(err, SAC_E_NOMEM, "%s: a frame of %lld x %lld pixels is too large",
                        g->desc.pipeline, (long long)s->w, (long long)s->h);
    *most = bytes > *most ? bytes : *most;
    *a = (sac_array){
        .dtype = SAC_U8,
        .n_dims = s->n_channels == 1 ? 2 : 3,
        .shape = {s->h, s->w, s->n_channels},
        .stride = {(ptrdiff_t)sac_motion_pitch(s), s->n_channels, 1},
        .device = g->desc.device,
    };
    return sac_gpu_alloc(g->gpu, &a->data, bytes, err);
}

static sac_status open_slot(sac_motion_gpu *g, sac_motion_slot *s, size_t *most, sac_error *err)
{
    sac_status status = open_array(g, &s->current, &g->desc.frame, most, err);
    if (status == SAC_OK && g->desc.pairs)
        status = open_array(g, &s->previous, &g->desc.frame, most, err);
    if (status == SAC_OK)
        status = open_array(g, &s->out, &g->desc.out, most, err);
    sac_gpu_event *const events[] = {&s->here, &s->done, &s->gone};
    return status ? status : sac_gpu_events_open_untimed(g->gpu, events, 3, err);
}

static sac_status open_staging(sac_motion_gpu *g, sac_error *err)
{
    size_t most = 0;
    sac_status status = sac_pool_open(&g->pool, g->desc.n_threads, g->desc.executor, err);
    for (int i = 0; i < SAC_MOTION_SLOTS && status == SAC_OK; i++)
        status = open_slot(g, &g->slot[i], &most, err);
    if (status == SAC_OK)
        status = sac_stage_open(&g->stage, g->gpu, g->pool, most, err);
    return status;
}

sac_status sac_motion_gpu_open(sac_motion_gpu **gpu, const sac_motion_gpu_desc *desc,
                               sac_error *err)
{
    const int32_t index = desc->device.index;
    if (desc->variant)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "variant: can be forced on the CPU only, and the device is cuda:%d", index);
    sac_motion_gpu *g = *gpu = sac_alloc(1, sizeof *g);
    if (!g)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for a plan", desc->pipeline);
    g->desc = *desc;
    g->desc.variant = NULL; /* strings of the caller's are not kept */
    sac_status status = sac_gpu_open(&g->gpu, index, err);
    if (status)
        return status;
    g->waits = desc->stream == NULL;
    g->stream = g->waits ? sac_gpu_main_stream(g->gpu) : desc->stream;
    if (sac_gpu_enter(g->gpu))
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d is lost", index);
    size_t most = 0;
    for (int i = 0; i < 2 && status == SAC_OK && desc->keeps; i++)
        status = open_array(g, &g->kept[i], &desc->frame, &most, err);
    if (g->waits && status == SAC_OK)
        status = open_staging(g, err);
    sac_gpu_leave(g->gpu);
    return status;
}

void sac_motion_gpu_say(const sac_motion_gpu_desc *desc, char *text, size_t size,
                        const char *variant)
{
    snprintf(text, size, "%s", variant);
    sac_log_line(desc->log, SAC_LOG_INFO, "%s: %s, cuda:%d", desc->pipeline, text,
                 desc->device.index);
}

static void close_parts(sac_motion_gpu *g)
{
    sac_stage_close(&g->stage);
    for (int i = 0; i < SAC_MOTION_SLOTS; i++) {
        sac_motion_slot *s = &g->slot[i];
        sac_gpu_event_close(&s->here);
        sac_gpu_event_close(&s->done);
        sac_gpu_event_close(&s->gone);
        sac_gpu_free(g->gpu, s->current.data);
        sac_gpu_free(g->gpu, s->previous.data);
        sac_gpu_free(g->gpu, s->out.data);
    }
    for (int32_t i = 0; i < g->n_memory; i++)
        sac_gpu_free(g->gpu, g->memory[i]);
    for (int i = 0; i < 2; i++)
        sac_gpu_free(g->gpu, g->kept[i].data);
}

void sac_motion_gpu_close(sac_motion_gpu **gpu)
{
    if (!*gpu)
        return;
    sac_motion_gpu *g = *gpu;
    const bool entered = g->gpu && sac_gpu_enter(g->gpu) == SAC_OK;
    close_parts(g);
    if (entered)
        sac_gpu_leave(g->gpu);
    sac_gpu_close(&g->gpu);
    sac_pool_close(&g->pool);
    sac_free(g);
    *gpu = NULL;
}

sac_status sac_motion_gpu_keep(sac_motion_gpu *g, void **memory, size_t bytes, const void *from,
                               sac_error *err)
{
    sac_status status = sac_gpu_alloc(g->gpu, memory, bytes, err);
    if (status)
        return status;
    g->memory[g->n_memory++] = *memory;
    if (!from)
        return SAC_OK;
    status = sac_gpu_enter(g->gpu);
    if (status == SAC_OK) {
        const sac_gpu_stream stream = sac_gpu_main_stream(g->gpu);
        status = sac_gpu_copy(*memory, from, bytes, stream);
        if (status == SAC_OK)
            status = sac_gpu_wait(stream);
        sac_gpu_leave(g->gpu);
    }
    return status ? sac_fail(err, status, "device: cuda:%d refused a copy", g->desc.device.index)
                  : SAC_OK;
}
