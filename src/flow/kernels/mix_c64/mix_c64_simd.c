/*
 * mix_c64 with vectors: tiles of some rows by two vectors of points stay in registers while the
 * frames go by. A tile has two sums, of re x and of im swap(x), which meet at its end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "mix_c64.h"
#include "simd/floats.h"

#if VF == 8
enum { ROWS = 2 };
#else
enum { ROWS = 6 };
#endif
enum { VECTORS = 2, WIDE = VECTORS * VF }; /* floats */

typedef struct tile {
    const float *in, *matrix[ROWS];
    float *out[ROWS];
    const float *base[ROWS]; /* NULL: 0 */
} tile;

SIMD_INLINE void mix_tile(const tile *t, ptrdiff_t in_row, int32_t n_in)
{
    static const float signs[] = {-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1};
    vf straight[ROWS][VECTORS], crossed[ROWS][VECTORS];
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < VECTORS; k++) {
            straight[r][k] = t->base[r] ? vf_load(t->base[r] + k * VF) : vf_set(0);
            crossed[r][k] = vf_set(0);
        }
    const char *in = (const char *)t->in;
    for (int32_t i = 0; i < n_in; i++, in += in_row) {
        vf x[VECTORS], swapped[VECTORS];
        for (int k = 0; k < VECTORS; k++) {
            x[k] = vf_load((const float *)(const void *)in + k * VF);
            swapped[k] = vf_swap(x[k]);
        }
        for (int r = 0; r < ROWS; r++) {
            const vf re = vf_set(t->matrix[r][2 * i]), im = vf_set(t->matrix[r][2 * i + 1]);
            for (int k = 0; k < VECTORS; k++) {
                straight[r][k] = vf_fma(re, x[k], straight[r][k]);
                crossed[r][k] = vf_fma(im, swapped[k], crossed[r][k]);
            }
        }
    }
    const vf sign = vf_load(signs);
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < VECTORS; k++)
            vf_store(t->out[r] + k * VF, vf_fma(sign, crossed[r][k], straight[r][k]));
}

/* Rows beyond the last are the last again. */
static int32_t place(const sac_mix_job *job, int32_t r)
{
    return r < job->n_out ? r : job->n_out - 1;
}

/* The points that fill no tile, row by row. */
static void mix_rest(const sac_mix_job *job, int32_t r, int64_t p)
{
    const size_t bytes = (size_t)(job->n_points - p) * 2 * sizeof(float);
    const float *m = job->matrix + 2 * (ptrdiff_t)r * job->n_in;
    float straight[WIDE] = {0}, crossed[WIDE] = {0}, x[WIDE] = {0};
    if (job->base)
        memcpy(straight, sac_mix_row(job->base, job->base_row, r) + 2 * p, bytes);
    for (int32_t i = 0; i < job->n_in; i++, m += 2) {
        memcpy(x, sac_mix_row(job->in, job->in_row, i) + 2 * p, bytes);
        for (int k = 0; k < WIDE; k += VF) {
            const vf v = vf_load(x + k);
            vf_store(straight + k, vf_fma(vf_set(m[0]), v, vf_load(straight + k)));
            vf_store(crossed + k, vf_fma(vf_set(m[1]), vf_swap(v), vf_load(crossed + k)));
        }
    }
    for (int k = 0; k < WIDE; k++)
        straight[k] += k % 2 ? crossed[k] : -crossed[k];
    memcpy(sac_mix_row(job->out, job->out_row, r) + 2 * p, straight, bytes);
}

void sac_mix_c64_simd(const sac_mix_job *job)
{
    int64_t p = 0;
    for (; 2 * p + WIDE <= 2 * job->n_points; p += WIDE / 2)
        for (int32_t first = 0; first < job->n_out; first += ROWS) {
            float unused[ROWS][WIDE];
            tile t = {.in = job->in + 2 * p};
            for (int r = 0; r < ROWS; r++) {
                const int32_t at = place(job, first + r);
                t.matrix[r] = job->matrix + 2 * (ptrdiff_t)at * job->n_in;
                t.base[r] = job->base ? sac_mix_row(job->base, job->base_row, at) + 2 * p : NULL;
                t.out[r] = first + r < job->n_out ? sac_mix_row(job->out, job->out_row, at) + 2 * p
                                                  : unused[r];
            }
            mix_tile(&t, job->in_row, job->n_in);
        }
    for (int32_t r = 0; p < job->n_points && r < job->n_out; r++)
        mix_rest(job, r, p);
}
