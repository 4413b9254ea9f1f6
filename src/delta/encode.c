/*
 * The encoder's plan: opening, running, closing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array_check.h"
#include "delta/encode_gpu.h"
#include "room/plan.h"

#define BAND_ROWS 288 /* about: four bands of 1080 rows, whose entropy tables then pay */

static sac_status check_desc(const sac_delta_encode_desc *d, sac_error *err)
{
    const sac_status status =
        sac_plan_check_frame(d->w, d->h, SAC_DELTA_MAX_SIDE, d->n_channels, d->order, err);
    if (status == SAC_OK && d->device.kind == SAC_DEVICE_CPU && d->stream)
        return sac_fail(err, SAC_E_INVALID, "stream: is for a GPU, and the device is cpu");
    return status ? status : sac_delta_codec_check(d->fast, err);
}

static sac_status choose(sac_delta_encode *plan, sac_error *err)
{
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
        SAC_PLAN_SHAPE(&plan->desc),
        .pipeline = "delta",
        .rooms = {&sac_change_u8_room, &sac_predict_u8_room, &sac_pack_u8_room},
    };
    sac_any_fn fn[SAC_MAX_ROOMS];
    const sac_status status =
        sac_plan_choose(&plan->pool, fn, plan->variant, sizeof plan->variant, &choice, err);
    plan->change = (sac_change_u8_fn)fn[0];
    plan->predict = (sac_predict_u8_fn)fn[1];
    plan->pack = (sac_pack_u8_fn)fn[2];
    return status;
}

/* Bands as equal as whole cells allow. */
static int32_t band_rows(int64_t h)
{
    int64_t n = (h + BAND_ROWS - 1) / BAND_ROWS;
    int64_t rows = (h + n - 1) / n;
    return (int32_t)((rows + SAC_DELTA_ROWS - 1) / SAC_DELTA_ROWS * SAC_DELTA_ROWS);
}

/* What a band's streams take at most. */
static size_t band_bytes(const sac_delta_geometry *g, size_t n_cells)
{
    size_t all = 0;
    for (int32_t i = 0; i < sac_delta_n_streams(g->channels); i++)
        all += sac_delta_stream_max(i, g->channels, n_cells);
    return all;
}

static bool allocate_cpu_band(const sac_delta_geometry *g, sac_delta_encode_band *band)
{
    band->memory = sac_alloc(band_bytes(g, g->most_cells), 1);
    band->residual = sac_alloc(2 * g->cell, 1);
    band->tile = sac_alloc(g->cell, 1);
    uint8_t *at = band->memory;
    for (int32_t i = 0; at && i < sac_delta_n_streams(g->channels); i++) {
        band->stream[i] = at;
        at += sac_delta_stream_max(i, g->channels, g->most_cells);
    }
    return band->memory && band->residual && band->tile;
}

static bool allocate_band(const sac_delta_encode *plan, sac_delta_encode_band *band)
{
    const sac_delta_geometry *g = &plan->geometry;
    const int32_t n_streams = sac_delta_n_streams(g->channels);
    band->out = sac_alloc(band_bytes(g, g->most_cells) + 8 * (size_t)n_streams, 1);
    band->codec =
        sac_delta_packer_open(plan->desc.fast, plan->desc.level,
                              sac_delta_stream_max(n_streams - 1, g->channels, g->most_cells));
    return band->out && band->codec && (plan->gpu || allocate_cpu_band(g, band));
}

static bool allocate(sac_delta_encode *plan)
{
    const sac_delta_geometry *g = &plan->geometry;
    size_t packet = SAC_DELTA_HEADER + SAC_DELTA_TAIL;
    if (!plan->gpu)
        plan->picture = sac_alloc(g->bytes, 1);
    plan->bands = sac_alloc((size_t)g->n_bands, sizeof *plan->bands);
    if ((!plan->gpu && !plan->picture) || !plan->bands)
        return false;
    for (int32_t i = 0; i < g->n_bands; i++) {
        if (!allocate_band(plan, &plan->bands[i]))
            return false;
        size_t cells = (size_t)g->cells_x * (size_t)sac_delta_cells_y(g, i);
        packet += band_bytes(g, cells) + 8 * (size_t)sac_delta_n_streams(g->channels);
    }
    plan->packet = sac_alloc(packet, 1);
    return plan->packet;
}

static void set_pace(sac_delta_encode *plan)
{
    const sac_delta_geometry *g = &plan->geometry;
    plan->pace = (sac_delta_pace){
        .key_ns = plan->desc.key_interval_s * 1e9,
        .refresh_ns = plan->desc.refresh_s * 1e9,
        .n_cells = (uint64_t)g->cells_x * (uint64_t)((g->h + SAC_DELTA_ROWS - 1) / SAC_DELTA_ROWS),
    };
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_delta_encode *plan = opened;
    const sac_delta_encode_desc *d = &plan->desc;
    sac_status status = check_desc(d, err);
    if (status)
        return status;
    plan->geometry =
        sac_delta_geometry_of((int32_t)d->w, (int32_t)d->h, d->n_channels, band_rows(d->h));
    plan->wants_key = true;
    set_pace(plan);
    status =
        d->device.kind == SAC_DEVICE_CPU ? choose(plan, err) : sac_delta_encode_gpu_open(plan, err);
    if (status == SAC_OK && !allocate(plan))
        status = sac_fail(err, SAC_E_NOMEM, "delta: no memory for pictures of %lld x %lld",
                          (long long)d->w, (long long)d->h);
    plan->desc.variant = NULL; /* the caller's string is not kept */
    return status;
}

static void close_plan(void *closed)
{
    sac_delta_encode *p = closed;
    sac_delta_encode_gpu_close(&p->gpu);
    sac_pool_close(&p->pool);
    for (int32_t i = 0; p->bands && i < p->geometry.n_bands; i++) {
        sac_delta_codec_close(&p->bands[i].codec);
        sac_free(p->bands[i].memory);
        sac_free(p->bands[i].residual);
        sac_free(p->bands[i].tile);
        sac_free(p->bands[i].out);
    }
    sac_free(p->bands);
    sac_free(p->picture);
    sac_free(p->packet);
}

SAC_PLAN(sac_delta_encode, sac_delta_encode_open, sac_delta_encode_close, sac_delta_encode_params,
         sac_delta_encode_desc, sac_delta_encode_desc_init)

const char *sac_delta_encode_get_variant(const sac_delta_encode *plan)
{
    return plan ? plan->variant : "";
}

void sac_delta_encode_key(sac_delta_encode *plan)
{
    if (plan)
        plan->wants_key = true;
}

static void take_frame(sac_delta_encode *plan, const sac_array *frame)
{
    sac_known(frame);
    plan->in = frame->data;
    plan->in_row = frame->stride[0];
    plan->in_pixel = frame->stride[1];
    plan->in_channel = frame->n_dims == 2 ? 1 : frame->stride[2];
}

static bool is_new_scene(const sac_delta_encode *plan)
{
    const sac_delta_geometry *g = &plan->geometry;
    int64_t n = 0, n_changed = 0;
    for (int64_t y = SAC_SCENE_STEP_Y / 2; y < g->h; y += SAC_SCENE_STEP_Y)
        for (int64_t x = 0; x < g->w; x += SAC_SCENE_STEP_X, n++) {
            const uint8_t *in = plan->in + y * plan->in_row + x * plan->in_pixel;
            const uint8_t *was = plan->picture + (size_t)y * g->row + (size_t)(x * g->channels);
            bool changed = false;
            for (int32_t c = 0; c < g->channels; c++)
                changed = changed || abs(in[c * plan->in_channel] - was[c]) > SAC_SCENE_LEVELS;
            n_changed += changed;
        }
    return 2 * n_changed > n;
}

/* Also moves the plan's clock to this frame. */
static void plan_turn(sac_delta_encode *plan, uint64_t time_ns)
{
    const bool is_key = plan->wants_key || sac_delta_is_late(&plan->clock, &plan->pace, time_ns) ||
                        (plan->desc.scene_change && is_new_scene(plan));
    plan->turn = sac_delta_take_turn(&plan->clock, &plan->pace, time_ns, is_key);
}

/* Puts the bands together; returns the packet's size. */
static size_t assemble(sac_delta_encode *plan, uint64_t time_ns)
{
    const sac_delta_geometry *g = &plan->geometry;
    size_t size = SAC_DELTA_HEADER;
    for (int32_t i = 0; i < g->n_bands; i++) {
        memcpy(plan->packet + size, plan->bands[i].out, plan->bands[i].out_size);
        size += plan->bands[i].out_size;
    }
    sac_delta_header header = {
        .frame = plan->frame,
        .time_ns = time_ns,
        .stream = plan->stream,
        .previous = plan->previous,
        .size = (uint32_t)(size + SAC_DELTA_TAIL),
        .w = g->w,
        .h = g->h,
        .band_rows = g->band_rows,
        .channels = g->channels,
        .threshold = plan->desc.threshold,
        .order = g->channels == 1 ? SAC_ORDER_UNKNOWN : plan->desc.order,
        .is_key = plan->turn.is_key,
        .is_lz4 = plan->desc.fast,
    };
    sac_delta_header_put(plan->packet, &header);
    if (plan->frame == 0) { /* a stream is known by its first packet */
        header.stream = plan->stream = sac_delta_checksum(plan->packet, size);
        sac_delta_header_put(plan->packet, &header);
    }
    plan->previous = sac_delta_checksum(plan->packet, size);
    sac_delta_put64(plan->packet + size, plan->previous);
    return size + SAC_DELTA_TAIL;
}

void sac_delta_encode_finish(sac_delta_encode *plan, sac_delta_packet *packet, uint64_t time_ns)
{
    const size_t size = assemble(plan, time_ns);
    *packet = (sac_delta_packet){
        .data = plan->packet,
        .size = size,
        .frame = plan->frame,
        .time_ns = time_ns,
        .is_key = plan->turn.is_key,
    };
    plan->wants_key = false;
    plan->frame++;
}

static void encode_frame(sac_delta_encode *plan, sac_delta_packet *packet, const sac_array *frame,
                         uint64_t time_ns)
{
    take_frame(plan, frame);
    plan_turn(plan, time_ns);
    sac_pool_run(plan->pool, plan->geometry.n_bands, sac_delta_encode_band_run, plan);
    sac_delta_encode_finish(plan, packet, time_ns);
}

/* All fit, and lie in the CPU's memory or all on the plan's GPU. */
static sac_status check_frames(const sac_delta_encode *plan, const sac_array *frames, int32_t n,
                               sac_error *err)
{
    const sac_delta_encode_desc *d = &plan->desc;
    const bool host = !d->stream && frames[0].device.kind == SAC_DEVICE_CPU;
    const sac_device place = host ? SAC_CPU : d->device;
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        status = sac_array_expect_frame(&frames[i], "frame", d->h, d->w, d->n_channels, err);
        if (status == SAC_OK)
            status = sac_array_expect_on(&frames[i], "frame", place, err);
    }
    return status;
}

sac_status sac_delta_encode_run_batch(sac_delta_encode *plan, sac_delta_take_fn take, void *ctx,
                                      const sac_array *frames, const uint64_t *times_ns, int32_t n,
                                      sac_error *err)
{
    const char *missing = !plan                ? "plan"
                          : !take              ? "take"
                          : n > 0 && !frames   ? "frame"
                          : n > 0 && !times_ns ? "times_ns"
                                               : NULL;
    if (missing)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", missing);
    const sac_delta_taker taker = {take, ctx};
    sac_status status = n > 0 ? check_frames(plan, frames, n, err) : SAC_OK;
    if (plan->gpu && n > 0 && status == SAC_OK)
        return sac_delta_encode_gpu_run(plan, &taker, frames, times_ns, n, err);
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        sac_delta_packet packet;
        encode_frame(plan, &packet, &frames[i], times_ns[i]);
        status = take(ctx, &packet, err);
    }
    return status;
}

static sac_status keep(void *to, const sac_delta_packet *packet, sac_error *err)
{
    (void)err;
    *(sac_delta_packet *)to = *packet;
    return SAC_OK;
}

sac_status sac_delta_encode_run(sac_delta_encode *plan, sac_delta_packet *packet,
                                const sac_array *frame, uint64_t time_ns, sac_error *err)
{
    if (!plan || !packet)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", plan ? "packet" : "plan");
    return sac_delta_encode_run_batch(plan, keep, packet, frame, &time_ns, 1, err);
}
