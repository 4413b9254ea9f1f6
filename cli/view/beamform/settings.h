/*
 * What viewers can set of a recording, beside the options of the beamformer: speed of sound,
 * transmit, and marks.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_BEAMFORM_SETTINGS_H
#define CLI_VIEW_BEAMFORM_SETTINGS_H

#include <saccade/beamform.h>

#include "view/settings.h"

enum { BEAMFORM_CONTROLS = 13 };

typedef struct beamform_settings {
    view_settings common;
    double c_m_s;     /* 0: the recording's */
    int32_t transmit; /* shown with --lri; delays are of it */
    bool has_point, has_cyst, wants_delays;
    double point_m[3], cyst_m[3], radius_m;
} beamform_settings;

extern const view_control beamform_controls[BEAMFORM_CONTROLS];

/* A message of its own: c M_S, transmit N of n_transmits, point X Y Z and cyst X Y Z R in mm (both
 * empty: none), delays 0|1. */
SAC_NODISCARD sac_status beamform_settings_take(beamform_settings *settings, int32_t n_transmits,
                                                const char *name, const char *text, sac_error *err);

/* Whether both ask for one plan. */
bool beamform_settings_same_plan(const beamform_settings *a, const beamform_settings *b);

/* The members of the state that are such settings. */
void beamform_settings_put(cli_json *json, const beamform_settings *settings);

#endif
