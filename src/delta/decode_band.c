/*
 * Decoding bands. A sound checksum says that a packet is as it was sent, not that its sender meant
 * well: every size is checked before it is used.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "delta/decode_gpu.h"

size_t sac_delta_decode_scratch(const sac_delta_geometry *g)
{
    size_t cells = (size_t)g->cells_x * (size_t)((g->h + SAC_DELTA_ROWS - 1) / SAC_DELTA_ROWS);
    size_t all = (size_t)g->n_bands * SAC_ALIGNMENT;
    for (int32_t i = 0; i < sac_delta_n_streams(g->channels); i++)
        all += sac_delta_stream_max(i, g->channels, cells);
    return all;
}

/* Gives each stream of each band as much of the scratch as it may need. Bands are for different
 * threads: no cache line is for two. */
static void share_scratch(sac_delta_decode *plan)
{
    if (plan->gpu) {
        sac_delta_decode_gpu_share(plan);
        return;
    }
    const sac_delta_geometry *g = &plan->chain->geometry;
    uint8_t *at = plan->scratch;
    for (int32_t k = 0; k < g->n_bands; k++) {
        size_t cells = (size_t)g->cells_x * (size_t)sac_delta_cells_y(g, k);
        for (int32_t i = 0; i < sac_delta_n_streams(g->channels); i++) {
            plan->bands[k].stream[i] = at;
            at += sac_delta_stream_max(i, g->channels, cells);
        }
        at += (SAC_ALIGNMENT - (size_t)(at - plan->scratch) % SAC_ALIGNMENT) % SAC_ALIGNMENT;
    }
}

/* Finds the bands in the packet: false where their sizes do not fit in it or in the picture. */
static bool find_bands(sac_delta_decode *plan, const sac_delta_header *header,
                       const uint8_t *packet)
{
    const sac_delta_geometry *g = &plan->chain->geometry;
    int32_t n_streams = sac_delta_n_streams(g->channels);
    const uint8_t *at = packet + SAC_DELTA_HEADER, *end = packet + header->size - SAC_DELTA_TAIL;
    for (int32_t k = 0; k < g->n_bands; k++) {
        sac_delta_decode_band *band = &plan->bands[k];
        size_t cells = (size_t)g->cells_x * (size_t)sac_delta_cells_y(g, k), all = 0;
        if (end - at < 8 * n_streams)
            return false;
        for (int32_t i = 0; i < n_streams; i++, at += 8) {
            band->raw[i] = sac_delta_get32(at);
            band->packed[i] = sac_delta_get32(at + 4);
            if (band->raw[i] > sac_delta_stream_max(i, g->channels, cells) ||
                band->packed[i] > band->raw[i])
                return false;
            all += band->packed[i];
        }
        if (band->raw[0] != cells || all > (size_t)(end - at))
            return false;
        band->in = at;
        at += all;
    }
    return at == end;
}

static bool unpack_streams(const sac_delta_decode *plan, sac_delta_decode_band *band)
{
    const uint8_t *at = band->in;
    for (int32_t i = 0; i < sac_delta_n_streams(plan->chain->geometry.channels); i++) {
        if (band->packed[i] == band->raw[i])
            memcpy(band->stream[i], at, band->raw[i]);
        else if (!sac_delta_codec_unpack(band->codec, plan->is_lz4, band->stream[i], band->raw[i],
                                         at, band->packed[i]))
            return false;
        at += band->packed[i];
    }
    return true;
}

static size_t count_bits(const uint8_t *mask, size_t n_bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < n_bytes; i += 8) {
        uint64_t bits;
        memcpy(&bits, mask + i, sizeof bits);
        n += (size_t)__builtin_popcountll(bits);
    }
    return n;
}

/* Whether the kinds ask for as many masks as there are, and the masks for as many values: after
 * that nothing can be read beyond a stream's end. */
static bool is_consistent(const sac_delta_decode *plan, sac_delta_decode_band *band)
{
    const size_t mask = SAC_DELTA_MASK;
    int32_t channels = plan->chain->geometry.channels;
    size_t n[SAC_CELL_KINDS] = {0};
    for (size_t i = 0; i < band->raw[0]; i++) {
        if (band->stream[0][i] >= SAC_CELL_KINDS)
            return false;
        n[band->stream[0][i]]++;
    }
    band->is_spatial = n[SAC_CELL_SPATIAL] > 0;
    bool ok = band->raw[1] == n[SAC_CELL_SPARSE] * mask &&
              (!plan->is_key || n[SAC_CELL_SPATIAL] == band->raw[0]);
    size_t sparse = ok ? count_bits(band->stream[1], band->raw[1]) : 0;
    for (int32_t c = 0; c < channels && ok; c++) {
        size_t masks = band->raw[2 + c];
        ok = masks == (n[SAC_CELL_TEMPORAL] + n[SAC_CELL_SPATIAL]) * mask &&
             band->raw[2 + channels + c] == sparse + count_bits(band->stream[2 + c], masks);
    }
    return ok;
}

static void add(uint8_t *picture, size_t row, const uint8_t *residual, size_t n)
{
    for (size_t y = 0; y < SAC_DELTA_ROWS; y++, picture += row, residual += n)
        for (size_t i = 0; i < n; i++)
            picture[i] = (uint8_t)(picture[i] + residual[i]);
}

static inline uint8_t median(uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t low = a < b ? a : b, high = a < b ? b : a;
    return c >= high ? low : c <= low ? high : (uint8_t)(a + b - c);
}

/* A cell from its own pixels before: each needs the one on its left, so one after the other. */
static inline void undo_spatial(uint8_t *picture, ptrdiff_t row, const uint8_t *residual,
                                bool is_first, bool is_top, ptrdiff_t channels)
{
    ptrdiff_t n = SAC_DELTA_COLUMNS * channels;
    for (ptrdiff_t y = 0; y < SAC_DELTA_ROWS; y++, picture += row, residual += n) {
        bool top = is_top && y == 0;
        ptrdiff_t skip = is_first ? channels : 0;
        for (ptrdiff_t c = 0; c < skip; c++)
            picture[c] = (uint8_t)(residual[c] + (top ? 0 : picture[c - row]));
        for (ptrdiff_t i = skip; i < n; i++) {
            uint8_t left = picture[i - channels];
            uint8_t p = top ? left : median(left, picture[i - row], picture[i - row - channels]);
            picture[i] = (uint8_t)(residual[i] + p);
        }
    }
}

static void decode_cell(const sac_delta_decode *plan, const sac_delta_decode_band *band,
                        sac_delta_planes *in, uint8_t **shared_mask, uint8_t kind, uint8_t *picture,
                        bool is_first, bool is_top)
{
    const sac_delta_geometry *g = &plan->chain->geometry;
    if (kind == SAC_CELL_STILL)
        return;
    if (kind == SAC_CELL_SPARSE) {
        sac_delta_planes sparse = *in;
        sparse.mask[0] = *shared_mask;
        plan->unpack(band->residual, &sparse, SAC_DELTA_ROWS, g->channels, true);
        *shared_mask = sparse.mask[0];
        memcpy(in->value, sparse.value, sizeof in->value);
    } else {
        plan->unpack(band->residual, in, SAC_DELTA_ROWS, g->channels, false);
    }
    ptrdiff_t row = (ptrdiff_t)g->row;
    if (kind != SAC_CELL_SPATIAL)
        add(picture, g->row, band->residual, g->cell / SAC_DELTA_ROWS);
    else if (g->channels == 3)
        undo_spatial(picture, row, band->residual, is_first, is_top, 3);
    else if (g->channels == 1)
        undo_spatial(picture, row, band->residual, is_first, is_top, 1);
    else
        undo_spatial(picture, row, band->residual, is_first, is_top, 4);
}

static void decode_band(void *arg, int32_t index)
{
    sac_delta_decode *plan = arg;
    const sac_delta_geometry *g = &plan->chain->geometry;
    sac_delta_decode_band *band = &plan->bands[index];
    band->ok = unpack_streams(plan, band) && is_consistent(plan, band);
    if (!band->ok || plan->gpu)
        return;
    const uint8_t *kind = band->stream[0];
    uint8_t *shared_mask = band->stream[1];
    sac_delta_planes in = {0};
    for (int32_t c = 0; c < g->channels; c++) {
        in.mask[c] = band->stream[2 + c];
        in.value[c] = band->stream[2 + g->channels + c];
    }
    uint8_t *row = plan->chain->picture + (size_t)index * (size_t)g->band_rows * g->row;
    for (int32_t j = 0; j < sac_delta_cells_y(g, index); j++, row += SAC_DELTA_ROWS * g->row)
        for (int32_t i = 0; i < g->cells_x; i++)
            decode_cell(plan, band, &in, &shared_mask, *kind++,
                        row + (size_t)i * (g->cell / SAC_DELTA_ROWS), i == 0, j == 0);
}

sac_status sac_delta_decode_bands(sac_delta_decode *plan, const sac_delta_header *header,
                                  const uint8_t *packet)
{
    const sac_delta_geometry *g = &plan->chain->geometry;
    if (header->w != g->w || header->h != g->h || header->channels != g->channels ||
        header->band_rows != g->band_rows || header->order != plan->chain->order)
        return SAC_E_FORMAT;
    plan->is_key = header->is_key;
    plan->is_lz4 = header->is_lz4;
    if (!find_bands(plan, header, packet))
        return SAC_E_FORMAT;
    share_scratch(plan);
    sac_pool_run(plan->pool, g->n_bands, decode_band, plan);
    bool ok = true;
    for (int32_t i = 0; i < g->n_bands; i++)
        ok = ok && plan->bands[i].ok;
    if (!ok)
        return SAC_E_FORMAT;
    return plan->gpu ? sac_delta_decode_gpu_bands(plan) : SAC_OK;
}
