/*
 * Phantoms: what is simulated. Points, speckle with a cyst, a rotating disk of speckle, a vessel.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/simulate.h>

#include "base/random.h"
#include "base/struct.h"

#define ROOM_PROBES 33 /* a side of a grid of places that a vessel or cyst may cover */
#define PI 3.14159265358979323846
#define MAX_SCATTERERS 1e9

/* A resolution cell is taken as 2 wavelengths across (f/1.75) by 1 along: 10 scatterers in each. */
#define PER_AREA 5.0   /* in a square wavelength of a thin slab */
#define PER_VOLUME 2.5 /* in a cubic wavelength, 2 across in elevation too */

#define CYST_MARKS 4 /* scatterers of amplitude 0 at its rim */
#define VESSEL_MARKS 3

static const int32_t point_grid[3] = {4, 3, 5};

void sac_phantom_desc_init(sac_phantom_desc *desc)
{
    if (desc)
        *desc = (sac_phantom_desc){.struct_size = sizeof *desc,
                                   .first_m = {-15e-3, 0, 10e-3},
                                   .last_m = {15e-3, 0, 40e-3},
                                   .center_m = {0, 0, 25e-3},
                                   .radius_m = 4e-3,
                                   .lambda_m = 0.3e-3,
                                   .vessel_rad = PI / 6};
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

/* All that speckle is drawn from is finite; else drawing might not end. */
static bool is_sound(const sac_phantom_desc *desc)
{
    double sum = desc->radius_m + desc->angle_rad + desc->vessel_rad + desc->flow_m +
                 desc->tissue_m + desc->clutter_db + desc->frame;
    for (int axis = 0; axis < 3; axis++)
        sum += desc->first_m[axis] + desc->last_m[axis] + desc->center_m[axis];
    return isfinite(sum) && desc->radius_m > 0 && desc->lambda_m > 0;
}

/* Distance from the vessel's axis, and the place along it. */
static double from_axis(double *along, const sac_phantom_desc *desc, const double p[3])
{
    const double x = p[0] - desc->center_m[0], z = p[2] - desc->center_m[2];
    const double c = cos(desc->vessel_rad), s = sin(desc->vessel_rad);
    *along = x * c - z * s;
    return x * s + z * c;
}

static bool in_vessel(const sac_phantom_desc *desc, const double p[3])
{
    double along;
    return fabs(from_axis(&along, desc, p)) <= desc->radius_m;
}

/* Whether there is room beside it, enough that drawing places there ends. */
static bool leaves_room(const sac_phantom_desc *desc,
                        bool (*covers)(const sac_phantom_desc *desc, const double p[3]))
{
    int n = 0;
    for (int i = 0; i < ROOM_PROBES * ROOM_PROBES; i++) {
        const double shares[] = {i % ROOM_PROBES + 0.5, 0, i / ROOM_PROBES + 0.5};
        double p[3] = {0};
        for (int axis = 0; axis < 3; axis += 2)
            p[axis] = desc->first_m[axis] +
                      (desc->last_m[axis] - desc->first_m[axis]) * shares[axis] / ROOM_PROBES;
        n += !covers(desc, p);
    }
    return n >= ROOM_PROBES;
}

/* Of the vessel: the region's diagonal. */
static double vessel_length(const sac_phantom_desc *desc)
{
    return hypot(extent(desc, 0), extent(desc, 2));
}

/* Scatterers of blood and of tissue; 0 of blood where there is no room. */
static void count_vessel(int64_t *blood, int64_t *tissue, const sac_phantom_desc *desc)
{
    const bool has_tissue = desc->clutter_db > 0,
               has_room = !has_tissue || leaves_room(desc, in_vessel);
    sac_phantom_desc dense = *desc;
    dense.n_scatterers = 0;
    *tissue = has_tissue && has_room ? speckle_count(&dense, extent(desc, 0) * extent(desc, 2)) : 0;
    *blood = !has_room ? 0 : speckle_count(desc, 2 * desc->radius_m * vessel_length(desc));
}

static int64_t count(const sac_phantom_desc *desc)
{
    if (!is_sound(desc))
        return 0;
    int64_t n = 0, tissue;
    switch (desc->kind) {
    case SAC_PHANTOM_POINTS:
        return (int64_t)steps(desc, 0) * steps(desc, 1) * steps(desc, 2);
    case SAC_PHANTOM_CYST:
        n = speckle_count(desc, extent(desc, 0) * extent(desc, 2) - circle_area(desc));
        return n && leaves_room(desc, in_circle) ? n + CYST_MARKS : 0;
    case SAC_PHANTOM_DISK:
        return speckle_count(desc, circle_area(desc));
    case SAC_PHANTOM_VESSEL:
        count_vessel(&n, &tissue, desc);
        return n ? n + tissue + VESSEL_MARKS : 0;
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

/* A place in the vessel: along its axis from its center, and beside it. */
static void put_in_vessel(double p[3], const sac_phantom_desc *desc, double along, double beside)
{
    const double c = cos(desc->vessel_rad), s = sin(desc->vessel_rad);
    p[0] = desc->center_m[0] + along * c + beside * s;
    p[2] = desc->center_m[2] - along * s + beside * c;
}

/* What leaves the vessel at one end enters it at the other. */
static void fill_blood(sac_scatterer *scatterers, int64_t n, const sac_phantom_desc *desc)
{
    const double length = vessel_length(desc), radius = desc->radius_m;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t draw = 3 * (uint64_t)i;
        const double beside = radius * (2 * sac_random_uniform(desc->seed, draw) - 1);
        const double way =
            desc->flow_m * desc->frame * (1 - beside * beside / (radius * radius)) / length;
        double along = sac_random_uniform(desc->seed, draw + 1) + way;
        along -= floor(along);
        put_in_vessel(scatterers[i].position_m, desc, length * (along - 0.5), beside);
        scatterers[i].position_m[1] =
            between(desc->first_m[1], desc->last_m[1], sac_random_uniform(desc->seed, draw + 2));
        scatterers[i].amplitude = sac_random_normal(~desc->seed, (uint64_t)i);
    }
}

static void fill_tissue(sac_scatterer *scatterers, int64_t n, const sac_phantom_desc *desc)
{
    const double amplitude = pow(10, desc->clutter_db / 20);
    const uint64_t seed = desc->seed + UINT64_C(0x5bd1e995);
    uint64_t draw = 0;
    for (int64_t i = 0; i < n; i++) {
        double *p = scatterers[i].position_m;
        do {
            for (int axis = 0; axis < 3; axis++, draw++)
                p[axis] = between(desc->first_m[axis], desc->last_m[axis],
                                  sac_random_uniform(seed, draw));
        } while (in_vessel(desc, p));
        p[2] -= desc->tissue_m * desc->frame;
        scatterers[i].amplitude = amplitude * sac_random_normal(~seed, (uint64_t)i);
    }
}

static void fill_vessel(sac_scatterer *scatterers, const sac_phantom_desc *desc)
{
    int64_t blood, tissue;
    count_vessel(&blood, &tissue, desc);
    if (blood == 0)
        return;
    fill_blood(scatterers, blood, desc);
    fill_tissue(scatterers + blood, tissue, desc);
    sac_scatterer *mark = scatterers + blood + tissue;
    for (int i = 0; i < VESSEL_MARKS; i++) {
        mark[i] = (sac_scatterer){.position_m = {0, desc->center_m[1], 0}};
        put_in_vessel(mark[i].position_m, desc, i == 1 ? desc->flow_m : 0,
                      i == 2 ? -desc->radius_m : 0);
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
    case SAC_PHANTOM_VESSEL:
        fill_vessel(scatterers, &own);
        return;
    }
}
