/*
 * mlp_f32 with vectors: 11 vectors of a tile's hidden units stay in registers while the features
 * pass; where there are registers for it, two frames at a time share each load of weights.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mlp_f32.h"
#include "mlp_f32_inline.h"
#include "simd/floats.h"

enum { FEATURES = SAC_MELTPOOL_FEATURES, OUTPUTS = SAC_MELTPOOL_PREDICTIONS };
enum { TILE = SAC_MELTPOOL_TILE, VECTORS = 11, BLOCK = VECTORS * VF };
enum { AT_ONCE = VF == 8 ? 1 : 2 }; /* AVX2 has 16 registers, the others 32 */

/* The last vector begins where it ends with the features. */
SIMD_INLINE void standardize(float *z, const float *x, const sac_meltpool_net *net)
{
    for (int32_t from = 0; from < FEATURES; from += VF) {
        const int32_t i = from + VF <= FEATURES ? from : FEATURES - VF;
        vf_store(z + i,
                 vf_div(vf_sub(vf_load(x + i), vf_load(net->mean + i)), vf_load(net->scale + i)));
    }
}

/* The share of a tile's hidden units from `at` on in the outputs, by lanes; n: of frames, a
 * constant. */
SIMD_INLINE void add_block(vf part[AT_ONCE][OUTPUTS], const sac_meltpool_net *net, int32_t tile,
                           int32_t at, float (*z)[FEATURES], const int32_t n)
{
    const float *w1 = net->w1 + tile * FEATURES * TILE + at, *b1 = net->b1 + tile * TILE + at;
    const float *w2 = net->w2 + tile * OUTPUTS * TILE + at;
    vf hidden[AT_ONCE][VECTORS];
    for (int32_t k = 0; k < n; k++)
        for (int32_t j = 0; j < VECTORS; j++)
            hidden[k][j] = vf_load(b1 + VF * j);
    for (int32_t i = 0; i < FEATURES; i++, w1 += TILE)
        for (int32_t j = 0; j < VECTORS; j++) {
            const vf w = vf_load(w1 + VF * j);
            for (int32_t k = 0; k < n; k++)
                hidden[k][j] = vf_fma(w, vf_set(z[k][i]), hidden[k][j]);
        }
    for (int32_t k = 0; k < n; k++)
        for (int32_t o = 0; o < OUTPUTS; o++) {
            vf sum = vf_set(0); /* of a block alone: fewer roundings than of all hidden units */
            for (int32_t j = 0; j < VECTORS; j++)
                sum = vf_fma(vf_load(w2 + o * TILE + VF * j), vf_max(hidden[k][j], vf_set(0)), sum);
            part[k][o] = vf_add(part[k][o], sum);
        }
}

SIMD_INLINE void predict(float *out, const float *features, const sac_meltpool_net *net,
                         const int32_t n)
{
    float z[AT_ONCE][FEATURES];
    vf part[AT_ONCE][OUTPUTS];
    for (int32_t k = 0; k < n; k++) {
        standardize(z[k], features + k * FEATURES, net);
        for (int32_t o = 0; o < OUTPUTS; o++)
            part[k][o] = vf_set(0);
    }
    for (int32_t tile = 0; tile < net->n_tiles; tile++)
        for (int32_t at = 0; at < TILE; at += BLOCK)
            add_block(part, net, tile, at, z, n);
    for (int32_t k = 0; k < n; k++)
        for (int32_t o = 0; o < OUTPUTS; o++) {
            const float y = net->b2[o] + vf_total(part[k][o]);
            out[k * OUTPUTS + o] = net->is_softplus ? sac_meltpool_softplus(y) : y;
        }
}

void sac_mlp_f32_simd(float *restrict out, const float *restrict features, int64_t n,
                      const sac_meltpool_net *net)
{
    int64_t k = 0;
    for (; k + AT_ONCE <= n; k += AT_ONCE)
        predict(out + k * OUTPUTS, features + k * FEATURES, net, AT_ONCE);
    if (k < n)
        predict(out + k * OUTPUTS, features + k * FEATURES, net, 1);
}
