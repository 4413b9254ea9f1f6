/*
 * Frames on a GPU: memory, copies, order.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/gpu.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/array_check.h"
#include "gpu/stage.h"

/* Calls on their way: one is copied in, one worked on, one copied back. */
#define SLOTS 3
#define KEPT 4 /* memories of a plan */

/* What a call of arrays in the CPU's memory has on the device. */
typedef struct slot {
    sac_array current, previous, out; /* previous: where it is not the frame of the call before */
    sac_gpu_event here, done, gone;   /* copied in; drawn; copied back */
} slot;

struct sac_motion_gpu {
    sac_motion_gpu_desc desc;
    sac_gpu *gpu;
    sac_gpu_stream stream; /* the caller's or the plan's */
    bool waits;            /* it is the plan's: a run is complete when it returns */
    void *memory[KEPT];
    int32_t n_memory;
    sac_array kept[2]; /* of arrays on the device: the frame before, and room for this one */
    sac_array before;  /* the current frame of the run before; no data: there was none */

    /* For arrays in the CPU's memory; NULL where the stream is the caller's. */
    sac_pool *pool;
    sac_stage *stage;
    slot slot[SLOTS];
    int64_t n_sent; /* calls; which tells a call's slot */
};

static size_t pitch_of(const sac_frame_shape *s)
{
    return sac_stage_pitch((size_t)s->w * (size_t)s->n_channels);
}

/* A frame on the device, its rows `pitch_of` apart. */
static sac_status open_array(sac_motion_gpu *g, sac_array *a, const sac_frame_shape *s,
                             size_t *most, sac_error *err)
{
    size_t bytes;
    if (__builtin_mul_overflow(pitch_of(s), (size_t)s->h, &bytes))
        return sac_fail(err, SAC_E_NOMEM, "%s: a frame of %lld x %lld pixels is too large",
                        g->desc.pipeline, (long long)s->w, (long long)s->h);
    *most = bytes > *most ? bytes : *most;
    *a = (sac_array){
        .dtype = SAC_U8,
        .n_dims = s->n_channels == 1 ? 2 : 3,
        .shape = {s->h, s->w, s->n_channels},
        .stride = {(ptrdiff_t)pitch_of(s), s->n_channels, 1},
        .device = g->desc.device,
    };
    return sac_gpu_alloc(g->gpu, &a->data, bytes, err);
}

static sac_status open_slot(sac_motion_gpu *g, slot *s, size_t *most, sac_error *err)
{
    sac_status status = open_array(g, &s->current, &g->desc.frame, most, err);
    if (status == SAC_OK && g->desc.pairs)
        status = open_array(g, &s->previous, &g->desc.frame, most, err);
    if (status == SAC_OK)
        status = open_array(g, &s->out, &g->desc.out, most, err);
    if (status)
        return status;
    if (sac_gpu_event_open_untimed(g->gpu, &s->here) != SAC_OK ||
        sac_gpu_event_open_untimed(g->gpu, &s->done) != SAC_OK ||
        sac_gpu_event_open_untimed(g->gpu, &s->gone) != SAC_OK)
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d refused an event",
                        g->desc.device.index);
    return SAC_OK;
}

static sac_status open_staging(sac_motion_gpu *g, sac_error *err)
{
    size_t most = 0;
    sac_status status = sac_pool_open(&g->pool, g->desc.n_threads, g->desc.executor, err);
    for (int i = 0; i < SLOTS && status == SAC_OK; i++)
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
    for (int i = 0; i < SLOTS; i++) {
        slot *s = &g->slot[i];
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

/* A run's arrays. */
typedef struct calls {
    const sac_array *outs, *currents, *previouses;
    const sac_array *before; /* the first one's previous frame where previouses is NULL */
    int32_t n;
} calls;

static sac_motion_arrays call_of(const calls *c, int32_t i)
{
    const sac_array *previous = c->previouses    ? &c->previouses[i]
                                : i && c->before ? &c->currents[i - 1]
                                                 : c->before;
    return (sac_motion_arrays){&c->outs[i], &c->currents[i], previous};
}

/* A frame on the device to kept[1], before anything may be drawn over it. */
static sac_status keep(sac_motion_gpu *g, const sac_array *frame)
{
    const sac_frame_shape *s = &g->desc.frame;
    const ptrdiff_t row = (ptrdiff_t)(s->w * s->n_channels), pitch = (ptrdiff_t)pitch_of(s);
    const bool is_packed = (s->n_channels == 1 || frame->stride[2] == 1) &&
                           (s->w == 1 || frame->stride[1] == s->n_channels) &&
                           frame->stride[0] >= row;
    if (is_packed && frame->stride[0] <= INT32_MAX)
        return sac_gpu_copy_rows(g->kept[1].data, pitch, frame->data, frame->stride[0], (size_t)row,
                                 (size_t)s->h, g->stream);
    sac_pixels to, from;
    sac_status status = sac_frame_pixels(&to, &g->kept[1], "current", s, NULL);
    if (status == SAC_OK)
        status = sac_frame_pixels(&from, frame, "current", s, NULL);
    return status ? status : sac_frame_copy_cuda(g->stream, &to, &from);
}

static void was_kept(sac_motion_gpu *g)
{
    const sac_array old = g->kept[0];
    g->before = g->kept[0] = g->kept[1];
    g->kept[1] = old;
}

static sac_status run_device(sac_motion_gpu *g, void *plan, const calls *c)
{
    sac_motion_arrays some[SAC_MOTION_CALLS];
    sac_status status = g->desc.keeps ? keep(g, &c->currents[c->n - 1]) : SAC_OK;
    for (int32_t done = 0; done < c->n && status == SAC_OK; done += SAC_MOTION_CALLS) {
        const int32_t n = c->n - done < SAC_MOTION_CALLS ? c->n - done : SAC_MOTION_CALLS;
        for (int32_t i = 0; i < n; i++)
            some[i] = call_of(c, done + i);
        status = g->desc.enqueue(plan, g->stream, some, n);
    }
    if (g->waits) {
        const sac_status waited = sac_gpu_wait(g->stream);
        status = status ? status : waited;
    }
    if (status == SAC_OK && g->desc.keeps)
        was_kept(g);
    return status;
}

static bool is_same(const sac_array *a, const sac_array *b)
{
    bool same = a->data == b->data && a->n_dims == b->n_dims;
    for (int32_t k = 0; k < a->n_dims; k++)
        same = same && a->stride[k] == b->stride[k];
    return same;
}

static int32_t row_axes(const sac_array *a)
{
    return a->n_dims == 3 ? 2 : 1;
}

static sac_status copy_in(sac_motion_gpu *g, const sac_array *to, const sac_array *from)
{
    return sac_stage_up(g->stage, to->data, pitch_of(&g->desc.frame), from, row_axes(from));
}

static slot *slot_of(sac_motion_gpu *g, int64_t i)
{
    return &g->slot[(g->n_sent + i) % SLOTS];
}

/* Copies call i's frames in, and draws. */
static sac_status send(sac_motion_gpu *g, void *plan, const calls *c, int32_t i)
{
    slot *s = slot_of(g, i);
    const slot *before = slot_of(g, i + SLOTS - 1), *after = slot_of(g, i + 1);
    const sac_gpu_stream copy = sac_gpu_copy_stream(g->gpu);
    const sac_motion_arrays from = call_of(c, i);
    sac_motion_arrays call = {&s->out, &s->current, NULL};
    /* Call i - 2 was the last that may see this slot's frame: as its previous one. */
    sac_status status = sac_gpu_event_wait(after->done, copy);
    if (status == SAC_OK)
        status = copy_in(g, &s->current, from.current);
    if (i == 0 && c->before) {
        call.previous = c->before;
    } else if (from.previous) {
        const bool is_here = i > 0 && is_same(from.previous, &c->currents[i - 1]);
        call.previous = is_here ? &before->current : &s->previous;
        if (status == SAC_OK && !is_here)
            status = copy_in(g, &s->previous, from.previous);
    }
    if (status == SAC_OK)
        status = sac_gpu_event_record(s->here, copy);
    if (status == SAC_OK)
        status = sac_gpu_event_wait(s->here, g->stream);
    if (status == SAC_OK)
        status = sac_gpu_event_wait(s->gone, g->stream);
    if (status == SAC_OK)
        status = g->desc.enqueue(plan, g->stream, &call, 1);
    if (status == SAC_OK)
        status = sac_gpu_event_record(s->done, g->stream);
    return status;
}

static sac_status fetch(sac_motion_gpu *g, const sac_array *out, int32_t i)
{
    slot *s = slot_of(g, i);
    const sac_gpu_stream back = sac_gpu_back_stream(g->gpu);
    sac_status status = sac_gpu_event_wait(s->done, back);
    if (status == SAC_OK)
        status = sac_stage_down(g->stage, out, row_axes(out), s->out.data, pitch_of(&g->desc.out));
    if (status == SAC_OK)
        status = sac_gpu_event_record(s->gone, back);
    return status;
}

/* A call is sent before the one ahead of it is fetched, so that the device always has work. */
static sac_status run_host(sac_motion_gpu *g, void *plan, const calls *c)
{
    sac_status status = SAC_OK;
    for (int32_t i = 0; i <= c->n && status == SAC_OK; i++) {
        if (i < c->n)
            status = send(g, plan, c, i);
        if (i > 0 && status == SAC_OK)
            status = fetch(g, &c->outs[i - 1], i - 1);
    }
    /* All three, whatever failed: the caller's memory is his again. */
    const sac_gpu_stream streams[] = {sac_gpu_copy_stream(g->gpu), g->stream,
                                      sac_gpu_back_stream(g->gpu)};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        const sac_status waited = sac_gpu_wait(streams[i]);
        status = status ? status : waited;
    }
    if (status == SAC_OK && g->desc.keeps)
        g->before = slot_of(g, c->n - 1)->current;
    g->n_sent += c->n;
    return status;
}

/* The first frame of a video: there is nothing to draw. */
static sac_status begin(sac_motion_gpu *g, const sac_array *current, bool host)
{
    slot *s = slot_of(g, 0);
    const sac_gpu_stream stream = host ? sac_gpu_copy_stream(g->gpu) : g->stream;
    sac_status status = host ? copy_in(g, &s->current, current) : keep(g, current);
    const sac_status waited = g->waits ? sac_gpu_wait(stream) : SAC_OK;
    status = status ? status : waited;
    if (status)
        return status;
    if (!host) {
        was_kept(g);
        return SAC_AGAIN;
    }
    g->before = s->current;
    g->n_sent++;
    return SAC_AGAIN;
}

static sac_status expect(const sac_array *a, const char *name, const sac_frame_shape *s,
                         sac_device place, sac_error *err)
{
    const sac_status status = sac_array_expect_frame(a, name, s->h, s->w, s->n_channels, err);
    return status ? status : sac_array_expect_on(a, name, place, err);
}

/* Before any work: all fit, and lie on the plan's device or all in the CPU's memory. */
static sac_status check(const sac_motion_gpu *g, const calls *c, sac_error *err)
{
    const bool host = c->currents[0].device.kind == SAC_DEVICE_CPU && g->waits;
    const sac_device place = host ? c->currents[0].device : g->desc.device;
    const char *frame = g->desc.pairs ? "current" : "in";
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < c->n && status == SAC_OK; i++) {
        status = expect(&c->outs[i], "out", &g->desc.out, place, err);
        if (status == SAC_OK)
            status = expect(&c->currents[i], frame, &g->desc.frame, place, err);
        if (status == SAC_OK && c->previouses)
            status = expect(&c->previouses[i], "previous", &g->desc.frame, place, err);
        if (status == SAC_OK && (!g->desc.pairs || (!c->previouses && c->n > 1)))
            status = sac_frame_apart(&c->outs[i], &c->currents[i], err);
    }
    return status;
}

sac_status sac_motion_gpu_run(sac_motion_gpu *g, void *plan, const sac_array *outs,
                              const sac_array *currents, const sac_array *previouses, int32_t n,
                              sac_error *err)
{
    const bool keeps = g->desc.pairs && !previouses;
    const calls c = {outs, currents, previouses, keeps ? &g->before : NULL, n};
    if (n < 1)
        return SAC_OK;
    sac_status status = check(g, &c, err);
    if (status)
        return status;
    status = sac_gpu_enter(g->gpu);
    if (status)
        return sac_gpu_fail(status, err);
    const bool host = currents[0].device.kind == SAC_DEVICE_CPU;
    if (keeps && !g->before.data)
        status = begin(g, currents, host);
    else
        status = host ? run_host(g, plan, &c) : run_device(g, plan, &c);
    if (status != SAC_OK && status != SAC_AGAIN)
        g->before.data = NULL; /* whatever came of it */
    sac_gpu_leave(g->gpu);
    return sac_gpu_fail(status, err);
}

sac_status sac_motion_gpu_read(sac_motion_gpu *g, void *to, const void *memory, size_t bytes)
{
    sac_status status = sac_gpu_enter(g->gpu);
    if (status)
        return status;
    status = sac_gpu_copy(to, memory, bytes, g->stream);
    const sac_status waited = sac_gpu_wait(g->stream);
    sac_gpu_leave(g->gpu);
    return status ? status : waited;
}
