/*
 * Opening and closing the GPU's part of an equalize plan: all of its memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "base/alloc.h"
#include "equalize/gpu_plan.h"
#include "gpu/open.h"

size_t sac_equalize_frame_row(const sac_equalize_desc *d)
{
    int32_t n_samples = d->layout == SAC_PLANAR ? 1 : d->n_channels; /* of a pixel in a row */
    return sac_stage_pitch((size_t)d->w * (size_t)n_samples * sac_dtype_size(d->dtype));
}

/* Buffers that the kernels need, zeroed. */
static sac_status allocate_tables(sac_equalize_gpu *g, const sac_equalize *plan, sac_error *err)
{
    const sac_equalize_desc *d = &plan->desc;
    sac_equalize_cuda *t = &g->tables;
    size_t bins = (size_t)d->bins, tiles = (size_t)d->clahe[0] * (size_t)d->clahe[1];
    bool u8 = d->dtype == SAC_U8, clahe = tiles > 0;
    const sac_gpu_buffer buffers[] = {
        {&t->hist, !clahe ? bins * sizeof *t->hist : 0},
        {&t->counts, bins * sizeof *t->counts},
        {&t->num, !clahe ? bins * sizeof *t->num : 0},
        {&t->den, !clahe ? sizeof *t->den : 0},
        {&t->q8, !clahe && u8 ? 256 * sizeof *t->q8 : 0},
        {&t->q16, !clahe && !u8 ? 65536 * sizeof *t->q16 : 0},
        {&t->ticket, SAC_EQUALIZE_TICKETS * sizeof *t->ticket},
        {&t->part, !clahe && !u8 ? (SAC_EQUALIZE_PARTS + 1) * sizeof *t->part : 0},
        {&t->tile_counts, clahe ? tiles * bins * sizeof *t->tile_counts : 0},
        {&t->level, clahe ? tiles * bins * sizeof *t->level : 0},
        {&t->column, clahe ? (size_t)d->w * sizeof *t->column : 0},
    };
    return sac_gpu_alloc_all(g->gpu, buffers, sizeof buffers / sizeof buffers[0], err);
}

static sac_status fill_columns(sac_equalize_gpu *g, const sac_equalize *plan, sac_error *err)
{
    int64_t w = plan->desc.w;
    sac_clahe_place *column = sac_alloc((size_t)w, sizeof *column);
    if (!column)
        return sac_fail(err, SAC_E_NOMEM, "equalize: no memory for %lld columns", (long long)w);
    for (int64_t x = 0; x < w; x++)
        column[x] = sac_clahe_at(x, w, plan->desc.clahe[0]);
    sac_gpu_stream stream = sac_gpu_main_stream(g->gpu);
    sac_status status = sac_gpu_copy(g->tables.column, column, (size_t)w * sizeof *column, stream);
    if (status == SAC_OK)
        status = sac_gpu_wait(stream);
    sac_free(column);
    return status ? sac_fail(err, status, "device: cuda:%d refused a copy", plan->desc.device.index)
                  : SAC_OK;
}

/* Where a frame's pixels lie: packed, in the layout of the plan. */
static sac_pixels frame_pixels(const sac_equalize *plan, char *memory)
{
    const sac_equalize_desc *d = &plan->desc;
    bool planar = d->layout == SAC_PLANAR;
    ptrdiff_t size = (ptrdiff_t)sac_dtype_size(d->dtype),
              row = (ptrdiff_t)sac_equalize_frame_row(d);
    ptrdiff_t channel = planar && d->n_channels > 1 ? row * d->h : size;
    sac_pixels p = {
        .n_colors = plan->n_colors,
        .pixel = planar ? size : d->n_channels * size,
        .row = row,
        .w = d->w,
        .h = d->h,
    };
    for (int c = 0; c < plan->n_colors; c++)
        p.color[c] = memory + c * channel;
    if (plan->has_alpha)
        p.alpha = memory + plan->n_colors * channel;
    return p;
}

static sac_status open_frame(sac_equalize_frame *f, sac_equalize_gpu *g, const sac_equalize *plan,
                             size_t bytes, sac_error *err)
{
    sac_status status = sac_gpu_alloc(g->gpu, &f->memory, bytes, err);
    if (status)
        return status;
    f->pixels = frame_pixels(plan, f->memory);
    sac_gpu_event *const events[] = {&f->here, &f->done, &f->gone};
    return sac_gpu_events_open_untimed(g->gpu, events, 3, err);
}

/* What pictures in the CPU's memory need. */
static sac_status open_staging(sac_equalize_gpu *g, sac_equalize *plan, sac_error *err)
{
    const sac_equalize_desc *d = &plan->desc;
    int64_t n_rows = d->h * (d->layout == SAC_PLANAR ? d->n_channels : 1);
    size_t bytes;
    if (__builtin_mul_overflow(sac_equalize_frame_row(d), (size_t)n_rows, &bytes))
        return sac_fail(err, SAC_E_NOMEM, "equalize: a frame of %lld x %lld pixels is too large",
                        (long long)d->w, (long long)d->h);
    sac_status status = sac_pool_open(&plan->pool, d->n_threads, d->executor, err);
    if (status == SAC_OK)
        status = sac_stage_open(&g->stage, g->gpu, plan->pool, bytes, err);
    for (int i = 0; i < SAC_EQUALIZE_FRAMES && status == SAC_OK; i++)
        status = open_frame(&g->frame[i], g, plan, bytes, err);
    return status;
}

static sac_status choose_launch(sac_equalize_gpu *g, sac_equalize *plan, sac_error *err)
{
    bool u8 = plan->desc.dtype == SAC_U8, clahe = plan->desc.clahe[0] > 0;
    if (plan->desc.variant)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "variant: can be forced on the CPU only, and the device is cuda:%d",
                        plan->desc.device.index);
    if (clahe)
        g->launch = u8 ? sac_equalize_clahe_u8_cuda : sac_equalize_clahe_u16_cuda;
    else
        g->launch = u8 ? sac_equalize_u8_cuda : sac_equalize_u16_cuda;
    snprintf(plan->variant, sizeof plan->variant, "equalize%s_u%d:cuda", clahe ? "_clahe" : "",
             u8 ? 8 : 16);
    sac_log_line(plan->desc.log, SAC_LOG_INFO, "equalize: %s, cuda:%d", plan->variant,
                 plan->desc.device.index);
    return SAC_OK;
}

static sac_status open_kernels(sac_equalize_gpu *g, const sac_equalize *plan, sac_error *err)
{
    g->tables.depth = plan->desc.dtype == SAC_U8 ? 8 : 16;
    g->tables.bins = plan->desc.bins;
    g->tables.scale = plan->desc.scale;
    g->tables.smooth = plan->desc.smooth > 0;
    g->tables.tiles_x = plan->desc.clahe[0];
    g->tables.tiles_y = plan->desc.clahe[1];
    g->tables.clip = plan->desc.clip;
    sac_status status = sac_equalize_cuda_open(&g->tables);
    return status ? sac_fail(err, status, "device: cuda:%d has no kernels in this build",
                             plan->desc.device.index)
                  : SAC_OK;
}

/* Everything but the device itself. */
static sac_status open_parts(sac_equalize_gpu *g, sac_equalize *plan, sac_error *err)
{
    sac_status status = open_kernels(g, plan, err);
    if (status == SAC_OK)
        status = allocate_tables(g, plan, err);
    if (status == SAC_OK && plan->desc.clahe[0])
        status = fill_columns(g, plan, err);
    if (status == SAC_OK && g->waits)
        status = open_staging(g, plan, err);
    return status;
}

sac_status sac_equalize_gpu_open(sac_equalize *plan, sac_error *err)
{
    plan->counts = sac_alloc((size_t)plan->desc.bins, sizeof *plan->counts);
    plan->gpu = sac_alloc(1, sizeof *plan->gpu);
    sac_equalize_gpu *g = plan->gpu;
    if (!plan->counts || !g)
        return sac_fail(err, SAC_E_NOMEM, "equalize: no memory for %d counts", plan->desc.bins);
    sac_status status = choose_launch(g, plan, err);
    if (status == SAC_OK)
        status = sac_gpu_open(&g->gpu, plan->desc.device.index, err);
    if (status)
        return status;
    g->waits = plan->desc.stream == NULL;
    g->stream = g->waits ? sac_gpu_main_stream(g->gpu) : plan->desc.stream;
    if (sac_gpu_enter(g->gpu))
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d is lost", plan->desc.device.index);
    status = open_parts(g, plan, err);
    sac_gpu_leave(g->gpu);
    return status;
}

static void close_parts(sac_equalize_gpu *g)
{
    sac_stage_close(&g->stage);
    for (int i = 0; i < SAC_EQUALIZE_FRAMES; i++) {
        sac_gpu_event_close(&g->frame[i].here);
        sac_gpu_event_close(&g->frame[i].done);
        sac_gpu_event_close(&g->frame[i].gone);
        sac_gpu_free(g->gpu, g->frame[i].memory);
    }
    sac_equalize_cuda *t = &g->tables;
    void *memory[] = {t->hist,   t->counts, t->num,         t->den,   t->q8,    t->q16,
                      t->ticket, t->part,   t->tile_counts, t->level, t->column};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        sac_gpu_free(g->gpu, memory[i]);
}

void sac_equalize_gpu_close(sac_equalize_gpu **gpu)
{
    if (!*gpu)
        return;
    sac_equalize_gpu *g = *gpu;
    bool entered = g->gpu && sac_gpu_enter(g->gpu) == SAC_OK;
    close_parts(g);
    if (entered)
        sac_gpu_leave(g->gpu);
    sac_gpu_close(&g->gpu);
    sac_free(g);
    *gpu = NULL;
}
