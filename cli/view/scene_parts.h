/*
 * What is told of one beamformed frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_SCENE_PARTS_H
#define CLI_VIEW_SCENE_PARTS_H

#include "blob.h"
#include "settings.h"

#define VIEW_RANGE_DB 200 /* of what is sent: the page shows less */

typedef struct view_shown {
    const view_settings *settings;
    const sac_beamform *plan;
    const sac_acquisition *acquisition;
    const sac_grid *grid;
    const sac_array *image; /* as sac_beamform_run wrote it, B-mode */
    bool has_transmits;     /* the image has an axis of them */
    int64_t open_ns, run_ns;
} view_shown;

/* The message of view_scene_show. SAC_E_NOMEM. */
SAC_NODISCARD sac_status view_shown_message(view_blob **out, const view_shown *shown,
                                            sac_error *err);

/* SAC_E_NOMEM, with its text. */
sac_status view_no_memory(sac_error *err);

#endif
