/*
 * clahe_u16 in plain C. floor((G R + 2^15 V) / 2^16) / V is a quotient of integers below 2^33 and
 * 2^16, which double rounds down correctly.
 * SPDX-License-Identifier: Apache-2.0
 */
#define SAC_DEPTH 16
#include "clahe_u16.h"
#include "equalize/kernels/clahe_plain.h"

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
            mix_block(g, v, c, x, y0 + y, n);
            make_divisors(divisor, g, v, n);
            for (int k = 0; k < in->n_colors; k++)
                scale_channel(sac_out_u16(out, k, x, y), sac_row_u16(in, k, x, y), g, divisor, n,
                              out->pixel / 2, in->pixel / 2);
        }
    sac_copy_alpha(out, in, 2);
}
