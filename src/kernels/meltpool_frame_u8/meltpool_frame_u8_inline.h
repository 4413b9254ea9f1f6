/*
 * What plain C and SIMD share: segments from a bit a pixel, by runs of bright pixels in a row, and
 * where sectors end in a row.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_U8_INLINE_H
#define SAC_MELTPOOL_FRAME_U8_INLINE_H

#include "meltpool_frame_u8.h"

#define SAC_MELTPOOL_INLINE static inline __attribute__((always_inline))

/* The sum of n pixels side by side. */
typedef uint32_t (*sac_meltpool_sum_fn)(const uint8_t *pixels, int32_t n);

enum {
    SAC_MELTPOOL_WORDS = SAC_MELTPOOL_MAX_ROI / 64,
    SAC_MELTPOOL_MAX_RUNS = SAC_MELTPOOL_MAX_ROI * SAC_MELTPOOL_MAX_ROI / 2,
    SAC_MELTPOOL_ROOM = 64 /* behind the last run, for stores of whole vectors */
};

/* A bit a pixel, that of x = 0 the lowest; bits from n on are 0. */
typedef struct sac_meltpool_bits {
    uint64_t row[SAC_MELTPOOL_MAX_ROI][SAC_MELTPOOL_WORDS];
} sac_meltpool_bits;

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

/* Writes a word's runs from run `first` on, each its own parent. */
typedef void (*sac_meltpool_find_fn)(sac_meltpool_runs *runs, int32_t first, uint64_t bits);

/* The bits of those of a word's runs whose parent is `root`. */
typedef uint64_t (*sac_meltpool_pick_fn)(const sac_meltpool_runs *runs, int32_t first,
                                         uint64_t bits, int32_t root);

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
            find(runs, first, b);
            n += __builtin_popcountll(sac_meltpool_begins(b));
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

/* All of `out` that is of segments but the pool's sums, in an `out` of zeros; and the pool's bits,
 * which are not written where there is none. */
SAC_MELTPOOL_INLINE void sac_meltpool_segment(sac_meltpool_integers *out, sac_meltpool_bits *pool,
                                              const sac_meltpool_frame_job *job,
                                              const sac_meltpool_bits *bits, int32_t words,
                                              sac_meltpool_find_fn find, sac_meltpool_pick_fn pick)
{
    sac_meltpool_runs runs;
    const int32_t n = sac_meltpool_label(&runs, bits, job->n, words, find), last = job->n - 1;
    if (n == 0) {
        out->flags = SAC_MELTPOOL_NO_POOL;
        return;
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
}

/* Of row y, sectors 2 or 3 are at x < wide[0], 1 or 4 at wide[0] <= x < wide[1]; 0 or 5 behind.
 * Where dy is 0, 3 is before wide[0] and 0 behind. */
typedef struct sac_meltpool_sectors {
    uint8_t left[SAC_MELTPOOL_MAX_ROI], wide[SAC_MELTPOOL_MAX_ROI];
    int32_t n_above; /* rows with dy < 0 */
    bool has_level;  /* the next has dy = 0 */
} sac_meltpool_sectors;

SAC_MELTPOOL_INLINE int32_t sac_meltpool_clamp(int64_t x, int32_t n)
{
    return x < 0 ? 0 : x > n ? n : (int32_t)x;
}

/*
 * In a row, sectors 1 and 4 are where |dx| <= r, the largest r with 3 r^2 < dy^2 or 0. A double
 * finds it or one less: |dy| < 2^30, and the factor is below 1 / sqrt(3) by 3e-14 of it, which is
 * more than both roundings and below 2^-15 in all.
 */
SAC_MELTPOOL_INLINE void sac_meltpool_sector_ends(sac_meltpool_sectors *s,
                                                  const sac_meltpool_frame_job *job)
{
    const int64_t xc = job->cx_q16, yc = job->cy_q16, x0 = job->x0, y0 = job->y0;
    const int32_t n = job->n; /* not read again behind stores of bytes: gcc takes 8 rows at once */
    for (int32_t y = 0; y < n; y++) {
        const int64_t dy = (y0 + y) * 65536 - yc, high = dy < 0 ? -dy : dy;
        int64_t r = (int64_t)((double)high * 0.57735026918961);
        r += 3 * (r + 1) * (r + 1) < high * high;
        const int64_t left = ((xc - r + 65535) >> 16) - x0;
        const int64_t wide = dy == 0 ? left : ((xc + r) >> 16) + 1 - x0;
        s->left[y] = (uint8_t)sac_meltpool_clamp(left, n);
        s->wide[y] = (uint8_t)sac_meltpool_clamp(wide, n);
    }
    s->n_above = sac_meltpool_clamp(((yc + 65535) >> 16) - job->y0, job->n);
    s->has_level = s->n_above < job->n && (int64_t)(job->y0 + s->n_above) * 65536 == yc;
}

/* Sums of all rows with dy < 0 or of all others: of all pixels, of those before left, and before
 * wide. */
typedef struct sac_meltpool_part {
    uint32_t all, left, wide;
} sac_meltpool_part;

SAC_MELTPOOL_INLINE void sac_meltpool_polar(sac_meltpool_integers *out,
                                            const sac_meltpool_frame_job *job,
                                            const sac_meltpool_sectors *s, sac_meltpool_part above,
                                            sac_meltpool_part below, sac_meltpool_sum_fn sum)
{
    const int32_t y = s->n_above;
    const uint32_t level = s->has_level ? sum(sac_meltpool_at(job, 0, y), s->left[y]) : 0;
    out->polar[0] = below.all - below.wide;
    out->polar[1] = below.wide - below.left;
    out->polar[2] = below.left - level;
    out->polar[3] = above.left + level;
    out->polar[4] = above.wide - above.left;
    out->polar[5] = above.all - above.wide;
}

#endif
