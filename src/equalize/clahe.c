/*
 * CLAHE's first pass: the histogram of each tile, clipped, and from it the levels M s (Zuiderveld,
 * "Contrast limited adaptive histogram equalization", Graphics Gems IV, 1994).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "equalize/plan.h"

/* Where tile t of n begins on an axis of `size` pixels. */
static int64_t tile_start(int64_t size, int32_t t, int32_t n)
{
    return size * t / n;
}

static sac_pixels tile_pixels(const sac_equalize *plan, int32_t tx, int32_t ty)
{
    const sac_clahe *c = &plan->clahe;
    sac_pixels p = plan->in;
    int64_t x = tile_start(c->w, tx, c->tiles_x), y = tile_start(c->h, ty, c->tiles_y);
    for (int i = 0; i < p.n_colors; i++)
        p.color[i] = (char *)p.color[i] + y * p.row + x * p.pixel;
    p.w = tile_start(c->w, tx + 1, c->tiles_x) - x;
    p.h = tile_start(c->h, ty + 1, c->tiles_y) - y;
    return p;
}

/*
 * Cuts every bin to the limit, and gives what was cut back: the same to each bin, and the rest one
 * by one to bins spread evenly from the first on, as OpenCV does.
 */
static void clip(uint64_t *counts, int32_t bins, uint64_t limit)
{
    uint64_t excess = 0, n = (uint64_t)bins;
    for (int32_t b = 0; b < bins; b++)
        if (counts[b] > limit) {
            excess += counts[b] - limit;
            counts[b] = limit;
        }
    uint64_t each = excess / n, rest = excess % n, step = rest ? n / rest : 1;
    for (int32_t b = 0; each && b < bins; b++)
        counts[b] += each;
    for (uint64_t i = 0; i < rest; i++)
        counts[i * step]++;
}

/* As sac_equalize_fold; the usual case without divisions. */
static void fold(uint64_t *counts, int32_t bins, const uint32_t *hist, int32_t n_values)
{
    if (bins == n_values) {
        for (int32_t b = 0; b < bins; b++)
            counts[b] = hist[b];
        return;
    }
    memset(counts, 0, (size_t)bins * sizeof *counts);
    for (int64_t v = 0; v < n_values; v++)
        counts[v * bins / n_values] += hist[v];
}

static void tile_levels(sac_equalize *plan, int32_t strip, int32_t tx, int32_t ty)
{
    int32_t bins = plan->desc.bins;
    size_t n = (size_t)bins, tile = (size_t)ty * (size_t)plan->clahe.tiles_x + (size_t)tx;
    uint32_t *hist = plan->hist + (size_t)strip * (size_t)plan->n_values;
    uint64_t *counts = plan->tile_counts + (size_t)strip * n;
    uint64_t *found = plan->strip_counts + (size_t)strip * n;
    sac_pixels in = tile_pixels(plan, tx, ty);
    plan->count(hist, &in);
    fold(counts, bins, hist, plan->n_values);
    for (int32_t b = 0; b < bins; b++)
        found[b] += counts[b];

    uint64_t pixels = (uint64_t)(in.w * in.h), max = (uint64_t)plan->n_values - 1, sum = 0;
    double limit = floor(plan->desc.clip * (double)pixels / bins);
    if (plan->desc.clip > 0 && limit < (double)pixels)
        clip(counts, bins, limit > 1 ? (uint64_t)limit : 1);
    int64_t follow = sac_equalize_follow(plan), now = 0;
    uint32_t *level = plan->level + tile * n;
    for (int32_t b = 0; b < bins; b++) {
        sum += counts[b];
        if (counts[b] || b == 0)
            now = (int64_t)((max << SAC_CLAHE_LEVEL_BITS) * sum / pixels);
        level[b] = follow == 65536 ? (uint32_t)now
                                   : (uint32_t)(level[b] + (now - level[b]) * follow / 65536);
    }
}

static void strip_levels(void *arg, int32_t strip)
{
    sac_equalize *plan = arg;
    size_t n = (size_t)plan->desc.bins;
    int32_t across = plan->clahe.tiles_x, n_tiles = across * plan->clahe.tiles_y;
    memset(plan->strip_counts + (size_t)strip * n, 0, n * sizeof *plan->strip_counts);
    for (int32_t t = strip; t < n_tiles; t += plan->n_strips)
        tile_levels(plan, strip, t % across, t / across);
}

void sac_equalize_make_levels(sac_equalize *plan)
{
    size_t n = (size_t)plan->desc.bins;
    sac_pool_run(plan->pool, plan->n_strips, strip_levels, plan);
    memcpy(plan->counts, plan->strip_counts, n * sizeof *plan->counts);
    for (size_t i = 1; i < (size_t)plan->n_strips; i++)
        for (size_t b = 0; b < n; b++)
            plan->counts[b] += plan->strip_counts[i * n + b];
}
