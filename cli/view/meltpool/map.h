/*
 * Pores that are expected in a layer, seen from above, in cells of some frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_MELTPOOL_MAP_H
#define CLI_VIEW_MELTPOOL_MAP_H

#include <saccade/meltpool.h>

enum { POOL_CELLS = 64 /* along each side */ };

typedef enum pool_density {
    POOL_LOF = 0,
    POOL_KEYHOLE,
    POOL_BOTH, /* their sum */
    POOL_DENSITIES
} pool_density;

typedef struct pool_cell {
    double prediction[SAC_MELTPOOL_PREDICTIONS], truth[SAC_MELTPOOL_PREDICTIONS];
    int64_t n; /* frames, of which those are the sums */
} pool_cell;

typedef struct pool_map {
    double first[2], side; /* the corner with the least x and y, as the signals have them; side 0:
                              nothing was added */
    int64_t n;             /* frames */
    pool_cell cells[POOL_CELLS * POOL_CELLS]; /* rows of y */
} pool_map;

/* Nothing in it; side 0: it grows around what is added. */
void pool_map_clear(pool_map *map, const double first[2], double side);

/* A frame; empty and refused ones are left out. truth (2) may be NULL. What lies beyond a map makes
 * it twice as wide. */
void pool_map_add(pool_map *map, const sac_meltpool_record *record, const float *truth);

/* The means of a density as levels, (POOL_CELLS, POOL_CELLS), the greatest y first: 0 where no
 * frame was, else from 1 for 0 to 65535 for `top`. */
void pool_map_get(const pool_map *map, uint16_t *levels, pool_density density, bool of_truth,
                  double top);

/* The greatest of those means. */
double pool_map_top(const pool_map *map, pool_density density, bool of_truth);

#endif
