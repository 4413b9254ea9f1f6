/*
 * What denoise makes of numbers: the noise's strength from a picture, the temporal filter's table
 * from that, Gaussian weights.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "motion/denoise.h"
#include "motion/denoise_table.h"

/* One row's |L| to the histogram. */
static void count_row(uint32_t *hist, const sac_samples *p, int64_t y, int32_t c)
{
    const uint8_t *b = p->data + y * p->row + c * p->channel, *a = b - p->row, *d = b + p->row;
    const ptrdiff_t s = p->pixel;
    for (int64_t x = 1; x < p->w - 1; x++) {
        const uint8_t *at = b + x * s, *up = a + x * s, *down = d + x * s;
        if (*at == 0 || *at == 255)
            continue;
        int l = up[-s] - 2 * up[0] + up[s] - 2 * at[-s] + 4 * at[0] - 2 * at[s] + down[-s] -
                2 * down[0] + down[s];
        hist[abs(l)]++;
    }
}

double sac_denoise_estimate(const sac_samples *in)
{
    uint32_t hist[SAC_NOISE_BINS] = {0};
    const int32_t n_rows = sac_noise_rows(in->h);
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t c = 0; c < in->n_channels; c++)
            count_row(hist, in, sac_noise_row(i, n_rows, in->h), c);
    return sac_noise_of(hist);
}

void sac_denoise_keep(uint16_t *keep, double strength, double noise)
{
    for (int i = 0; i < 256; i++)
        keep[i] = sac_keep_of(i, strength, noise);
}

void sac_denoise_weights(sac_filter *window, double sigma)
{
    const int r = window->size / 2;
    double g[3] = {1, 0, 0}, sum = 1;
    for (int i = 1; i <= r; i++) {
        g[i] = exp(-i * i / (2 * sigma * sigma));
        sum += 2 * g[i];
    }
    window->weight[1] = (int32_t)lrint(256 * g[1] / sum);
    window->weight[2] = (int32_t)lrint(256 * g[2] / sum);
    window->weight[0] = 256 - 2 * (window->weight[1] + window->weight[2]);
}
