/*
 * What the rooms of the delta stream share: cells of 64 columns, residuals with green taken out,
 * bit masks of what is not 0. docs/delta-format.md has the whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_CELLS_H
#define SAC_DELTA_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAC_DELTA_COLUMNS 64 /* pixels across a cell: a bit each in 8 bytes */

/* Where packed residuals go, or come from. Each call moves the pointers on behind what it wrote or
 * read. */
typedef struct sac_delta_planes {
    uint8_t *mask[4]; /* of each channel, 8 bytes a row, bit i % 8 of byte i / 8 for column i; where
                         the mask is shared, [0] alone */
    uint8_t *value[4]; /* of each channel */
} sac_delta_planes;

#endif
