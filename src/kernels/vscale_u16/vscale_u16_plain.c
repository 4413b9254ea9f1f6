/*
 * vscale_u16 in plain C: one 64-bit multiplication a sample instead of the division, by blocks that
 * stay in the L1 cache.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/pixels_inline.h"
#include "vscale_u16.h"

#define HALF (UINT64_C(1) << (SAC_SCALE_SHIFT_U16 - 1))

/* (n) samples of one channel; steps in samples, passed as constants where they are common, for the
 * vectorizer. */
static inline void scale_step(uint16_t *out, const uint16_t *in, const uint64_t *q, int64_t n,
                              ptrdiff_t to, ptrdiff_t from)
{
    for (int64_t i = 0; i < n; i++)
        out[i * to] = (uint16_t)((q[i] * in[i * from] + HALF) >> SAC_SCALE_SHIFT_U16);
}

static void scale_channel(uint16_t *out, const uint16_t *in, const uint64_t *q, int64_t n,
                          ptrdiff_t to, ptrdiff_t from)
{
    if (to == 3 && from == 3)
        scale_step(out, in, q, n, 3, 3);
    else if (to == 1 && from == 1)
        scale_step(out, in, q, n, 1, 1);
    else
        scale_step(out, in, q, n, to, from);
}

void sac_vscale_u16_plain(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    uint16_t v[SAC_BLOCK];
    uint64_t q[SAC_BLOCK];
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax_u16(v, in, x, y, n);
            for (int64_t i = 0; i < n; i++)
                q[i] = s->q16[v[i]];
            for (int c = 0; c < in->n_colors; c++)
                scale_channel(sac_out_u16(out, c, x, y), sac_row_u16(in, c, x, y), q, n,
                              out->pixel / 2, in->pixel / 2);
        }
    sac_copy_alpha(out, in, 2);
}
