/*
 * predict_u8: residuals of bytes against the median predictor of lossless codecs (Weinberger,
 * Seroussi, Sapiro, "The LOCO-I lossless image compression algorithm", 2000).
 *
 *     p(i)   = median(left(i), up(i), left(i) + up(i) - up_left(i))
 *     out(i) = in(i) - p(i) mod 256
 *
 * Returns the sum over i of |out(i)| with out(i) taken as -128..127: what it costs, roughly. All
 * (n), contiguous; out overlaps none of the others, which may overlap: of a row of pixels with k
 * channels, left is in - k. Where all three are the same, p is that. n < 2^24. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_PREDICT_U8_H
#define SAC_DELTA_PREDICT_U8_H

#include "room/variant.h"

typedef uint32_t sac_predict_u8(uint8_t *out, const uint8_t *in, const uint8_t *left,
                                const uint8_t *up, const uint8_t *up_left, int64_t n);
typedef sac_predict_u8 *sac_predict_u8_fn;

sac_predict_u8 sac_predict_u8_ref, sac_predict_u8_plain, sac_predict_u8_auto_v3,
    sac_predict_u8_auto_v4, sac_predict_u8_avx2, sac_predict_u8_avx512, sac_predict_u8_neon;

SAC_INTERNAL extern const sac_room sac_predict_u8_room;

#endif
