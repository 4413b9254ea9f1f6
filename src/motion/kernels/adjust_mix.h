/*
 * What adjust_u8 does to a picture, in integers, for CPU and GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_ADJUST_MIX_H
#define SAC_MOTION_ADJUST_MIX_H

#include <stdint.h>

/* As adjust_u8.h has it: p and q in 2^-shift, o in 32nds of a level. */
typedef struct sac_adjust_mix {
    int32_t p, q, o, shift;
} sac_adjust_mix;

/* The luma's weights, of 128. */
#define SAC_LUMA_RED 38
#define SAC_LUMA_GREEN 75
#define SAC_LUMA_BLUE 15

#endif
