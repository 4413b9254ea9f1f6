/*
 * Running a flow plan on a GPU: the ensembles' way there and back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/array_check.h"
#include "flow/gpu_plan.h"

/* A run at work. */
typedef struct job {
    sac_flow *plan;
    const float *in;
    float *out;
    bool up, down; /* `in`, `out` lie in the CPU's memory */
} job;

static sac_flow_slot *slot_of(const job *j, int64_t e)
{
    return &j->plan->gpu->slot[e % SAC_FLOW_SLOTS];
}

/* Samples of a frame of all transmits. */
static int64_t frame_samples(const sac_flow *plan)
{
    return plan->n_transmits * plan->n_points;
}

/* Ensemble e into its slot: frames that the one before it has, too, come from that one's. */
static sac_status upload(const job *j, int64_t e)
{
    const sac_flow *plan = j->plan;
    const sac_flow_gpu *g = plan->gpu;
    const sac_flow_slot *slot = slot_of(j, e);
    const sac_gpu_stream copy = sac_gpu_copy_stream(g->gpu);
    const int64_t frame = frame_samples(plan), step = plan->desc.step;
    const int64_t kept = e > 0 && plan->n > step ? plan->n - step : 0;
    const int64_t shape[] = {(plan->n - kept) * plan->n_transmits, plan->n_points};
    sac_array from;
    sac_status st = sac_array_view(
        &from, (void *)(uintptr_t)(j->in + 2 * frame * (e * step + kept)), SAC_C64, 2, shape, NULL);
    st = st ? st : sac_gpu_event_wait(slot->done, copy);
    if (st == SAC_OK && kept)
        st = sac_gpu_copy(slot->in, slot_of(j, e - 1)->in + 2 * frame * step,
                          (size_t)(kept * frame) * 2 * sizeof(float), copy);
    st = st ? st
            : sac_stage_up(g->stage, slot->in + 2 * frame * kept,
                           (size_t)plan->n_points * 2 * sizeof(float), &from, 1);
    return st ? st : sac_gpu_event_record(slot->here, copy);
}

static float *out_of(const job *j, int64_t e)
{
    return j->out + e * j->plan->n_planes * j->plan->n_points;
}

/* All work on an ensemble, whose upload is enqueued. */
static sac_status work(const job *j, int64_t e)
{
    sac_flow *plan = j->plan;
    const sac_flow_gpu *g = plan->gpu;
    const sac_flow_slot *slot = slot_of(j, e);
    const float *x = j->up ? slot->in : j->in + 2 * frame_samples(plan) * e * plan->desc.step;
    sac_status st = j->up ? sac_gpu_event_wait(slot->here, g->stream) : SAC_OK;
    for (int32_t t = 0; t < plan->n_transmits && st == SAC_OK; t++)
        st = sac_flow_gpu_work(plan, x + 2 * t * plan->n_points, e * plan->n_transmits + t);
    if (st == SAC_OK && j->down)
        st = sac_gpu_event_wait(slot->gone, g->stream);
    st = st ? st : sac_flow_gpu_put(plan, j->down ? slot->out : out_of(j, e));
    return st || !g->waits ? st : sac_gpu_event_record(slot->done, g->stream);
}

static sac_status fetch(const job *j, int64_t e)
{
    const sac_flow *plan = j->plan;
    const sac_flow_slot *slot = slot_of(j, e);
    const sac_gpu_stream back = sac_gpu_back_stream(plan->gpu->gpu);
    const int64_t n = plan->n_planes * plan->n_points;
    sac_array to;
    sac_status st = sac_array_view(&to, out_of(j, e), SAC_F32, 1, &n, NULL);
    st = st ? st : sac_gpu_event_wait(slot->done, back);
    st = st ? st : sac_stage_down(plan->gpu->stage, &to, 1, slot->out, (size_t)n * sizeof(float));
    return st ? st : sac_gpu_event_record(slot->gone, back);
}

/* Tells who watches that ensemble e is done, or enqueued where the stream is his. SAC_CANCELLED: he
 * said no. */
static sac_status report(const job *j, int64_t e)
{
    const sac_flow_desc *d = &j->plan->desc;
    if (!d->progress)
        return SAC_OK;
    const sac_flow_slot *slot = slot_of(j, e);
    const sac_status st =
        j->plan->gpu->waits ? sac_gpu_event_sync(j->down ? slot->gone : slot->done) : SAC_OK;
    if (st != SAC_OK)
        return st;
    return d->progress(d->progress_ctx, SAC_FLOW_STEPS * ((uint64_t)e + 1),
                       SAC_FLOW_STEPS * (uint64_t)j->plan->n_ensembles)
               ? SAC_OK
               : SAC_CANCELLED;
}

static sac_status run_ensembles(const job *j)
{
    const sac_flow_gpu *g = j->plan->gpu;
    const int64_t n = j->plan->n_ensembles;
    sac_status st = j->up ? upload(j, 0) : SAC_OK;
    for (int64_t e = 0; e < n && st == SAC_OK; e++) {
        if (j->up && e + 1 < n)
            st = upload(j, e + 1);
        st = st ? st : work(j, e);
        if (st == SAC_OK && j->down)
            st = fetch(j, e);
        st = st ? st : report(j, e);
    }
    /* All three, whatever failed: the caller's memory is his again. */
    const sac_gpu_stream streams[] = {sac_gpu_copy_stream(g->gpu), g->stream,
                                      sac_gpu_back_stream(g->gpu)};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0] && g->waits; i++) {
        const sac_status waited = sac_gpu_wait(streams[i]);
        st = st ? st : waited;
    }
    return st;
}

/* Whether the array lies in the CPU's memory and is copied, or on the plan's device, samples at
 * multiples of their size. SAC_E_SHAPE: neither. */
static sac_status check_place(bool *copied, const sac_flow *plan, const sac_array *a,
                              const char *name, sac_error *err)
{
    *copied = a->device.kind == SAC_DEVICE_CPU && plan->gpu->waits;
    const sac_status st = *copied ? SAC_OK : sac_array_expect_on(a, name, plan->desc.device, err);
    if (st != SAC_OK || *copied || (uintptr_t)a->data % sac_dtype_size(a->dtype) == 0)
        return st;
    return sac_fail(err, SAC_E_SHAPE, "%s: expected samples at multiples of %zu bytes", name,
                    sac_dtype_size(a->dtype));
}

sac_status sac_flow_gpu_run(sac_flow *plan, const sac_array *out, const sac_array *in,
                            sac_error *err)
{
    job j = {.plan = plan, .in = in->data, .out = out->data};
    sac_status st = check_place(&j.up, plan, in, "in", err);
    st = st ? st : check_place(&j.down, plan, out, "out", err);
    if (st != SAC_OK)
        return st;
    st = sac_gpu_enter(plan->gpu->gpu);
    if (st != SAC_OK)
        return sac_gpu_fail(st, err);
    plan->row = frame_samples(plan) * 2 * (ptrdiff_t)sizeof(float);
    st = run_ensembles(&j);
    sac_gpu_leave(plan->gpu->gpu);
    return st == SAC_CANCELLED ? sac_fail(err, st, "flow: cancelled")
                               : sac_flow_cusolver_fail(plan->gpu->cusolver, st, err);
}
