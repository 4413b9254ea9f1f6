/*
 * hsv2rgb_u8: hue, saturation and value back to packed 8-bit RGB. A teaching room, as rgb2hsv_u8.
 *
 *     R = f(5), G = f(3), B = f(1), f(n) = V - V S max(0, min(k, 4 - k, 1)), k = (n + H / 60) mod 6
 *
 * each times 255 and rounded half up. rgb: (n, 3). in: n pixels, triples or planes. Reference in
 * double. Tolerance: 1, where the exact value lies so near a half that single precision falls to
 * its other side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_HSV2RGB_U8_H
#define SAC_EQUALIZE_HSV2RGB_U8_H

#include "equalize/kernels/hsv.h"

typedef void (*sac_hsv2rgb_u8_fn)(uint8_t *rgb, const sac_hsv *in, int64_t n);

void sac_hsv2rgb_u8_ref(uint8_t *rgb, const sac_hsv *in, int64_t n);
void sac_hsv2rgb_u8_v0(uint8_t *rgb, const sac_hsv *in, int64_t n);
void sac_hsv2rgb_u8_v1(uint8_t *rgb, const sac_hsv *in, int64_t n);

#endif
