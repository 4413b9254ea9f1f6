/*
 * Frames to a GPU and back: places, copies, order.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/array_check.h"
#include "motion/gpu_plan.h"

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
    const ptrdiff_t row = (ptrdiff_t)(s->w * s->n_channels), pitch = (ptrdiff_t)sac_motion_pitch(s);
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
    return sac_stage_up(g->stage, to->data, sac_motion_pitch(&g->desc.frame), from, row_axes(from));
}

static sac_motion_slot *slot_of(sac_motion_gpu *g, int64_t i)
{
    return &g->slot[(g->n_sent + i) % SAC_MOTION_SLOTS];
}

/* Copies call i's frames in, and draws. */
static sac_status send(sac_motion_gpu *g, void *plan, const calls *c, int32_t i)
{
    sac_motion_slot *s = slot_of(g, i);
    const sac_motion_slot *before = slot_of(g, i + SAC_MOTION_SLOTS - 1),
                          *after = slot_of(g, i + 1);
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
    sac_motion_slot *s = slot_of(g, i);
    const sac_gpu_stream back = sac_gpu_back_stream(g->gpu);
    sac_status status = sac_gpu_event_wait(s->done, back);
    if (status == SAC_OK)
        status = sac_stage_down(g->stage, out, row_axes(out), s->out.data,
                                sac_motion_pitch(&g->desc.out));
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
    sac_motion_slot *s = slot_of(g, 0);
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
        if (status == SAC_OK && !g->desc.in_place &&
            (!g->desc.pairs || (!c->previouses && c->n > 1)))
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
