/*
 * vhist_u16: the histogram of V = max(R, G, B), or of the gray value, of an 16-bit region.
 *
 *     hist[i] = number of pixels with V = i, i = 0..65535
 *
 * hist: (65536), overwritten. in: any layout and strides, w h < 2^32; alpha is not read. Reads each
 * sample once, writes 262,144 bytes. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VHIST_U16_H
#define SAC_EQUALIZE_VHIST_U16_H

#include "image/pixels.h"
#include "room/variant.h"

typedef void sac_vhist_u16(uint32_t *hist, const sac_pixels *in);
typedef sac_vhist_u16 *sac_vhist_u16_fn;

sac_vhist_u16 sac_vhist_u16_ref, sac_vhist_u16_plain, sac_vhist_u16_auto_v3, sac_vhist_u16_auto_v4;

SAC_INTERNAL extern const sac_room sac_vhist_u16_room;

#endif
