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
    uint8_t *stream[SAC_DELTA_MAX_STREAMS]; /* raw; the first owns the memory of all */
    uint8_t *residual;                      /* two cells: temporal, spatial */
    uint8_t *tile; /* a cell of the frame, where it is not whole or packed */
    uint8_t *out;  /* the band as the packet has it */
    size_t out_size;
} sac_delta_encode_band;

struct sac_delta_encode {
    sac_delta_encode_desc desc;
    sac_delta_geometry geometry;
    sac_pool *pool;
    sac_change_u8_fn change;
    sac_predict_u8_fn predict;
    sac_pack_u8_fn pack;
    char variant[160];

    uint8_t *picture; /* what the decoder has; whole cells */
    sac_delta_encode_band *bands;
    uint8_t *packet;
    uint64_t frame, stream, previous; /* of the next packet */
    uint64_t time_ns, key_time_ns;    /* of the last packet, of the last keyframe */
    bool wants_key;
    uint64_t refreshed; /* cells refreshed so far, over all rounds */

    /* Of the run at work. */
    const uint8_t *in;
    ptrdiff_t in_row, in_pixel, in_channel;
    bool is_key;
    uint64_t refresh_first, refresh_count; /* cells in turn */
};

/* Encodes band `index` of a plan (`arg`), of the run at work, into its `out`. A pool's task. */
void sac_delta_encode_band_run(void *arg, int32_t index);

#endif
