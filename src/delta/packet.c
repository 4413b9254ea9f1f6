/*
 * Packet headers, and the division of pictures into bands and cells.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "delta/format.h"

void sac_delta_put32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

void sac_delta_put64(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

uint32_t sac_delta_get32(const uint8_t *from)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t)from[i] << (8 * i);
    return value;
}

uint64_t sac_delta_get64(const uint8_t *from)
{
    return sac_delta_get32(from) | (uint64_t)sac_delta_get32(from + 4) << 32;
}

static void put16(uint8_t *to, int32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

static int32_t get16(const uint8_t *from)
{
    return from[0] | from[1] << 8;
}

void sac_delta_header_put(uint8_t *to, const sac_delta_header *h)
{
    memset(to, 0, SAC_DELTA_HEADER);
    sac_delta_put32(to, SAC_DELTA_MAGIC);
    to[4] = SAC_DELTA_VERSION;
    to[5] = (uint8_t)((h->is_key ? SAC_DELTA_FLAG_KEY : 0) | (h->is_lz4 ? SAC_DELTA_FLAG_LZ4 : 0));
    to[6] = (uint8_t)h->channels;
    to[7] = (uint8_t)h->threshold;
    sac_delta_put32(to + 8, h->size);
    put16(to + 12, h->w);
    put16(to + 14, h->h);
    put16(to + 16, h->band_rows);
    to[18] = (uint8_t)h->order;
    sac_delta_put64(to + 24, h->frame);
    sac_delta_put64(to + 32, h->time_ns);
    sac_delta_put64(to + 40, h->stream);
    sac_delta_put64(to + 48, h->previous);
}

static bool is_side(int32_t value)
{
    return value >= 1 && value <= SAC_DELTA_MAX_SIDE;
}

uint64_t sac_delta_packet_max(const sac_delta_header *h)
{
    sac_delta_geometry g = sac_delta_geometry_of(h->w, h->h, h->channels, h->band_rows);
    uint64_t tables = (uint64_t)g.n_bands * (uint64_t)sac_delta_n_streams(h->channels) * 8;
    size_t cells = (size_t)g.cells_x * (size_t)((h->h + SAC_DELTA_ROWS - 1) / SAC_DELTA_ROWS);
    uint64_t all = SAC_DELTA_HEADER + tables + SAC_DELTA_TAIL;
    for (int32_t i = 0; i < sac_delta_n_streams(h->channels); i++)
        all += sac_delta_stream_max(i, h->channels, cells);
    return all;
}

uint64_t sac_delta_pixels(const sac_delta_header *h)
{
    sac_delta_geometry g = sac_delta_geometry_of(h->w, h->h, h->channels, h->band_rows);
    return g.bytes / (uint64_t)h->channels;
}

sac_delta_fault sac_delta_header_get(sac_delta_header *h, const uint8_t *p, size_t size)
{
    if (size < 5 || sac_delta_get32(p) != SAC_DELTA_MAGIC || p[4] < 1 || p[4] > SAC_DELTA_VERSION)
        return SAC_DELTA_FOREIGN;
    if (size < SAC_DELTA_HEADER + SAC_DELTA_TAIL)
        return SAC_DELTA_TRUNCATED;
    *h = (sac_delta_header){
        .frame = sac_delta_get64(p + 24),
        .time_ns = sac_delta_get64(p + 32),
        .stream = sac_delta_get64(p + 40),
        .previous = sac_delta_get64(p + 48),
        .size = sac_delta_get32(p + 8),
        .w = get16(p + 12),
        .h = get16(p + 14),
        .band_rows = get16(p + 16),
        .channels = p[6],
        .threshold = p[7],
        .order = (sac_pixel_order)p[18],
        .is_key = p[5] & SAC_DELTA_FLAG_KEY,
        .is_lz4 = p[5] & SAC_DELTA_FLAG_LZ4,
    };
    bool reserved = p[5] > 3 || p[19] != 0 || sac_delta_get32(p + 20) != 0;
    bool rows = h->band_rows >= SAC_DELTA_ROWS && h->band_rows <= SAC_DELTA_MAX_BAND &&
                h->band_rows % SAC_DELTA_ROWS == 0 && h->h <= h->band_rows * SAC_DELTA_MAX_BANDS;
    bool channels = h->channels == 1 || h->channels == 3 || h->channels == 4;
    int32_t last_order = p[4] == 1 || p[6] == 1 ? SAC_ORDER_UNKNOWN : SAC_ORDER_BGR;
    if (reserved || !rows || !channels || p[18] > last_order || !is_side(h->w) || !is_side(h->h) ||
        h->threshold > 254 || h->size < SAC_DELTA_HEADER + SAC_DELTA_TAIL ||
        h->size > sac_delta_packet_max(h))
        return SAC_DELTA_DAMAGED;
    return SAC_DELTA_SOUND;
}

/* What a packet that may begin at p is known to be. */
static sac_delta_fault peek(sac_delta_header *h, const uint8_t *p, size_t size, uint64_t max_pixels)
{
    static const char magic[] = "SACD";
    const size_t n_magic = sizeof magic - 1;
    if (memcmp(p, magic, size < n_magic ? size : n_magic) != 0)
        return SAC_DELTA_FOREIGN;
    sac_delta_fault fault = size > n_magic ? sac_delta_header_get(h, p, size) : SAC_DELTA_TRUNCATED;
    if (fault == SAC_DELTA_SOUND && sac_delta_pixels(h) > max_pixels)
        fault = SAC_DELTA_DAMAGED;
    if (fault != SAC_DELTA_SOUND) {
        h->size = 0; /* tells nothing */
        return fault;
    }
    if (size < h->size)
        return SAC_DELTA_TRUNCATED;
    const size_t sealed = h->size - SAC_DELTA_TAIL;
    return sac_delta_get64(p + sealed) == sac_delta_checksum(p, sealed) ? SAC_DELTA_SOUND
                                                                        : SAC_DELTA_DAMAGED;
}

sac_status sac_delta_peek(sac_delta_packet *packet, const void *bytes, size_t size,
                          uint64_t max_pixels, sac_error *err)
{
    sac_delta_header h = {0};
    if (!packet || !bytes)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", packet ? "bytes" : "packet");
    *packet = (sac_delta_packet){0};
    const sac_status status = sac_delta_codec_check(false, err);
    if (status)
        return status;
    const sac_delta_fault fault = peek(&h, bytes, size, max_pixels);
    packet->size = h.size;
    if (fault == SAC_DELTA_TRUNCATED) {
        packet->size = h.size ? h.size : SAC_DELTA_HEADER + SAC_DELTA_TAIL;
        return SAC_AGAIN;
    }
    if (fault != SAC_DELTA_SOUND)
        return sac_fail(err, SAC_E_FORMAT,
                        "bytes: no packet begins here, or it is damaged or too large");
    packet->data = bytes;
    packet->frame = h.frame;
    packet->time_ns = h.time_ns;
    packet->is_key = h.is_key;
    return SAC_OK;
}

sac_delta_geometry sac_delta_geometry_of(int32_t w, int32_t h, int32_t channels, int32_t band_rows)
{
    sac_delta_geometry g = {.w = w, .h = h, .channels = channels, .band_rows = band_rows};
    g.cells_x = (w + SAC_DELTA_COLUMNS - 1) / SAC_DELTA_COLUMNS;
    g.n_bands = (h + band_rows - 1) / band_rows;
    g.row = (size_t)g.cells_x * SAC_DELTA_COLUMNS * (size_t)channels;
    g.bytes = g.row * (size_t)((h + SAC_DELTA_ROWS - 1) / SAC_DELTA_ROWS * SAC_DELTA_ROWS);
    g.most_cells = (size_t)g.cells_x * (size_t)sac_delta_cells_y(&g, 0);
    g.cell = (size_t)SAC_DELTA_COLUMNS * SAC_DELTA_ROWS * (size_t)channels;
    return g;
}

int32_t sac_delta_cells_y(const sac_delta_geometry *g, int32_t band)
{
    int32_t rows = g->h - band * g->band_rows;
    rows = rows < g->band_rows ? rows : g->band_rows;
    return (rows + SAC_DELTA_ROWS - 1) / SAC_DELTA_ROWS;
}

size_t sac_delta_stream_max(int32_t i, int32_t channels, size_t n_cells)
{
    const size_t mask = SAC_DELTA_MASK;
    return n_cells * (i == 0 ? 1 : i < 2 + channels ? mask : 8 * mask);
}

static size_t aligned(size_t bytes)
{
    return (bytes + SAC_DELTA_ALIGN - 1) / SAC_DELTA_ALIGN * SAC_DELTA_ALIGN;
}

sac_delta_layout sac_delta_layout_of(const sac_delta_geometry *g)
{
    sac_delta_layout l = {
        .w = g->w,
        .h = g->h,
        .channels = g->channels,
        .cells_x = g->cells_x,
        .n_cells = g->cells_x * ((g->h + SAC_DELTA_ROWS - 1) / SAC_DELTA_ROWS),
        .band_cells = (int32_t)g->most_cells,
        .n_bands = g->n_bands,
    };
    for (int32_t i = 0; i < sac_delta_n_streams(g->channels); i++) {
        l.stream[i] = l.band;
        l.band += aligned(sac_delta_stream_max(i, g->channels, g->most_cells));
    }
    return l;
}
