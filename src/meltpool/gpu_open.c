/*
 * Opening and closing the GPU's part of a meltpool plan.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "meltpool/kernels/frame_u8/frame_u8_cuda.h"
#include "meltpool/gpu_plan.h"

/* desc.variant may name a mapping of the worker: "warps" or "frame_u8:warps". */
static sac_status choose(sac_meltpool *plan, sac_error *err)
{
    sac_meltpool_gpu *g = plan->gpu;
    const char *wanted = plan->desc.variant, *room = sac_frame_u8_room.name;
    const size_t length = strlen(room);
    const sac_variant *v =
        sac_variant_of_kind(sac_frame_u8_cuda, SAC_FRAME_U8_BY_BLOCKS, SAC_TIER_EXACT);
    g->resident = plan->desc.resident;
    if (wanted) {
        const bool has_room = !strncmp(wanted, room, length) && wanted[length] == ':';
        const char *name = has_room ? wanted + length + 1 : wanted;
        for (v = sac_frame_u8_cuda; v->name && strcmp(v->name, name) != 0;)
            v++;
        if (!v->name)
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "variant: expected %s:blocks or %s:warps on cuda:%d, got %.60s", room,
                            room, plan->desc.device.index, wanted);
    }
    g->by_warps = v->kind == SAC_FRAME_U8_BY_WARPS;
    snprintf(plan->variant, sizeof plan->variant, "%s:%s", room, v->name);
    return SAC_OK;
}

static sac_status open_parts(sac_meltpool *plan, sac_error *err)
{
    sac_meltpool_gpu *g = plan->gpu;
    const sac_meltpool_desc *d = &plan->desc;
    void *ring = NULL, *frame = NULL;
    sac_status status = sac_gpu_open(&g->gpu, d->device.index, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc(g->gpu, &ring,
                               (size_t)plan->n_rows * SAC_MELTPOOL_RING_ROW * sizeof *g->ring, err);
    g->ring = ring;
    if (status == SAC_OK && plan->net)
        status = sac_meltpool_net_cuda_open(&g->net, g->gpu, plan->net, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc_pinned(g->gpu, &frame, (size_t)d->w * (size_t)d->h, err);
    g->frame = frame;
    if (status == SAC_OK)
        status = sac_meltpool_worker_open(&g->worker, plan, err);
    if (status == SAC_OK)
        status = sac_meltpool_batch_open(&g->batch, plan, err);
    return status;
}

sac_status sac_meltpool_gpu_open(sac_meltpool *plan, sac_error *err)
{
    plan->gpu = sac_alloc(1, sizeof *plan->gpu);
    if (!plan->gpu)
        return sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for a plan");
    sac_status status = choose(plan, err);
    if (status == SAC_OK)
        status = open_parts(plan, err);
    if (status == SAC_OK)
        sac_log_line(plan->desc.log, SAC_LOG_INFO,
                     "meltpool: cuda:%d, up to %d frames at once by %s, %d threads for batches",
                     plan->desc.device.index, plan->gpu->resident, plan->variant,
                     sac_pool_threads(plan->pool));
    return status;
}

const char *sac_meltpool_gpu_fault(const sac_meltpool_gpu *gpu)
{
    const char *why = sac_meltpool_worker_fault(gpu->worker);
    return !gpu->failed ? "" : why ? why : "the GPU refused a launch or a copy, or took too long";
}

/* Whether what was launched is done, or is within the time that an answer may take. */
static bool is_quiet(const sac_meltpool_gpu *g, double timeout_s)
{
    const sac_gpu_stream streams[] = {sac_gpu_main_stream(g->gpu), sac_gpu_copy_stream(g->gpu),
                                      sac_gpu_back_stream(g->gpu)};
    const int64_t until_ns = sac_clock_ns() + (int64_t)(timeout_s * 1e9);
    bool quiet = true;
    if (sac_gpu_enter(g->gpu) != SAC_OK)
        return false;
    for (int i = 0; i < 3 && quiet; i++)
        do
            quiet = sac_gpu_is_idle(streams[i]);
        while (!quiet && sac_clock_ns() < until_ns);
    sac_gpu_leave(g->gpu);
    return quiet;
}

void sac_meltpool_gpu_close(sac_meltpool_gpu **gpu, double timeout_s)
{
    if (!*gpu)
        return;
    sac_meltpool_gpu *g = *gpu;
    *gpu = NULL;
    const bool gone = !g->worker || sac_meltpool_worker_leave(g->worker);
    if (!gone || (g->failed && !is_quiet(g, timeout_s)))
        return; /* what a kernel may still use is not freed: that would wait for it */
    sac_meltpool_worker_close(&g->worker);
    sac_meltpool_batch_close(&g->batch);
    if (g->gpu) {
        sac_meltpool_net_cuda_close(&g->net, g->gpu);
        sac_gpu_free(g->gpu, g->ring);
        sac_gpu_free_pinned(g->gpu, g->frame);
    }
    sac_gpu_close(&g->gpu);
    sac_free(g);
}
