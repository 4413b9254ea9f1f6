/*
 * Tasks of rooms that work on a beamformer's images as one row of points: A is 32 of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_CHECK_IMAGES_H
#define SAC_BEAMFORM_CHECK_IMAGES_H

#include "room/check.h"

static const sac_check_task sac_check_images[] = {
    {"A", 251 * 251 * 32, 1}, {"B", 256 * 1024, 1}, {"C", 387 * 609, 1}, {0}};

#endif
