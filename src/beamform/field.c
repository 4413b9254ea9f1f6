/*
 * Blocks of points whose waves have weights of their own: the images of all waves whose field they
 * touch, and their sum.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "beamform/plan.h"

/* out (n_values) += weight times a wave's values of one point. */
static inline void add_values(float *restrict out, const float *restrict in, float weight,
                              int32_t n_values)
{
    for (int32_t k = 0; k < n_values; k++)
        out[k] += weight * in[k];
}

/* The das of waves [begin, end) alone, an image each. */
static sac_das waves_of(const sac_beamform *plan, const sac_das *das, int32_t begin, int32_t end)
{
    sac_das some = *das;
    some.transmits += begin;
    some.tx_weight += begin;
    some.n_tx = end - begin;
    some.data = (const char *)das->data + begin * das->tx * (ptrdiff_t)plan->scalar_size;
    some.lri = true;
    return some;
}

/* The same of a block's points alone, which are listed. Focused waves arrive as the field says;
 * given arrivals are those from point `first` on. */
static sac_das some_waves(const sac_beamform *plan, const sac_das *das, sac_transmit *transmits,
                          double *places, int32_t begin, int32_t end, int64_t first, int32_t n)
{
    double *arrivals = places + (ptrdiff_t)3 * plan->n_block;
    sac_das some = waves_of(plan, das, begin, end);
    for (int32_t t = begin; t < end; t++) {
        const sac_field_wave wave = plan->field.waves[t];
        sac_transmit *own = &transmits[t - begin];
        *own = das->transmits[t];
        if (wave.shape == SAC_FIELD_BOTH_SIDES) {
            own->kind = SAC_TRANSMIT_ARRIVALS;
            own->arrivals_s = arrivals;
            for (int32_t i = 0; i < n; i++) {
                const double *p = places + (ptrdiff_t)3 * i;
                *arrivals++ = sac_field_arrival_m(&wave, p[0], p[1], p[2]) / das->c_m_s;
            }
        } else if (own->kind == SAC_TRANSMIT_ARRIVALS) {
            own->arrivals_s += first;
        }
    }
    some.transmits = transmits;
    some.points_m = places;
    some.n_points = n;
    some.tile_rows = some.tile_columns = 0;
    return some;
}

/* out (n, n_values) of the images of waves [begin, end), (n, end - begin, n_values). */
static void compound(float *out, const float *images, const float *weights, int32_t step,
                     int32_t begin, int32_t end, int32_t n, int32_t n_values)
{
    memset(out, 0, (size_t)n * (size_t)n_values * sizeof *out);
    for (int32_t p = 0; p < n; p++, out += n_values)
        for (int32_t t = begin; t < end; t++, images += n_values) {
            const float weight = weights[(ptrdiff_t)t * step + p];
            if (weight != 0) /* what is not taken may be no number */
                add_values(out, images, weight, n_values);
        }
}

void sac_beamform_field_block(const sac_beamform *plan, float *out, const sac_das *das,
                              int64_t first, int32_t n, int32_t i)
{
    const int32_t n_block = plan->n_block, n_values = das->n_frames * (plan->iq ? 2 : 1);
    float *weights = plan->wave_images + (size_t)i * plan->wave_floats;
    float *images = weights + (ptrdiff_t)n_block * das->n_tx;
    double *places = plan->wave_places + (size_t)i * (size_t)n_block * (size_t)(das->n_tx + 6);
    double *x = places + (ptrdiff_t)n_block * (das->n_tx + 3), *y = x + n_block, *z = y + n_block;
    int32_t begin, end;
    sac_das_points(x, y, z, das, first, n);
    sac_field_weights(weights, n_block, &begin, &end, &plan->field, x, y, z, n);
    for (int32_t k = 0; k < n; k++) {
        const double p[3] = {x[k], y[k], z[k]};
        memcpy(places + (ptrdiff_t)3 * k, p, sizeof p);
    }
    if (begin < end && plan->layered) {
        const sac_das some = waves_of(plan, das, begin, end);
        sac_beamform_layered_block(plan, images, &some, first, n, i);
    } else if (begin < end) {
        const sac_das some = some_waves(plan, das, plan->wave_transmits + (ptrdiff_t)i * das->n_tx,
                                        places, begin, end, first, n);
        plan->beamform(images, &some, 0, n);
    }
    compound(out, images, weights, n_block, begin, end, n, n_values);
}
