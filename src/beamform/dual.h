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

/* Of the first stage at a time: their samples of some depths fit the L2. */
#define SAC_DUAL_WAVES 8

/* What a wave's image in a plane is to one beside it, for all depths: cubic (Lagrange's), and
 * turned from each sample's path to the point's. */
typedef struct sac_dual_taps {
    int32_t row, plane, n; /* the first of n samples, from the first depth of the volume */
    float re[4], im[4];    /* with the transmit's weight */
} sac_dual_taps;

/* One way: what the lines of a group receive. */
typedef struct sac_dual_way {
    sac_das das;       /* the group's; its grid is the first stage's */
    int across, along; /* axes: 0 or 1; the lines that receive lie along `along` */
    double slant;      /* half of 1 - cos of the angle to the aperture's edge */
    int64_t n_across, n_along, n_depths, first_row;
    int32_t n_planes, refined; /* depths of the first stage in one of the volume */
    float *images;             /* (n_planes, n_tx, n_depths, 2, n_across) */
    sac_dual_taps *taps;       /* (n_along, n_tx) */
    sac_transmit *transmits;   /* (n_tx): as columns receive them */
} sac_dual_way;

struct sac_beamform_dual {
    int32_t n_ways;
    sac_dual_way *ways;
    size_t scratch_floats, plane_floats;
    float *scratch; /* (n_workers, scratch_floats): blocks of the first stage */
    float *planes;  /* (n_workers, plane_floats): one depth of the volume, and of one way */
};

#endif
