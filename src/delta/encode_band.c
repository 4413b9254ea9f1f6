/*
 * Encoding a band: cell by cell what is sent of it, then the band's streams through the codec.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "delta/encode.h"

typedef struct cell {
    int64_t x, y; /* first pixel */
    bool is_top;  /* of its band: nothing above is known */
    const uint8_t *in;
    ptrdiff_t in_row;
    uint8_t *picture;
} cell;

/* Points at the frame's pixels, or gathers them; those beyond its edge repeat the last. */
static void load(const sac_delta_encode *plan, sac_delta_encode_band *band, cell *at)
{
    const sac_delta_geometry *g = &plan->geometry;
    ptrdiff_t channels = g->channels;
    bool packed = plan->in_pixel == channels && (channels == 1 || plan->in_channel == 1);
    bool whole = at->x + SAC_DELTA_COLUMNS <= g->w && at->y + SAC_DELTA_ROWS <= g->h;
    if (packed && whole) {
        at->in = plan->in + at->y * plan->in_row + at->x * channels;
        at->in_row = plan->in_row;
        return;
    }
    uint8_t *to = band->tile;
    at->in = to;
    at->in_row = SAC_DELTA_COLUMNS * channels;
    for (int64_t y = at->y; y < at->y + SAC_DELTA_ROWS; y++) {
        const uint8_t *row = plan->in + (y < g->h ? y : g->h - 1) * plan->in_row;
        for (int64_t x = at->x; x < at->x + SAC_DELTA_COLUMNS; x++) {
            const uint8_t *pixel = row + (x < g->w ? x : g->w - 1) * plan->in_pixel;
            for (ptrdiff_t c = 0; c < channels; c++)
                *to++ = pixel[c * plan->in_channel];
        }
    }
}

static void copy_in(const sac_delta_encode *plan, const cell *at)
{
    size_t n = (size_t)SAC_DELTA_COLUMNS * (size_t)plan->geometry.channels;
    for (size_t y = 0; y < SAC_DELTA_ROWS; y++)
        memcpy(at->picture + y * plan->geometry.row, at->in + (ptrdiff_t)y * at->in_row, n);
}

/* Residuals against the picture as it was. */
static uint32_t temporal(const sac_delta_encode *plan, uint8_t *out, const cell *at)
{
    int64_t n = SAC_DELTA_COLUMNS * (int64_t)plan->geometry.channels;
    uint32_t cost = 0;
    for (int64_t y = 0; y < SAC_DELTA_ROWS; y++) {
        const uint8_t *was = at->picture + (size_t)y * plan->geometry.row;
        cost += plan->predict(out + y * n, at->in + y * at->in_row, was, was, was, n);
    }
    return cost;
}

/* Residuals of the picture, which holds the cell already, against its own pixels before. */
static uint32_t spatial(const sac_delta_encode *plan, uint8_t *out, const cell *at)
{
    ptrdiff_t channels = plan->geometry.channels, row = (ptrdiff_t)plan->geometry.row;
    int64_t n = SAC_DELTA_COLUMNS * channels;
    uint32_t cost = 0;
    for (int64_t y = 0; y < SAC_DELTA_ROWS; y++, out += n) {
        const uint8_t *in = at->picture + y * row;
        bool top = at->is_top && y == 0;
        ptrdiff_t skip =
            at->x == 0 ? channels : 0; /* the first pixel of a row has none before it */
        for (ptrdiff_t c = 0; c < skip; c++)
            out[c] = (uint8_t)(in[c] - (top ? 0 : in[c - row]));
        const uint8_t *left = in + skip - channels;
        cost += plan->predict(out + skip, in + skip, left, top ? left : in + skip - row,
                              top ? left : left - row, n - skip);
    }
    return cost;
}

static void add(const sac_delta_encode *plan, const cell *at, const uint8_t *residual)
{
    size_t n = (size_t)SAC_DELTA_COLUMNS * (size_t)plan->geometry.channels;
    for (size_t y = 0; y < SAC_DELTA_ROWS; y++, residual += n) {
        uint8_t *to = at->picture + y * plan->geometry.row;
        for (size_t i = 0; i < n; i++)
            to[i] = (uint8_t)(to[i] + residual[i]);
    }
}

/* Codes a cell and brings the picture up to it; returns its kind. */
static uint8_t encode_cell(const sac_delta_encode *plan, sac_delta_encode_band *band,
                           sac_delta_planes *out, uint8_t **shared_mask, const cell *at,
                           int32_t threshold)
{
    const sac_delta_geometry *g = &plan->geometry;
    uint8_t *from_time = band->residual, *from_space = band->residual + g->cell;
    uint32_t cost = UINT32_MAX;
    if (!plan->turn.is_key) {
        const sac_delta_shape shape = {SAC_DELTA_COLUMNS, SAC_DELTA_ROWS, g->channels};
        int32_t n = plan->change(from_time, at->in, at->in_row, at->picture, (ptrdiff_t)g->row,
                                 &shape, threshold);
        if (n == 0)
            return SAC_CELL_STILL;
        if (n <= SAC_DELTA_SPARSE_MOST) {
            sac_delta_planes sparse = *out;
            sparse.mask[0] = *shared_mask;
            plan->pack(&sparse, from_time, SAC_DELTA_ROWS, g->channels, true);
            *shared_mask = sparse.mask[0];
            memcpy(out->value, sparse.value, sizeof out->value);
            add(plan, at, from_time);
            return SAC_CELL_SPARSE;
        }
        cost = temporal(plan, from_time, at);
    }
    copy_in(plan, at);
    bool is_spatial = spatial(plan, from_space, at) < cost;
    plan->pack(out, is_spatial ? from_space : from_time, SAC_DELTA_ROWS, g->channels, false);
    return is_spatial ? SAC_CELL_SPATIAL : SAC_CELL_TEMPORAL;
}

/* The streams behind their sizes; what does not get smaller goes as it is. */
void sac_delta_encode_band_put(void *arg, int32_t index)
{
    const sac_delta_encode *plan = arg;
    sac_delta_encode_band *band = &plan->bands[index];
    const int32_t n_streams = sac_delta_n_streams(plan->geometry.channels);
    uint8_t *head = band->out, *to = head + 8 * (size_t)n_streams;
    for (int32_t i = 0; i < n_streams; i++, head += 8) {
        const size_t size = band->size[i];
        size_t n = sac_delta_codec_pack(band->codec, to, band->stream[i], size);
        if (n == 0) {
            memcpy(to, band->stream[i], size);
            n = size;
        }
        sac_delta_put32(head, (uint32_t)size);
        sac_delta_put32(head + 4, (uint32_t)n);
        to += n;
    }
    band->out_size = (size_t)(to - band->out);
}

void sac_delta_encode_band_run(void *arg, int32_t index)
{
    const sac_delta_encode *plan = arg;
    const sac_delta_geometry *g = &plan->geometry;
    sac_delta_encode_band *band = &plan->bands[index];
    int32_t channels = g->channels, cells_y = sac_delta_cells_y(g, index);
    uint8_t *kind = band->stream[0], *shared_mask = band->stream[1];
    sac_delta_planes out = {0};
    for (int32_t c = 0; c < channels; c++) {
        out.mask[c] = band->stream[2 + c];
        out.value[c] = band->stream[2 + channels + c];
    }
    for (int32_t j = 0; j < cells_y; j++)
        for (int32_t i = 0; i < g->cells_x; i++) {
            cell at = {.x = (int64_t)i * SAC_DELTA_COLUMNS, .is_top = j == 0};
            at.y = (int64_t)index * g->band_rows + (int64_t)j * SAC_DELTA_ROWS;
            at.picture = plan->picture + (size_t)at.y * g->row + (size_t)(at.x * channels);
            load(plan, band, &at);
            uint64_t number = (uint64_t)(at.y / SAC_DELTA_ROWS * g->cells_x + i);
            const int32_t threshold =
                sac_delta_threshold(&plan->turn, plan->pace.n_cells, number, plan->desc.threshold);
            *kind++ = encode_cell(plan, band, &out, &shared_mask, &at, threshold);
        }
    band->size[0] = (size_t)(kind - band->stream[0]);
    band->size[1] = (size_t)(shared_mask - band->stream[1]);
    for (int32_t c = 0; c < channels; c++) {
        band->size[2 + c] = (size_t)(out.mask[c] - band->stream[2 + c]);
        band->size[2 + channels + c] = (size_t)(out.value[c] - band->stream[2 + channels + c]);
    }
    sac_delta_encode_band_put(arg, index);
}
