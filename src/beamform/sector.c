/*
 * Polar grids: their points, the one that suits a probe, and the picture around one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "beamform/acquisition.h"
#include "beamform/kernels/das/das_inline.h"
#include "beamform/sector.h"

#define PI 3.14159265358979323846
#define STEERABLE 0.6 /* wavelengths between elements up to which they can be steered */
#define WIDEST (PI / 4)
#define BEYOND 1.2  /* half widths of the array that the waves reach to the side, for a sector */
#define ON_ARC 1e-2 /* how far elements of a curved array lie off their arc, over its radius */

void sac_sector_point(double p_m[3], const sac_sector *sector, double azimuth_rad,
                      double elevation_rad, double depth_m)
{
    if (!p_m || !sector)
        return;
    const double r = sector->radius_m + depth_m, flat = r * cos(elevation_rad);
    p_m[0] = sector->apex_m[0] + flat * sin(azimuth_rad);
    p_m[1] = sector->apex_m[1] + r * sin(elevation_rad);
    p_m[2] = sector->apex_m[2] + flat * cos(azimuth_rad);
}

void sac_sector_points(double *points_m, const sac_grid *grid, const sac_sector *sector)
{
    for (int64_t k = 0; k < grid->n[2]; k++)
        for (int64_t j = 0; j < grid->n[1]; j++)
            for (int64_t i = 0; i < grid->n[0]; i++, points_m += 3)
                sac_sector_point(points_m, sector, sac_das_coordinate(grid, 0, i),
                                 sac_das_coordinate(grid, 1, j), sac_das_coordinate(grid, 2, k));
}

/* Elements on an arc: its center along x and z, its radius, and the angles between which they lie.
 */
typedef struct arc {
    double apex_m[2], radius_m, low, high;
} arc;

/* The point that all normals lead away from, in the least squares of positions less radius times
 * normals. False where they have none: a flat array, one that is bent inwards, or something else.
 */
static bool find_arc(arc *out, const sac_element *elements, int32_t n)
{
    double place[2] = {0, 0}, normal[2] = {0, 0}, both = 0, normals = 0, off = 0;
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            place[k] += elements[i].position_m[2 * k] / n;
            normal[k] += elements[i].normal[2 * k] / n;
        }
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            const double d = elements[i].normal[2 * k] - normal[k];
            both += d * (elements[i].position_m[2 * k] - place[k]);
            normals += d * d;
        }
    *out =
        (arc){.radius_m = normals > 1e-6 ? both / normals : 0, .low = INFINITY, .high = -INFINITY};
    for (int k = 0; k < 2; k++)
        out->apex_m[k] = place[k] - out->radius_m * normal[k];
    for (int32_t i = 0; i < n; i++) {
        const double *e = elements[i].position_m, *v = elements[i].normal;
        const double x = e[0] - out->apex_m[0], z = e[2] - out->apex_m[1];
        off = fmax(off, hypot(x - out->radius_m * v[0], z - out->radius_m * v[2]) + fabs(v[1]));
        out->low = fmin(out->low, atan2(x, z));
        out->high = fmax(out->high, atan2(x, z));
    }
    return out->radius_m > 0 && off <= ON_ARC * out->radius_m;
}

/* Where the elements' centers lie along x; false where they lie on no line along it that faces z.
 */
typedef struct line {
    double middle_m, half_m, pitch_m;
} line;

static bool find_line(line *out, const sac_element *elements, int32_t n)
{
    double low = INFINITY, high = -INFINITY;
    bool is_line = n > 1;
    for (int32_t i = 0; i < n; i++) {
        const sac_element *e = &elements[i];
        low = fmin(low, e->position_m[0]);
        high = fmax(high, e->position_m[0]);
        is_line = is_line && e->position_m[1] == elements[0].position_m[1] &&
                  e->position_m[2] == elements[0].position_m[2] && e->normal[2] > 0.999;
    }
    *out = (line){0.5 * (low + high), 0.5 * (high - low), n > 1 ? (high - low) / (n - 1) : 0};
    return is_line && out->half_m > 0;
}

/* The depth of the sources that all waves diverge from; 0 where there is none. */
static double source_depth(const sac_acquisition *a)
{
    const double depth = -a->transmits[0].source_m[2];
    for (int32_t i = 0; i < a->n_transmits; i++) {
        const sac_transmit *t = &a->transmits[i];
        if (t->kind != SAC_TRANSMIT_DIVERGING || !(depth > 0) ||
            fabs(t->source_m[2] + depth) > 1e-6 * depth)
            return 0;
    }
    return depth;
}

/* How far to the side a wave reaches at the largest depth: by the rays from the array's edges. */
static double reach_m(const sac_transmit *t, const line *array, double deepest)
{
    const double *s = t->source_m, half = array->half_m;
    const double off = fabs(s[0] - array->middle_m), share = s[2] != 0 ? deepest / s[2] : 0;
    switch (t->kind) {
    case SAC_TRANSMIT_PLANE:
        return half + deepest * tan(fabs(t->azimuth_rad));
    case SAC_TRANSMIT_FOCUSED:
    case SAC_TRANSMIT_DIVERGING:
        return fmax(fabs(half + (off - half) * share), fabs((off + half) * share - half));
    default:
        return INFINITY;
    }
}

/* The sector of a phased array: its apex, radius, and angles. False where no wave leads far beyond
 * the array. */
static bool phased_sector(sac_grid *grid, sac_sector *sector, const sac_acquisition *a,
                          const line *array, double deepest)
{
    const double z = a->elements[0].position_m[2];
    const double depth = z == 0 ? source_depth(a) : 0;
    double side = 0;
    for (int32_t i = 0; i < a->n_transmits; i++)
        side = fmax(side, reach_m(&a->transmits[i], array, deepest));
    if (side < BEYOND * array->half_m)
        return false;
    *sector = (sac_sector){.apex_m = {array->middle_m, a->elements[0].position_m[1], z - depth},
                           .radius_m = depth};
    grid->last_m[0] = fmin(atan2(side, deepest + depth), WIDEST);
    grid->first_m[0] = -grid->last_m[0];
    return true;
}

sac_status sac_grid_suit(sac_grid *grid, int32_t *kind, sac_sector *sector,
                         const sac_acquisition *acquisition, int64_t n_samples, sac_error *err)
{
    if (!kind || !sector)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", kind ? "sector" : "kind");
    sac_acquisition a;
    sac_status status = sac_grid_default(grid, acquisition, n_samples, err);
    if (status == SAC_OK)
        status = sac_acquisition_take(&a, acquisition, err);
    if (status)
        return status;
    arc curved;
    line flat;
    const double lambda = a.c_m_s / a.fc_hz;
    double wide;
    *kind = SAC_GRID_CARTESIAN;
    *sector = (sac_sector){{0}};
    for (int32_t i = 0; i < a.n_elements; i++)
        for (int k = 0; k < 3; k++)
            sector->apex_m[k] += a.elements[i].position_m[k] / a.n_elements;
    if (grid->n[1] > 1) /* lines, which see a volume */
        return SAC_OK;
    if (find_arc(&curved, a.elements, a.n_elements)) {
        *sector = (sac_sector){.apex_m = {curved.apex_m[0], 0, curved.apex_m[1]},
                               .radius_m = curved.radius_m};
        grid->first_m[0] = curved.low;
        grid->last_m[0] = curved.high;
        wide = fmax(curved.radius_m, curved.radius_m * (sin(curved.high) - sin(curved.low)));
    } else if (find_line(&flat, a.elements, a.n_elements) && flat.pitch_m <= STEERABLE * lambda &&
               phased_sector(grid, sector, &a, &flat, grid->last_m[2])) {
        wide = fmax(2 * flat.half_m, sector->radius_m);
    } else {
        return SAC_OK;
    }
    *kind = SAC_GRID_SECTOR;
    grid->n[0] =
        1 + (int64_t)ceil((grid->last_m[0] - grid->first_m[0]) / (lambda / 3 / wide) - 1e-9);
    return SAC_OK;
}

/* Widens the picture by one of the sector's points. */
static void widen(sac_grid *picture, const sac_sector *sector, double a, double e, double r)
{
    double p[3];
    sac_sector_point(p, sector, a, e, r);
    for (int i = 0; i < 3; i++) {
        picture->first_m[i] = fmin(picture->first_m[i], p[i]);
        picture->last_m[i] = fmax(picture->last_m[i], p[i]);
    }
}

/* An axis' ends, and between them the multiples of a quarter turn, where extremes lie. */
static int turning_points(double at[8], const sac_grid *grid, int axis)
{
    const double low = fmin(grid->first_m[axis], grid->last_m[axis]);
    const double high = fmax(grid->first_m[axis], grid->last_m[axis]);
    int n = 0;
    at[n++] = low;
    at[n++] = high;
    for (int k = -2; k <= 2; k++)
        if (0.5 * PI * k > low && 0.5 * PI * k < high)
            at[n++] = 0.5 * PI * k;
    return n;
}

void sac_sector_picture(sac_grid *picture, const sac_grid *grid, const sac_sector *sector)
{
    if (!picture || !grid || !sector)
        return;
    double azimuth[8], elevation[8];
    const int n_a = turning_points(azimuth, grid, 0), n_e = turning_points(elevation, grid, 1);
    const double depths = fabs(grid->last_m[2] - grid->first_m[2]);
    const double step = grid->n[2] > 1 && depths > 0 ? depths / (double)(grid->n[2] - 1) : 1e-3;
    *picture = (sac_grid){.first_m = {INFINITY, INFINITY, INFINITY},
                          .last_m = {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < n_a; i++)
        for (int j = 0; j < n_e; j++) {
            widen(picture, sector, azimuth[i], elevation[j], grid->first_m[2]);
            widen(picture, sector, azimuth[i], elevation[j], grid->last_m[2]);
        }
    for (int i = 0; i < 3; i++) {
        const bool is_plane = i == 1 && grid->n[1] == 1;
        if (is_plane)
            picture->last_m[i] = picture->first_m[i] = sector->apex_m[i];
        picture->n[i] = 1 + (int64_t)ceil((picture->last_m[i] - picture->first_m[i]) / step - 1e-9);
    }
}

static sac_status check_ends(const sac_grid *grid, int axis, double most, sac_error *err)
{
    const double a = grid->first_m[axis], b = grid->last_m[axis];
    return fabs(a) <= most && fabs(b) <= most
               ? SAC_OK
               : sac_fail(err, SAC_E_INVALID,
                          "grid: a sector's %s lie within +-%g degrees, got %g to %g",
                          axis ? "elevations" : "azimuths", 180 / PI * most, 180 / PI * a,
                          180 / PI * b);
}

static sac_status check_picture(const sac_beamform_desc *desc, sac_error *err)
{
    const sac_grid *picture = &desc->picture, *grid = &desc->grid;
    double n_points = 1;
    for (int i = 0; i < 3; i++) {
        const double length = picture->last_m[i] - picture->first_m[i];
        if (picture->n[i] < 1 || !isfinite(picture->first_m[i]) || !isfinite(length) ||
            (picture->n[i] > 1 && length == 0))
            return sac_fail(err, SAC_E_INVALID,
                            "picture: expected 1 or more points along %c between two ends, got "
                            "%lld",
                            "xyz"[i], (long long)desc -> picture.n[i]);
        n_points *= (double)picture->n[i];
    }
    if (n_points > SAC_SECTOR_MOST_POINTS)
        return sac_fail(err, SAC_E_INVALID, "picture: %.10g points, and at most %.10g are possible",
                        n_points, SAC_SECTOR_MOST_POINTS);
    if (desc->output == SAC_OUTPUT_IQ)
        return sac_fail(err, SAC_E_INVALID,
                        "picture: envelopes are converted, and the output is iq");
    if (grid->n[0] < 2 || grid->n[2] < 2 || grid->first_m[0] == grid->last_m[0] ||
        grid->first_m[2] == grid->last_m[2])
        return sac_fail(err, SAC_E_INVALID,
                        "picture: expected a sector of two angles and two depths, or more");
    const bool is_flat = grid->n[1] == 1 && grid->first_m[1] == 0 && picture->n[1] == 1 &&
                         picture->first_m[1] == desc->sector.apex_m[1];
    if (!is_flat && (grid->n[1] < 2 || grid->first_m[1] == grid->last_m[1]))
        return sac_fail(err, SAC_E_INVALID,
                        "picture: expected the plane of the sector, y = %g m at elevation 0, or a "
                        "sector of two elevations or more",
                        desc->sector.apex_m[1]);
    return SAC_OK;
}

sac_status sac_sector_check(const sac_beamform_desc *desc, sac_error *err)
{
    const sac_sector *s = &desc->sector;
    const bool converts = desc->picture.n[0] != 0;
    if (desc->grid_kind != SAC_GRID_CARTESIAN && desc->grid_kind != SAC_GRID_SECTOR)
        return sac_fail(err, SAC_E_INVALID, "grid_kind: %d is invalid", (int)desc->grid_kind);
    if (desc->grid_kind == SAC_GRID_CARTESIAN)
        return converts ? sac_fail(err, SAC_E_INVALID,
                                   "picture: is for a sector, and the grid is "
                                   "cartesian")
                        : SAC_OK;
    if (desc->points_m)
        return sac_fail(err, SAC_E_INVALID, "grid_kind: a sector has a grid, and points are given");
    if (!isfinite(s->apex_m[0] + s->apex_m[1] + s->apex_m[2]) || !isfinite(s->radius_m) ||
        s->radius_m < 0)
        return sac_fail(err, SAC_E_INVALID,
                        "sector: expected a finite apex and a radius of 0 m or more, got %g",
                        s->radius_m);
    if (s->radius_m + fmin(desc->grid.first_m[2], desc->grid.last_m[2]) < 0)
        return sac_fail(err, SAC_E_INVALID, "grid: a sector's depths begin at its apex, -%g m",
                        s->radius_m);
    sac_status status = check_ends(&desc->grid, 0, PI, err);
    if (status == SAC_OK)
        status = check_ends(&desc->grid, 1, 0.4999 * PI, err);
    return status == SAC_OK && converts ? check_picture(desc, err) : status;
}
