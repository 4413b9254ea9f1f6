/*
 * What viewers can set of every kind of source: options, by the names and in the texts of the
 * command line, and which frame is looked at.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_SETTINGS_H
#define CLI_VIEW_SETTINGS_H

#include "kind.h"

/* Over and over, 10 frames a second, from frame 0; the texts are for view_settings_from. A live
 * source plays. */
void view_settings_init(view_settings *settings, const view_scene *scene);

/* The texts of the controls that are options of `table`: those of its desc. */
void view_settings_from(view_settings *settings, const view_kind *kind,
                        const sac_param_table *table, const void *desc);

/*
 * Takes a message of a viewer, "NAME VALUE": a control, frame N, play 0|1, loop 0|1, rate HZ, or
 * one of the kind's own. `text` is any bytes, n of them. SAC_E_INVALID, and the settings are as
 * they were.
 */
SAC_NODISCARD sac_status view_settings_take(view_settings *settings, const view_scene *scene,
                                            const char *text, size_t n, sac_error *err);

/* Sets the options of `table` in its desc, which borrows the settings' texts. */
SAC_NODISCARD sac_status view_settings_apply(void *desc, const sac_param_table *table,
                                             const view_settings *settings, const view_kind *kind,
                                             sac_error *err);

/* The text of a control; "" where there is no such. */
const char *view_settings_text(const view_settings *settings, const view_kind *kind,
                               const char *name);

/* The members of the state that are settings: the controls with their ranges, and the rest. */
void view_settings_put(cli_json *json, const view_settings *settings, const view_scene *scene);

/* For a kind's own messages. "WHAT: expected EXPECTED": SAC_E_INVALID. */
sac_status view_refuse(sac_error *err, const char *what, const char *expected);

/* n numbers from low to high, and nothing behind them; a number of 0 to n - 1; 0 or 1. */
bool view_parse(double *out, int n, const char *text, double low, double high);
bool view_parse_index(int64_t *out, const char *text, int64_t n);
sac_status view_take_flag(bool *out, const char *name, const char *text, sac_error *err);

#endif
