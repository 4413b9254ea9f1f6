/*
 * Features and predictions over time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"

#include <math.h>

static void add_value(pool_column *c, int k, float value)
{
    c->min[k] = c->n == 0 || value < c->min[k] ? value : c->min[k];
    c->max[k] = c->n == 0 || value > c->max[k] ? value : c->max[k];
    c->sum[k] += (double)value;
}

void pool_columns_add(pool_columns *columns, int64_t at, const sac_meltpool_record *record,
                      const float *truth)
{
    const int64_t key = at / columns->width;
    pool_column *c = &columns->columns[key % POOL_COLUMNS];
    columns->newest = key > columns->newest ? key : columns->newest;
    if (key <= columns->newest - POOL_COLUMNS) {
        return; /* time went back */
    }
    if (c->key != key) {
        *c = (pool_column){.key = key};
    }
    if (record->flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED)) {
        return;
    }
    for (int k = 0; k < SAC_MELTPOOL_FEATURES; k++) {
        add_value(c, k, record->features[k]);
    }
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS; k++) {
        add_value(c, SAC_MELTPOOL_FEATURES + k, record->prediction[k]);
        c->truth[k] += truth ? (double)truth[k] : (double)NAN;
    }
    c->n++;
}

int64_t pool_columns_get(const pool_columns *columns, float *rows, int32_t value)
{
    const int64_t first = columns->newest < POOL_COLUMNS ? 0 : columns->newest - POOL_COLUMNS + 1;
    for (int i = 0; i < POOL_COLUMNS; i++) {
        const pool_column *c = &columns->columns[(first + i) % POOL_COLUMNS];
        const bool is_there = c->key == first + i && c->n > 0;
        float of[POOL_ROWS] = {is_there ? c->min[value] : NAN,
                               is_there ? (float)(c->sum[value] / (double)c->n) : NAN,
                               is_there ? c->max[value] : NAN};
        for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS; k++) {
            of[3 + k] = is_there ? (float)(c->sum[SAC_MELTPOOL_FEATURES + k] / (double)c->n) : NAN;
            of[3 + SAC_MELTPOOL_PREDICTIONS + k] =
                is_there ? (float)(c->truth[k] / (double)c->n) : NAN;
        }
        for (int k = 0; k < POOL_ROWS; k++) {
            rows[k * POOL_COLUMNS + i] = of[k];
        }
    }
    return first;
}
