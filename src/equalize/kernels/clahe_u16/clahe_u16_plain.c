/*
 * clahe_u16 in plain C. floor((G R + 2^15 V) / 2^16) / V is a quotient of integers below 2^33 and
 * 2^16, which double rounds down correctly.
 * SPDX-License-Identifier: Apache-2.0
 */
#define SAC_DEPTH 16
#include "clahe_u16.h"
#include "equalize/kernels/clahe_plain.h"

/* As mix_block does, of sums. Levels by products: as in levels_u32_plain. */
static void mix_sums(uint32_t *restrict g, const uint16_t *restrict v, const sac_clahe *c,
                     int64_t x0, int64_t y, int64_t n)
{
    const size_t bins = (size_t)c->bins;
    const sac_clahe_place py = sac_clahe_at(y, c->h, c->tiles_y);
    const uint16_t *top = c->sum + sac_clahe_tile(c, 0, py.first);
    const uint16_t *bottom = c->sum + sac_clahe_tile(c, 0, py.second);
    const double most = (double)c->most, inverse = 1 / (double)c->pixels;
    for (int64_t i = 0; i < n; i++) {
        const sac_clahe_place px = c->column[x0 + i];
        const size_t bin = v[i] * bins >> 16;
        const size_t first = (size_t)px.first * bins + bin, second = (size_t)px.second * bins + bin;
        const uint16_t sum[4] = {top[first], top[second], bottom[first], bottom[second]};
        uint32_t level[4];
        for (int k = 0; k < 4; k++)
            level[k] = (uint32_t)(int64_t)((sum[k] * most + 0.5) * inverse);
        g[i] = sac_clahe_mix(level[0], level[1], level[2], level[3], px.weight, py.weight);
    }
}

static void scale_channel(uint16_t *out, const uint16_t *in, const uint32_t *restrict g,
                          const double *restrict v, int64_t n, ptrdiff_t to, ptrdiff_t from)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t sum = (uint64_t)g[i] * in[i * from] + ((uint64_t)v[i] << 15);
        out[i * to] = (uint16_t)((double)(sum >> 16) / v[i]);
    }
}

void sac_clahe_u16_plain(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c,
                         int64_t y0)
{
    sac_sample v[SAC_BLOCK];
    uint32_t g[SAC_BLOCK];
    sac_divisor divisor[SAC_BLOCK];
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax(v, in, x, y, n);
            if (c->sum)
                mix_sums(g, v, c, x, y0 + y, n);
            else
                mix_block(g, v, c, x, y0 + y, n);
            make_divisors(divisor, g, v, n);
            for (int k = 0; k < in->n_colors; k++)
                scale_channel(sac_out_u16(out, k, x, y), sac_row_u16(in, k, x, y), g, divisor, n,
                              out->pixel / 2, in->pixel / 2);
        }
    sac_copy_alpha(out, in, 2);
}
