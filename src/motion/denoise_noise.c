/*
 * What denoise makes of numbers: the noise's strength from a picture, the temporal filter's table
 * from that, Gaussian weights.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "motion/denoise.h"

#define ROWS 64           /* looked at, spread over the picture */
#define MAX_L (8 * 255)   /* of |L|, the mask being 1 -2 1, -2 4 -2, 1 -2 1 */
#define MEDIAN 0.67448975 /* of |Gaussian noise|, in standard deviations */

/* One row's |L| to the histogram; returns how many. */
static uint64_t count_row(uint32_t *hist, const sac_samples *p, int64_t y, int32_t c)
{
    const uint8_t *b = p->data + y * p->row + c * p->channel, *a = b - p->row, *d = b + p->row;
    uint64_t n = 0;
    const ptrdiff_t s = p->pixel;
    for (int64_t x = 1; x < p->w - 1; x++) {
        const uint8_t *at = b + x * s, *up = a + x * s, *down = d + x * s;
        if (*at == 0 || *at == 255)
            continue;
        int l = up[-s] - 2 * up[0] + up[s] - 2 * at[-s] + 4 * at[0] - 2 * at[s] + down[-s] -
                2 * down[0] + down[s];
        hist[abs(l)]++;
        n++;
    }
    return n;
}

double sac_denoise_estimate(const sac_samples *in)
{
    uint32_t hist[MAX_L + 1] = {0};
    uint64_t n = 0;
    const int64_t inner = in->h - 2, n_rows = inner < ROWS ? inner : ROWS;
    for (int64_t i = 0; i < n_rows; i++)
        for (int32_t c = 0; c < in->n_channels; c++)
            n += count_row(hist, in, 1 + (2 * i + 1) * inner / (2 * n_rows), c);
    if (n == 0 || 2 * (uint64_t)hist[0] >= n)
        return 0;
    /* |L| = v stands for v - 1/2 to v + 1/2; the median lies within, by its share of the bin. */
    uint64_t below = 0;
    int v = 0;
    while (2 * (below + hist[v]) < n)
        below += hist[v++];
    double share = ((double)n / 2 - (double)below) / hist[v];
    return (v - 0.5 + share) / (6 * MEDIAN);
}

void sac_denoise_keep(uint16_t *keep, double strength, double noise)
{
    for (int i = 0; i < 256; i++) {
        double by = noise > 0 ? 2 - i / (3 * noise) : 0;
        keep[i] = (uint16_t)lrint(65535 * strength * fmin(fmax(by, 0), 1));
    }
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
