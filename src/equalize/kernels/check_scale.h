/*
 * Scalings for the checks of rooms that take a sac_scale: the multipliers are made as a plan makes
 * them. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_CHECK_SCALE_H
#define SAC_EQUALIZE_CHECK_SCALE_H

#include "image/pixels.h"
#include "equalize/kernels/scale.h"
#include "room/check.h"

/*
 * A random monotone scaling by the case's seed, in c->state: any den up to 2^31, any bins;
 * multipliers for each V that occurs in `in`. With the content "constant" the scaling leaves
 * pictures as they are.
 */
sac_status sac_check_scale_open(sac_check_case *c, const sac_pixels *in, int32_t depth);
void sac_check_scale_close(sac_check_case *c);

/* The same with num and multipliers on the GPU, in c->cuda. */
sac_status sac_check_scale_open_cuda(sac_check_case *c, sac_gpu *gpu);
void sac_check_scale_close_cuda(sac_check_case *c, sac_gpu *gpu);

static inline const sac_scale *sac_check_scale_on_cuda(const sac_check_case *c)
{
    return (const sac_scale *)c->cuda;
}

static inline const sac_scale *sac_check_scale(const sac_check_case *c)
{
    return (const sac_scale *)c->state;
}

#endif
