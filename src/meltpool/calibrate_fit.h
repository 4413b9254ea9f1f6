/*
 * A fit at work: points, the model that is fitted to them, and what is fitted how.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_CALIBRATE_FIT_H
#define SAC_MELTPOOL_CALIBRATE_FIT_H

#include <saccade/meltpool_calibrate.h>

#define SAC_LEAST_SPREAD 1e-3 /* of the laser's places, across over along */

/* A frame that can be used. x, y: around 0, in units of their deviation. */
typedef struct sac_fit_point {
    double x, y;       /* the laser */
    double seen[2];    /* the centroid's column and row */
    double towards[2]; /* direction of the laser in x and y, of length 1; 0, 0: not known */
    double distance;   /* of the centroid from where the model puts it */
    double weight;
} sac_fit_point;

/* The centroid is at place[k][0] x + place[k][1] y + place[k][2], less the lag along the direction
 * in which the laser moves in the picture. */
typedef struct sac_fit_model {
    double place[2][3];
    double lag;
    bool has_lag;
} sac_fit_model;

typedef struct sac_fit_job {
    sac_fit_point *points; /* (n) */
    double *sorted;        /* (n) */
    int64_t n;
    double middle[2], unit; /* of the laser's places */
    sac_fit_model model;
    double sigma; /* of an axis, pixels */
} sac_fit_job;

/* A start that almost half of the points cannot move. False: the places are on a line. */
bool sac_fit_start(sac_fit_job *job);

/* Whether directions tell the lag; then points without one are taken out. Returns how many. */
int64_t sac_fit_choose_lag(sac_fit_job *job);

/* Weighted least squares from there on; distances, weights and sigma are those of the result.
 * False: the places of what is not an outlier are on a line. */
bool sac_fit_improve(sac_fit_job *job);

/* For qsort, of doubles; and what is at the p-th part of n sorted ones. */
int sac_fit_ascending(const void *a, const void *b);
double sac_fit_at(const double *sorted, int64_t n, double p);

#endif
