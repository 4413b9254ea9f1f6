/*
 * Scan conversion: where a picture's points lie in a polar grid.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "beamform/kernels/das/das_inline.h"
#include "beamform/kernels/scan.h"

#define AT_END 1e-9 /* of a step: what rounding leaves of an end is not outside */

void sac_scan_init(sac_scan *scan, const sac_grid *picture, const sac_grid *grid)
{
    *scan = (sac_scan){.n_points = picture->n[0] * picture->n[1] * picture->n[2],
                       .along_v = grid->n[0],
                       .along_w = grid->n[0] * grid->n[1],
                       .is_flat = grid->n[1] == 1};
}

/* A coordinate in steps: the neighbour before it, and the share of the step to the next. */
static bool find(int64_t *index, float *share, const sac_grid *grid, int axis, double at)
{
    const double first = grid->first_m[axis], last = (double)(grid->n[axis] - 1);
    const double steps = (at - first) / (grid->last_m[axis] - first) * last;
    if (!(steps >= -AT_END && steps <= last + AT_END))
        return false;
    const double held = fmin(fmax(steps, 0), last), whole = fmin(floor(held), last - 1);
    *index = (int64_t)whole;
    *share = (float)(held - whole);
    return true;
}

static sac_scan_place place_of(const double p[3], const sac_grid *grid, const sac_sector *sector)
{
    const sac_scan_place outside = {.at = -1};
    const double x = p[0] - sector->apex_m[0], y = p[1] - sector->apex_m[1];
    const double z = p[2] - sector->apex_m[2], flat = hypot(x, z), r = hypot(flat, y);
    sac_scan_place place = {0};
    int64_t i, j = 0, k;
    bool inside = find(&i, &place.u, grid, 0, atan2(x, z)) &&
                  find(&k, &place.w, grid, 2, r - sector->radius_m);
    if (inside && grid->n[1] > 1)
        inside = find(&j, &place.v, grid, 1, atan2(y, flat));
    if (!inside)
        return outside;
    place.at = (int32_t)((k * grid->n[1] + j) * grid->n[0] + i);
    return place;
}

void sac_scan_fill(sac_scan_place *places, const sac_grid *picture, const sac_grid *grid,
                   const sac_sector *sector, int64_t first, int64_t n)
{
    for (int64_t i = first; i < first + n; i++) {
        const int64_t row = i / picture->n[0];
        const double p[3] = {sac_das_coordinate(picture, 0, i % picture->n[0]),
                             sac_das_coordinate(picture, 1, row % picture->n[1]),
                             sac_das_coordinate(picture, 2, row / picture->n[1])};
        places[i] = place_of(p, grid, sector);
    }
}
