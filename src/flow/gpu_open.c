/*
 * Opening and closing the GPU's part of a flow plan: all of its memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "base/alloc.h"
#include "flow/gpu_plan.h"
#include "gpu/open.h"

#define BLOCK_BYTES (INT64_C(1) << 29) /* of a block's frames in all of their forms */
#define FORMS 3                        /* coefficients, frames, lines */
#define SAMPLE (2 * sizeof(float))

static sac_status open_slot(sac_flow_slot *slot, sac_flow_gpu *g, size_t in, size_t out,
                            sac_error *err)
{
    sac_status st = sac_gpu_alloc(g->gpu, (void **)&slot->in, in, err);
    st = st ? st : sac_gpu_alloc(g->gpu, (void **)&slot->out, out, err);
    sac_gpu_event *const events[] = {&slot->here, &slot->done, &slot->gone};
    return st ? st : sac_gpu_events_open_untimed(g->gpu, events, 3, err);
}

static sac_status open_slots(sac_flow_gpu *g, sac_flow *plan, sac_error *err)
{
    const size_t points = (size_t)plan->n_points, planes = (size_t)plan->n_planes;
    const size_t in = (size_t)plan->n * (size_t)plan->n_transmits * points * SAMPLE;
    const size_t out = planes * points * sizeof(float);
    const int n_slots = plan->n_ensembles > 1 ? SAC_FLOW_SLOTS : 1;
    sac_status st = sac_pool_open(&plan->pool, plan->desc.n_threads, plan->desc.executor, err);
    for (int i = 0; i < n_slots && st == SAC_OK; i++)
        st = open_slot(&g->slot[i], g, in, out, err);
    return st ? st : sac_stage_open(&g->stage, g->gpu, plan->pool, in, err);
}

/* cuSOLVER decomposes, or the plan's own kernels. */
static sac_status open_eigen(sac_flow_gpu *g, const sac_flow *plan, sac_error *err)
{
    const bool must = plan->desc.eigen == SAC_FLOW_EIGEN_CUSOLVER;
    sac_status st = SAC_E_UNSUPPORTED;
    if (must || (plan->desc.eigen == SAC_FLOW_EIGEN_AUTO && plan->n >= SAC_FLOW_CUSOLVER_FROM))
        st = sac_flow_cusolver_open(&g->cusolver, g->gpu, g->stream, plan->n, err);
    return must || st != SAC_E_UNSUPPORTED
               ? st
               : sac_eigen_c128_cuda_open(&g->eigen, g->gpu, plan->n, err);
}

static sac_status allocate_svd(sac_flow_gpu *g, const sac_flow *plan, sac_error *err)
{
    const bool finds = plan->filter.kind == SAC_FILTER_SVD_AUTO;
    const size_t n = (size_t)plan->n, squares = 2 * n * n * sizeof(double);
    const size_t picked = finds ? n * (size_t)plan->n_picked * SAMPLE : 0;
    const size_t parts = sac_gram_c64_cuda_bytes(plan->n_points, plan->n);
    const size_t others = sac_gram_c64_cuda_bytes(plan->n_picked / 2, plan->n);
    const sac_gpu_buffer buffers[] = {{&g->parts, parts > others ? parts : others},
                                      {&g->gram_of, squares},
                                      {&g->values, n * sizeof(double)},
                                      {&g->vectors, squares},
                                      {&g->picked, picked},
                                      {&g->shares, picked}};
    sac_status st = sac_gpu_alloc_all(g->gpu, buffers, sizeof buffers / sizeof *buffers, err);
    st = st ? st
            : sac_gpu_alloc_pinned(g->gpu, (void **)&g->host,
                                   n * sizeof(double) + (finds ? squares : 0), err);
    return st ? st : open_eigen(g, plan, err);
}

static sac_status allocate(sac_flow_gpu *g, const sac_flow *plan, sac_error *err)
{
    const bool filters = plan->filter.kind != SAC_FILTER_NONE;
    const bool splits = plan->desc.kind == SAC_FLOW_DIRECTIONAL;
    const size_t n = (size_t)plan->n, points = (size_t)plan->n_points;
    const int64_t fits = BLOCK_BYTES / (FORMS * (int64_t)SAMPLE * plan->n);
    g->block = fits < plan->n_points ? fits : plan->n_points;
    const size_t frames = n * (size_t)g->block * SAMPLE, squares = n * n * SAMPLE;
    const sac_gpu_buffer buffers[] = {
        {&g->first, filters ? squares : 0},
        {&g->second, filters ? squares : 0},
        {&g->spectrum, splits ? squares : 0},
        {&g->coefficients, filters ? frames : 0},
        {&g->frames, filters ? frames : 0},
        {&g->lines, splits ? frames : 0},
        {&g->maps, 3 * points * sizeof(float)},
        {&g->averaged, points * sizeof(float)},
        {&g->most, sizeof *g->most},
        {&g->components, plan->desc.kind == SAC_FLOW_VECTOR ? 2 * points * sizeof(double) : 0}};
    const sac_status st = sac_gpu_alloc_all(g->gpu, buffers, sizeof buffers / sizeof *buffers, err);
    return st || !sac_flow_is_svd(plan) ? st : allocate_svd(g, plan, err);
}

/* The matrices that do not depend on the samples. Set-up: waits. */
static sac_status send_matrices(const sac_flow_gpu *g, const sac_flow *plan)
{
    const size_t bytes = (size_t)plan->n * (size_t)plan->n * SAMPLE;
    const float *from[] = {plan->first, plan->second, plan->spectrum};
    float *to[] = {g->first, g->second, g->spectrum};
    const sac_gpu_stream stream = sac_gpu_main_stream(g->gpu);
    sac_status st = SAC_OK;
    for (int i = 0; i < 3 && st == SAC_OK; i++)
        if (to[i])
            st = sac_gpu_copy(to[i], from[i], bytes, stream);
    const sac_status waited = sac_gpu_wait(stream);
    return st ? st : waited;
}

static void say_variants(sac_flow *plan)
{
    const bool svd = sac_flow_is_svd(plan), mixes = plan->filter.kind != SAC_FILTER_NONE ||
                                                    plan->desc.kind == SAC_FLOW_DIRECTIONAL;
    snprintf(plan->variant, sizeof plan->variant, "%s%s%slag_c64:cuda",
             svd ? "gram_c64:cuda eigen_c128:" : "",
             !svd                  ? ""
             : plan->gpu->cusolver ? "cusolver "
                                   : "cuda ",
             mixes ? "mix_c64:cuda " : "");
    sac_log_line(plan->desc.log, SAC_LOG_INFO, "flow: %s, cuda:%d", plan->variant,
                 plan->desc.device.index);
}

/* Everything but the device itself. */
static sac_status open_parts(sac_flow_gpu *g, sac_flow *plan, sac_error *err)
{
    sac_status st = allocate(g, plan, err);
    if (st == SAC_OK && g->waits)
        st = open_slots(g, plan, err);
    if (st != SAC_OK)
        return st;
    st = send_matrices(g, plan);
    say_variants(plan);
    return sac_gpu_fail(st, err);
}

sac_status sac_flow_gpu_open(sac_flow *plan, sac_error *err)
{
    const int32_t index = plan->desc.device.index;
    if (plan->desc.variant)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "variant: can be forced on the CPU only, and the device is cuda:%d", index);
    if (plan->desc.eigen == SAC_FLOW_EIGEN_LAPACK)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "eigen: lapack is of the CPU, not of cuda:%d, which has cusolver", index);
    sac_flow_gpu *g = plan->gpu = sac_alloc(1, sizeof *g);
    if (!g)
        return sac_fail(err, SAC_E_NOMEM, "flow: no memory for the plan");
    sac_status st = sac_gpu_open(&g->gpu, index, err);
    if (st != SAC_OK)
        return st;
    g->waits = plan->desc.stream == NULL;
    g->stream = g->waits ? sac_gpu_main_stream(g->gpu) : plan->desc.stream;
    if (sac_gpu_enter(g->gpu))
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d is lost", index);
    st = open_parts(g, plan, err);
    sac_gpu_leave(g->gpu);
    return st;
}

static void close_parts(sac_flow_gpu *g)
{
    sac_stage_close(&g->stage);
    sac_flow_cusolver_close(&g->cusolver);
    sac_eigen_c128_cuda_close(&g->eigen);
    for (int i = 0; i < SAC_FLOW_SLOTS; i++) {
        sac_gpu_event_close(&g->slot[i].here);
        sac_gpu_event_close(&g->slot[i].done);
        sac_gpu_event_close(&g->slot[i].gone);
        sac_gpu_free(g->gpu, g->slot[i].in);
        sac_gpu_free(g->gpu, g->slot[i].out);
    }
    void *memory[] = {g->first,   g->second,   g->spectrum, g->coefficients, g->frames, g->lines,
                      g->maps,    g->averaged, g->most,     g->components,   g->parts,  g->values,
                      g->gram_of, g->vectors,  g->picked,   g->shares};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        sac_gpu_free(g->gpu, memory[i]);
    sac_gpu_free_pinned(g->gpu, g->host);
}

void sac_flow_gpu_close(sac_flow_gpu **gpu)
{
    if (!*gpu)
        return;
    sac_flow_gpu *g = *gpu;
    const bool entered = g->gpu && sac_gpu_enter(g->gpu) == SAC_OK;
    if (g->gpu)
        close_parts(g);
    if (entered)
        sac_gpu_leave(g->gpu);
    sac_gpu_close(&g->gpu);
    sac_free(g);
    *gpu = NULL;
}
