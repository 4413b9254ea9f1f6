/*
 * compress_f32 with vectors: the steps of plain, in registers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compress_f32.h"

#include <float.h>

#include "compress_f32_inline.h"
#include "simd/floats.h"

SIMD_INLINE vf decibels(vf in, vf maximum, vf floor_db)
{
    vf ratio = vf_min(vf_max(vf_div(in, maximum), vf_set(FLT_MIN)), vf_set(1)); /* NaN, too */
    const vf octave = vf_octave(&ratio), t = vf_sub(ratio, vf_set(1));
    vf sum = vf_set(SAC_LOG2_FIRST);
#define STEP(c) sum = vf_fma(sum, t, vf_set(c));
    SAC_LOG2_REST(STEP)
    const vf db = vf_mul(vf_set(SAC_DB_PER_OCTAVE), vf_fma(t, sum, octave));
    return vf_max(db, floor_db);
}

void sac_compress_f32_simd(float *out, const float *in, int64_t n, float maximum, float range_db)
{
    const vf most = vf_set(maximum), least = vf_set(-range_db);
    int64_t i = 0;
    for (; i + VF <= n; i += VF)
        vf_store(out + i, decibels(vf_load(in + i), most, least));
    float rest[VF] = {0};
    memcpy(rest, in + i, (size_t)(n - i) * sizeof *in);
    vf_store(rest, decibels(vf_load(rest), most, least));
    memcpy(out + i, rest, (size_t)(n - i) * sizeof *out);
}
