/*
 * sum in plain C: the partial sums of a line side by side where its values are neighbors; else
 * those of many lines, which vectors take together where the lines are neighbors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sum.h"

#define PARTS SAC_SUM_PARTS
#define LINES 128 /* at a time: their partial sums stay in the L1 cache */

static inline float fold(float part[PARTS])
{
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            part[i] += part[i + half];
    return part[0];
}

static float sum_neighbors(const float *in, int64_t n)
{
    float part[PARTS] = {0};
    int64_t k = 0;
    for (; k + PARTS <= n; k += PARTS)
        for (int i = 0; i < PARTS; i++)
            part[i] += in[k + i];
    for (int i = 0; k + i < n; i++)
        part[i] += in[k + i];
    return fold(part);
}

/* in_m is a constant where it is 1. */
static inline void sum_lines(float out[LINES], const float *in, ptrdiff_t in_k, ptrdiff_t in_m,
                             int64_t n, int n_lines)
{
    float part[PARTS][LINES] = {{0}};
    for (int64_t k = 0; k < n; k++) {
        float *to = part[k % PARTS];
        for (int i = 0; i < n_lines; i++)
            to[i] += in[k * in_k + i * in_m];
    }
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            for (int i = 0; i < LINES; i++)
                part[j][i] += part[j + half][i];
    for (int i = 0; i < LINES; i++)
        out[i] = part[0][i];
}

void sac_sum_plain(float *out, const sac_sum_job *job)
{
    if (job->in_k == 1) {
        for (int64_t m = 0; m < job->n_lines; m++)
            out[m * job->out_m] = sum_neighbors(job->in + m * job->in_m, job->n);
        return;
    }
    for (int64_t m = 0; m < job->n_lines; m += LINES) {
        const int n_lines = (int)(job->n_lines - m < LINES ? job->n_lines - m : LINES);
        const float *in = job->in + m * job->in_m;
        float sum[LINES];
        if (job->in_m == 1 && n_lines == LINES)
            sum_lines(sum, in, job->in_k, 1, job->n, LINES);
        else
            sum_lines(sum, in, job->in_k, job->in_m, job->n, n_lines);
        for (int i = 0; i < n_lines; i++)
            out[(m + i) * job->out_m] = sum[i];
    }
}
