/*
 * The encoder's plan: opening, running, closing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array_check.h"
#include "delta/encode.h"
#include "room/plan.h"

#define BAND_ROWS 288 /* about: four bands of 1080 rows, whose entropy tables then pay */

/* A scene changes where of the pixels looked at more than half are off by more than so much. */
#define SCENE_LEVELS 32
#define SCENE_STEP_X 4
#define SCENE_STEP_Y 16

static sac_status check_desc(const sac_delta_encode_desc *d, sac_error *err)
{
    const sac_status status =
        sac_plan_check_frame(d->w, d->h, SAC_DELTA_MAX_SIDE, d->n_channels, d->order, err);
    return status ? status : sac_delta_codec_check(d->fast, err);
}

static sac_status choose(sac_delta_encode *plan, sac_error *err)
{
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
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

static bool allocate_band(const sac_delta_encode *plan, sac_delta_encode_band *band)
{
    const sac_delta_geometry *g = &plan->geometry;
    int32_t n_streams = sac_delta_n_streams(g->channels);
    size_t sizes[SAC_DELTA_MAX_STREAMS], all = 0;
    for (int32_t i = 0; i < n_streams; i++)
        all += sizes[i] = sac_delta_stream_max(i, g->channels, g->most_cells);
    band->stream[0] = sac_alloc(all, 1);
    band->out = sac_alloc(all + 8 * (size_t)n_streams, 1);
    band->residual = sac_alloc(2 * g->cell, 1);
    band->tile = sac_alloc(g->cell, 1);
    band->codec =
        sac_delta_packer_open(plan->desc.fast, plan->desc.level,
                              sac_delta_stream_max(n_streams - 1, g->channels, g->most_cells));
    if (!band->stream[0] || !band->out || !band->residual || !band->tile || !band->codec)
        return false;
    for (int32_t i = 1; i < n_streams; i++)
        band->stream[i] = band->stream[i - 1] + sizes[i - 1];
    return true;
}

static bool allocate(sac_delta_encode *plan)
{
    const sac_delta_geometry *g = &plan->geometry;
    size_t packet = SAC_DELTA_HEADER + SAC_DELTA_TAIL;
    plan->picture = sac_alloc(g->bytes, 1);
    plan->bands = sac_alloc((size_t)g->n_bands, sizeof *plan->bands);
    if (!plan->picture || !plan->bands)
        return false;
    for (int32_t i = 0; i < g->n_bands; i++) {
        if (!allocate_band(plan, &plan->bands[i]))
            return false;
        size_t cells = (size_t)g->cells_x * (size_t)sac_delta_cells_y(g, i);
        for (int32_t k = 0; k < sac_delta_n_streams(g->channels); k++)
            packet += 8 + sac_delta_stream_max(k, g->channels, cells);
    }
    plan->packet = sac_alloc(packet, 1);
    return plan->packet;
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
    status = choose(plan, err);
    if (status == SAC_OK && !allocate(plan))
        status = sac_fail(err, SAC_E_NOMEM, "delta: no memory for pictures of %lld x %lld",
                          (long long)d->w, (long long)d->h);
    plan->desc.variant = NULL; /* the caller's string is not kept */
    return status;
}

static void close_plan(void *closed)
{
    sac_delta_encode *p = closed;
    sac_pool_close(&p->pool);
    for (int32_t i = 0; p->bands && i < p->geometry.n_bands; i++) {
        sac_delta_codec_close(&p->bands[i].codec);
        sac_free(p->bands[i].stream[0]);
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

static sac_status take_frame(sac_delta_encode *plan, const sac_array *frame, sac_error *err)
{
    const sac_delta_encode_desc *d = &plan->desc;
    sac_status status = sac_array_expect_frame(frame, "frame", d->h, d->w, d->n_channels, err);
    if (status == SAC_OK)
        status = sac_array_expect_on(frame, "frame", SAC_CPU, err);
    if (status)
        return status;
    sac_known(frame);
    plan->in = frame->data;
    plan->in_row = frame->stride[0];
    plan->in_pixel = frame->stride[1];
    plan->in_channel = frame->n_dims == 2 ? 1 : frame->stride[2];
    return SAC_OK;
}

static bool is_new_scene(const sac_delta_encode *plan)
{
    const sac_delta_geometry *g = &plan->geometry;
    int64_t n = 0, n_changed = 0;
    for (int64_t y = SCENE_STEP_Y / 2; y < g->h; y += SCENE_STEP_Y)
        for (int64_t x = 0; x < g->w; x += SCENE_STEP_X, n++) {
            const uint8_t *in = plan->in + y * plan->in_row + x * plan->in_pixel;
            const uint8_t *was = plan->picture + (size_t)y * g->row + (size_t)(x * g->channels);
            bool changed = false;
            for (int32_t c = 0; c < g->channels; c++)
                changed = changed || abs(in[c * plan->in_channel] - was[c]) > SCENE_LEVELS;
            n_changed += changed;
        }
    return 2 * n_changed > n;
}

static uint64_t since(uint64_t now, uint64_t then)
{
    return now > then ? now - then : 0;
}

static bool is_key_due(const sac_delta_encode *plan, uint64_t time_ns)
{
    const sac_delta_encode_desc *d = &plan->desc;
    bool late = d->key_interval_s > 0 &&
                (double)since(time_ns, plan->key_time_ns) >= d->key_interval_s * 1e9;
    return plan->wants_key || late || (d->scene_change && is_new_scene(plan));
}

/* Which cells are in turn: in refresh_s all of them, in steps as time goes. */
static void plan_refresh(sac_delta_encode *plan, uint64_t time_ns)
{
    const sac_delta_geometry *g = &plan->geometry;
    uint64_t n = (uint64_t)g->cells_x * (uint64_t)((g->h + SAC_DELTA_ROWS - 1) / SAC_DELTA_ROWS);
    plan->refresh_first = plan->refreshed % n;
    plan->refresh_count = 0;
    if (plan->desc.refresh_s <= 0 || plan->is_key)
        return;
    double share = (double)since(time_ns, plan->time_ns) / (plan->desc.refresh_s * 1e9);
    double cells = share < 1 ? share * (double)n : (double)n;
    plan->refresh_count = (uint64_t)cells + 1;
    plan->refresh_count = plan->refresh_count < n ? plan->refresh_count : n;
    plan->refreshed += plan->refresh_count;
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
        .is_key = plan->is_key,
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

sac_status sac_delta_encode_run(sac_delta_encode *plan, sac_delta_packet *packet,
                                const sac_array *frame, uint64_t time_ns, sac_error *err)
{
    if (!plan || !packet)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", plan ? "packet" : "plan");
    sac_status status = take_frame(plan, frame, err);
    if (status)
        return status;
    plan->is_key = is_key_due(plan, time_ns);
    plan_refresh(plan, time_ns);
    sac_pool_run(plan->pool, plan->geometry.n_bands, sac_delta_encode_band_run, plan);
    size_t size = assemble(plan, time_ns);
    *packet = (sac_delta_packet){
        .data = plan->packet,
        .size = size,
        .frame = plan->frame,
        .time_ns = time_ns,
        .is_key = plan->is_key,
    };
    if (plan->is_key)
        plan->key_time_ns = time_ns;
    plan->time_ns = time_ns;
    plan->wants_key = false;
    plan->frame++;
    return SAC_OK;
}
