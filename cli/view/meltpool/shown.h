/*
 * What is told of one frame of a melt pool, and of those around it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_MELTPOOL_SHOWN_H
#define CLI_VIEW_MELTPOOL_SHOWN_H

#include <saccade/histogram.h>

#include "columns.h"
#include "map.h"
#include "settings.h"

typedef struct pool_shown {
    const pool_settings *settings;
    const sac_meltpool_desc *desc;
    int64_t frame;
    const uint8_t *pixels;             /* (h, w) */
    const sac_meltpool_record *record; /* NULL: it is not there yet */
    bool has_signals, has_model;
    bool is_place_known;     /* the outline can be found */
    const double *last_pool; /* as of sac_meltpool_find_outline */
    const float *truth;      /* (2), NULL: nobody knows it */

    const float *rows;      /* (POOL_ROWS, POOL_COLUMNS) */
    double from_s, width_s; /* of the first column, and of each */
    bool has_truth;

    const pool_map *map, *other; /* of the layer; of another one: NULL: none. NULL: none is known */
    int64_t layer;               /* from 0 */

    const sac_histogram *times; /* of frames */
    const char *times_of;       /* "latency", "time a frame" */
    int64_t run_ns;
    const char *device, *variant, *doubt;         /* doubt: "" or NULL: none */
    void (*put)(cli_json *json, const void *ctx); /* the source's own members */
    const void *ctx;
} pool_shown;

/*
 * The message: numbers, and panels: "frame" (gray), "pool" (gray, where the outline is known: 1
 * where a pixel of the ROI belongs to it), "map", "truth" or "before" (levels, as pool_map_get has
 * them), and "columns" (gray: floats, little-endian, POOL_ROWS rows). SAC_E_NOMEM, and what finding
 * the outline refuses.
 */
SAC_NODISCARD sac_status pool_shown_message(view_blob **out, const pool_shown *shown,
                                            sac_error *err);

#endif
