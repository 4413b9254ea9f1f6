/*
 * change_u8: what changed by more than a threshold, and by how much.
 *
 *     changed(y, x) = |in(y, x, c) - ref(y, x, c)| > threshold for any c
 *     out(y, x, c)  = changed(y, x) ? in(y, x, c) - ref(y, x, c) mod 256 : 0
 *
 * Returns how many pixels changed. out (h, w, channels) contiguous; in, ref the same with rows
 * in_row and ref_row bytes apart; no overlap. channels 1, 3 or 4; threshold 0..255; w h < 2^31.
 * Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_CHANGE_U8_H
#define SAC_DELTA_CHANGE_U8_H

#include "room/variant.h"

typedef struct sac_delta_shape {
    int64_t w, h;
    int32_t channels;
} sac_delta_shape;

typedef int32_t sac_change_u8(uint8_t *out, const uint8_t *in, ptrdiff_t in_row, const uint8_t *ref,
                              ptrdiff_t ref_row, const sac_delta_shape *shape, int32_t threshold);
typedef sac_change_u8 *sac_change_u8_fn;

sac_change_u8 sac_change_u8_ref, sac_change_u8_plain, sac_change_u8_auto_v3, sac_change_u8_auto_v4,
    sac_change_u8_avx2, sac_change_u8_avx512, sac_change_u8_neon;

SAC_INTERNAL extern const sac_room sac_change_u8_room;

#endif
