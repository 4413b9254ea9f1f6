/*
 * pack_c64 for AVX-512: 16 frames x 8 samples are 16 x 16 floats, real and imaginary parts
 * alternating; turned over they are the packed order. The rest is plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "pack_c64.h"

#define LANES 16
#define SAMPLES 8

/* Rows become columns. */
static inline void transpose(__m512 v[LANES])
{
    __m512 a[LANES];
    for (int i = 0; i < LANES; i += 2) {
        a[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
        a[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4) {
        for (int k = 0; k < 2; k++) {
            __m512d low = _mm512_castps_pd(a[i + k]), high = _mm512_castps_pd(a[i + 2 + k]);
            v[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
            v[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
        }
    }
    /* v[4 g + k] holds column 4 q + k of rows 4 g .. 4 g + 3 in its quarter q. */
    for (int k = 0; k < 4; k++) {
        __m512 p = _mm512_shuffle_f32x4(v[k], v[4 + k], 0x88);
        __m512 q = _mm512_shuffle_f32x4(v[8 + k], v[12 + k], 0x88);
        __m512 r = _mm512_shuffle_f32x4(v[k], v[4 + k], 0xdd);
        __m512 s = _mm512_shuffle_f32x4(v[8 + k], v[12 + k], 0xdd);
        a[k] = _mm512_shuffle_f32x4(p, q, 0x88);
        a[8 + k] = _mm512_shuffle_f32x4(p, q, 0xdd);
        a[4 + k] = _mm512_shuffle_f32x4(r, s, 0x88);
        a[12 + k] = _mm512_shuffle_f32x4(r, s, 0xdd);
    }
    for (int i = 0; i < LANES; i++)
        v[i] = a[i];
}

/* `samples` <= 8 samples of `frames` <= 16 frames; the rest is 0, and is not read. */
static inline void pack_tile(float *out, const char *in, const sac_das *das, ptrdiff_t frame,
                             int32_t frames, int32_t samples)
{
    __m512 v[LANES];
    __mmask16 some = (__mmask16)((1u << (2 * samples)) - 1);
    for (int f = 0; f < LANES; f++)
        v[f] = f < frames ? _mm512_maskz_loadu_ps(some, in + f * frame) : _mm512_setzero_ps();
    transpose(v);
    for (int32_t s = 0; s < samples; s++) {
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
