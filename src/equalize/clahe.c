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

/* As sac_equalize_fold, of a tile; where a bin is a value, its counts are the histogram. */
static uint32_t *fold(uint32_t *counts, int32_t bins, uint32_t *hist, int32_t n_values)
{
    if (bins == n_values)
        return hist;
    memset(counts, 0, (size_t)bins * sizeof *counts);
    for (int64_t v = 0; v < n_values; v++)
        counts[v * bins / n_values] += hist[v];
    return counts;
}

/* Levels come nearer to those of this picture alone, by a share of 65536. */
static void follow_levels(uint32_t *level, const uint32_t *now, int32_t bins, int64_t share)
{
    for (int32_t b = 0; b < bins; b++)
        level[b] = (uint32_t)(level[b] + ((int64_t)now[b] - level[b]) * share / 65536);
}

static void tile_levels(sac_equalize *plan, int32_t strip, int32_t tx, int32_t ty)
{
    const int32_t bins = plan->desc.bins;
    const size_t n = (size_t)bins, tile = (size_t)ty * (size_t)plan->clahe.tiles_x + (size_t)tx;
    uint32_t *hist = plan->hist + (size_t)strip * (size_t)plan->n_values;
    uint32_t *room = plan->tile_counts + (size_t)strip * n;
    uint32_t *found = plan->found + (size_t)strip * n;
    const sac_pixels in = tile_pixels(plan, tx, ty);
    plan->count(hist, &in);
    uint32_t *counts = fold(room, bins, hist, plan->n_values);
    const int64_t pixels = in.w * in.h, share = sac_equalize_follow(plan);
    const double limit = floor(plan->desc.clip * (double)pixels / bins);
    const bool cuts = plan->desc.clip > 0 && limit < (double)pixels;
    const sac_levels of = {
        .bins = bins,
        .limit = !cuts       ? UINT32_MAX
                 : limit > 1 ? (uint32_t)limit
                             : 1,
        .most = plan->clahe.most,
        .pixels = (uint32_t)pixels,
        .sum = plan->sum ? plan->sum + tile * n : NULL,
    };
    uint32_t *level = plan->level ? plan->level + tile * n : NULL;
    plan->make_levels(share == 65536 ? level : room, found, counts, &of);
    if (level && share < 65536)
        follow_levels(level, room, bins, share);
}

/* Adds what was found in 32 bits, and begins anew. */
static void keep_found(uint64_t *counts, uint32_t *found, size_t bins)
{
    for (size_t b = 0; b < bins; b++)
        counts[b] += found[b];
    memset(found, 0, bins * sizeof *found);
}

static void strip_levels(void *arg, int32_t strip)
{
    sac_equalize *plan = arg;
    const size_t n = (size_t)plan->desc.bins, at = (size_t)strip * n;
    uint64_t *counts = plan->strip_counts + at, pixels = 0;
    const int32_t across = plan->clahe.tiles_x, n_tiles = across * plan->clahe.tiles_y;
    memset(counts, 0, n * sizeof *counts);
    memset(plan->found + at, 0, n * sizeof *plan->found);
    for (int32_t t = strip; t < n_tiles; t += plan->n_strips) {
        pixels += plan->clahe.pixels;
        if (pixels > UINT32_MAX) {
            keep_found(counts, plan->found + at, n);
            pixels = plan->clahe.pixels;
        }
        tile_levels(plan, strip, t % across, t / across);
    }
    keep_found(counts, plan->found + at, n);
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

/* Pairs are worth making where a strip has half as many pixels as bins between two centers. The
 * memory is the first pass's. */
sac_clahe sac_equalize_strip_clahe(const sac_equalize *plan, int32_t i)
{
    sac_clahe c = plan->clahe;
    const int64_t between = c.w / c.tiles_x * (c.h / plan->n_strips);
    if (c.sum && 2 * between >= c.bins) {
        c.pairs[0] = plan->hist + (size_t)i * (size_t)c.bins;
        c.pairs[1] = plan->tile_counts + (size_t)i * (size_t)c.bins;
    }
    return c;
}
