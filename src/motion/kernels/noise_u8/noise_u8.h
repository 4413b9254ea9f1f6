/*
 * noise_u8: which pixels of a frame differ from the frame before by more than a threshold.
 *
 *     changed = any color with |c - c'| > threshold     over the whole range 0..255
 *
 *     SAC_NOISE_MASK      changed (255, 0, 0), the rest (0, 0, 0); alpha 255
 *     SAC_NOISE_OVERLAY   the previous frame, with color[0] = 255 where changed
 *     SAC_NOISE_PURE      the previous frame, with (255, 0, 0) where changed
 *     SAC_NOISE_BITS      a bit a pixel, the first the lowest of its byte; what is left of a row's
 *                         last byte is 0
 *
 * Returns how many pixels changed. Gray: 255 where changed in all views. Overlays take alpha from
 * the previous frame where both have it.
 *
 * current, previous: the same size, both with 1 or both with 3 colors; any layout and strides. out:
 * the same size and number of colors; with SAC_NOISE_BITS one color of ceil(w / 8) x h samples. It
 * may be one of the frames where its layout is the same, and overlaps nothing otherwise. threshold:
 * 0..255. Reads and writes each sample once. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_NOISE_U8_H
#define SAC_MOTION_NOISE_U8_H

#include <saccade/motion.h>

#include "image/pixels.h"
#include "room/variant.h"

typedef uint64_t sac_noise_u8(const sac_pixels *out, const sac_pixels *current,
                              const sac_pixels *previous, sac_noise_view view, int32_t threshold);
typedef sac_noise_u8 *sac_noise_u8_fn;

sac_noise_u8 sac_noise_u8_ref, sac_noise_u8_plain, sac_noise_u8_auto_v3, sac_noise_u8_auto_v4,
    sac_noise_u8_avx2, sac_noise_u8_avx512, sac_noise_u8_neon;

/* libsaccade-ladder: SAC_NOISE_MASK alone. */
sac_noise_u8 sac_noise_u8_cpu_naive;

SAC_INTERNAL extern const sac_room sac_noise_u8_room;

#endif
