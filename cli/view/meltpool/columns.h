/*
 * Features and predictions over time, in bounded memory: each column stands for some frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_MELTPOOL_COLUMNS_H
#define CLI_VIEW_MELTPOOL_COLUMNS_H

#include <saccade/meltpool.h>

enum {
    POOL_COLUMNS = 600,
    POOL_VALUES = SAC_MELTPOOL_FEATURES + SAC_MELTPOOL_PREDICTIONS, /* predictions behind */
    POOL_ROWS = 3 + 2 * SAC_MELTPOOL_PREDICTIONS
};

typedef struct pool_column {
    int64_t key, n; /* which one of all times; frames in it, 0: none */
    float min[POOL_VALUES], max[POOL_VALUES];
    double sum[POOL_VALUES], truth[SAC_MELTPOOL_PREDICTIONS];
} pool_column;

/* The last POOL_COLUMNS columns. Zeros but for the width are none. */
typedef struct pool_columns {
    int64_t width;  /* of a column, in the units of `at` */
    int64_t newest; /* key */
    pool_column columns[POOL_COLUMNS];
} pool_columns;

/* A record of a frame at `at`, 0 or more; truth (2) may be NULL. Empty and refused ones have no
 * values, but time goes on. */
void pool_columns_add(pool_columns *columns, int64_t at, const sac_meltpool_record *record,
                      const float *truth);

/* Of a value (a feature or a prediction) its least, mean and greatest, then the means of the
 * predictions, and of the truth: rows (POOL_ROWS, POOL_COLUMNS), NaN where there is none. Returns
 * the key of the first column. */
int64_t pool_columns_get(const pool_columns *columns, float *rows, int32_t value);

#endif
