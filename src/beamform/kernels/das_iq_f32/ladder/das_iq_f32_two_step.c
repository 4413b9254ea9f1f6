/*
 * das_iq_f32 in two steps, as Jarosik, Lewandowski and Yiu begin: interpolate each element's record
 * at each point's delay into a buffer, then sum the buffer over the elements.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "beamform/kernels/das_iq_f32/das_iq_f32.h"
#include "beamform/kernels/das/das_inline.h"

#define FRAMES 8
#define ELEMENTS 64

typedef struct layers {
    float re[ELEMENTS][FRAMES], im[ELEMENTS][FRAMES]; /* interpolated, rotated, weighed */
} layers;

static void interpolate(layers *to, const sac_das *das, const sac_das_receive *rx,
                        const float *data, double offset, int32_t n_frames)
{
    memset(to, 0, sizeof *to);
    for (int32_t k = 0; k < rx->n; k++)
        sac_das_add_element(to->re[k], to->im[k], rx, k, data, das, offset, n_frames);
}

static void sum(float *out, const layers *from, const sac_das_transmit *tx, float weight,
                int32_t n_elements, int32_t n_frames)
{
    for (int32_t f = 0; f < n_frames; f++) {
        float re = 0, im = 0;
        for (int32_t k = 0; k < n_elements; k++) {
            re += from->re[k][f];
            im += from->im[k][f];
        }
        out[2 * f] += weight * (tx->re * re - tx->im * im);
        out[2 * f + 1] += weight * (tx->re * im + tx->im * re);
    }
}

/* out += transmit t at point p, `index`: elements [begin, end). */
static void add_transmit(float *out, const sac_das *das, const sac_das_receive *rx, int32_t t,
                         const double p[3], int64_t index)
{
    layers between;
    double tau = 0;
    sac_das_arrival_row(&tau, das, t, p, p + 1, p + 2, index, 1);
    const sac_das_transmit tx = sac_das_transmit_at(das, t, tau);
    const float *data = (const float *)das->data + t * das->tx;
    for (int32_t f = 0; f < das->n_frames; f += FRAMES) {
        int32_t n = das->n_frames - f < FRAMES ? das->n_frames - f : FRAMES;
        interpolate(&between, das, rx, data + f, tx.offset, n);
        sum(out + 2 * f, &between, &tx, das->lri ? 1 : das->tx_weight[t], rx->n, n);
    }
}

void sac_das_iq_f32_two_step(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    ptrdiff_t image = (ptrdiff_t)2 * das->n_frames, step = image * sac_das_images(das);
    memset(out, 0, (size_t)(n_points * step) * sizeof *out);
    for (int32_t i = 0; i < n_points; i++) {
        int32_t begin, end;
        double p[3], q[3];
        sac_das_receive rx;
        sac_das_point(p, das, first + i);
        memcpy(q, p, sizeof q);
        sac_das_receive_at(&q[0], &q[1], &das->line);
        sac_das_aperture(&begin, &end, das, q);
        for (; begin < end; begin += ELEMENTS) {
            int32_t stop = end - begin < ELEMENTS ? end : begin + ELEMENTS;
            sac_das_receive_point(&rx, das, q, begin, stop);
            for (int32_t t = 0; t < das->n_tx; t++)
                add_transmit(out + i * step + (das->lri ? t * image : 0), das, &rx, t, p,
                             first + i);
        }
    }
}
