/*
 * compress_f32: decibels below a maximum.
 *
 *     out[i] = 20 log10(in[i] / maximum),  at least -range_db, at most 0,  i = 0..n-1
 *
 * Where in[i] / maximum is NaN (a sample that is, 0 / 0) or negative, -range_db. in, out (n),
 * contiguous; the same memory, or no overlap. maximum >= 0, finite; 0 < range_db <= 700. in[i] =
 * maximum gives 0 exactly.
 *
 * Tolerance: 2e-6 + 1.4e-7 |out| dB: 1.1e-5 at -60 dB, 1e-4 at -700 (docs/numerics.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_COMPRESS_F32_H
#define SAC_BEAMFORM_COMPRESS_F32_H

#include "room/variant.h"

#define SAC_COMPRESS_MAX_DB 700 /* numbers that are not normalized lie below -758 */

typedef void sac_compress_f32_function(float *out, const float *in, int64_t n, float maximum,
                                       float range_db);
typedef sac_compress_f32_function *sac_compress_f32_fn;

sac_compress_f32_function sac_compress_f32_ref, sac_compress_f32_plain, sac_compress_f32_auto_v3,
    sac_compress_f32_auto_v4, sac_compress_f32_avx2, sac_compress_f32_avx512, sac_compress_f32_neon;

SAC_INTERNAL extern const sac_room sac_compress_f32_room;

#endif
