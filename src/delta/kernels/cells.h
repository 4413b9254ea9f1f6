/*
 * Shared by the rooms of the delta stream: cells of 64 columns, residuals with green subtracted,
 * bit masks of the values that are not 0. docs/delta-format.md describes the format.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_CELLS_H
#define SAC_DELTA_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAC_DELTA_COLUMNS 64 /* pixels across a cell: a bit each in 8 bytes */
#define SAC_DELTA_ROWS 16    /* of a cell */
#define SAC_DELTA_MASK (SAC_DELTA_ROWS * SAC_DELTA_COLUMNS / 8) /* bytes */
#define SAC_DELTA_MAX_BANDS 64
#define SAC_DELTA_MAX_STREAMS 10 /* 2 + 2 channels */

/* Where more of a cell's pixels changed, it is sent whole: about what a pixel costs in either. */
#define SAC_DELTA_SPARSE_MOST (SAC_DELTA_ROWS * SAC_DELTA_COLUMNS / 4)

/* What a cell is. */
enum { SAC_CELL_STILL, SAC_CELL_SPARSE, SAC_CELL_TEMPORAL, SAC_CELL_SPATIAL, SAC_CELL_KINDS };

/* Where packed residuals are written or read. Each call advances the pointers past the bytes that
 * it wrote or read. */
typedef struct sac_delta_planes {
    uint8_t *mask[4]; /* of each channel, 8 bytes a row, bit i % 8 of byte i / 8 for column i; where
                         the mask is shared, [0] alone */
    uint8_t *value[4]; /* of each channel */
} sac_delta_planes;

/* Packs or unpacks n_rows rows of 64 pixels. */
typedef void sac_delta_rows(sac_delta_planes *planes, uint8_t *pixels, int64_t n_rows,
                            int32_t channels, bool shared);

/* Calls `rows` with `channels` as a constant, so that each number of channels has its own loop. */
static inline __attribute__((always_inline)) void
sac_delta_rows_by_channels(sac_delta_rows *rows, sac_delta_planes *planes, uint8_t *pixels,
                           int64_t n_rows, int32_t channels, bool shared)
{
    if (channels == 3)
        rows(planes, pixels, n_rows, 3, shared);
    else if (channels == 1)
        rows(planes, pixels, n_rows, 1, shared);
    else
        rows(planes, pixels, n_rows, 4, shared);
}

#endif
