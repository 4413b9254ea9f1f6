/*
 * Flow's plans under test: a drawn configuration, and what the formulas of docs/flow.md make of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_PLANS_FLOW_H
#define SAC_TESTS_PLANS_FLOW_H

#include <saccade/flow.h>

#define PI 3.14159265358979323846
#define MOST_TRANSMITS 4

typedef struct scene {
    sac_flow_desc d;
    char filter[32];
    double azimuth[MOST_TRANSMITS];
    int32_t n, order, low, high; /* order: of a polynomial, or -1; high: 0 without an SVD */
    int32_t n_tx;
    int64_t points, n_ensembles;
    float *iq;
} scene;

/* What an ensemble of a transmit comes to: P and A, or of directional the two powers; how far a
 * value may be off, over the largest. */
typedef struct maps {
    double *map[3];
    double most, within;
} maps;

/* Ensemble e of transmit t, without components below `low` where the filter is of these. The caller
 * frees map[0], which all are in. */
maps flow_truth(const scene *s, int64_t e, int32_t t, int32_t low);

#endif
