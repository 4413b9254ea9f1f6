/*
 * mlp_f32 with AVX-512: a tile's hidden units are 11 vectors that stay in registers while
 * the features pass; two frames at a time share each load of weights.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "mlp_f32.h"
#include "mlp_f32_inline.h"

#define INLINE static inline __attribute__((always_inline))

enum { FEATURES = SAC_MELTPOOL_FEATURES, OUTPUTS = SAC_MELTPOOL_PREDICTIONS };
enum { TILE = SAC_MELTPOOL_TILE, LANES = 16, VECTORS = TILE / LANES, AT_ONCE = 2 };

INLINE void standardize(float *z, const float *x, const sac_meltpool_net *net)
{
    for (int32_t i = 0; i < FEATURES; i += LANES) {
        const __mmask16 some = (__mmask16)_bzhi_u32(0xFFFF, (uint32_t)(FEATURES - i));
        const __m512 mean = _mm512_load_ps(net->mean + i);
        const __m512 scale = _mm512_mask_load_ps(_mm512_set1_ps(1), some, net->scale + i);
        const __m512 v = _mm512_maskz_loadu_ps(some, x + i);
        _mm512_store_ps(z + i, _mm512_div_ps(_mm512_sub_ps(v, mean), scale));
    }
}

/* A tile's share of the outputs, by lanes; n: of frames, a constant. */
INLINE void add_tile(__m512 part[AT_ONCE][OUTPUTS], const sac_meltpool_net *net, int32_t tile,
                     float (*z)[3 * LANES], const int32_t n)
{
    const float *w1 = net->w1 + tile * FEATURES * TILE, *w2 = net->w2 + tile * OUTPUTS * TILE;
    const float *b1 = net->b1 + tile * TILE;
    __m512 hidden[AT_ONCE][VECTORS];
    for (int32_t k = 0; k < n; k++)
        for (int32_t j = 0; j < VECTORS; j++)
            hidden[k][j] = _mm512_load_ps(b1 + LANES * j);
    for (int32_t i = 0; i < FEATURES; i++, w1 += TILE)
        for (int32_t j = 0; j < VECTORS; j++) {
            const __m512 w = _mm512_load_ps(w1 + LANES * j);
            for (int32_t k = 0; k < n; k++)
                hidden[k][j] = _mm512_fmadd_ps(w, _mm512_set1_ps(z[k][i]), hidden[k][j]);
        }
    for (int32_t j = 0; j < VECTORS; j++)
        for (int32_t k = 0; k < n; k++)
            for (int32_t o = 0; o < OUTPUTS; o++)
                part[k][o] =
                    _mm512_fmadd_ps(_mm512_load_ps(w2 + o * TILE + LANES * j),
                                    _mm512_max_ps(hidden[k][j], _mm512_setzero_ps()), part[k][o]);
}

INLINE void predict(float *out, const float *features, const sac_meltpool_net *net, const int32_t n)
{
    _Alignas(64) float z[AT_ONCE][3 * LANES];
    __m512 part[AT_ONCE][OUTPUTS];
    for (int32_t k = 0; k < n; k++) {
        standardize(z[k], features + k * FEATURES, net);
        for (int32_t o = 0; o < OUTPUTS; o++)
            part[k][o] = _mm512_setzero_ps();
    }
    for (int32_t tile = 0; tile < net->n_tiles; tile++)
        add_tile(part, net, tile, z, n);
    for (int32_t k = 0; k < n; k++)
        for (int32_t o = 0; o < OUTPUTS; o++) {
            const float y = net->b2[o] + _mm512_reduce_add_ps(part[k][o]);
            out[k * OUTPUTS + o] = net->is_softplus ? sac_meltpool_softplus(y) : y;
        }
}

void sac_mlp_f32_avx512(float *restrict out, const float *restrict features, int64_t n,
                        const sac_meltpool_net *net)
{
    int64_t k = 0;
    for (; k + AT_ONCE <= n; k += AT_ONCE)
        predict(out + k * OUTPUTS, features + k * FEATURES, net, AT_ONCE);
    if (k < n)
        predict(out + k * OUTPUTS, features + k * FEATURES, net, 1);
}
