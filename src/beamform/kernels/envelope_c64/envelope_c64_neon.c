/*
 * envelope_c64 with vectors, for AArch64, where gcc 12 makes none.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "envelope_c64.h"
#include "simd/floats.h"

void sac_envelope_c64_neon(float *restrict out, const float *restrict in, int64_t n)
{
    int64_t i = 0;
    vf re, im;
    for (; i + VF <= n; i += VF) {
        vf_load2(&re, &im, in + 2 * i);
        vf_store(out + i, vf_length(re, im));
    }
    float rest[2 * VF] = {0};
    memcpy(rest, in + 2 * i, (size_t)(n - i) * 2 * sizeof *in);
    vf_load2(&re, &im, rest);
    vf_store(rest, vf_length(re, im));
    memcpy(out + i, rest, (size_t)(n - i) * sizeof *out);
}
