/*
 * What the checks of meltpool's rooms share: a frame for each row of a case, the ROI's side by its
 * width, and a row of results for each frame. Modes are options and places of the centre. In
 * libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_CHECK_FRAME_H
#define SAC_MELTPOOL_CHECK_FRAME_H

#include "meltpool/kernels/frame.h"
#include "room/check.h"

#define SAC_CHECK_MELTPOOL_FRAMES 1 /* the argument; 0 is the results */

extern const char *const sac_check_meltpool_modes[], *const sac_check_meltpool_contents[];

/* The contents whose times differ. */
extern const sac_check_task sac_check_meltpool_tasks[];

/* A result: w elements. */
void sac_check_meltpool_shape(sac_check_case *c, const char *name, size_t size, int64_t w);
void sac_check_meltpool_fill(sac_check_case *c);

/* c->state: the frames' jobs (h), and their bright pixels. */
sac_status sac_check_meltpool_open(sac_check_case *c);

/* Of frame i, in the case's memory; and its bright pixels. */
sac_meltpool_frame_job sac_check_meltpool_job(const sac_check_case *c, int64_t i);
const sac_meltpool_bits *sac_check_meltpool_mask(const sac_check_case *c, int64_t i);

uint64_t sac_check_meltpool_bytes(const sac_check_case *c);

/* What is hard to label. */
typedef enum sac_check_pattern {
    SAC_CHECK_COMB = 1,
    SAC_CHECK_BOARD,
    SAC_CHECK_SALT,
    SAC_CHECK_SPIRAL,
    SAC_CHECK_ALL_ON,
    SAC_CHECK_ALL_OFF
} sac_check_pattern;

/* Whether pixel (x, y) of w x h is bright; r: the pixel's random number. */
bool sac_check_is_on(sac_check_pattern pattern, int64_t w, int64_t h, int64_t x, int64_t y,
                     uint64_t r);

#endif
