/*
 * The decoder's plan: which packets it takes, what it says of the rest.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/decode_gpu.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array_check.h"
#include "base/struct.h"
#include "room/plan.h"

static sac_status choose(sac_delta_decode *plan, sac_error *err)
{
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
        .pipeline = "delta",
        .rooms = {&sac_unpack_u8_room},
    };
    sac_any_fn fn[SAC_MAX_ROOMS];
    const sac_status status =
        sac_plan_choose(&plan->pool, fn, plan->variant, sizeof plan->variant, &choice, err);
    plan->unpack = (sac_unpack_u8_fn)fn[0];
    return status;
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_delta_decode *plan = opened;
    const sac_delta_decode_desc *d = &plan->desc;
    const bool is_cpu = d->device.kind == SAC_DEVICE_CPU;
    if (is_cpu && (d->stream || d->on_device))
        return sac_fail(err, SAC_E_INVALID, "%s: is for a GPU, and the device is cpu",
                        d->stream ? "stream" : "on_device");
    sac_status status = sac_delta_codec_check(false, err);
    if (status == SAC_OK)
        status = is_cpu ? choose(plan, err) : sac_delta_decode_gpu_open(plan, err);
    plan->counts.struct_size = sizeof plan->counts;
    plan->desc.variant = NULL; /* the caller's string is not kept */
    return status;
}

static void close_plan(void *closed)
{
    sac_delta_decode *p = closed;
    sac_pool_close(&p->pool);
    for (int i = 0; i < SAC_DELTA_MAX_BANDS; i++) {
        sac_delta_codec_close(&p->bands[i].codec);
        sac_free(p->bands[i].residual);
    }
    for (int i = 0; i < 2 && !p->gpu; i++)
        sac_free(p->chains[i].picture);
    sac_free(p->scratch);
    sac_delta_decode_gpu_close(p);
}

SAC_PLAN(sac_delta_decode, sac_delta_decode_open, sac_delta_decode_close, sac_delta_decode_params,
         sac_delta_decode_desc, sac_delta_decode_desc_init)

void sac_delta_decode_get_counts(const sac_delta_decode *plan, sac_delta_counts *counts)
{
    const sac_delta_counts none = {.struct_size = sizeof none};
    sac_struct_give(counts, plan ? &plan->counts : &none);
}

const char *sac_delta_decode_get_variant(const sac_delta_decode *plan)
{
    return plan ? plan->variant : "";
}

/* Unpackers and room for a residual, for each of n bands. */
static bool allocate_bands(sac_delta_decode *plan, int32_t n)
{
    const size_t cell = (size_t)4 * SAC_DELTA_ROWS * SAC_DELTA_COLUMNS;
    bool ok = true;
    for (int32_t i = 0; i < n && ok; i++) {
        sac_delta_decode_band *band = &plan->bands[i];
        if (!band->codec)
            band->codec = sac_delta_unpacker_open();
        if (!band->residual && !plan->gpu)
            band->residual = sac_alloc(cell, 1);
        ok = band->codec && (band->residual || plan->gpu);
    }
    return ok;
}

/* Room for `size` bytes at *memory, which need not be kept; false: no memory, and no room. */
static bool make_room(uint8_t **memory, size_t *room, size_t size)
{
    if (size <= *room)
        return true;
    sac_free(*memory);
    *memory = sac_alloc(size, 1);
    *room = *memory ? size : 0;
    return *memory;
}

/* On the CPU; with the chain's geometry set. */
static sac_status allocate_cpu(sac_delta_decode *plan, sac_delta_chain *chain)
{
    const sac_delta_geometry *g = &chain->geometry;
    const bool has_scratch =
        make_room(&plan->scratch, &plan->scratch_size, sac_delta_decode_scratch(g));
    if (!has_scratch) /* without which the other chain cannot go on either */
        plan->chains[0].is_whole = plan->chains[1].is_whole = false;
    return has_scratch && make_room(&chain->picture, &chain->room, g->bytes) ? SAC_OK : SAC_E_NOMEM;
}

/* Memory for a chain that begins with this keyframe. */
static sac_status allocate(sac_delta_decode *plan, sac_delta_chain *chain,
                           const sac_delta_header *h, sac_error *err)
{
    chain->is_known = chain->is_whole = false;
    chain->geometry = sac_delta_geometry_of(h->w, h->h, h->channels, h->band_rows);
    chain->order = h->order;
    sac_status status =
        plan->gpu ? sac_delta_decode_gpu_room(plan, chain) : allocate_cpu(plan, chain);
    if (status == SAC_OK && !allocate_bands(plan, chain->geometry.n_bands))
        status = SAC_E_NOMEM;
    if (status == SAC_E_NOMEM)
        return sac_fail(err, status, "delta: no memory for pictures of %d x %d", h->w, h->h);
    return sac_gpu_fail(status, err);
}

/* Whether a packet is one, whole and undamaged, of a size that is allowed; counts it where not. */
static bool is_sound(sac_delta_decode *plan, sac_delta_header *header, const uint8_t *packet,
                     size_t size)
{
    sac_delta_fault fault = sac_delta_header_get(header, packet, size);
    if (fault == SAC_DELTA_SOUND && header->size > size)
        fault = SAC_DELTA_TRUNCATED;
    if (fault == SAC_DELTA_SOUND) {
        size_t sealed = header->size - SAC_DELTA_TAIL;
        bool whole = header->size == size &&
                     sac_delta_get64(packet + sealed) == sac_delta_checksum(packet, sealed);
        bool fits = sac_delta_pixels(header) <= plan->desc.max_pixels;
        bool readable = !header->is_lz4 || sac_delta_lz4_is_here();
        if (!whole || !fits || !readable)
            fault = SAC_DELTA_DAMAGED;
    }
    plan->counts.foreign += fault == SAC_DELTA_FOREIGN;
    plan->counts.truncated += fault == SAC_DELTA_TRUNCATED;
    plan->counts.damaged += fault == SAC_DELTA_DAMAGED;
    return fault == SAC_DELTA_SOUND;
}

/* What a sound packet is to the stream. */
typedef enum place {
    FOLLOWS,  /* the packet before it is the one that was decoded last */
    CONFIRMS, /* the packet before it is a keyframe that did not follow, but does count from now */
    BEGINS,   /* a keyframe behind a gap, or of another stream: shown, and may be confirmed */
    HELD,     /* a keyframe with a number far from the stream's: may be confirmed */
    LATE,     /* its number has been passed, or is far from the stream's */
    WAITS     /* stands on a packet that did not come */
} place;

static bool follows(const sac_delta_chain *chain, const sac_delta_header *h)
{
    return chain->is_whole && h->stream == chain->stream && chain->number != UINT64_MAX &&
           h->frame == chain->number + 1 && h->previous == chain->checksum;
}

/* Whether the number is behind the picture's, by no more than so many that are missing. */
static bool is_ahead(const sac_delta_chain *now, uint64_t frame)
{
    return frame > now->number && frame - now->number - 1 <= SAC_DELTA_REACH;
}

static place find_place(const sac_delta_decode *plan, const sac_delta_header *h, uint64_t checksum)
{
    const sac_delta_chain *now = &plan->chains[plan->current],
                          *next = &plan->chains[!plan->current];
    if (!now->is_known)
        return h->is_key ? BEGINS : WAITS;
    if (follows(now, h))
        return FOLLOWS;
    if (next->is_known && follows(next, h))
        return CONFIRMS;
    if (next->is_known && h->stream == next->stream && checksum == next->checksum)
        return LATE; /* the same packet once more */
    if (h->stream != now->stream)
        return h->is_key ? BEGINS : WAITS;
    if (is_ahead(now, h->frame))
        return h->is_key ? BEGINS : WAITS;
    bool is_near = h->frame <= now->number && now->number - h->frame <= SAC_DELTA_REACH;
    return h->is_key && !is_near ? HELD : LATE;
}

/* The other chain is the stream's from now on; what is missing between the two is lost. */
static void confirm(sac_delta_decode *plan, const sac_delta_header *h)
{
    sac_delta_chain *old = &plan->chains[plan->current];
    uint64_t first = h->frame - 1; /* the keyframe's number */
    if (h->stream == old->stream && is_ahead(old, first)) {
        uint64_t gap = first - old->number - 1;
        plan->counts.lost += gap > plan->waiting ? gap - plan->waiting : 0;
    }
    old->is_known = old->is_whole = false;
    plan->current = !plan->current;
}

/* Counts what came from behind the picture, so that it is not lost. */
static void count_waiting(sac_delta_decode *plan, const sac_delta_header *h)
{
    const sac_delta_chain *now = &plan->chains[plan->current];
    if (now->is_known && h->stream == now->stream && is_ahead(now, h->frame))
        plan->waiting++;
}

static void show(sac_delta_decode *plan, sac_delta_frame *frame, const sac_delta_header *h)
{
    const sac_delta_geometry *g = &plan->chain->geometry;
    frame->picture = (sac_array){
        .data = plan->gpu ? sac_delta_decode_gpu_picture(plan) : plan->chain->picture,
        .dtype = SAC_U8,
        .n_dims = g->channels == 1 ? 2 : 3,
        .shape = {g->h, g->w, g->channels},
        .stride = {(ptrdiff_t)g->row, g->channels, 1},
        .device = plan->desc.on_device ? plan->desc.device : SAC_CPU,
    };
    if (g->channels == 1)
        frame->picture.shape[2] = frame->picture.stride[2] = 0;
    frame->order = h->order;
    frame->threshold = h->threshold;
    frame->is_key = h->is_key;
    frame->wants_key = false;
    plan->counts.frames++;
}

/* Which chain a packet is decoded into. One that begins where there is none is the stream's. */
static sac_delta_chain *chain_of(sac_delta_decode *plan, place at)
{
    bool is_now = at == FOLLOWS || !plan->chains[plan->current].is_known;
    return &plan->chains[is_now ? plan->current : !plan->current];
}

static sac_status decode(sac_delta_decode *plan, const sac_delta_header *h, const uint8_t *packet,
                         place at, sac_error *err)
{
    sac_delta_chain *chain = plan->chain = chain_of(plan, at);
    if (at == BEGINS || at == HELD) {
        const sac_delta_header before = {.stream = chain->stream, .frame = chain->number};
        if (chain->is_known && chain != &plan->chains[plan->current] && before.frame < h->frame)
            count_waiting(plan, &before); /* it came, and nothing followed */
        const sac_status status = allocate(plan, chain, h, err);
        if (status)
            return status;
    }
    const sac_status status = sac_delta_decode_bands(plan, h, packet);
    chain->is_whole = status == SAC_OK;
    if (status == SAC_E_FORMAT) {
        plan->counts.damaged++;
        return sac_fail(err, status, "packet: its content is damaged");
    }
    if (status)
        return sac_gpu_fail(status, err);
    chain->is_known = true;
    chain->stream = h->stream;
    chain->number = h->frame;
    chain->checksum = sac_delta_get64(packet + h->size - SAC_DELTA_TAIL);
    if (at == CONFIRMS)
        confirm(plan, h);
    if (chain == &plan->chains[plan->current]) {
        plan->is_waiting = false;
        plan->waiting = 0;
    }
    return SAC_OK;
}

sac_status sac_delta_decode_run(sac_delta_decode *plan, sac_delta_frame *frame, const void *packet,
                                size_t size, sac_error *err)
{
    sac_delta_header h = {0};
    if (!plan || !frame || !packet)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL",
                        !plan    ? "plan"
                        : !frame ? "frame"
                                 : "packet");
    *frame = (sac_delta_frame){.wants_key = true};
    if (!is_sound(plan, &h, packet, size))
        return sac_fail(err, SAC_E_FORMAT,
                        "packet: is not a packet, damaged, truncated or too large");
    frame->frame = h.frame;
    frame->time_ns = h.time_ns;
    const uint8_t *bytes = packet;
    place at = find_place(plan, &h, sac_delta_get64(bytes + h.size - SAC_DELTA_TAIL));
    plan->counts.late += at == LATE || at == HELD;
    if (at == WAITS) {
        plan->is_waiting = true;
        count_waiting(plan, &h);
    }
    const bool is_shown = at == FOLLOWS || at == CONFIRMS || at == BEGINS;
    sac_status status = is_shown || at == HELD ? decode(plan, &h, bytes, at, err) : SAC_AGAIN;
    if (is_shown && status == SAC_OK)
        show(plan, frame, &h);
    else if (status == SAC_OK || status == SAC_AGAIN)
        frame->wants_key = plan->is_waiting || !plan->chains[plan->current].is_whole;
    return is_shown || status != SAC_OK ? status : SAC_AGAIN;
}
