/*
 * das_iq_f32 in plain C: delays in double, split into sample and fraction; weights, rotations and
 * sums in single precision. Receive delays are shared by all transmits, and delays by all frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "das_iq_f32.h"
#include "beamform/kernels/das/das_inline.h"
#include "base/multiply_add.h"

#define FRAMES 16 /* at a time: n_packed is a multiple, or SAC_DAS_FEW */
#define LANES 8   /* sums of elements side by side, where there is one frame */

/* sum = frames [0, n) of what the elements receive of a transmit; n: a constant. */
static inline void sum_frames(float *restrict re, float *restrict im, const sac_das_receive *rx,
                              const sac_das_places *to, const float *data, const sac_das *das,
                              int32_t n)
{
    memset(re, 0, FRAMES * sizeof *re);
    memset(im, 0, FRAMES * sizeof *im);
    for (int32_t k = 0; k < rx->n; k += 4) {
        const float *x[4];
        float fraction[4] = {0}, c[4] = {0}, d[4] = {0};
        for (int32_t i = 0; i < 4; i++) {
            bool any = k + i < rx->n;
            x[i] = data + to->at[any ? k + i : k];
            fraction[i] = any ? to->fraction[k + i] : to->fraction[k];
            c[i] = any ? rx->re[k + i] : 0;
            d[i] = any ? rx->im[k + i] : 0;
        }
        ptrdiff_t imag = das->imag, sample = das->sample;
        for (int32_t f = 0; f < n; f++) {
            float a = re[f], b = im[f];
            for (int32_t i = 0; i < 4; i++) {
                float u = x[i][f], v = x[i][f + imag];
                u = sac_multiply_add(fraction[i], x[i][f + sample] - u, u);
                v = sac_multiply_add(fraction[i], x[i][f + sample + imag] - v, v);
                a = sac_multiply_add(-d[i], v, sac_multiply_add(c[i], u, a));
                b = sac_multiply_add(d[i], u, sac_multiply_add(c[i], v, b));
            }
            re[f] = a;
            im[f] = b;
        }
    }
}

/* The same of one frame, in LANES sums of elements that are then added up. */
static void sum_single(float *restrict re, float *restrict im, const sac_das_receive *rx,
                       const sac_das_places *to, const float *data, const sac_das *das)
{
    float a[LANES] = {0}, b[LANES] = {0};
    for (int32_t first = 0; first < rx->n; first += LANES) {
        float u[LANES], v[LANES], c[LANES], d[LANES];
        for (int32_t i = 0; i < LANES; i++) {
            int32_t k = first + i < rx->n ? first + i : first;
            const float *x = data + to->at[k], *y = x + das->imag;
            u[i] = sac_multiply_add(to->fraction[k], x[1] - x[0], x[0]);
            v[i] = sac_multiply_add(to->fraction[k], y[1] - y[0], y[0]);
            c[i] = first + i < rx->n ? rx->re[k] : 0;
            d[i] = first + i < rx->n ? rx->im[k] : 0;
        }
        for (int32_t i = 0; i < LANES; i++) {
            a[i] += c[i] * u[i] - d[i] * v[i];
            b[i] += c[i] * v[i] + d[i] * u[i];
        }
    }
    *re = ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
    *im = ((b[0] + b[4]) + (b[2] + b[6])) + ((b[1] + b[5]) + (b[3] + b[7]));
}

/* Any interpolation and outside; n frames, a constant. */
static inline void sum_any(float *restrict re, float *restrict im, const sac_das_receive *rx,
                           const float *data, const sac_das *das, double offset, int32_t n)
{
    memset(re, 0, FRAMES * sizeof *re);
    memset(im, 0, FRAMES * sizeof *im);
    for (int32_t k = 0; k < rx->n; k++)
        sac_das_add_element(re, im, rx, k, data, das, offset, n);
}

/* out += the received elements' sum of transmit t, rotated and weighed; all frames. */
static void add_transmit(float *out, const sac_das *das, const sac_das_receive *rx, int32_t t,
                         double tau)
{
    const sac_das_transmit tx = sac_das_transmit_at(das, t, tau);
    const float *data = (const float *)das->data + t * das->tx;
    float weight = das->lri ? 1 : das->tx_weight[t], c = weight * tx.re, d = weight * tx.im;
    bool linear = das->interp == SAC_INTERP_LINEAR && das->outside == SAC_OUTSIDE_ZERO;
    sac_das_places to;
    if (linear)
        sac_das_find_places(&to, rx, das, tx.offset);
    for (int32_t frame = 0; frame < das->n_frames; frame += FRAMES) {
        int32_t n = das->n_frames - frame < FRAMES ? das->n_frames - frame : FRAMES;
        float re[FRAMES], im[FRAMES];
        if (!linear && das->n_packed == 1)
            sum_any(re, im, rx, data, das, tx.offset, 1);
        else if (!linear && das->n_packed == SAC_DAS_FEW)
            sum_any(re, im, rx, data, das, tx.offset, SAC_DAS_FEW);
        else if (!linear)
            sum_any(re, im, rx, data + frame, das, tx.offset, FRAMES);
        else if (das->n_packed == 1)
            sum_single(re, im, rx, &to, data, das);
        else if (das->n_packed == SAC_DAS_FEW)
            sum_frames(re, im, rx, &to, data, das, SAC_DAS_FEW);
        else
            sum_frames(re, im, rx, &to, data + frame, das, FRAMES);
        for (int32_t f = 0; f < n; f++) {
            out[2 * (frame + f)] += c * re[f] - d * im[f];
            out[2 * (frame + f) + 1] += c * im[f] + d * re[f];
        }
    }
}

/* Arrivals of some transmits at some points. */
#define POINTS 64
#define TRANSMITS 128
typedef struct arrivals {
    int32_t first, n; /* transmits */
    double tau[TRANSMITS][POINTS];
} arrivals;

#define NEIGHBOURS                                                                                 \
    16 /* points that take turns at a transmit, whose samples then are in the cache */

/* What n neighbours receive of their apertures' elements from the `skip`-th on, SAC_DAS_CHUNK at
 * most. Returns whether there were any. */
static bool receive(sac_das_receive rx[NEIGHBOURS], const sac_das *das, const double *x,
                    const double *y, const double *z, int32_t skip, int32_t n)
{
    bool any = false;
    for (int32_t i = 0; i < n; i++) {
        const double p[3] = {x[i], y[i], z[i]};
        int32_t begin, end;
        sac_das_aperture(&begin, &end, das, p);
        begin += skip;
        rx[i].n = 0;
        if (begin >= end)
            continue;
        any = true;
        sac_das_receive_point(&rx[i], das, p, begin,
                              end - begin < SAC_DAS_CHUNK ? end : begin + SAC_DAS_CHUNK);
    }
    return any;
}

/* out += some transmits at at most POINTS points. */
static void add_points(float *out, const sac_das *das, arrivals *tx, int64_t first, int32_t n)
{
    double x[POINTS], y[POINTS], z[POINTS];
    sac_das_receive rx[NEIGHBOURS];
    ptrdiff_t image = (ptrdiff_t)2 * das->n_frames, step = image * sac_das_images(das);
    sac_das_points(x, y, z, das, first, n);
    for (int32_t k = 0; k < tx->n; k++)
        sac_das_arrival_row(tx->tau[k], das, tx->first + k, x, y, z, first, n);
    sac_das_receive_points(x, y, das, n);
    for (int32_t i = 0; i < n; i += NEIGHBOURS) {
        int32_t some = n - i < NEIGHBOURS ? n - i : NEIGHBOURS;
        for (int32_t skip = 0; receive(rx, das, x + i, y + i, z + i, skip, some);
             skip += SAC_DAS_CHUNK) {
            for (int32_t k = 0; k < tx->n * some; k++) {
                int32_t t = tx->first + k / some, j = k % some;
                float *to = out + (i + j) * step + (das->lri ? t * image : 0);
                if (rx[j].n > 0)
                    add_transmit(to, das, &rx[j], t, tx->tau[k / some][i + j]);
            }
        }
    }
}

void sac_das_iq_f32_precise(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    size_t step = 2 * (size_t)sac_das_images(das) * (size_t)das->n_frames;
    memset(out, 0, (size_t)n_points * step * sizeof *out);
    arrivals tx;
    for (tx.first = 0; tx.first < das->n_tx; tx.first += TRANSMITS) {
        tx.n = das->n_tx - tx.first < TRANSMITS ? das->n_tx - tx.first : TRANSMITS;
        for (int32_t i = 0; i < n_points; i += POINTS) {
            int32_t some = n_points - i < POINTS ? n_points - i : POINTS;
            add_points(out + (size_t)i * step, das, &tx, first + i, some);
        }
    }
}
