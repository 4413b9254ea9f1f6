/*
 * pack_c64 with vectors, for sets without a file of their own: VF frames x VF / 2 samples are VF x
 * VF floats, real and imaginary parts alternating; turned over they are the packed order.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_c64.h"
#include "simd/floats.h"

#define SAMPLES (VF / 2)

/* `samples` <= SAMPLES samples of `frames` <= VF frames; the rest is 0, and is not read. */
static inline void pack_tile(float *out, const char *in, const sac_das *das, ptrdiff_t frame,
                             int32_t frames, int32_t samples)
{
    vf v[VF];
    for (int32_t f = 0; f < VF; f++) {
        float row[VF] = {0};
        const char *from = in + (f < frames ? f * frame : 0);
        if (f < frames && samples == SAMPLES)
            v[f] = vf_load((const float *)(const void *)from);
        else {
            if (f < frames)
                memcpy(row, from, (size_t)samples * 2 * sizeof *row);
            v[f] = vf_load(row);
        }
    }
    vf_transpose(v);
    for (int32_t s = 0; s < samples; s++) {
        vf_store(out + s * das->sample, v[2 * s]);
        vf_store(out + s * das->sample + das->imag, v[2 * s + 1]);
    }
}

void sac_pack_c64_simd(void *record, const void *in, const sac_das *das, int32_t n_frames,
                       ptrdiff_t frame, ptrdiff_t sample)
{
    if (das->n_packed == 1 || sample != (ptrdiff_t)(2 * sizeof(float))) {
        sac_pack_record(record, in, das, n_frames, frame, sample, sizeof(float), 2);
        return;
    }
    for (int32_t f = 0; f < das->n_packed; f += VF) {
        int32_t frames = n_frames - f < VF ? n_frames - f : VF;
        frames = frames > 0 ? frames : 0;
        const char *row = (const char *)in + (frames > 0 ? f * frame : 0);
        for (int32_t s = 0; s < das->n_samples; s += SAMPLES) {
            int32_t samples = das->n_samples - s < SAMPLES ? das->n_samples - s : SAMPLES;
            pack_tile((float *)record + s * das->sample + f, row + s * sample, das, frame, frames,
                      samples);
        }
    }
}
