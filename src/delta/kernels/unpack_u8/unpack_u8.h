/*
 * unpack_u8: the inverse of pack_u8.
 *
 * in: masks and values as there; the pointers are advanced, and nothing after the last value is
 * read. out (n_rows, 64, channels) contiguous. The caller has checked that there are as many values
 * as the masks have bits. No overlap. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_UNPACK_U8_H
#define SAC_DELTA_UNPACK_U8_H

#include "delta/kernels/cells.h"
#include "room/variant.h"

typedef void sac_unpack_u8(uint8_t *out, sac_delta_planes *in, int64_t n_rows, int32_t channels,
                           bool shared);
typedef sac_unpack_u8 *sac_unpack_u8_fn;

sac_unpack_u8 sac_unpack_u8_ref, sac_unpack_u8_plain, sac_unpack_u8_auto_v3, sac_unpack_u8_auto_v4,
    sac_unpack_u8_avx2, sac_unpack_u8_avx512, sac_unpack_u8_neon;

SAC_INTERNAL extern const sac_room sac_unpack_u8_room;

#endif
