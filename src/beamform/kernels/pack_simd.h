/*
 * Packing with vectors: of VF frames the samples that fill a vector are VF x VF floats, which
 * turned over are the packed order. A float is a scalar, or two neighboring samples of 16 bits.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PACK_SIMD_H
#define SAC_BEAMFORM_PACK_SIMD_H

#include "beamform/kernels/pack.h"
#include "simd/floats.h"

/* `frames` <= VF frames; the others are 0, and are not read. */
SIMD_INLINE void sac_pack_turn(vf v[VF], const char *in, ptrdiff_t frame, int32_t frames)
{
    for (int32_t f = 0; f < VF; f++)
        v[f] = f < frames ? vf_load((const float *)(const void *)(in + f * frame)) : vf_set(0);
    vf_transpose(v);
}

/* Column k of what was turned over. */
SIMD_INLINE void sac_pack_store(void *out, vf v, int k, const sac_das *das, size_t size, int parts)
{
    float *scalars = out;
    int16_t *words = out;
    if (size == sizeof(int16_t))
        vf_store_halves(words + 2 * k * das->sample, words + (2 * k + 1) * das->sample, v);
    else
        vf_store(scalars + k / parts * das->sample + k % parts * das->imag, v);
}

/* `size` and `parts` as in sac_pack_record(). The last samples are packed again where they fill no
 * vector. */
SIMD_INLINE void sac_pack_simd(void *record, const void *in, const sac_das *das, int32_t n_frames,
                               ptrdiff_t frame, ptrdiff_t sample, size_t size, int parts)
{
    const int32_t n = das->n_samples, some = VF * (int32_t)sizeof(float) / ((int32_t)size * parts);
    if (das->n_packed == 1 || sample != (ptrdiff_t)size * parts || n < some) {
        sac_pack_record(record, in, das, n_frames, frame, sample, size, parts);
        return;
    }
    for (int32_t f = 0; f < das->n_packed; f += VF) {
        const int32_t frames = n_frames > f ? n_frames - f : 0;
        const char *row = (const char *)in + (frames ? f * frame : 0);
        for (int32_t s = 0; s < n; s += some) {
            const int32_t at = s + some <= n ? s : n - some;
            char *out = (char *)record + (at * das->sample + f) * (ptrdiff_t)size;
            vf v[VF];
            sac_pack_turn(v, row + at * sample, frame, frames);
            for (int k = 0; k < VF; k++)
                sac_pack_store(out, v[k], k, das, size, parts);
        }
    }
}

#endif
