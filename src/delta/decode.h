/*
 * The decoder's plan.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_DECODE_H
#define SAC_DELTA_DECODE_H

#include "delta/format.h"

/* Frames missing in front of a keyframe that are a loss; more are another time. */
#define SAC_DELTA_REACH 4096

/* One band's work: independent of every other's. */
typedef struct sac_delta_decode_band {
    sac_delta_codec *codec;
    uint8_t *stream[SAC_DELTA_MAX_STREAMS]; /* raw, in the plan's scratch */
    size_t raw[SAC_DELTA_MAX_STREAMS];      /* their sizes, in this packet */
    size_t packed[SAC_DELTA_MAX_STREAMS];
    const uint8_t *in; /* the first stream as the packet has it */
    uint8_t *residual; /* a cell; NULL on a GPU */
    bool ok;
    bool is_spatial; /* some cells are */
} sac_delta_decode_band;

/* Packets of which each follows the one before, and the picture that they made. */
typedef struct sac_delta_chain {
    bool is_known;                     /* its last packet is */
    bool is_whole;                     /* and the picture is that packet's */
    uint64_t stream, number, checksum; /* of its last packet */
    sac_delta_geometry geometry;
    sac_pixel_order order; /* of the picture's colors */
    uint8_t *picture;      /* whole cells; on a GPU in its memory */
    size_t room;           /* bytes there are for it */
} sac_delta_chain;

typedef struct sac_delta_decode_gpu sac_delta_decode_gpu;

struct sac_delta_decode {
    sac_delta_decode_desc desc;
    sac_delta_decode_gpu *gpu; /* NULL on the CPU */
    sac_pool *pool;
    sac_unpack_u8_fn unpack;
    char variant[64];
    sac_delta_counts counts;

    /* What the stream is at, and a keyframe that does not follow it: the latter takes nothing away
     * from the former until a packet follows it. */
    sac_delta_chain chains[2];
    int current;      /* which of them is the stream's */
    bool is_waiting;  /* packets came that do not follow: a keyframe is wanted */
    uint64_t waiting; /* how many, of the numbers behind the picture's */

    sac_delta_decode_band bands[SAC_DELTA_MAX_BANDS];
    uint8_t *scratch; /* the bands' streams, one behind the other; on the CPU */
    size_t scratch_size;

    /* Of the packet at work. */
    sac_delta_chain *chain;
    bool is_key, is_lz4;
};

/* Bytes of scratch that such pictures need. */
size_t sac_delta_decode_scratch(const sac_delta_geometry *geometry);

/* Brings the picture of plan->chain up to a packet that is sound and in its place. SAC_E_FORMAT
 * where what is in it is wrong; SAC_E_DEVICE. In both cases the picture is of no use. */
sac_status sac_delta_decode_bands(sac_delta_decode *plan, const sac_delta_header *header,
                                  const uint8_t *packet);

#endif
