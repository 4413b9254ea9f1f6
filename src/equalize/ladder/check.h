/*
 * The whole-picture rungs of equalize: what a rung is given. In libsaccade-ladder.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_LADDER_CHECK_H
#define SAC_EQUALIZE_LADDER_CHECK_H

#include <saccade/equalize.h>

#include "image/pixels.h"
#include "room/check.h"

typedef struct sac_equalize_job {
    const sac_equalize_desc *desc; /* bins filled in */
    sac_pixels out, in;
    sac_array out_array, in_array;
    sac_equalize *plain, *plan; /* of this desc: plain C forced, and as the planner chooses */
    uint64_t *counts;           /* (65536) scratch */
    float *hsv;                 /* (3, h, w) scratch of the HSV rungs */
} sac_equalize_job;

/* A rung's kind: what it takes. */
enum {
    SAC_EQUALIZE_TAKES_ALL,
    SAC_EQUALIZE_TAKES_PACKED_RGB, /* whole, of 8 bits, by way of HSV */
    SAC_EQUALIZE_TAKES_U8,
    SAC_EQUALIZE_TAKES_U16
};

/* Equalizes job->in into job->out. The reference is exact; HSV rungs may differ by 1. */
typedef void (*sac_equalize_rung_fn)(const sac_equalize_job *job);

/* Of whole pictures; ends with NULL rung. */
extern const sac_check_published sac_equalize_published[];

void sac_equalize_ref(const sac_equalize_job *job);
void sac_equalize_hsv_triples(const sac_equalize_job *job);
void sac_equalize_hsv_planes(const sac_equalize_job *job);

#endif
