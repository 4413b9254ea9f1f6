/*
 * mlp_f32: the specification, in double.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "mlp_f32.h"

enum { FEATURES = SAC_MELTPOOL_FEATURES, OUTPUTS = SAC_MELTPOOL_PREDICTIONS };

static double softplus(double y)
{
    return fmax(y, 0) + log1p(exp(-fabs(y)));
}

/* max(0, b1 + W1 z) of hidden unit `at` of a tile. */
static double hidden(const sac_meltpool_net *net, int32_t tile, int32_t at,
                     const double z[FEATURES])
{
    double sum = (double)net->b1[tile * SAC_MELTPOOL_TILE + at];
    for (int32_t i = 0; i < FEATURES; i++)
        sum += (double)net->w1[(tile * FEATURES + i) * SAC_MELTPOOL_TILE + at] * z[i];
    return fmax(sum, 0);
}

void sac_mlp_f32_ref(float *out, const float *features, int64_t n, const sac_meltpool_net *net)
{
    for (int64_t k = 0; k < n; k++) {
        double z[FEATURES], y[OUTPUTS] = {(double)net->b2[0], (double)net->b2[1]};
        for (int32_t i = 0; i < FEATURES; i++)
            z[i] =
                ((double)features[k * FEATURES + i] - (double)net->mean[i]) / (double)net->scale[i];
        for (int32_t h = 0; h < net->n_hidden; h++) {
            const int32_t tile = h / SAC_MELTPOOL_TILE, at = h % SAC_MELTPOOL_TILE;
            const double x = hidden(net, tile, at, z);
            for (int32_t o = 0; o < OUTPUTS; o++)
                y[o] += (double)net->w2[(tile * OUTPUTS + o) * SAC_MELTPOOL_TILE + at] * x;
        }
        for (int32_t o = 0; o < OUTPUTS; o++)
            out[k * OUTPUTS + o] = (float)(net->is_softplus ? softplus(y[o]) : y[o]);
    }
}
