/*
 * What clahe_u8 and clahe_u16 share in plain C, for samples of SAC_DEPTH bits: the factor G / V of
 * each pixel, with places between tiles from a table. The division by V is one in floating point
 * (docs/numerics.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_CLAHE_PLAIN_H
#define SAC_EQUALIZE_CLAHE_PLAIN_H

#include "equalize/kernels/clahe.h"
#include "image/vmax_inline.h"

#if SAC_DEPTH == 8
typedef float sac_divisor;
#else
typedef double sac_divisor;
#endif

/* G of n pixels whose V are v; the first one is at x0, y of the whole picture. */
static void mix_block(uint32_t *restrict g, const sac_sample *restrict v, const sac_clahe *c,
                      int64_t x0, int64_t y, int64_t n)
{
    size_t bins = (size_t)c->bins, row = (size_t)c->tiles_x * bins;
    sac_clahe_place py = sac_clahe_at(y, c->h, c->tiles_y);
    const uint32_t *top = c->level + (size_t)py.first * row;
    const uint32_t *bottom = c->level + (size_t)py.second * row;
    for (int64_t i = 0; i < n; i++) {
        sac_clahe_place px = c->column[x0 + i];
        size_t bin = (size_t)((uint64_t)v[i] * bins >> SAC_DEPTH);
        size_t first = (size_t)px.first * bins + bin, second = (size_t)px.second * bins + bin;
        g[i] = sac_clahe_mix(top[first], top[second], bottom[first], bottom[second], px.weight,
                             py.weight);
    }
}

/* The divisors of n pixels: V. Black gets G = 0 and divisor 1. */
static inline void make_divisors(sac_divisor *divisor, uint32_t *g, const sac_sample *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        g[i] &= v[i] ? UINT32_MAX : 0; /* without a branch */
        divisor[i] = SAC_MAX(v[i], 1);
    }
}

#endif
