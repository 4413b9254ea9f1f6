/*
 * Polar grids inside the library.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_SECTOR_H
#define SAC_BEAMFORM_SECTOR_H

#include <saccade/beamform.h>

#include "base/error.h"

#define SAC_SECTOR_MOST_POINTS 0x1p28 /* of a picture, as of a grid */

/* All points of a polar grid, (n_points, 3), in the grid's order. */
SAC_INTERNAL void sac_sector_points(double *points_m, const sac_grid *grid,
                                    const sac_sector *sector);

/* A polar grid that a plan takes, and the picture it is converted to. SAC_E_INVALID. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_sector_check(const sac_beamform_desc *desc,
                                                       sac_error *err);

#endif
