/*
 * adapt_iq_f32 in plain C: the reference, whose delays are those of the specification of
 * delay-and-sum; and the same with what das_iq_f32's plain form receives. Both reduce in double.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "adapt_iq_f32.h"
#include "beamform/kernels/das/das_inline.h"

#define PI 3.14159265358979323846

/* The signals of a point that are reduced together. */
typedef struct signals {
    int32_t n, at; /* those there are, and where the next one goes */
    double (*x)[2];
} signals;

/* Puts a(t) times transmit t's signals behind the others, or adds them to those at the beginning.
 */
typedef void (*take_fn)(signals *to, const sac_das *das, int64_t index, int32_t t, double scale);

static void put(signals *to, double re, double im)
{
    double *x = to->x[to->at++];
    if (to->at > to->n) {
        to->n = to->at;
        x[0] = x[1] = 0;
    }
    x[0] += re;
    x[1] += im;
}

static double sample(const sac_das *das, ptrdiff_t record, int32_t n_taps, const double *c,
                     int32_t at)
{
    const float *data = das->data;
    double sum = 0;
    for (int32_t k = 0; k < n_taps; k++)
        sum += c[k] * (double)data[record + (at + k) * das->sample];
    return sum;
}

static void take_exact(signals *to, const sac_das *das, int64_t index, int32_t t, double scale)
{
    const sac_transmit *transmit = &das->transmits[t];
    double p[3], u2, c[4];
    sac_das_point(p, das, index);
    const double tau_tx = sac_das_arrival_of(das, t, p, index);
    for (int32_t r = 0; r < das->n_rx; r++) {
        const sac_element *e = &das->elements[r];
        if (!sac_das_in_aperture(&u2, &das->apodization, e, p))
            continue;
        const double tau = tau_tx + sac_distance(p, e->position_m) / das->c_m_s;
        const double since = tau - transmit->t0_s;
        const double turns = das->phase_sign * das->fd_hz * (das->phase_transmit ? tau : since);
        int32_t at;
        const int32_t n =
            sac_das_taps(c, &at, since * das->fs_hz, das->n_samples, das->interp, das->outside);
        const ptrdiff_t record = t * das->tx + r * das->rx;
        const double re = sample(das, record, n, c, at),
                     im = sample(das, record + das->imag, n, c, at);
        /* Delays that are no number take no sample. */
        const double angle = n > 0 ? 2 * PI * (turns - nearbyint(turns)) : 0;
        const double w = scale * sac_das_weight(&das->apodization, e, p), a = w * cos(angle),
                     b = w * sin(angle);
        put(to, a * re - b * im, a * im + b * re);
    }
}

static void take_plain(signals *to, const sac_das *das, int64_t index, int32_t t, double scale)
{
    double p[3], tau = 0;
    sac_das_receive rx;
    int32_t begin, end;
    sac_das_point(p, das, index);
    sac_das_aperture(&begin, &end, das, p);
    sac_das_arrival_row(&tau, das, t, p, p + 1, p + 2, index, 1);
    const sac_das_transmit tx = sac_das_transmit_at(das, t, tau);
    const float *data = (const float *)das->data + t * das->tx;
    const double c = scale * (double)tx.re, d = scale * (double)tx.im;
    for (; begin < end; begin += SAC_DAS_CHUNK) {
        const int32_t stop = end - begin < SAC_DAS_CHUNK ? end : begin + SAC_DAS_CHUNK;
        sac_das_receive_point(&rx, das, p, begin, stop);
        for (int32_t k = 0; k < rx.n; k++) {
            float re = 0, im = 0;
            sac_das_add_element(&re, &im, &rx, k, data, das, tx.offset, 1);
            put(to, c * (double)re - d * (double)im, c * (double)im + d * (double)re);
        }
    }
}

/* Each transmit's value. */
static void reduce_transmits(double *sum, float *lri, const sac_das *das, signals *x, int64_t index,
                             take_fn take, double *scratch)
{
    for (int32_t t = 0; t < das->n_tx; t++) {
        const double weight = lri ? 1 : (double)das->tx_weight[t];
        double value[2];
        x->n = x->at = 0;
        take(x, das, index, t, 1);
        sac_reduce(value, (const double(*)[2])x->x, x->n, das->reduction, scratch);
        for (int32_t part = 0; part < 2; part++) {
            sum[part] += weight * value[part];
            if (lri)
                lri[2 * t + part] = (float)value[part];
        }
    }
}

/* `over` transmits, elements or all. */
static void reduce_points(float *out, const sac_das *das, int64_t first, int32_t n_points,
                          take_fn take)
{
    const sac_reduction_over over = das->reduction->over;
    signals x = {.x = (double(*)[2])(void *)das->scratch};
    double *scratch = &x.x[(ptrdiff_t)das->n_rx * (over == SAC_OVER_ALL ? das->n_tx : 1)][0];
    for (int32_t i = 0; i < n_points; i++, out += 2 * (ptrdiff_t)sac_das_images(das)) {
        double sum[2] = {0};
        x.n = 0;
        if (over == SAC_OVER_TRANSMIT) {
            reduce_transmits(sum, das->lri ? out : NULL, das, &x, first + i, take, scratch);
        } else {
            for (int32_t t = 0; t < das->n_tx; t++) {
                x.at = over == SAC_OVER_ALL ? x.n : 0;
                take(&x, das, first + i, t, (double)das->tx_weight[t]);
            }
            sac_reduce(sum, (const double(*)[2])x.x, x.n, das->reduction, scratch);
        }
        for (int32_t part = 0; part < 2 && !das->lri; part++)
            out[part] = (float)sum[part];
    }
}

void sac_adapt_iq_f32_ref(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    reduce_points(out, das, first, n_points, take_exact);
}

void sac_adapt_iq_f32_plain(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    reduce_points(out, das, first, n_points, take_plain);
}
