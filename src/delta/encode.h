/*
 * The encoder's plan: what open prepares and run uses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_ENCODE_H
#define SAC_DELTA_ENCODE_H

#include "delta/format.h"

/* One band's work: independent of every other's. */
typedef struct sac_delta_encode_band {
    sac_delta_codec *codec;
    uint8_t *stream[SAC_DELTA_MAX_STREAMS]; /* raw: on the CPU in `memory` */
    size_t size[SAC_DELTA_MAX_STREAMS];
    uint8_t *out; /* the band as the packet has it */
    size_t out_size;

    /* On the CPU. */
    uint8_t *memory;
    uint8_t *residual; /* two cells: temporal, spatial */
    uint8_t *tile;     /* a cell of the frame, where it is not whole or packed */
} sac_delta_encode_band;

typedef struct sac_delta_encode_gpu sac_delta_encode_gpu;

struct sac_delta_encode {
    sac_delta_encode_desc desc;
    sac_delta_geometry geometry;
    sac_pool *pool;
    sac_change_u8_fn change;
    sac_predict_u8_fn predict;
    sac_pack_u8_fn pack;
    char variant[160];

    sac_delta_encode_band *bands;
    uint8_t *packet;
    uint64_t frame, stream, previous; /* of the next packet */
    sac_delta_pace pace;
    bool wants_key;

    sac_delta_encode_gpu *gpu; /* NULL on the CPU */

    /* On the CPU. */
    uint8_t *picture; /* what the decoder has; whole cells */
    sac_delta_clock clock;

    /* Of the run at work. */
    const uint8_t *in;
    ptrdiff_t in_row, in_pixel, in_channel;
    sac_delta_turn turn;
};

/* Who takes the packets. */
typedef struct sac_delta_taker {
    sac_delta_take_fn take;
    void *ctx;
} sac_delta_taker;

/* Encodes band `index` of a plan (`arg`), of the run at work, into its `out`. A pool's task. */
void sac_delta_encode_band_run(void *arg, int32_t index);

/* The last part of it: the band's streams through the codec. */
void sac_delta_encode_band_put(void *arg, int32_t index);

/* The packet of the bands' `out` and plan->turn; the plan goes on to the next frame. */
void sac_delta_encode_finish(sac_delta_encode *plan, sac_delta_packet *packet, uint64_t time_ns);

#endif
