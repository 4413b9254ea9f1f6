/*
 * Delay-and-sum of real samples with vectors where there are several frames, which are the lanes,
 * for both rooms: as in plain C, but the sums of up to 32 frames stay in registers while a point's
 * elements go by, each with its samples' coefficients.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_FRAMES_H
#define SAC_BEAMFORM_DAS_RF_FRAMES_H

#include "beamform/kernels/das/das_rf_inline.h"
#include "simd/floats.h"

#define SAC_RF_SLABS 2 /* of SAC_RF_FRAMES frames: at a time; a plan's batch has no more */

/* What a point takes of its elements, of one transmit: n samples from a place on, each with its
 * coefficient and the element's weight. */
typedef struct sac_rf_taps {
    int32_t n[SAC_DAS_CHUNK];
    ptrdiff_t at[SAC_DAS_CHUNK]; /* scalars */
    float weight[SAC_DAS_CHUNK][4];
} sac_rf_taps;

/* Linear, and zero outside: two of each element. */
static inline void sac_rf_find_pairs(sac_rf_taps *to, const sac_das_receive *rx, const sac_das *das,
                                     double offset)
{
    sac_das_places places;
    sac_das_find_places(&places, rx, das, offset);
    for (int32_t k = 0; k < rx->n; k++) {
        const float next = rx->re[k] * places.fraction[k];
        to->at[k] = places.at[k];
        to->weight[k][0] = rx->re[k] - next;
        to->weight[k][1] = next;
    }
}

/* Any interpolation and outside. */
static inline void sac_rf_find_taps(sac_rf_taps *to, const sac_das_receive *rx, const sac_das *das,
                                    double offset)
{
    for (int32_t k = 0; k < rx->n; k++) {
        double coefficient[4];
        int32_t at;
        to->n[k] = sac_das_receive_taps(coefficient, &at, rx, k, das, offset);
        to->at[k] = rx->element[k] * das->rx + at * das->sample;
        for (int32_t j = 0; j < to->n[k]; j++)
            to->weight[k][j] = rx->re[k] * (float)coefficient[j];
    }
}

/* sum (n_slabs SAC_RF_FRAMES) of n elements' taps, n_taps of each, or as many as they say where
 * that is 0. `data` is the transmit's first sample. n_slabs, n_taps and dtype are constants. */
static inline void sac_rf_sum_taps(float *sum, const sac_rf_taps *taps, int32_t n, ptrdiff_t data,
                                   const sac_das *das, sac_dtype dtype, int32_t n_slabs,
                                   int32_t n_taps)
{
    enum { N = SAC_RF_FRAMES / VF };
    vf a[SAC_RF_SLABS * N];
    for (int32_t v = 0; v < n_slabs * N; v++)
        a[v] = vf_set(0);
    for (int32_t k = 0; k < n; k++) {
        ptrdiff_t x = data + taps->at[k];
        const int32_t some = n_taps ? n_taps : taps->n[k];
        for (int32_t j = 0; j < some; j++, x += das->sample) {
            const vf c = vf_set(taps->weight[k][j]);
            for (int32_t v = 0; v < n_slabs * N; v++) {
                const vf u = dtype == SAC_I16 ? vf_load_i16((const int16_t *)das->data + x + v * VF)
                                              : vf_load((const float *)das->data + x + v * VF);
                a[v] = vf_fma(c, u, a[v]);
            }
        }
    }
    for (int32_t v = 0; v < n_slabs * N; v++)
        vf_store(sum + v * VF, a[v]);
}

/* The same of 1 or SAC_RF_SLABS slabs. */
static inline void sac_rf_sum_slabs(float *sum, const sac_rf_taps *taps, int32_t n, ptrdiff_t data,
                                    const sac_das *das, sac_dtype dtype, int32_t n_slabs,
                                    int32_t n_taps)
{
    if (n_slabs == 1)
        sac_rf_sum_taps(sum, taps, n, data, das, dtype, 1, n_taps);
    else
        sac_rf_sum_taps(sum, taps, n, data, das, dtype, SAC_RF_SLABS, n_taps);
}

/* out (n_frames) += weight times the received elements' sum of transmit t: an sac_rf_add. */
static inline void sac_rf_add_frames(float *out, const sac_das *das, const sac_das_receive *rx,
                                     int32_t t, double offset, sac_dtype dtype)
{
    const bool linear = das->interp == SAC_INTERP_LINEAR && das->outside == SAC_OUTSIDE_ZERO;
    const float weight = das->lri ? 1 : das->tx_weight[t];
    sac_rf_taps taps;
    if (linear)
        sac_rf_find_pairs(&taps, rx, das, offset);
    else
        sac_rf_find_taps(&taps, rx, das, offset);
    for (int32_t frame = 0, some; frame < das->n_frames; frame += some) {
        float sum[SAC_RF_SLABS * SAC_RF_FRAMES];
        const int32_t slabs = (das->n_packed - frame) / SAC_RF_FRAMES;
        const ptrdiff_t data = t * das->tx + frame;
        if (linear)
            sac_rf_sum_slabs(sum, &taps, rx->n, data, das, dtype, slabs, 2);
        else
            sac_rf_sum_slabs(sum, &taps, rx->n, data, das, dtype, slabs, 0);
        some = (slabs < SAC_RF_SLABS ? slabs : SAC_RF_SLABS) * SAC_RF_FRAMES;
        for (int32_t f = 0; f < some && frame + f < das->n_frames; f++)
            out[frame + f] += weight * sum[f];
    }
}

/* Apart from what works on one frame, which the compiler would make worse beside it. `dtype` is a
 * constant. */
static __attribute__((noinline)) void sac_rf_frames(float *out, const sac_das *das, int64_t first,
                                                    int32_t n_points, sac_dtype dtype)
{
    sac_rf_by_points(out, das, first, n_points, dtype, sac_rf_add_frames);
}

#endif
