/*
 * What viewers can set of a melt pool's frames: of a file the options of the analysis, and of any
 * what the charts and the map show.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_MELTPOOL_SETTINGS_H
#define CLI_VIEW_MELTPOOL_SETTINGS_H

#include <saccade/meltpool.h>

#include "map.h"
#include "view/settings.h"

enum { POOL_CONTROLS = 13, POOL_SPANS = 3 };

typedef struct pool_settings {
    view_settings common;
    int32_t value;   /* of the chart: a feature, or behind them a prediction */
    int32_t span;    /* an index of pool_spans_s, of live frames */
    int32_t density; /* of the map */
} pool_settings;

extern const view_control pool_controls[POOL_CONTROLS];
extern const int pool_spans_s[POOL_SPANS]; /* that a chart of live frames can show */

/* "area" .. "var_hog_8", then "lof" and "keyhole". */
const char *pool_value_name(int32_t value);

/* A message of its own: value NAME, span S, density lof|keyhole|both. */
SAC_NODISCARD sac_status pool_settings_take(const view_scene *scene, view_settings *settings,
                                            const char *name, const char *text, sac_error *err);

/* The members of the state that are such settings. */
void pool_settings_put(cli_json *json, const view_settings *settings);

#endif
