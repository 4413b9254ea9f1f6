/*
 * The decoder's plan.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_DECODE_H
#define SAC_DELTA_DECODE_H

#include "delta/delta.h"

/* One band's work: independent of every other's. */
typedef struct sac_delta_decode_band {
    sac_delta_codec *codec;
    uint8_t *stream[SAC_DELTA_MAX_STREAMS]; /* raw; the first owns the memory of all */
    size_t raw[SAC_DELTA_MAX_STREAMS];      /* their sizes, in this packet */
    size_t packed[SAC_DELTA_MAX_STREAMS];
    const uint8_t *in; /* the first stream as the packet has it */
    uint8_t *residual; /* a cell */
    bool ok;
} sac_delta_decode_band;

struct sac_delta_decode {
    sac_delta_decode_desc desc;
    sac_pool *pool;
    sac_delta_unpack_u8_fn unpack;
    char variant[64];
    sac_delta_counts counts;

    bool has_stream, is_broken; /* broken: the picture is not what the next packet stands on */
    uint64_t stream, next, previous;

    sac_delta_geometry geometry;
    uint8_t *picture;      /* whole cells */
    sac_pixel_order order; /* of its colors */
    sac_delta_decode_band *bands;
    bool is_key, is_lz4; /* of the packet at work */
};

/* Brings the picture up to a packet that is sound and in its place; false where what is in it is
 * wrong, and the picture with it. */
bool sac_delta_decode_bands(sac_delta_decode *plan, const sac_delta_header *header,
                            const uint8_t *packet);

#endif
