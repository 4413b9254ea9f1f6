/*
 * Opening and closing the worker's host side: lines of words that both sides see.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/gpu_worker.h"

#include <string.h>

#define IDLE_NS 100000000 /* without frames for so long, the kernel leaves the GPU */

/* Teams of a block, blocks, and lines of a block. Where there are two blocks on a multiprocessor,
 * an eighth of them have one all the same, so that other work is possible. */
static sac_status share_out(sac_meltpool_worker *w, const sac_meltpool *plan)
{
    const int32_t resident = plan->gpu->resident > 0 ? plan->gpu->resident : 1;
    const int32_t n_processors = sac_gpu_multiprocessors(w->gpu);
    sac_meltpool_worker_cuda *c = &w->cuda;
    int32_t fit = 1;
    sac_status status = sac_gpu_enter(w->gpu);
    if (status)
        return status;
    c->n_teams = plan->gpu->by_warps ? sac_meltpool_worker_warps(plan->desc.roi) : 1;
    c->is_paired = c->n_teams == 1 && resident > n_processors;
    status = sac_meltpool_worker_prepare(&fit, c);
    sac_gpu_leave(w->gpu);
    const int32_t most =
        c->is_paired && fit > 1 ? 2 * n_processors - (n_processors + 7) / 8 : n_processors;
    const int32_t n_blocks = (resident + c->n_teams - 1) / c->n_teams;
    c->n_blocks = n_blocks < most ? n_blocks : most;
    c->n_lines = (resident + c->n_blocks - 1) / c->n_blocks;
    return status;
}

/* What both sides see: tasks, answers, and the two words of the first block. */
static sac_status allocate_lines(sac_meltpool_worker *w, sac_error *err)
{
    sac_meltpool_worker_cuda *c = &w->cuda;
    const size_t lines = (size_t)c->n_blocks * (size_t)c->n_lines;
    const size_t tasks = lines * SAC_MELTPOOL_TASK_WORDS, words = 2 * SAC_ALIGNMENT / 8;
    const size_t answers = lines * SAC_MELTPOOL_ANSWER_WORDS;
    const size_t bytes = (tasks + answers + words) * sizeof(uint64_t);
    const sac_status status = sac_gpu_alloc_pinned(w->gpu, &w->lines, bytes, err);
    if (status)
        return status;
    memset(w->lines, 0, bytes);
    c->tasks = w->lines;
    c->answers = c->tasks + tasks;
    c->left = (uint32_t *)(c->answers + answers);
    c->beat = c->left + SAC_ALIGNMENT / sizeof *c->left;
    return SAC_OK;
}

/* What the kernel keeps from launch to launch: tags begin with 1. */
static sac_status allocate_device(sac_meltpool_worker *w, const sac_meltpool *plan, sac_error *err)
{
    sac_meltpool_worker_cuda *c = &w->cuda;
    const sac_gpu_stream stream = sac_gpu_main_stream(w->gpu);
    void *next = NULL, *rows = NULL;
    sac_status status =
        sac_gpu_alloc(w->gpu, &next, ((size_t)c->n_blocks + 1) * sizeof *c->next, err);
    c->next = next;
    if (status == SAC_OK)
        status = sac_gpu_alloc(w->gpu, &rows, (size_t)plan->n_rows * sizeof *c->row_tag, err);
    c->row_tag = rows;
    w->tags = sac_alloc((size_t)c->n_blocks + 1, sizeof *w->tags);
    if (status == SAC_OK && !w->tags)
        status = sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for %d blocks", c->n_blocks);
    if (status)
        return status;
    sac_known(w->tags);
    c->closing = c->next + c->n_blocks;
    for (int32_t b = 0; b < c->n_blocks; b++)
        w->tags[b] = 1;
    status = sac_gpu_enter(w->gpu);
    if (status == SAC_OK) {
        status = sac_gpu_copy(next, w->tags, (size_t)c->n_blocks * sizeof *w->tags, stream);
        const sac_status waited = sac_gpu_wait(stream);
        sac_gpu_leave(w->gpu);
        status = status ? status : waited;
    }
    memset(w->tags, 0, (size_t)c->n_blocks * sizeof *w->tags);
    return status ? sac_fail(err, status, "device: cuda:%d refused a copy", w->index) : SAC_OK;
}

static sac_status open_parts(sac_meltpool_worker *w, sac_meltpool *plan, sac_error *err)
{
    const sac_meltpool_desc *d = &plan->desc;
    const int32_t resident = plan->gpu->resident > 0 ? plan->gpu->resident : 1;
    void *crops = NULL;
    sac_meltpool_worker_cuda *c = &w->cuda;
    sac_status status = sac_gpu_open(&w->gpu, d->device.index, err);
    if (status)
        return status;
    c->ring = plan->gpu->ring;
    c->net = plan->gpu->net;
    c->n_rows = plan->n_rows;
    c->window = d->window;
    c->roi = d->roi;
    c->threshold = d->threshold;
    c->spatter_min = d->spatter_min;
    c->scan = d->scan_frame;
    c->idle_ns = IDLE_NS;
    w->timeout_ns = (int64_t)(d->timeout_s * 1e9);
    c->limit_ns = 2 * (uint64_t)w->timeout_ns; /* the host gives up first */
    w->crop_row = (d->roi + 15) / 16 * 16;
    w->crop_bytes = (size_t)w->crop_row * (size_t)d->roi;
    status = share_out(w, plan);
    if (status)
        return status == SAC_E_UNSUPPORTED
                   ? sac_fail(err, status,
                              "roi: %d pixels, or the model's hidden units, are too many for "
                              "shared memory of cuda:%d",
                              d->roi, w->index)
                   : sac_fail(err, status, "device: cuda:%d is lost", w->index);
    status = allocate_lines(w, err);
    if (status == SAC_OK)
        status = allocate_device(w, plan, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc_pinned(w->gpu, &crops, (size_t)resident * w->crop_bytes, err);
    w->crops = crops;
    w->planned = sac_alloc((size_t)resident, sizeof *w->planned);
    if (status == SAC_OK && !w->planned)
        status = sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for %d frames", resident);
    return status;
}

sac_status sac_meltpool_worker_open(sac_meltpool_worker **out, sac_meltpool *plan, sac_error *err)
{
    sac_meltpool_worker *w = sac_alloc(1, sizeof *w);
    *out = w;
    if (!w)
        return sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for a worker");
    w->index = plan->desc.device.index;
    atomic_flag_clear(&w->is_launching);
    return open_parts(w, plan, err);
}

void sac_meltpool_worker_close(sac_meltpool_worker **worker)
{
    sac_meltpool_worker *w = *worker;
    if (!w)
        return;
    if (w->gpu) {
        sac_gpu_free(w->gpu, w->cuda.next);
        sac_gpu_free(w->gpu, w->cuda.row_tag);
        sac_gpu_free_pinned(w->gpu, w->crops);
        sac_gpu_free_pinned(w->gpu, w->lines);
    }
    sac_gpu_close(&w->gpu);
    sac_free(w->tags);
    sac_free(w->planned);
    sac_free(w);
    *worker = NULL;
}
