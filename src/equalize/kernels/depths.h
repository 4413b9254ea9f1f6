/*
 * What the rooms share that come for samples of 8 and of 16 bits: a type of function each.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_DEPTHS_H
#define SAC_EQUALIZE_DEPTHS_H

#include "equalize/kernels/clahe.h"
#include "equalize/kernels/scale.h"
#include "image/pixels.h"
#include "room/variant.h"

typedef void sac_vhist_function(uint32_t *hist, const sac_pixels *in);
typedef sac_vhist_function *sac_vhist_fn;

typedef void sac_vscale_function(const sac_pixels *out, const sac_pixels *in, const sac_scale *s);
typedef sac_vscale_function *sac_vscale_fn;

typedef void sac_clahe_function(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c,
                                int64_t y0);
typedef sac_clahe_function *sac_clahe_fn;

#endif
