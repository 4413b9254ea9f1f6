/*
 * A beamformed image as measures look at it: magnitudes at indices x, y, z.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_MAGNITUDES_H
#define SAC_BEAMFORM_MAGNITUDES_H

#include <saccade/measure_ultrasound.h>

#include "base/error.h"

#define SAC_SILENCE_DB (-400.0)

typedef struct sac_image_view {
    const char *data;
    ptrdiff_t stride[3]; /* bytes along x, y, z; 0 where the grid has one place */
    int64_t n[3];
    double first_m[3],
        step_m[3];            /* step 0 where the grid has one place; of a sector as it has them */
    const sac_sector *sector; /* NULL: cartesian */
    sac_beamform_output output;
} sac_image_view;

/* `sector`: NULL for a cartesian image. SAC_E_SHAPE, SAC_E_INVALID. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_image_view_of(sac_image_view *view,
                                                        const sac_ultrasound_image *image,
                                                        const sac_sector *sector, sac_error *err);

/* A place as the grid has it, of metres x, y, z, and back; and how many metres a unit of each axis
 * is there. */
SAC_INTERNAL void sac_image_find(double at[3], const sac_image_view *view, const double p_m[3]);
SAC_INTERNAL void sac_image_place(double p_m[3], const sac_image_view *view, const double at[3]);
SAC_INTERNAL void sac_image_scale(double scale_m[3], const sac_image_view *view,
                                  const double at[3]);

/* 20 log10 of the magnitude, at least SAC_SILENCE_DB. */
SAC_INTERNAL double sac_image_db(const sac_image_view *view, int64_t x, int64_t y, int64_t z);

#endif
