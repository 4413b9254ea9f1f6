/*
 * dual_f32 with vectors: the sums of some vectors of points stay in registers over all waves.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dual_f32.h"

#include "simd/floats.h"

/* Vectors of points whose sums are at work: their chains of products hide each other's time. */
#define WIDE 8

/* re, im += sample k of a wave, of `many` vectors from x on; the last lanes of the last by rest. */
SIMD_INLINE void add_sample(vf *re, vf *im, const float *x, const sac_dual_taps *p, int32_t k,
                            int64_t n, int many)
{
    const vf a = vf_set(p->re[k]), b = vf_set(p->im[k]);
    x += 2 * k * n;
    for (int v = 0; v < many; v++) {
        const vf c = vf_load(x + v * VF), d = vf_load(x + n + v * VF);
        re[v] = vf_fnma(b, d, vf_fma(a, c, re[v]));
        im[v] = vf_fma(b, c, vf_fma(a, d, im[v]));
    }
}

/* `many` vectors of points from i on. */
SIMD_INLINE void sum(float *out, const float *images, const sac_dual_taps *taps,
                     const sac_dual_size *size, int64_t i, int many)
{
    vf re[WIDE], im[WIDE];
    for (int v = 0; v < many; v++)
        re[v] = im[v] = vf_set(0);
    for (int32_t t = 0; t < size->n_tx; t++) {
        const float *x = sac_dual_samples(images, taps, size, t) + i;
        add_sample(re, im, x, &taps[t], 0, size->n, many);
        if (taps[t].n == 1)
            continue;
        for (int32_t k = 1; k < SAC_DUAL_TAPS; k++)
            add_sample(re, im, x, &taps[t], k, size->n, many);
    }
    for (int v = 0; v < many; v++) {
        vf_store(out + i + v * VF, re[v]);
        vf_store(out + size->n + i + v * VF, im[v]);
    }
}

/* A row's end is worked on once more from a vector's length before it. Shorter rows are C. */
void sac_dual_f32_simd(float *restrict out, const float *restrict images, const sac_dual_taps *taps,
                       const sac_dual_size *size)
{
    int64_t i = 0;
    if (size->n < VF) {
        SIMD_OTHERWISE(dual_f32)(out, images, taps, size);
        return;
    }
    for (; i + WIDE * VF <= size->n; i += WIDE * VF)
        sum(out, images, taps, size, i, WIDE);
    for (; i + WIDE / 2 * VF <= size->n; i += WIDE / 2 * VF)
        sum(out, images, taps, size, i, WIDE / 2);
    for (; i + VF <= size->n; i += VF)
        sum(out, images, taps, size, i, 1);
    if (i < size->n)
        sum(out, images, taps, size, size->n - VF, 1);
}
