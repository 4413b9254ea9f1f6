/*
 * Delay-and-sum of real samples in plain C, for both rooms: `dtype` is a constant where a room
 * includes it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_INLINE_H
#define SAC_BEAMFORM_DAS_RF_INLINE_H

#include <string.h>

#include "beamform/kernels/das/das_inline.h"
#include "beamform/kernels/das/das_rf.h"
#include "base/multiply_add.h"

#define SAC_RF_FRAMES 16   /* at a time: n_packed is a multiple */
#define SAC_RF_LANES 8     /* sums of elements side by side, where there is one frame */
#define SAC_RF_POINTS 64   /* at a time */
#define SAC_RF_TRANSMITS 8 /* at a time */

static inline float sac_rf_value(const void *data, sac_dtype dtype, ptrdiff_t at)
{
    return dtype == SAC_I16 ? ((const int16_t *)data)[at] : ((const float *)data)[at];
}

/* sum (SAC_RF_FRAMES) of what the elements receive of a transmit, whose scalars begin at `data`. */
static inline void sac_rf_sum_frames(float *restrict sum, const sac_das_receive *rx,
                                     const sac_das_places *to, ptrdiff_t data, const sac_das *das,
                                     sac_dtype dtype)
{
    float a[SAC_RF_FRAMES] = {0};
    for (int32_t k = 0; k < rx->n; k++) {
        ptrdiff_t x = data + to->at[k], next = x + das->sample;
        float fraction = to->fraction[k], weight = rx->re[k];
        for (int32_t f = 0; f < SAC_RF_FRAMES; f++) {
            float b = sac_rf_value(das->data, dtype, x + f);
            float c = sac_rf_value(das->data, dtype, next + f);
            a[f] = sac_multiply_add(weight, sac_multiply_add(fraction, c - b, b), a[f]);
        }
    }
    memcpy(sum, a, sizeof a);
}

/* The same of one frame, in SAC_RF_LANES sums of elements that are then added up. */
static inline void sac_rf_sum_single(float *sum, const sac_das_receive *rx,
                                     const sac_das_places *to, ptrdiff_t data, const sac_das *das,
                                     sac_dtype dtype)
{
    float a[SAC_RF_LANES] = {0};
    for (int32_t k = 0; k < rx->n; k++) {
        float b = sac_rf_value(das->data, dtype, data + to->at[k]);
        float c = sac_rf_value(das->data, dtype, data + to->at[k] + das->sample);
        a[k % SAC_RF_LANES] += rx->re[k] * sac_multiply_add(to->fraction[k], c - b, b);
    }
    *sum = ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

/* Any interpolation and outside, one frame or SAC_RF_FRAMES. */
static inline void sac_rf_sum_any(float *restrict sum, const sac_das_receive *rx, ptrdiff_t data,
                                  const sac_das *das, double offset, sac_dtype dtype)
{
    int32_t n = das->n_packed == 1 ? 1 : SAC_RF_FRAMES;
    memset(sum, 0, SAC_RF_FRAMES * sizeof *sum);
    for (int32_t k = 0; k < rx->n; k++) {
        double coefficient[4];
        int32_t at;
        int32_t n_taps = sac_das_receive_taps(coefficient, &at, rx, k, das, offset);
        for (int32_t j = 0; j < n_taps; j++) {
            ptrdiff_t x = data + rx->element[k] * das->rx + (at + j) * das->sample;
            float c = rx->re[k] * (float)coefficient[j];
            for (int32_t f = 0; f < n; f++)
                sum[f] += c * sac_rf_value(das->data, dtype, x + f);
        }
    }
}

/* out (n_frames) += weight times the received elements' sum of transmit t. */
static inline void sac_rf_add_transmit(float *out, const sac_das *das, const sac_das_receive *rx,
                                       int32_t t, double offset, sac_dtype dtype)
{
    float weight = das->lri ? 1 : das->tx_weight[t];
    bool linear = das->interp == SAC_INTERP_LINEAR && das->outside == SAC_OUTSIDE_ZERO;
    sac_das_places to;
    if (linear)
        sac_das_find_places(&to, rx, das, offset);
    for (int32_t frame = 0; frame < das->n_frames; frame += SAC_RF_FRAMES) {
        int32_t n = das->n_frames - frame < SAC_RF_FRAMES ? das->n_frames - frame : SAC_RF_FRAMES;
        ptrdiff_t data = t * das->tx + frame;
        float sum[SAC_RF_FRAMES];
        if (!linear)
            sac_rf_sum_any(sum, rx, data, das, offset, dtype);
        else if (das->n_packed == 1)
            sac_rf_sum_single(sum, rx, &to, data, das, dtype);
        else
            sac_rf_sum_frames(sum, rx, &to, data, das, dtype);
        for (int32_t f = 0; f < n; f++)
            out[frame + f] += weight * sum[f];
    }
}

/* Offsets (tau_tx - t0) fs of some transmits at some points. */
typedef struct sac_rf_offsets {
    int32_t first, n; /* transmits */
    double samples[SAC_RF_TRANSMITS][SAC_RF_POINTS];
} sac_rf_offsets;

static inline void sac_rf_find_offsets(sac_rf_offsets *tx, const sac_das *das, const double *x,
                                       const double *y, const double *z, int64_t first, int32_t n)
{
    for (int32_t k = 0; k < tx->n; k++) {
        double *row = tx->samples[k], t0 = das->transmits[tx->first + k].t0_s;
        sac_das_arrival_row(row, das, tx->first + k, x, y, z, first, n);
        for (int32_t i = 0; i < n; i++)
            row[i] = (row[i] - t0) * das->fs_hz;
    }
}

/* What adds a transmit, as sac_rf_add_transmit. */
typedef void sac_rf_add(float *out, const sac_das *das, const sac_das_receive *rx, int32_t t,
                        double offset, sac_dtype dtype);

/* out (n_images, n_frames) += point i of some; elements SAC_DAS_CHUNK at a time. */
static inline void sac_rf_add_point(float *out, const sac_das *das, const double p[3],
                                    const sac_rf_offsets *tx, int32_t i, sac_dtype dtype,
                                    sac_rf_add *add)
{
    int32_t begin, end;
    sac_das_receive rx;
    sac_das_aperture(&begin, &end, das, p);
    for (; begin < end; begin += SAC_DAS_CHUNK) {
        int32_t stop = end - begin < SAC_DAS_CHUNK ? end : begin + SAC_DAS_CHUNK;
        sac_das_receive_point(&rx, das, p, begin, stop);
        for (int32_t k = 0; k < tx->n; k++) {
            int32_t t = tx->first + k;
            float *to = out + (das->lri ? (ptrdiff_t)t * das->n_frames : 0);
            add(to, das, &rx, t, tx->samples[k][i], dtype);
        }
    }
}

/*
 * Delays in double, split into sample and fraction; weights and sums in single precision. Receive
 * delays are shared by some transmits, and delays by all frames. dtype and add are constants.
 */
__attribute__((always_inline)) static inline void sac_rf_by_points(float *out, const sac_das *das,
                                                                   int64_t first, int32_t n_points,
                                                                   sac_dtype dtype, sac_rf_add *add)
{
    size_t step = (size_t)sac_das_images(das) * (size_t)das->n_frames;
    memset(out, 0, (size_t)n_points * step * sizeof *out);
    double x[SAC_RF_POINTS], y[SAC_RF_POINTS], z[SAC_RF_POINTS];
    sac_rf_offsets tx;
    for (int32_t i = 0; i < n_points; i += SAC_RF_POINTS) {
        int32_t n = n_points - i < SAC_RF_POINTS ? n_points - i : SAC_RF_POINTS;
        sac_das_points(x, y, z, das, first + i, n);
        for (tx.first = 0; tx.first < das->n_tx; tx.first += SAC_RF_TRANSMITS) {
            tx.n =
                das->n_tx - tx.first < SAC_RF_TRANSMITS ? das->n_tx - tx.first : SAC_RF_TRANSMITS;
            sac_rf_find_offsets(&tx, das, x, y, z, first + i, n);
            for (int32_t k = 0; k < n; k++) {
                double p[3] = {x[k], y[k], z[k]};
                sac_das_receive_at(&p[0], &p[1], &das->line);
                sac_rf_add_point(out + (size_t)(i + k) * step, das, p, &tx, k, dtype, add);
            }
        }
    }
}

static inline void sac_rf_precise(float *out, const sac_das *das, int64_t first, int32_t n_points,
                                  sac_dtype dtype)
{
    sac_rf_by_points(out, das, first, n_points, dtype, sac_rf_add_transmit);
}

#endif
