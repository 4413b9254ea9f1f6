/*
 * Pictures in cells, and a band's streams, in a GPU's memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_LAYOUT_H
#define SAC_DELTA_LAYOUT_H

#include "base/host_device.h"
#include "delta/kernels/cells.h"

#define SAC_DELTA_ALIGN 16 /* bytes: streams are copied in units of this */

/* Cells in row order, band after band; the last band may have fewer. */
typedef struct sac_delta_layout {
    int32_t w, h, channels;
    int32_t cells_x, n_cells, band_cells, n_bands;
    /* Where stream i of a band lies, from the band's first byte on, and from band to band. */
    size_t stream[SAC_DELTA_MAX_STREAMS], band;
} sac_delta_layout;

/* A cell's masks and values in its band's streams. */
typedef struct sac_delta_place {
    uint32_t mask;     /* the number of its mask, among those of its kind */
    uint32_t value[4]; /* of each channel: first how many, then where the first of them is */
} sac_delta_place;

/* Bytes of each stream of each band. */
typedef struct sac_delta_sizes {
    uint32_t of[SAC_DELTA_MAX_BANDS][SAC_DELTA_MAX_STREAMS];
} sac_delta_sizes;

#endif
