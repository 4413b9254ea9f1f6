/*
 * The bytes of an .sdv file that a reader has before it: read on from a file or a stream, passed
 * one by one.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_SDV_BYTES_H
#define SAC_DELTA_SDV_BYTES_H

#include "delta/sdv.h"

#define SAC_SDV_READ_STEP ((size_t)1 << 16) /* memory grows as bytes come */

typedef struct sac_sdv_bytes {
    int fd;
    int stop_fd; /* of a stream: base/stop.h */
    char name[SAC_SDV_NAME];
    uint8_t *bytes; /* what was read of the file, from `offset` on, is from `at` to `n` */
    size_t room, at, n;
    size_t step; /* bytes of a read, if no more are wanted */
    uint64_t offset;
} sac_sdv_bytes;

/* What came of asking for bytes. */
typedef enum sac_sdv_filled {
    SAC_SDV_THERE,
    SAC_SDV_ENDED,
    SAC_SDV_NO_MEMORY,
    SAC_SDV_FAILED
} sac_sdv_filled;

static inline size_t sac_sdv_bytes_left(const sac_sdv_bytes *in)
{
    return in->n - in->at;
}

static inline const uint8_t *sac_sdv_bytes_next(const sac_sdv_bytes *in)
{
    return in->bytes + in->at;
}

/* Reads on until `size` bytes are there. */
sac_sdv_filled sac_sdv_bytes_fill(sac_sdv_bytes *in, size_t size);

/* Goes on behind n bytes that are there. */
void sac_sdv_bytes_pass(sac_sdv_bytes *in, size_t n);

/* Goes on at `offset` of a file. */
bool sac_sdv_bytes_go(sac_sdv_bytes *in, uint64_t offset);

/* All of `size` bytes of a file, or not; what is there stays. */
bool sac_sdv_bytes_read_at(const sac_sdv_bytes *in, uint8_t *to, size_t size, uint64_t offset);

/* The error after sac_sdv_bytes_fill() returned SAC_SDV_NO_MEMORY or SAC_SDV_FAILED. */
sac_status sac_sdv_bytes_failed(const sac_sdv_bytes *in, sac_sdv_filled why, sac_error *err);

#endif
