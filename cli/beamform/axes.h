/*
 * What lies around a beamformed image: title, axes and a bar, gray or colored.
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
    const uint32_t *rgb;       /* (h, w), in place of gray; NULL: none */
    const struct cli_bar *bar; /* in place of the gray one, with rgb */
} cli_bmode;

/* The bar beside a colored picture. */
typedef struct cli_bar {
    double low, high;
    const char *unit;                /* above it */
    uint32_t (*color)(double share); /* at 0, the low end, to 1 */
} cli_bar;

/* A gray picture of the image (with rgb a colored one) with all that; of the image alone in a build
 * without Cairo. SAC_E_NOMEM. */
SAC_NODISCARD sac_status cli_bmode_frame(sac_picture **out, const cli_bmode *b, sac_error *err);

#endif
