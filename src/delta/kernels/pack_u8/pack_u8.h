/*
 * pack_u8: residuals of pixels as bit masks of what is not 0, and the values that are not.
 *
 * Takes green out first, of 3 and 4 channels (e = r of 1):
 *
 *     e(0) = r(0) - r(1),   e(1) = r(1),   e(2) = r(2) - r(1),   e(3) = r(3)   mod 256
 *
 * A row is 64 pixels. Each channel's mask has a bit for every e that is not 0, and its values are
 * those e in order. Where the mask is shared, there is one, with a bit for every pixel that has an
 * e that is not 0, and every channel's values are the e of those pixels.
 *
 * out: the pointers of delta/kernels/cells.h, moved on; every value plane has room for 64 n_rows
 * bytes, and what lies in it behind the values is unspecified. in (n_rows, 64, channels)
 * contiguous. channels 1, 3 or 4. No overlap. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_PACK_U8_H
#define SAC_DELTA_PACK_U8_H

#include "delta/kernels/cells.h"
#include "room/variant.h"

typedef void sac_pack_u8(sac_delta_planes *out, const uint8_t *in, int64_t n_rows, int32_t channels,
                         bool shared);
typedef sac_pack_u8 *sac_pack_u8_fn;

sac_pack_u8 sac_pack_u8_ref, sac_pack_u8_plain, sac_pack_u8_auto_v3, sac_pack_u8_auto_v4,
    sac_pack_u8_avx2, sac_pack_u8_avx512, sac_pack_u8_neon;

SAC_INTERNAL extern const sac_room sac_pack_u8_room;

#endif
