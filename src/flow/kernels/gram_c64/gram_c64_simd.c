/*
 * gram_c64 with vectors: tiles of frames, whose products stay in registers while a block of points
 * goes by. A pair of frames has two sums, of a b and of a swap(b), with re and im side by side:
 * what they mean is sorted out once a block.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gram_c64.h"
#include "simd/floats.h"

/* Frames of a tile: as many sums as there are registers for. */
#if VF == 8
enum { TI = 2, TJ = 3 };
#else
enum { TI = 4, TJ = 3 };
#endif

typedef struct tile {
    const float *a[TI], *b[TJ];
} tile;

/* re and im of one pair's sums. */
SIMD_INLINE void add_pair(double *to, vf same, vf crossed)
{
    float lanes[VF];
    double even = 0, odd = 0;
    vf_store(lanes, crossed); /* ar bi, ai br, ... */
    for (int k = 0; k < VF; k += 2) {
        even += (double)lanes[k];
        odd += (double)lanes[k + 1];
    }
    to[0] += (double)vf_total(same);
    to[1] += even - odd;
}

/* The points that fill no vector. */
static void add_rest(double *to, const float *a, const float *b, int64_t from, int64_t n_points)
{
    double re = 0, im = 0;
    for (int64_t p = from; p < n_points; p++) {
        const double ar = (double)a[2 * p], ai = (double)a[2 * p + 1];
        const double br = (double)b[2 * p], bi = (double)b[2 * p + 1];
        re += ar * br + ai * bi;
        im += ar * bi - ai * br;
    }
    to[0] += re;
    to[1] += im;
}

SIMD_INLINE void add_tile(double sums[TI][TJ][2], const tile *t, int64_t n_points)
{
    vf same[TI][TJ], crossed[TI][TJ];
    for (int i = 0; i < TI; i++)
        for (int j = 0; j < TJ; j++)
            same[i][j] = crossed[i][j] = vf_set(0);
    int64_t p = 0;
    for (; p + VF / 2 <= n_points; p += VF / 2) {
        vf a[TI];
        for (int i = 0; i < TI; i++)
            a[i] = vf_load(t->a[i] + 2 * p);
        for (int j = 0; j < TJ; j++) {
            const vf b = vf_load(t->b[j] + 2 * p), swapped = vf_swap(b);
            for (int i = 0; i < TI; i++) {
                same[i][j] = vf_fma(a[i], b, same[i][j]);
                crossed[i][j] = vf_fma(a[i], swapped, crossed[i][j]);
            }
        }
    }
    for (int i = 0; i < TI; i++)
        for (int j = 0; j < TJ; j++) {
            add_pair(sums[i][j], same[i][j], crossed[i][j]);
            add_rest(sums[i][j], t->a[i], t->b[j], p, n_points);
        }
}

/* Frames beyond the last are the last again, and not stored. */
static const float *frame_of(const float *x, ptrdiff_t row, int32_t i, int32_t n)
{
    return (const float *)(const void *)((const char *)x + (i < n ? i : n - 1) * row);
}

static void add_block(double *restrict g, const float *restrict x, ptrdiff_t row, int64_t n_points,
                      int32_t n, int32_t first, int32_t end)
{
    for (int32_t i = first; i < end; i += TI)
        for (int32_t j = i; j < n; j += TJ) {
            tile t;
            double sums[TI][TJ][2] = {0};
            for (int k = 0; k < TI; k++)
                t.a[k] = frame_of(x, row, i + k, n);
            for (int k = 0; k < TJ; k++)
                t.b[k] = frame_of(x, row, j + k, n);
            add_tile(sums, &t, n_points);
            for (int32_t k = i; k < i + TI && k < end; k++)
                for (int32_t l = j > k ? j : k; l < j + TJ && l < n; l++) {
                    g[2 * ((ptrdiff_t)k * n + l)] += sums[k - i][l - j][0];
                    g[2 * ((ptrdiff_t)k * n + l) + 1] += sums[k - i][l - j][1];
                }
        }
}

void sac_gram_c64_simd(double *restrict g, const float *restrict x, ptrdiff_t row, int64_t n_points,
                       int32_t n, int32_t first, int32_t end)
{
    for (int64_t p = 0; p < n_points; p += SAC_GRAM_BLOCK) {
        const int64_t left = n_points - p;
        add_block(g, x + 2 * p, row, left < SAC_GRAM_BLOCK ? left : SAC_GRAM_BLOCK, n, first, end);
    }
}
