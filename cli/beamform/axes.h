/*
 * What lies around a beamformed image: title, axes and a gray bar.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_BEAMFORM_AXES_H
#define CLI_BEAMFORM_AXES_H

#include <saccade/beamform.h>
#include <saccade/io.h>

typedef struct cli_bmode {
    uint8_t *gray; /* (h, w) */
    int w, h;
    const sac_grid *grid;
    double range_db;
    const char *title;
} cli_bmode;

/* A gray picture of the image with all that; of the image alone in a build without Cairo.
 * SAC_E_NOMEM. */
SAC_NODISCARD sac_status cli_bmode_frame(sac_picture **out, const cli_bmode *b, sac_error *err);

#endif
