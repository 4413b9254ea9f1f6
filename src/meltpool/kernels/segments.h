/*
 * Segments from a bit a pixel, by runs of bright pixels in a row: what plain C and SIMD share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_SEGMENTS_H
#define SAC_MELTPOOL_SEGMENTS_H

#include "meltpool/kernels/frame.h"

enum {
    SAC_MELTPOOL_MAX_RUNS = SAC_MELTPOOL_MAX_ROI * SAC_MELTPOOL_MAX_ROI / 2,
    SAC_MELTPOOL_ROOM = 64 /* after the last run, for stores of whole vectors */
};

/* Pixels side by side in a word of bits, from begin to last. parent: a run of the same component
 * that comes before, or itself. */
typedef struct sac_meltpool_runs {
    uint8_t begin[SAC_MELTPOOL_MAX_RUNS + SAC_MELTPOOL_ROOM];
    uint8_t last[SAC_MELTPOOL_MAX_RUNS + SAC_MELTPOOL_ROOM];
    uint16_t parent[SAC_MELTPOOL_MAX_RUNS + SAC_MELTPOOL_ROOM];
    uint16_t area[SAC_MELTPOOL_MAX_RUNS];                    /* of a component, at its root */
    int32_t first[SAC_MELTPOOL_MAX_ROI][SAC_MELTPOOL_WORDS]; /* the first run of a word */
} sac_meltpool_runs;

/* Where runs of bits begin, and where they have their last one. */
SAC_MELTPOOL_INLINE uint64_t sac_meltpool_begins(uint64_t bits)
{
    return bits & ~(bits << 1);
}

SAC_MELTPOOL_INLINE uint64_t sac_meltpool_lasts(uint64_t bits)
{
    return bits & ~(bits >> 1);
}

/* Writes a word's runs from run `first` on, each its own parent; bits: not 0. Returns the run
 * after the last. */
typedef int32_t (*sac_meltpool_find_fn)(sac_meltpool_runs *runs, int32_t first, uint64_t bits);

/* The bits of those of a word's runs whose parent is `root`. */
typedef uint64_t (*sac_meltpool_pick_fn)(const sac_meltpool_runs *runs, int32_t first,
                                         uint64_t bits, int32_t root);

/* sac_meltpool_find_fn, sac_meltpool_pick_fn: run by run. */
SAC_MELTPOOL_INLINE int32_t sac_meltpool_find_by_bits(sac_meltpool_runs *runs, int32_t first,
                                                      uint64_t bits)
{
    uint64_t begins = sac_meltpool_begins(bits), lasts = sac_meltpool_lasts(bits);
    int32_t i = first;
    do {
        runs->begin[i] = (uint8_t)__builtin_ctzll(begins);
        runs->last[i] = (uint8_t)__builtin_ctzll(lasts);
        runs->parent[i] = (uint16_t)i;
        i++;
        begins &= begins - 1;
        lasts &= lasts - 1;
    } while (begins);
    return i;
}

/* Bits begin .. last. */
SAC_MELTPOOL_INLINE uint64_t sac_meltpool_bits_of(int32_t begin, int32_t last)
{
    return (UINT64_C(2) << last) - (UINT64_C(1) << begin);
}

SAC_MELTPOOL_INLINE uint64_t sac_meltpool_pick_by_bits(const sac_meltpool_runs *runs, int32_t first,
                                                       uint64_t bits, int32_t root)
{
    uint64_t picked = 0;
    for (int32_t i = first; bits; i++) {
        const uint64_t run = sac_meltpool_bits_of(runs->begin[i], runs->last[i]);
        picked |= runs->parent[i] == root ? run : 0;
        bits &= ~run;
    }
    return picked;
}

/* The first run of i's component so far; on the way there, runs are led to their parent's parent.
 */
SAC_MELTPOOL_INLINE uint32_t sac_meltpool_root(uint16_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The earlier of two roots is the root of both. */
SAC_MELTPOOL_INLINE void sac_meltpool_join(uint16_t *parent, int32_t a, int32_t b)
{
    const uint32_t i = sac_meltpool_root(parent, (uint32_t)a);
    const uint32_t k = sac_meltpool_root(parent, (uint32_t)b);
    parent[i > k ? i : k] = (uint16_t)(i < k ? i : k);
}

/* A word's runs, which begin at `first`, with those of the word above. Two runs touch at bits side
 * by side, so that each such group of bits is one pair. */
SAC_MELTPOOL_INLINE void sac_meltpool_join_words(sac_meltpool_runs *runs, int32_t first,
                                                 uint64_t bits, int32_t first_above, uint64_t above)
{
    for (uint64_t pairs = sac_meltpool_begins(bits & above); pairs; pairs &= pairs - 1) {
        const uint64_t so_far = pairs ^ (pairs - 1); /* the lowest, and all below */
        sac_meltpool_join(runs->parent,
                          first_above - 1 +
                              __builtin_popcountll(sac_meltpool_begins(above) & so_far),
                          first - 1 + __builtin_popcountll(sac_meltpool_begins(bits) & so_far));
    }
}

/* All runs, joined; returns how many. words: of a row. */
SAC_MELTPOOL_INLINE int32_t sac_meltpool_label(sac_meltpool_runs *runs,
                                               const sac_meltpool_bits *bits, int32_t n_rows,
                                               int32_t words, sac_meltpool_find_fn find)
{
    int32_t n = 0;
    for (int32_t y = 0; y < n_rows; y++)
        for (int32_t k = 0; k < words; k++) {
            const uint64_t b = bits->row[y][k];
            const int32_t first = runs->first[y][k] = n;
            if (!b)
                continue;
            n = find(runs, first, b);
            if (y > 0)
                sac_meltpool_join_words(runs, first, b, runs->first[y - 1][k], bits->row[y - 1][k]);
            if (k > 0 && b & bits->row[y][k - 1] >> 63)
                sac_meltpool_join(runs->parent, first - 1, first);
        }
    return n;
}

/* A run's parent comes before it, and is a root by then. */
SAC_MELTPOOL_INLINE void sac_meltpool_measure(sac_meltpool_runs *runs, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const uint16_t root = runs->parent[i] = runs->parent[runs->parent[i]];
        runs->area[i] = 0;
        runs->area[root] = (uint16_t)(runs->area[root] + runs->last[i] - runs->begin[i] + 1);
    }
}

/* The nearest pixel so far. */
typedef struct sac_meltpool_near {
    int32_t distance, x, y; /* squared */
} sac_meltpool_near;

/* Looks at one of a row's bits x0 .. x0 + 63, the highest or the lowest; cx, cy: the centre's
 * pixel.
 */
SAC_MELTPOOL_INLINE void sac_meltpool_look(sac_meltpool_near *near, uint64_t bits, bool highest,
                                           int32_t x0, int32_t y, int32_t cx, int32_t cy)
{
    if (!bits)
        return;
    const int32_t x = x0 + (highest ? 63 - __builtin_clzll(bits) : __builtin_ctzll(bits));
    const int32_t distance = (x - cx) * (x - cx) + (y - cy) * (y - cy);
    if (distance < near->distance)
        *near = (sac_meltpool_near){distance, x, y};
}

/* The pool's run: that of the bright pixel nearest to the centre's. There is one. */
SAC_MELTPOOL_INLINE int32_t sac_meltpool_nearest(const sac_meltpool_frame_job *job,
                                                 const sac_meltpool_runs *runs,
                                                 const sac_meltpool_bits *bits, int32_t words)
{
    const int32_t cx = job->cx - job->x0, cy = job->cy - job->y0, n = job->n;
    sac_meltpool_near near = {.distance = INT32_MAX};
    if (cx >= 0 && cx < n && cy >= 0 && cy < n && bits->row[cy][cx / 64] >> cx % 64 & 1)
        near = (sac_meltpool_near){0, cx, cy};
    for (int32_t y = 0; y < n && near.distance > 0; y++)
        for (int32_t k = 0; k < words; k++) {
            const int32_t x0 = 64 * k, x = cx - x0;
            const uint64_t here = x < 0 ? 0 : x > 62 ? ~UINT64_C(0) : (UINT64_C(2) << x) - 1;
            sac_meltpool_look(&near, bits->row[y][k] & here, true, x0, y, cx, cy);
            sac_meltpool_look(&near, bits->row[y][k] & ~here, false, x0, y, cx, cy);
        }
    const uint64_t until = (UINT64_C(2) << near.x % 64) - 1, b = bits->row[near.y][near.x / 64];
    return runs->first[near.y][near.x / 64] - 1 +
           __builtin_popcountll(sac_meltpool_begins(b) & until);
}

/* All of `out` that is of segments but the pool's sums, in an `out` of zeros; and the pool's bits.
 * false: there is no pool, nor its bits. */
SAC_MELTPOOL_INLINE bool sac_meltpool_segment(sac_meltpool_integers *out, sac_meltpool_bits *pool,
                                              const sac_meltpool_frame_job *job,
                                              const sac_meltpool_bits *bits, int32_t words,
                                              sac_meltpool_find_fn find, sac_meltpool_pick_fn pick)
{
    sac_meltpool_runs runs;
    const int32_t n = sac_meltpool_label(&runs, bits, job->n, words, find), last = job->n - 1;
    if (n == 0) {
        out->flags = SAC_MELTPOOL_NO_POOL;
        return false;
    }
    sac_meltpool_measure(&runs, n);
    const int32_t root = runs.parent[sac_meltpool_nearest(job, &runs, bits, words)];
    out->area = runs.area[root];
    runs.area[root] = 0;
    for (int32_t i = 0; i < n; i++) {
        const uint32_t area = runs.area[i] >= job->spatter_min ? runs.area[i] : 0;
        out->spatter_pixels += area; /* 0 but at roots */
        out->n_spatters += area > 0;
    }
    uint64_t edge = 0;
    for (int32_t y = 0; y <= last; y++)
        for (int32_t k = 0; k < words; k++) {
            const uint64_t b = bits->row[y][k];
            const uint64_t p = b ? pick(&runs, runs.first[y][k], b, root) : 0;
            const bool has_left = k == 0, has_right = k == last / 64;
            edge |= y == 0 || y == last ? p : 0;
            edge |= p & ((uint64_t)has_left | (uint64_t)has_right << last % 64);
            pool->row[y][k] = p;
        }
    out->flags = edge ? SAC_MELTPOOL_CLIPPED : 0;
    return true;
}

#endif
