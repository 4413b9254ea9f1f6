/*
 * Faults on purpose, between what is to be sent and what is.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_NET_FAULTS_H
#define SAC_NET_FAULTS_H

#include <saccade/frame_link.h>

#define SAC_FAULTS_HELD 16 /* datagrams held back at most: where so many are, no other is */

typedef struct sac_datagram {
    uint8_t head[SAC_PACKET_ARRAY_HEADER];
    size_t head_bytes;
    const uint8_t *pixels;
    size_t size;    /* of the datagram as it shall leave */
    uint64_t frame; /* its number */
} sac_datagram;

/* Where datagrams leave. What it is given stays as it is until the faults are asked again. */
typedef void (*sac_datagram_fn)(void *ctx, const sac_datagram *datagram);

typedef struct sac_faults {
    sac_frame_faults shares;
    uint64_t drawn;
    int64_t last; /* the number of the frame that has none; -1: not known */
    sac_datagram_fn emit;
    void *ctx;
    sac_frame_sent sent; /* frames, datagrams and faults are counted here */
    uint64_t hurt;       /* the last frame that was counted as hurt */

    sac_datagram held[SAC_FAULTS_HELD];
    int32_t n_held;
    uint8_t *pixels; /* (SAC_FAULTS_HELD, part_bytes), theirs */
    size_t part_bytes;
} sac_faults;

/* Pixels of a datagram are at most part_bytes. SAC_E_INVALID, SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_faults_open(sac_faults *faults, const sac_frame_faults *shares,
                                         size_t part_bytes, sac_error *err);

/* The next datagram: whole as it is given. */
void sac_faults_send(sac_faults *faults, const sac_datagram *datagram);

/* Lets go what is held back. */
void sac_faults_flush(sac_faults *faults);
void sac_faults_close(sac_faults *faults);

#endif
