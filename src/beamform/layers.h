/*
 * Horizontal layers of different speed of sound before a flat array, the first of which may be the
 * probe's lens: delays by Fermat's principle.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_LAYERS_H
#define SAC_BEAMFORM_LAYERS_H

#include <saccade/acquisition.h>

#include "base/error.h"

#define SAC_LAYERS 16 /* of a text, at most */

typedef struct sac_layer {
    double thickness_m, c_m_s;
} sac_layer;

/* From the elements on: the lens, which ends at z = 0 (where there is one), then layers from z = 0
 * on. The last reaches without end. n 0: none, one speed everywhere. */
typedef struct sac_layers {
    int32_t n;
    double lens_m; /* thickness of layer 0 where that is the lens, else 0 */
    sac_layer layer[SAC_LAYERS + 1];
} sac_layers;

/* The options `lens`, "MM:M_S", and `layers`, "MM:M_S,...,M_S"; NULL: none. Behind a lens without
 * layers the speed is c_m_s. SAC_E_INVALID. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_layers_read(sac_layers *out, const char *lens,
                                                      const char *layers, double c_m_s,
                                                      sac_error *err);

/* Elements lie at z = 0 and face z: what layers are known of. SAC_E_UNSUPPORTED. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_layers_check(const sac_acquisition *a, sac_error *err);

/* What lies between the elements and the depth z_m >= 0: (SAC_LAYERS + 2) places, the last of which
 * is never used: room for one more. Returns how many. */
#define SAC_LAYERS_PATH (SAC_LAYERS + 2)
SAC_INTERNAL int32_t sac_layers_path(sac_layer path[SAC_LAYERS_PATH], const sac_layers *layers,
                                     double z_m);

/* The least time through n layers from a point to another, across_m apart along them. */
SAC_INTERNAL double sac_layers_time_s(const sac_layer *path, int32_t n, double across_m);

/* The time that a plane wave of this slowness along the layers takes straight through them; NaN
 * where it is reflected totally. */
SAC_INTERNAL double sac_layers_plane_s(const sac_layer *path, int32_t n, double slowness_s_m);

/* The same time as a hyperbola, up to reach_m across: shift_s + sqrt(depth_s^2 +
 * (slowness_s_m across)^2). */
typedef struct sac_hyperbola {
    double shift_s, depth_s, slowness_s_m, reach_m;
} sac_hyperbola;

/* Equal to Fermat's at 0, at reach_m and at reach_m / sqrt(2); or, of a given slowness, at 0 and at
 * reach_m: one whose slowness is too small has a depth_s below 0. */
SAC_INTERNAL sac_hyperbola sac_layers_fit(const sac_layer *path, int32_t n, double reach_m);
SAC_INTERNAL sac_hyperbola sac_layers_fit_to(const sac_layer *path, int32_t n, double reach_m,
                                             double slowness_s_m);

/* How far the hyperbola is from Fermat's at most, of places between 0 and its reach. */
SAC_INTERNAL double sac_layers_error_s(const sac_layer *path, int32_t n, const sac_hyperbola *h);

#endif
