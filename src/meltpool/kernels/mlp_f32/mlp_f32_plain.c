/*
 * mlp_f32 in plain C, whose inner loops are over a tile's hidden units.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mlp_f32.h"
#include "mlp_f32_inline.h"

enum { FEATURES = SAC_MELTPOOL_FEATURES, OUTPUTS = SAC_MELTPOOL_PREDICTIONS };
enum { TILE = SAC_MELTPOOL_TILE, LANES = 16 };

/* Adds a tile's share to LANES partial sums of each output. */
static void add_tile(float part[OUTPUTS][LANES], const sac_meltpool_net *net, int32_t tile,
                     const float z[FEATURES])
{
    const float *w1 = net->w1 + tile * FEATURES * TILE, *w2 = net->w2 + tile * OUTPUTS * TILE;
    float hidden[TILE];
    memcpy(hidden, net->b1 + tile * TILE, sizeof hidden);
    for (int32_t i = 0; i < FEATURES; i++)
        for (int32_t j = 0; j < TILE; j++)
            hidden[j] = sac_multiply_add(w1[i * TILE + j], z[i], hidden[j]);
    for (int32_t o = 0; o < OUTPUTS; o++)
        for (int32_t j = 0; j < TILE; j += LANES)
            for (int32_t l = 0; l < LANES; l++)
                part[o][l] = sac_multiply_add(w2[o * TILE + j + l],
                                              hidden[j + l] > 0 ? hidden[j + l] : 0, part[o][l]);
}

void sac_mlp_f32_plain(float *restrict out, const float *restrict features, int64_t n,
                       const sac_meltpool_net *net)
{
    for (int64_t k = 0; k < n; k++) {
        float z[FEATURES], part[OUTPUTS][LANES] = {{0}};
        for (int32_t i = 0; i < FEATURES; i++)
            z[i] = (features[k * FEATURES + i] - net->mean[i]) / net->scale[i];
        for (int32_t tile = 0; tile < net->n_tiles; tile++)
            add_tile(part, net, tile, z);
        for (int32_t o = 0; o < OUTPUTS; o++) {
            float y = net->b2[o];
            for (int32_t l = 0; l < LANES; l++)
                y += part[o][l];
            out[k * OUTPUTS + o] = net->is_softplus ? sac_meltpool_softplus(y) : y;
        }
    }
}
