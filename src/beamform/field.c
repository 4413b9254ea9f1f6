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

/* The das of waves [begin, end) alone. */
static sac_das some_waves(const sac_beamform *plan, const sac_das *das, int32_t begin, int32_t end)
{
    sac_das some = *das;
    some.transmits += begin;
    some.tx_weight += begin;
    some.n_tx = end - begin;
    some.data = (const char *)das->data + begin * das->tx * (ptrdiff_t)plan->scalar_size;
    some.lri = true;
    return some;
}

void sac_beamform_field_block(const sac_beamform *plan, float *out, const sac_das *das,
                              int64_t first, int32_t n, int32_t i)
{
    const int32_t n_values = das->n_frames * (plan->iq ? 2 : 1);
    float *weights = plan->wave_images + (size_t)i * plan->wave_floats;
    float *images = weights + (ptrdiff_t)plan->n_block * das->n_tx;
    double x[SAC_DAS_BLOCK], y[SAC_DAS_BLOCK], z[SAC_DAS_BLOCK];
    int32_t begin, end;
    sac_das_points(x, y, z, das, first, n);
    sac_field_weights(weights, plan->n_block, &begin, &end, &plan->field, x, y, z, n);
    memset(out, 0, (size_t)n * (size_t)n_values * sizeof *out);
    if (begin >= end)
        return;
    const sac_das some = some_waves(plan, das, begin, end);
    plan->beamform(images, &some, first, n);
    for (int32_t p = 0; p < n; p++)
        for (int32_t t = begin; t < end; t++) {
            const float weight = weights[(ptrdiff_t)t * plan->n_block + p];
            if (weight != 0) /* what is not taken may be no number */
                add_values(out + (ptrdiff_t)p * n_values, images, weight, n_values);
            images += n_values;
        }
}
