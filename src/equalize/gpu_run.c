/*
 * Running an equalize plan on a GPU: pictures that lie there, and pictures that are copied.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/array_check.h"
#include "equalize/gpu_plan.h"

static sac_status launch(sac_equalize *plan, const sac_pixels *out, const sac_pixels *in)
{
    sac_equalize_gpu *g = plan->gpu;
    g->tables.follow = sac_equalize_follow(plan);
    sac_status status = g->launch(g->stream, out, in, &g->tables);
    plan->started = plan->started || status == SAC_OK;
    return status;
}

static sac_status run_device(sac_equalize *plan, const sac_array *outs, const sac_array *ins,
                             int32_t n)
{
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        status = sac_equalize_pixels(&plan->in, &ins[i], "in", &plan->desc, NULL);
        if (status == SAC_OK)
            status = sac_equalize_pixels(&plan->out, &outs[i], "out", &plan->desc, NULL);
        if (status == SAC_OK)
            status = launch(plan, &plan->out, &plan->in);
    }
    if (plan->gpu->waits) {
        sac_status waited = sac_gpu_wait(plan->gpu->stream);
        status = status ? status : waited;
    }
    return status;
}

/* Axes of a picture that make a row. */
static int32_t row_axes(const sac_equalize *plan, const sac_array *picture)
{
    return picture->n_dims == 3 && plan->desc.layout == SAC_INTERLEAVED ? 2 : 1;
}

/* Copies picture i in and equalizes it, when the frame's last picture has gone. */
static sac_status send(sac_equalize *plan, const sac_array *in, int32_t i)
{
    sac_equalize_gpu *g = plan->gpu;
    sac_equalize_frame *f = &g->frame[i % SAC_EQUALIZE_FRAMES];
    sac_gpu_stream copy = sac_gpu_copy_stream(g->gpu);
    sac_status status = sac_gpu_event_wait(f->gone, copy);
    if (status == SAC_OK)
        status = sac_stage_up(g->stage, f->memory, sac_equalize_frame_row(&plan->desc), in,
                              row_axes(plan, in));
    if (status == SAC_OK)
        status = sac_gpu_event_record(f->here, copy);
    if (status == SAC_OK)
        status = sac_gpu_event_wait(f->here, g->stream);
    if (status == SAC_OK)
        status = launch(plan, &f->pixels, &f->pixels);
    if (status == SAC_OK)
        status = sac_gpu_event_record(f->done, g->stream);
    return status;
}

static sac_status fetch(sac_equalize *plan, const sac_array *out, int32_t i)
{
    sac_equalize_gpu *g = plan->gpu;
    sac_equalize_frame *f = &g->frame[i % SAC_EQUALIZE_FRAMES];
    sac_gpu_stream back = sac_gpu_back_stream(g->gpu);
    sac_status status = sac_gpu_event_wait(f->done, back);
    if (status == SAC_OK)
        status = sac_stage_down(g->stage, out, row_axes(plan, out), f->memory,
                                sac_equalize_frame_row(&plan->desc));
    if (status == SAC_OK)
        status = sac_gpu_event_record(f->gone, back);
    return status;
}

/* A picture is sent before the one ahead of it is fetched, so that the device always has work. */
static sac_status run_host(sac_equalize *plan, const sac_array *outs, const sac_array *ins,
                           int32_t n)
{
    sac_equalize_gpu *g = plan->gpu;
    sac_status status = SAC_OK;
    for (int32_t i = 0; i <= n && status == SAC_OK; i++) {
        if (i < n)
            status = send(plan, &ins[i], i);
        if (i > 0 && status == SAC_OK)
            status = fetch(plan, &outs[i - 1], i - 1);
    }
    /* All three, whatever failed: the caller's memory is his again. */
    sac_gpu_stream streams[] = {sac_gpu_copy_stream(g->gpu), g->stream,
                                sac_gpu_back_stream(g->gpu)};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        sac_status waited = sac_gpu_wait(streams[i]);
        status = status ? status : waited;
    }
    return status;
}

/* Before any work: all pictures fit, and lie in the plan's device or all in the CPU's memory. */
static sac_status check(const sac_equalize *plan, const sac_array *outs, const sac_array *ins,
                        int32_t n, sac_error *err)
{
    bool host = ins[0].device.kind == SAC_DEVICE_CPU && plan->gpu->waits;
    sac_device place = host ? ins[0].device : plan->desc.device;
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        sac_pixels ignored;
        status = sac_equalize_pixels(&ignored, &ins[i], "in", &plan->desc, err);
        if (status == SAC_OK)
            status = sac_equalize_pixels(&ignored, &outs[i], "out", &plan->desc, err);
        if (status == SAC_OK)
            status = sac_array_expect_on(&ins[i], "in", place, err);
        if (status == SAC_OK)
            status = sac_array_expect_on(&outs[i], "out", place, err);
    }
    return status;
}

sac_status sac_equalize_gpu_run(sac_equalize *plan, const sac_array *outs, const sac_array *ins,
                                int32_t n, sac_error *err)
{
    if (n < 1)
        return SAC_OK;
    sac_status status = check(plan, outs, ins, n, err);
    if (status)
        return status;
    status = sac_gpu_enter(plan->gpu->gpu);
    if (status)
        return sac_gpu_fail(status, err);
    bool host = ins[0].device.kind == SAC_DEVICE_CPU;
    status = host ? run_host(plan, outs, ins, n) : run_device(plan, outs, ins, n);
    sac_gpu_leave(plan->gpu->gpu);
    return sac_gpu_fail(status, err);
}

const uint64_t *sac_equalize_gpu_counts(const sac_equalize *plan)
{
    const sac_equalize_gpu *g = plan->gpu;
    size_t bytes = (size_t)plan->desc.bins * sizeof *plan->counts;
    if (sac_gpu_enter(g->gpu))
        return NULL;
    bool good = sac_gpu_copy(plan->counts, g->tables.counts, bytes, g->stream) == SAC_OK &&
                sac_gpu_wait(g->stream) == SAC_OK;
    sac_gpu_leave(g->gpu);
    return good ? plan->counts : NULL;
}
