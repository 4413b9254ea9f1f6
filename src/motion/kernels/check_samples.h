/*
 * The checks of rooms that work on sac_samples: from a harness argument to sac_samples. In
 * libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_CHECK_SAMPLES_H
#define SAC_MOTION_CHECK_SAMPLES_H

#include "image/check_pixels.h"
#include "motion/kernels/samples.h"

/* Argument i, a picture in layout `mode` (check_pixels.h). Alpha is the fourth channel; that of
 * gray is left out. */
sac_samples sac_check_samples(const sac_check_case *c, int i, int mode);

#endif
