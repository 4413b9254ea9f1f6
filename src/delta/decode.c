/*
 * The decoder's plan: which packets it takes, what it says of the rest.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/decode.h"

#include <string.h>

#include "base/alloc.h"
#include "base/struct.h"

static sac_status choose(sac_delta_decode *plan, sac_error *err)
{
    const sac_room *room = &sac_delta_unpack_u8_room;
    sac_any_fn fn = NULL;
    sac_status status = sac_variant_choose_all(&fn, plan->variant, sizeof plan->variant, &room, 1,
                                               SAC_TIER_EXACT, plan->desc.variant, err);
    plan->unpack = (sac_delta_unpack_u8_fn)fn;
    return status;
}

sac_status sac_delta_decode_open(sac_delta_decode **out, const sac_delta_decode_desc *desc,
                                 sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    *out = NULL;
    sac_delta_decode_desc own;
    sac_delta_decode_desc_init(&own);
    sac_status status = sac_desc_take(&own, sac_delta_decode_params(), desc, err);
    if (status == SAC_OK)
        status = sac_delta_codec_check(false, err);
    if (status)
        return status;
    sac_delta_decode *plan = sac_alloc(1, sizeof *plan);
    if (!plan)
        return sac_fail(err, SAC_E_NOMEM, "delta: no memory for a plan");
    plan->desc = own;
    plan->counts.struct_size = sizeof plan->counts;
    plan->is_broken = true;
    status = sac_pool_open(&plan->pool, own.n_threads, own.executor, err);
    if (status == SAC_OK)
        status = choose(plan, err);
    plan->desc.variant = NULL; /* the caller's string is not kept */
    if (status)
        sac_delta_decode_close(&plan);
    *out = plan;
    return status;
}

static void free_picture(sac_delta_decode *plan)
{
    for (int32_t i = 0; plan->bands && i < plan->geometry.n_bands; i++) {
        sac_delta_codec_close(&plan->bands[i].codec);
        sac_free(plan->bands[i].stream[0]);
        sac_free(plan->bands[i].residual);
    }
    sac_free(plan->bands);
    sac_free(plan->picture);
    plan->bands = NULL;
    plan->picture = NULL;
    plan->geometry = (sac_delta_geometry){0};
}

void sac_delta_decode_close(sac_delta_decode **plan)
{
    if (!plan || !*plan)
        return;
    sac_pool_close(&(*plan)->pool);
    free_picture(*plan);
    sac_free(*plan);
    *plan = NULL;
}

void sac_delta_decode_get_counts(const sac_delta_decode *plan, sac_delta_counts *counts)
{
    sac_struct_give(counts, &plan->counts);
}

const char *sac_delta_decode_get_variant(const sac_delta_decode *plan)
{
    return plan->variant;
}

static bool allocate_band(const sac_delta_geometry *g, int32_t index, sac_delta_decode_band *band)
{
    size_t cells = (size_t)g->cells_x * (size_t)sac_delta_cells_y(g, index), all = 0;
    int32_t n_streams = sac_delta_n_streams(g->channels);
    size_t sizes[SAC_DELTA_MAX_STREAMS];
    for (int32_t i = 0; i < n_streams; i++)
        all += sizes[i] = sac_delta_stream_max(i, g->channels, cells);
    band->stream[0] = sac_alloc(all, 1);
    band->residual = sac_alloc(g->cell, 1);
    band->codec = sac_delta_unpacker_open();
    if (!band->stream[0] || !band->residual || !band->codec)
        return false;
    for (int32_t i = 1; i < n_streams; i++)
        band->stream[i] = band->stream[i - 1] + sizes[i - 1];
    return true;
}

/* Memory for pictures as the header has them. */
static bool allocate(sac_delta_decode *plan, const sac_delta_header *h)
{
    sac_delta_geometry *g = &plan->geometry;
    if (plan->picture && g->w == h->w && g->h == h->h && g->channels == h->channels &&
        g->band_rows == h->band_rows)
        return true;
    free_picture(plan);
    sac_delta_geometry wanted = sac_delta_geometry_of(h->w, h->h, h->channels, h->band_rows);
    plan->picture = sac_alloc(wanted.bytes, 1);
    plan->bands = sac_alloc((size_t)wanted.n_bands, sizeof *plan->bands);
    *g = wanted;
    bool ok = plan->picture && plan->bands;
    for (int32_t i = 0; i < g->n_bands && ok; i++)
        ok = allocate_band(g, i, &plan->bands[i]);
    if (!ok)
        free_picture(plan);
    return ok;
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
        sac_delta_geometry g =
            sac_delta_geometry_of(header->w, header->h, header->channels, header->band_rows);
        bool fits = g.bytes / (size_t)g.channels <= plan->desc.max_pixels;
        bool readable = !header->is_lz4 || sac_delta_lz4_is_here();
        if (!whole || !fits || !readable)
            fault = SAC_DELTA_DAMAGED;
    }
    plan->counts.foreign += fault == SAC_DELTA_FOREIGN;
    plan->counts.truncated += fault == SAC_DELTA_TRUNCATED;
    plan->counts.damaged += fault == SAC_DELTA_DAMAGED;
    return fault == SAC_DELTA_SOUND;
}

/* What to do with a sound packet, by its place in the stream. */
typedef enum verdict { TAKE, LATE, WAIT } verdict;

static verdict place(sac_delta_decode *plan, const sac_delta_header *h)
{
    if (!plan->has_stream || h->stream != plan->stream) {
        if (!h->is_key)
            return WAIT;
        plan->has_stream = true;
        plan->stream = h->stream;
        plan->next = h->frame;
    }
    if (h->frame < plan->next) {
        plan->counts.late++;
        return LATE;
    }
    plan->counts.lost += h->frame - plan->next;
    bool follows = !plan->is_broken && h->frame == plan->next && h->previous == plan->previous;
    plan->next = h->frame + 1;
    return h->is_key || follows ? TAKE : WAIT;
}

static void show(sac_delta_decode *plan, sac_delta_frame *frame, const sac_delta_header *h)
{
    const sac_delta_geometry *g = &plan->geometry;
    frame->picture = (sac_array){
        .data = plan->picture,
        .dtype = SAC_U8,
        .n_dims = g->channels == 1 ? 2 : 3,
        .shape = {g->h, g->w, g->channels},
        .stride = {(ptrdiff_t)g->row, g->channels, 1},
    };
    if (g->channels == 1)
        frame->picture.shape[2] = frame->picture.stride[2] = 0;
    frame->order = h->order;
    frame->threshold = h->threshold;
    frame->is_key = h->is_key;
    plan->counts.frames++;
}

sac_status sac_delta_decode_run(sac_delta_decode *plan, sac_delta_frame *frame, const void *packet,
                                size_t size, sac_error *err)
{
    sac_delta_header h = {0};
    *frame = (sac_delta_frame){.wants_key = true};
    if (!is_sound(plan, &h, packet, size))
        return sac_fail(err, SAC_E_FORMAT, "packet: is none, damaged, cut short or too large");
    frame->frame = h.frame;
    frame->time_ns = h.time_ns;
    verdict what = place(plan, &h);
    if (what == WAIT)
        plan->is_broken = true;
    frame->wants_key = plan->is_broken;
    if (what != TAKE)
        return SAC_AGAIN;
    plan->is_broken = true; /* until all of it is decoded */
    frame->wants_key = true;
    if (h.is_key) {
        if (!allocate(plan, &h))
            return sac_fail(err, SAC_E_NOMEM, "delta: no memory for pictures of %d x %d", h.w, h.h);
        plan->order = h.order;
    }
    if (!sac_delta_decode_bands(plan, &h, packet)) {
        plan->counts.damaged++;
        return sac_fail(err, SAC_E_FORMAT, "packet: its content is damaged");
    }
    plan->is_broken = frame->wants_key = false;
    plan->previous = sac_delta_get64((const uint8_t *)packet + h.size - SAC_DELTA_TAIL);
    show(plan, frame, &h);
    return SAC_OK;
}
