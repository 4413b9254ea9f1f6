/*
 * pack_c64 for AVX-512: 16 frames x 8 samples are 16 x 16 floats, real and imaginary parts
 * alternating; turned over they are the packed order. The rest is plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "pack_c64.h"
#include "simd/floats.h"

#define LANES 16
#define SAMPLES 8

/* `samples` <= 8 samples of `frames` <= 16 frames; the rest is 0, and is not read. */
static inline void pack_tile(float *out, const char *in, const sac_das *das, ptrdiff_t frame,
                             int32_t frames, int32_t samples)
{
    __m512 v[LANES];
    __mmask16 some = (__mmask16)((1u << (2 * samples)) - 1);
    for (int f = 0; f < LANES; f++)
        v[f] = f < frames ? _mm512_maskz_loadu_ps(some, in + f * frame) : _mm512_setzero_ps();
    vf_transpose(v);
    for (int32_t s = 0; s < samples && das->n_packed == SAC_DAS_FEW; s++) {
        const __m256 imag = _mm512_castps512_ps256(v[2 * s + 1]);
        _mm512_store_ps(out + s * das->sample, _mm512_insertf32x8(v[2 * s], imag, 1));
    }
    for (int32_t s = 0; s < samples && das->n_packed > SAC_DAS_FEW; s++) {
        _mm512_store_ps(out + s * das->sample, v[2 * s]);
        _mm512_store_ps(out + s * das->sample + das->imag, v[2 * s + 1]);
    }
}

void sac_pack_c64_avx512(void *record, const void *in, const sac_das *das, int32_t n_frames,
                         ptrdiff_t frame, ptrdiff_t sample)
{
    if (das->n_packed == 1 || sample != (ptrdiff_t)(2 * sizeof(float))) {
        sac_pack_record(record, in, das, n_frames, frame, sample, sizeof(float), 2);
        return;
    }
    for (int32_t f = 0; f < das->n_packed; f += LANES) {
        int32_t frames = n_frames - f < LANES ? n_frames - f : LANES;
        const char *row = (const char *)in + (frames > 0 ? f * frame : 0);
        for (int32_t s = 0; s < das->n_samples; s += SAMPLES) {
            int32_t samples = das->n_samples - s < SAMPLES ? das->n_samples - s : SAMPLES;
            pack_tile((float *)record + s * das->sample + f, row + s * sample, das, frame, frames,
                      samples);
        }
    }
}
