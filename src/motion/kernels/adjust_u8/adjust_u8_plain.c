/*
 * adjust_u8 in plain C. Where the luma has no part in it, and of gray, a table of 256; else a luma
 * for each pixel.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "adjust_u8.h"
#include "image/pixels_inline.h"

static inline uint8_t clip(int32_t v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void look_up(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *m)
{
    uint8_t table[256];
    for (int32_t v = 0; v < 256; v++)
        table[v] = clip(((m->p + m->q) * v + m->o * (1 << (m->shift - 5))) >> m->shift);
    for (int64_t y = 0; y < in->h; y++)
        for (int c = 0; c < in->n_colors; c++) {
            const uint8_t *from = sac_row_u8(in, c, 0, y);
            uint8_t *to = sac_out_u8(out, c, 0, y);
            for (int64_t x = 0; x < in->w; x++)
                to[x * out->pixel] = table[from[x * in->pixel]];
        }
}

/* What a loop needs: factors in 2^-by, weights of a pixel's three colors. */
typedef struct {
    int32_t p, q, o, by, weight[3];
} factors;

/* n packed pixels of `step` samples: what the luma gives to each is copied to all samples of its
 * pixel first, so that one loop mixes neighbors. `step` is a constant where this is inlined. */
static inline void mix_dense(uint8_t *to, const uint8_t *from, int n, const factors *f, int step)
{
    int32_t share[4 * SAC_BLOCK];
    uint8_t mixed[4 * SAC_BLOCK];
    for (int i = 0; i < n; i++) {
        const uint8_t *c = from + i * step;
        const int32_t luma = f->weight[0] * c[0] + f->weight[1] * c[1] + f->weight[2] * c[2];
        for (int k = 0; k < step; k++)
            share[i * step + k] = f->q * luma + f->o;
    }
    for (int i = 0; i < n * step; i++)
        mixed[i] = clip((f->p * from[i] + share[i]) >> f->by);
    for (int i = 0; step == 4 && i < n; i++)
        mixed[4 * i + 3] = from[4 * i + 3];
    memcpy(to, mixed, (size_t)n * (size_t)step);
}

static void mix_sparse(const sac_pixels *out, const sac_pixels *in, const factors *f, int64_t x,
                       int64_t y, int n)
{
    int32_t share[SAC_BLOCK];
    for (int i = 0; i < n; i++) {
        const int32_t luma = SAC_LUMA_RED * *sac_row_u8(in, 0, x + i, y) +
                             SAC_LUMA_GREEN * *sac_row_u8(in, 1, x + i, y) +
                             SAC_LUMA_BLUE * *sac_row_u8(in, 2, x + i, y);
        share[i] = f->q * luma + f->o;
    }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++)
            *sac_out_u8(out, c, x + i, y) =
                clip((f->p * *sac_row_u8(in, c, x + i, y) + share[i]) >> f->by);
}

static void mix_block(const sac_pixels *out, const sac_pixels *in, const factors *f, int64_t x,
                      int64_t y, int n, int step)
{
    const uint8_t *from = sac_low_color_u8(in, x, y);
    uint8_t *to = sac_out_u8(out, 0, x, y) + (from - sac_row_u8(in, 0, x, y));
    if (step == 3)
        mix_dense(to, from, n, f, 3);
    else if (step == 4)
        mix_dense(to, from, n, f, 4);
    else
        mix_sparse(out, in, f, x, y, n);
}

static void mix_colors(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *m)
{
    static const int32_t weights[] = {SAC_LUMA_RED, SAC_LUMA_GREEN, SAC_LUMA_BLUE};
    const int step = sac_dense_step_u8(out, in);
    factors f = {128 * m->p, m->q, m->o * (1 << (m->shift + 2)), m->shift + 7, {0}};
    for (int c = 0; step > 0 && c < 3; c++)
        f.weight[sac_row_u8(in, c, 0, 0) - sac_low_color_u8(in, 0, 0)] = weights[c];
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            const int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            mix_block(out, in, &f, x, y, (int)n, step);
        }
}

void sac_adjust_u8_plain(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *mix)
{
    if (in->n_colors == 1 || mix->q == 0)
        look_up(out, in, mix);
    else
        mix_colors(out, in, mix);
    sac_copy_alpha(out, in, 1);
}
