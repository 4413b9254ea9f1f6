/*
 * variance_f32 with vectors, as with AVX-512: two passes in single precision, which is exact where
 * it has to be, as docs/numerics.md shows. Sums of 32 rows at most are in single precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "simd/floats.h"
#include "variance_f32.h"

enum { CHAINS = 2, BLOCK = 16 * CHAINS };

/* Of a row: its features, and zeros that fill up the last vector. */
enum { VECTORS = (SAC_MELTPOOL_OF_FRAME + VF - 1) / VF, LANES = VECTORS * VF };

typedef struct {
    vf x[CHAINS][VECTORS];
} chains;

typedef struct {
    double x[LANES];
} totals;

SIMD_INLINE chains no_sums(void)
{
    chains c;
    for (int i = 0; i < CHAINS; i++)
        for (int j = 0; j < VECTORS; j++)
            c.x[i][j] = vf_set(0);
    return c;
}

SIMD_INLINE void add_block(totals *total, const chains *c)
{
    float sum[LANES];
    for (int j = 0; j < VECTORS; j++)
        vf_store(sum + j * VF, vf_add(c->x[0][j], c->x[1][j]));
    for (int j = 0; j < LANES; j++)
        total->x[j] += (double)sum[j];
}

/* Adds row k to chain i of `sums`; with a mean, what the row differs from it, and its squares. */
SIMD_INLINE void add_row(chains *sums, chains *squares, int i, const float *row, const vf *mean)
{
    for (int j = 0; j < VECTORS; j++) {
        vf x = vf_load(row + j * VF);
        if (mean) {
            x = vf_sub(x, mean[j]);
            squares->x[i][j] = vf_fma(x, x, squares->x[i][j]);
        }
        sums->x[i][j] = vf_add(sums->x[i][j], x);
    }
}

/* The same of all rows; mean: NULL or not, a constant. */
SIMD_INLINE void add_rows(totals *sum, totals *square, const float *ring, int32_t n, int32_t newest,
                          int32_t window, const vf *mean)
{
    for (int32_t k = 0; k < n;) {
        const int32_t to = n - k < BLOCK ? n : k + BLOCK;
        chains sums = no_sums(), squares = no_sums();
        for (; k + CHAINS <= to; k += CHAINS)
            for (int i = 0; i < CHAINS; i++)
                add_row(&sums, &squares, i, sac_meltpool_ring_row(ring, k + i, newest, window),
                        mean);
        for (; k < to; k++)
            add_row(&sums, &squares, 0, sac_meltpool_ring_row(ring, k, newest, window), mean);
        add_block(sum, &sums);
        if (mean)
            add_block(square, &squares);
    }
}

void sac_variance_f32_simd(float *restrict out, const float *restrict ring, int32_t n,
                           int32_t newest, int32_t window)
{
    totals sum = {{0}}, square = {{0}};
    float of[LANES];
    vf mean[VECTORS];
    add_rows(&sum, NULL, ring, n, newest, window, NULL);
    for (int j = 0; j < LANES; j++)
        of[j] = (float)(sum.x[j] * (1.0 / n));
    for (int j = 0; j < VECTORS; j++)
        mean[j] = vf_load(of + j * VF);
    sum = square;
    add_rows(&sum, &square, ring, n, newest, window, mean);
    /* The difference, times n, is one of exact products where it is 0. */
    for (int j = 0; j < SAC_MELTPOOL_OF_FRAME; j++)
        out[j] = (float)((square.x[j] * n - sum.x[j] * sum.x[j]) * (1.0 / ((double)n * n)));
}
