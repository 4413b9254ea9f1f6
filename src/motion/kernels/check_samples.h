/*
 * The checks of rooms that work on sac_samples: from a harness argument to sac_samples, and all
 * that spatial filters have in common. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_CHECK_SAMPLES_H
#define SAC_MOTION_CHECK_SAMPLES_H

#include "image/check_pixels.h"
#include "motion/kernels/samples.h"

/* Argument i, a picture in layout `mode` (check_pixels.h). Alpha is the fourth channel; that of
 * gray is left out. */
sac_samples sac_check_samples(const sac_check_case *c, int i, int mode);

/* The part of a picture that is the i-th of n strips of rows; *y: its first row. */
sac_samples sac_check_strip(int64_t *y, const sac_samples *p, int32_t i, int32_t n);

/* Layouts with a window of 3 x 3, the first sac_pixel_modes, then some with 5 x 5. */
extern const char *const sac_filter_modes[];

/* A filter's room; modes are sac_pixel_modes or sac_filter_modes. */
void sac_check_filter_shape(sac_check_case *c);
void sac_check_filter_fill(sac_check_case *c);
sac_status sac_check_filter_open(sac_check_case *c);
void sac_check_filter_close(sac_check_case *c);
void sac_check_filter_call(sac_any_fn fn, const sac_check_case *c); /* in n_threads strips */
uint64_t sac_check_filter_bytes(const sac_check_case *c);

#endif
