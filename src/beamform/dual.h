/*
 * Dual-stage beamforming of a row-column array: what open makes and run uses. First stage:
 * delay-and-sum, as ever, of each wave's image in a few planes across the lines that send. Second
 * stage: each wave's image everywhere, from the nearest of these planes. Along the lines that
 * receive it is the same, but for a shift in depth by which the wave arrives at the same time.
 * docs/numerics.md derives what that costs.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DUAL_H
#define SAC_BEAMFORM_DUAL_H

#include "beamform/plan.h"
#include "beamform/kernels/dual_f32/dual_f32.h"

/* Of the first stage at a time: their samples of some depths fit the L2. */
#define SAC_DUAL_WAVES 8

/* One way: what the lines of a group receive. */
typedef struct sac_dual_way {
    sac_das das;       /* the group's; its grid is the first stage's */
    int across, along; /* axes: 0 or 1; the lines that receive lie along `along` */
    double slant;      /* half of 1 - cos of the angle to the aperture's edge */
    int64_t n_across, n_along, n_depths, first_row;
    bool all_taps;             /* n is 4 always: of a GPU, which has its own images and taps */
    int32_t n_planes, refined; /* depths of the first stage in one of the volume */
    float *images;             /* (n_planes, n_tx, n_depths, 2, n_across) */
    sac_dual_taps *taps;       /* (n_along, n_tx): cubic (Lagrange's) interpolation in depth, each
                                  sample turned from its path to the point's */
    sac_transmit *transmits;   /* (n_tx): as columns receive them */
} sac_dual_way;

struct sac_beamform_dual {
    int32_t n_ways;
    sac_dual_way *ways;
    size_t scratch_floats, plane_floats;
    float *scratch; /* (n_workers, scratch_floats): blocks of the first stage */
    sac_dual_f32_fn sum;
    float *planes; /* (n_workers, plane_floats): one depth of the volume, and of one way */
};

/* The first stage's run, as if all lines that receive were columns: rows by exchanging x and y. */
sac_das sac_beamform_dual_stage(const sac_beamform *plan, const sac_dual_way *way);

/* By what a wave is steered along the lines that receive. */
double sac_beamform_dual_angle(const sac_transmit *t, const sac_dual_way *way);

/* What a depth adds to the path of that wave, half-way to the aperture's edge. */
double sac_beamform_dual_turned(const sac_dual_way *way, double angle);

/* Coefficients of four neighbours at the share f of the way between the two in the middle. */
void sac_beamform_dual_cubic(double coefficient[4], double f);

#endif
