/*
 * Phantoms: what is simulated. Points, speckle with a cyst, a rotating disk of speckle.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/simulate.h>

#include "base/random.h"
#include "base/struct.h"

#define PI 3.14159265358979323846
#define MAX_SCATTERERS 1e9

/* A resolution cell is taken as 2 wavelengths across (f/1.75) by 1 along: 10 scatterers in each. */
#define PER_AREA 5.0   /* in a square wavelength of a thin slab */
#define PER_VOLUME 2.5 /* in a cubic wavelength, 2 across in elevation too */

#define CYST_MARKS 4 /* scatterers of amplitude 0 at its rim */

static const int32_t point_grid[3] = {4, 3, 5};

void sac_phantom_desc_init(sac_phantom_desc *desc)
{
    if (desc)
        *desc = (sac_phantom_desc){.struct_size = sizeof *desc,
                                   .first_m = {-15e-3, 0, 10e-3},
                                   .last_m = {15e-3, 0, 40e-3},
                                   .center_m = {0, 0, 25e-3},
                                   .radius_m = 4e-3,
                                   .lambda_m = 0.3e-3};
}

static double extent(const sac_phantom_desc *desc, int axis)
{
    return fabs(desc->last_m[axis] - desc->first_m[axis]);
}

/* How many points stand along an axis. */
static int32_t steps(const sac_phantom_desc *desc, int axis)
{
    return extent(desc, axis) > 0 ? point_grid[axis] : 1;
}

/* Speckle of this area in x and z, as thick as the region in y. */
static int64_t speckle_count(const sac_phantom_desc *desc, double area)
{
    if (desc->n_scatterers > 0)
        return desc->n_scatterers;
    double lambda = desc->lambda_m, y = extent(desc, 1);
    double n = area / (lambda * lambda) * (y > 0 ? PER_VOLUME * y / lambda : PER_AREA);
    return n >= 1 && n <= MAX_SCATTERERS ? (int64_t)n : 0;
}

static double circle_area(const sac_phantom_desc *desc)
{
    return PI * desc->radius_m * desc->radius_m;
}

static bool in_circle(const sac_phantom_desc *desc, const double p[3])
{
    double x = p[0] - desc->center_m[0], z = p[2] - desc->center_m[2];
    return x * x + z * z <= desc->radius_m * desc->radius_m;
}

/* Whether the cyst leaves speckle around it: not all corners are in it. */
static bool leaves_speckle(const sac_phantom_desc *desc)
{
    for (int i = 0; i < 4; i++) {
        double corner[3] = {(i & 1 ? desc->last_m : desc->first_m)[0], 0,
                            (i & 2 ? desc->last_m : desc->first_m)[2]};
        if (!in_circle(desc, corner))
            return true;
    }
    return false;
}

/* All that speckle is drawn from is finite; else drawing might not end. */
static bool is_sound(const sac_phantom_desc *desc)
{
    double sum = desc->radius_m + desc->angle_rad;
    for (int axis = 0; axis < 3; axis++)
        sum += desc->first_m[axis] + desc->last_m[axis] + desc->center_m[axis];
    return isfinite(sum) && desc->radius_m > 0 && desc->lambda_m > 0;
}

static int64_t count(const sac_phantom_desc *desc)
{
    if (!is_sound(desc))
        return 0;
    int64_t n = 0;
    switch (desc->kind) {
    case SAC_PHANTOM_POINTS:
        return (int64_t)steps(desc, 0) * steps(desc, 1) * steps(desc, 2);
    case SAC_PHANTOM_CYST:
        n = speckle_count(desc, extent(desc, 0) * extent(desc, 2) - circle_area(desc));
        return n && leaves_speckle(desc) ? n + CYST_MARKS : 0;
    case SAC_PHANTOM_DISK:
        return speckle_count(desc, circle_area(desc));
    }
    return 0;
}

static double between(double a, double b, double share)
{
    return a + (b - a) * share;
}

static void fill_points(sac_scatterer *scatterers, const sac_phantom_desc *desc)
{
    for (int64_t i = 0, n = count(desc); i < n; i++) {
        int64_t rest = i;
        for (int axis = 0; axis < 3; axis++) {
            int32_t along = steps(desc, axis);
            double share = along > 1 ? (double)(rest % along) / (along - 1) : 0;
            scatterers[i].position_m[axis] =
                between(desc->first_m[axis], desc->last_m[axis], share);
            rest /= along;
        }
        scatterers[i].amplitude = 1;
    }
}

/* n scatterers spread evenly over a box, those inside (or outside) of the circle drawn again. */
static void fill_speckle(sac_scatterer *scatterers, int64_t n, const sac_phantom_desc *desc,
                         const double first[3], const double last[3], bool inside)
{
    uint64_t draw = 0;
    for (int64_t i = 0; i < n; i++) {
        sac_scatterer *s = &scatterers[i];
        do {
            for (int axis = 0; axis < 3; axis++, draw++)
                s->position_m[axis] =
                    between(first[axis], last[axis], sac_random_uniform(desc->seed, draw));
        } while (in_circle(desc, s->position_m) != inside);
        s->amplitude = sac_random_normal(~desc->seed, (uint64_t)i);
    }
}

static void fill_cyst(sac_scatterer *scatterers, const sac_phantom_desc *desc)
{
    int64_t n = count(desc) - CYST_MARKS;
    if (n <= 0)
        return;
    fill_speckle(scatterers, n, desc, desc->first_m, desc->last_m, false);
    for (int i = 0; i < CYST_MARKS; i++) {
        sac_scatterer *mark = &scatterers[n + i];
        for (int axis = 0; axis < 3; axis++)
            mark->position_m[axis] = desc->center_m[axis];
        mark->position_m[i < 2 ? 0 : 2] += i % 2 ? desc->radius_m : -desc->radius_m;
        mark->amplitude = 0;
    }
}

static void fill_disk(sac_scatterer *scatterers, const sac_phantom_desc *desc)
{
    double first[3], last[3];
    for (int axis = 0; axis < 3; axis++) {
        bool across = axis == 1; /* a disk as thick as the region */
        first[axis] = across ? desc->first_m[1] : desc->center_m[axis] - desc->radius_m;
        last[axis] = across ? desc->last_m[1] : desc->center_m[axis] + desc->radius_m;
    }
    int64_t n = count(desc);
    fill_speckle(scatterers, n, desc, first, last, true);
    double cosine = cos(desc->angle_rad), sine = sin(desc->angle_rad);
    for (int64_t i = 0; i < n; i++) {
        double *p = scatterers[i].position_m;
        double x = p[0] - desc->center_m[0], z = p[2] - desc->center_m[2];
        p[0] = desc->center_m[0] + x * cosine + z * sine;
        p[2] = desc->center_m[2] + z * cosine - x * sine;
    }
}

/* The caller's desc with defaults for what it lacks; false where it is none. */
static bool take(sac_phantom_desc *own, const sac_phantom_desc *desc)
{
    sac_phantom_desc_init(own);
    return sac_struct_take(own, desc, "desc", NULL) == SAC_OK;
}

int64_t sac_phantom_count(const sac_phantom_desc *desc)
{
    sac_phantom_desc own;
    return take(&own, desc) ? count(&own) : 0;
}

void sac_phantom_fill(sac_scatterer *scatterers, const sac_phantom_desc *desc)
{
    sac_phantom_desc own;
    if (!scatterers || !take(&own, desc))
        return;
    switch (own.kind) {
    case SAC_PHANTOM_POINTS:
        fill_points(scatterers, &own);
        return;
    case SAC_PHANTOM_CYST:
        fill_cyst(scatterers, &own);
        return;
    case SAC_PHANTOM_DISK:
        fill_disk(scatterers, &own);
        return;
    }
}
