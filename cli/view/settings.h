/*
 * What viewers can set: options of the beamformer, by the names and in the texts of the command
 * line, and what is looked at. All viewers of a session see the same.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_SETTINGS_H
#define CLI_VIEW_SETTINGS_H

#include <saccade/beamform.h>

#include "json.h"

enum { VIEW_CONTROLS = 13, VIEW_TEXT = 64, VIEW_VARIANTS = 12, VIEW_DEVICES = 18 };

typedef struct view_settings {
    char text[VIEW_CONTROLS][VIEW_TEXT]; /* of each control; "" is the option's default */
    double c_m_s;                        /* 0: the recording's */
    int64_t frame;
    int32_t transmit; /* shown with --lri; delays are of it */
    bool plays, loops;
    double rate_hz; /* of frames shown, while it plays */
    bool has_point, has_cyst, wants_delays;
    double point_m[3], cyst_m[3], radius_m;
} view_settings;

/* What they may be. */
typedef struct view_limits {
    int64_t n_frames;
    int32_t n_transmits;
    const char *variants[VIEW_VARIANTS]; /* that this machine can force; ends with NULL */
    char devices[VIEW_DEVICES][16];      /* ends with "" */
} view_limits;

/* Those of a command line: frame 0, 10 frames a second, over and over. */
void view_settings_init(view_settings *settings, const sac_beamform_desc *desc);

/*
 * Takes a message of a viewer, "NAME VALUE": an option, c M_S, frame N, transmit N, play 0|1,
 * loop 0|1, rate HZ, point X Y Z and cyst X Y Z R in mm (both empty: none), delays 0|1. `text` is
 * any bytes, n of them. SAC_E_INVALID, and the settings are as they were.
 */
SAC_NODISCARD sac_status view_settings_take(view_settings *settings, const view_limits *limits,
                                            const char *text, size_t n, sac_error *err);

/* The desc with the options of the settings, whose texts it borrows. */
SAC_NODISCARD sac_status view_settings_apply(sac_beamform_desc *desc, const view_settings *settings,
                                             sac_error *err);

/* The text of a control; "" where there is no such. */
const char *view_settings_text(const view_settings *settings, const char *name);

/* Whether both ask for one plan. */
bool view_settings_same_plan(const view_settings *a, const view_settings *b);

/* The members of the state that are settings: the controls with their ranges, and the rest. */
void view_settings_put(cli_json *json, const view_settings *settings, const view_limits *limits);

#endif
