/*
 * sum as Harris's series of parallel reductions has it ("Optimizing parallel reduction in CUDA"),
 * on one core: there each step is a step of all threads, here a pass over a copy of the line.
 * non-divergent differs from tree, and unrolled-last-warp from first-add, in which thread does what
 * alone, so that here they are the same. Lines of at most SAC_SUM_STEPS values; `recursive` has no
 * such limit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/sum/sum.h"

static void copy(float *to, const sac_sum_job *job, int64_t m)
{
    for (int64_t k = 0; k < job->n; k++)
        to[k] = job->in[k * job->in_k + m * job->in_m];
}

void sac_sum_sequential(float *out, const sac_sum_job *job)
{
    for (int64_t m = 0; m < job->n_lines; m++) {
        float sum = 0;
        for (int64_t k = 0; k < job->n; k++)
            sum += job->in[k * job->in_k + m * job->in_m];
        out[m * job->out_m] = sum;
    }
}

/* Interleaved: neighbors first, then those two apart, and so on. */
void sac_sum_tree(float *out, const sac_sum_job *job)
{
    float line[SAC_SUM_STEPS];
    for (int64_t m = 0; m < job->n_lines; m++) {
        copy(line, job, m);
        for (int64_t step = 1; step < job->n; step *= 2)
            for (int64_t k = 0; k + step < job->n; k += 2 * step)
                line[k] += line[k + step];
        out[m * job->out_m] = job->n > 0 ? line[0] : 0;
    }
}

/* The upper half onto the lower, in place. */
static float fold(float *line, int64_t n)
{
    while (n > 1) {
        const int64_t half = (n + 1) / 2;
        for (int64_t k = 0; k + half < n; k++)
            line[k] += line[k + half];
        n = half;
    }
    return line[0];
}

/* Sequential addressing. */
void sac_sum_conflict_free(float *out, const sac_sum_job *job)
{
    float line[SAC_SUM_STEPS];
    for (int64_t m = 0; m < job->n_lines; m++) {
        copy(line, job, m);
        out[m * job->out_m] = job->n > 0 ? fold(line, job->n) : 0;
    }
}

/* The first step's addition as the line is read. */
void sac_sum_first_add(float *out, const sac_sum_job *job)
{
    float line[SAC_SUM_STEPS];
    const int64_t half = (job->n + 1) / 2;
    for (int64_t m = 0; m < job->n_lines; m++) {
        const float *in = job->in + m * job->in_m;
        for (int64_t k = 0; k < half; k++)
            line[k] = in[k * job->in_k];
        for (int64_t k = half; k < job->n; k++)
            line[k - half] += in[k * job->in_k];
        out[m * job->out_m] = job->n > 0 ? fold(line, half) : 0;
    }
}

static float pairwise(const float *in, ptrdiff_t step, int64_t n)
{
    if (n == 1)
        return in[0];
    const int64_t half = n / 2;
    return pairwise(in, step, half) + pairwise(in + half * step, step, n - half);
}

/* Recursive halves: the smallest error, and no array. */
void sac_sum_pairwise(float *out, const sac_sum_job *job)
{
    for (int64_t m = 0; m < job->n_lines; m++)
        out[m * job->out_m] = job->n > 0 ? pairwise(job->in + m * job->in_m, job->in_k, job->n) : 0;
}

/* SAC_SUM_BLOCK neighbours by steps, then these sums in the same way, until one is left: what the
 * paper says of arrays that are larger than a block. */
static float recursive(const float *in, ptrdiff_t step, int64_t n)
{
    float line[SAC_SUM_BLOCK];
    if (n <= SAC_SUM_BLOCK) {
        for (int64_t k = 0; k < n; k++)
            line[k] = in[k * step];
        return fold(line, n);
    }
    int64_t each = SAC_SUM_BLOCK, n_sums = 0;
    while ((n - 1) / each >= SAC_SUM_BLOCK)
        each *= SAC_SUM_BLOCK;
    for (int64_t k = 0; k < n; k += each)
        line[n_sums++] = recursive(in + k * step, step, n - k < each ? n - k : each);
    return fold(line, n_sums);
}

void sac_sum_recursive(float *out, const sac_sum_job *job)
{
    for (int64_t m = 0; m < job->n_lines; m++)
        out[m * job->out_m] =
            job->n > 0 ? recursive(job->in + m * job->in_m, job->in_k, job->n) : 0;
}
