/*
 * What is told of one beamformed frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_BEAMFORM_SHOWN_H
#define CLI_VIEW_BEAMFORM_SHOWN_H

#include "settings.h"

#define BEAMFORM_RANGE_DB 200 /* of what is sent: the page shows less */

typedef struct beamform_shown {
    const beamform_settings *settings;
    const char *device;
    const sac_beamform *plan;
    const sac_acquisition *acquisition;
    const sac_grid *grid;
    const sac_array *image; /* as sac_beamform_run wrote it, B-mode */
    bool has_transmits;     /* the image has an axis of them */
    int64_t frame, open_ns, run_ns;
    void (*put)(cli_json *json, const void *ctx); /* further members; NULL: none */
    const void *ctx;
} beamform_shown;

/*
 * The picture's message: numbers, measures and the panels' axes, then the panels' levels, row by
 * row: 0 is -200 dB or less below the frame's maximum, 65535 is 0 dB. A volume has four panels: the
 * planes through the point, or the middle, and the maximum along y. SAC_E_NOMEM.
 */
SAC_NODISCARD sac_status beamform_shown_message(view_blob **out, const beamform_shown *shown,
                                                sac_error *err);

#endif
