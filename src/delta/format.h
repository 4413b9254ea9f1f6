/*
 * The delta stream inside: packets, cells, bands, codecs. docs/delta-format.md specifies it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_FORMAT_H
#define SAC_DELTA_FORMAT_H

#include <saccade/delta.h>

#include "base/threads.h"
#include "delta/kernels/cells.h"
#include "delta/kernels/change_u8/change_u8.h"
#include "delta/kernels/layout.h"
#include "delta/kernels/pack_u8/pack_u8.h"
#include "delta/kernels/predict_u8/predict_u8.h"
#include "delta/kernels/turn.h"
#include "delta/kernels/unpack_u8/unpack_u8.h"

#define SAC_DELTA_MAGIC UINT32_C(0x44434153) /* "SACD" */
#define SAC_DELTA_VERSION 2 /* 1, which is read too, does not tell the order of colors */
#define SAC_DELTA_HEADER 56 /* bytes in front of the bands */
#define SAC_DELTA_TAIL 8    /* the checksum behind them */
#define SAC_DELTA_MAX_SIDE 16384
#define SAC_DELTA_MAX_PIXELS (UINT64_C(1) << 26) /* that are read where nobody says more */
#define SAC_DELTA_MAX_BAND 512                   /* rows of a band, at most */
#define SAC_DELTA_FLAG_KEY 1
#define SAC_DELTA_FLAG_LZ4 2

typedef struct sac_delta_header {
    uint64_t frame, time_ns, stream, previous;
    uint32_t size;
    int32_t w, h, band_rows, channels, threshold;
    sac_pixel_order order;
    bool is_key, is_lz4;
} sac_delta_header;

typedef enum sac_delta_fault {
    SAC_DELTA_SOUND,
    SAC_DELTA_FOREIGN,
    SAC_DELTA_TRUNCATED,
    SAC_DELTA_DAMAGED
} sac_delta_fault;

void sac_delta_header_put(uint8_t *to, const sac_delta_header *header);

/* Reads a header and checks every field of it; nothing behind it is looked at. */
sac_delta_fault sac_delta_header_get(sac_delta_header *header, const uint8_t *packet, size_t size);

/* Of the picture that a sound header tells of: bytes of a packet at most, and pixels in whole
 * cells. */
uint64_t sac_delta_packet_max(const sac_delta_header *header);
uint64_t sac_delta_pixels(const sac_delta_header *header);

void sac_delta_put32(uint8_t *to, uint32_t value);
void sac_delta_put64(uint8_t *to, uint64_t value);
uint32_t sac_delta_get32(const uint8_t *from);
uint64_t sac_delta_get64(const uint8_t *from);

/* The cells of a picture, and how many bytes they take. */
typedef struct sac_delta_geometry {
    int32_t w, h, channels, band_rows;
    int32_t cells_x, n_bands;
    size_t row;   /* bytes of a row of whole cells */
    size_t bytes; /* of the picture in whole cells */
    size_t most_cells;
    size_t cell; /* bytes of one */
} sac_delta_geometry;

sac_delta_geometry sac_delta_geometry_of(int32_t w, int32_t h, int32_t channels, int32_t band_rows);

/* Rows of cells in a band. */
int32_t sac_delta_cells_y(const sac_delta_geometry *g, int32_t band);

/* A band's streams in order: kinds, the sparse cells' masks, each channel's masks, each channel's
 * values. */
static inline int32_t sac_delta_n_streams(int32_t channels)
{
    return 2 + 2 * channels;
}

/* How many bytes stream i has at most in a band of n_cells. */
size_t sac_delta_stream_max(int32_t i, int32_t channels, size_t n_cells);

/* The same on a GPU, with room for the largest streams. */
sac_delta_layout sac_delta_layout_of(const sac_delta_geometry *g);

/* zstd or lz4, and its memory. */
typedef struct sac_delta_codec sac_delta_codec;

/* Whether this build has the one that is asked for. SAC_E_UNSUPPORTED. */
sac_status sac_delta_codec_check(bool fast, sac_error *err);

/* NULL: no memory. */
sac_delta_codec *sac_delta_packer_open(bool fast, int32_t level, size_t max_size);
sac_delta_codec *sac_delta_unpacker_open(void);
void sac_delta_codec_close(sac_delta_codec **codec);

/* Packs into fewer bytes than `size`, and returns how many; 0 where that does not succeed. */
size_t sac_delta_codec_pack(sac_delta_codec *codec, uint8_t *out, const uint8_t *in, size_t size);

/* Whether `in` was exactly `out_size` bytes, which are in `out` then. */
bool sac_delta_codec_unpack(sac_delta_codec *codec, bool fast, uint8_t *out, size_t out_size,
                            const uint8_t *in, size_t in_size);

uint64_t sac_delta_checksum(const uint8_t *data, size_t size);

/* The same of bytes that come in pieces. NULL: no memory. */
typedef struct sac_delta_sum sac_delta_sum;
sac_delta_sum *sac_delta_sum_open(void);
void sac_delta_sum_add(sac_delta_sum *sum, const uint8_t *data, size_t size);
uint64_t sac_delta_sum_close(sac_delta_sum **sum);

/* lz4's part of it. */
bool sac_delta_lz4_is_here(void);
size_t sac_delta_lz4_state(void);
size_t sac_delta_lz4_pack(void *state, uint8_t *out, const uint8_t *in, size_t size);
bool sac_delta_lz4_unpack(uint8_t *out, size_t out_size, const uint8_t *in, size_t in_size);

#endif
