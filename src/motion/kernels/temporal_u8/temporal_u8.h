/*
 * temporal_u8: a recursive filter over time that lets go where the picture moves. With x the new
 * sample and s the sample's state, 2^8 times the filtered value, and m = |2^8 x - s|:
 *
 *     r   = floor(keep[floor((m + 2^7) / 2^8)] m / 2^16)      what stays of the difference
 *     s'  = 2^8 x + r where s > 2^8 x, else 2^8 x - r
 *     out = floor((s' + 2^7) / 2^8)
 *
 * that is y += k (x - y) with k = 1 - keep / 2^16 by the difference in levels. m falls by 1 at
 * least where x stays, so that y comes to x; keep = 0 takes x at once, whatever s is. out, in: the
 * same size and channels, any layout; the same memory, or no overlap. state: (h, w, n_channels)
 * u16, packed, 0 to 255 2^8; read and written. keep: (256). Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_TEMPORAL_U8_H
#define SAC_MOTION_TEMPORAL_U8_H

#include "motion/kernels/samples.h"
#include "room/variant.h"

typedef void sac_temporal_u8(const sac_samples *out, uint16_t *state, const sac_samples *in,
                             const uint16_t *keep);
typedef sac_temporal_u8 *sac_temporal_u8_fn;

sac_temporal_u8 sac_temporal_u8_ref, sac_temporal_u8_plain, sac_temporal_u8_auto_v3,
    sac_temporal_u8_auto_v4, sac_temporal_u8_avx2, sac_temporal_u8_avx512, sac_temporal_u8_neon;

SAC_INTERNAL extern const sac_room sac_temporal_u8_room;

#endif
