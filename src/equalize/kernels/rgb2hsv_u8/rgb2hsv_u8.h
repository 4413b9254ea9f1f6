/*
 * rgb2hsv_u8: packed 8-bit RGB to hue, saturation and value. A teaching room: an equalization needs
 * V alone.
 *
 *     V = max / 255, S = (max - min) / max (0 for black), H = 60 degrees times
 *     (G - B) / (max - min), 2 + (B - R) / (max - min) or 4 + (R - G) / (max - min), modulo 360,
 * where R, else G, else B is the maximum; 0 for gray
 *
 * out: n pixels, triples or planes. rgb: (n, 3). Reference in double, rounded to float. Tolerance:
 * 8 roundings of 2^-24 each, so 360 * 2^-21 for H (modulo 360), 2^-21 for S and V.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_RGB2HSV_U8_H
#define SAC_EQUALIZE_RGB2HSV_U8_H

#include "equalize/kernels/hsv.h"

typedef void (*sac_rgb2hsv_u8_fn)(const sac_hsv *out, const uint8_t *rgb, int64_t n);

void sac_rgb2hsv_u8_ref(const sac_hsv *out, const uint8_t *rgb, int64_t n);
void sac_rgb2hsv_u8_v0(const sac_hsv *out, const uint8_t *rgb, int64_t n);
void sac_rgb2hsv_u8_v1(const sac_hsv *out, const uint8_t *rgb, int64_t n);

#endif
