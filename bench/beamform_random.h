/*
 * bench_beamform: configurations by chance.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BENCH_BEAMFORM_RANDOM_H
#define SAC_BENCH_BEAMFORM_RANDOM_H

#include "beamform_rows.h"

/* It points into itself: it stays where it was drawn. */
typedef struct bench_drawn {
    bench_case c;
    char name[48], about[320], window[24];
    sac_transmit transmits[BENCH_MAX_TRANSMITS];
    double *delays_s; /* (n_tx, n_rx), or NULL */
    uint64_t random;
    double share;           /* of active points, by some of the grid's */
    double extent[3];       /* of the grid's numbers, to each other; 0: one point */
    double first_s, last_s; /* the least and the largest delay of an active point */
    bool leaves;            /* records end before the deepest points' echoes */
    sac_beamform *plan;     /* while it is drawn */
} bench_drawn;

/*
 * Configuration `index` of a seed: at least `points` active points, and a
 * tenth of all points active, 8 elements or more of a grid point in the mean; every sample serves
 * 16 active points or more in the mean.
 */
SAC_NODISCARD sac_status bench_draw(bench_drawn *d, int32_t seed, int32_t index, double points,
                                    sac_error *err);
void bench_close_drawn(bench_drawn *d);

/* --random at this place. */
void bench_run_random(bench *b, bench_place *place);

#endif
