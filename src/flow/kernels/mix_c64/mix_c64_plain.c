/*
 * mix_c64 in single precision, a run of points at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/multiply_add.h"
#include "mix_c64.h"

enum { RUN = 32 }; /* points */

static void add_frame(float *restrict straight, float *restrict crossed, const float *restrict x,
                      float re, float im)
{
    for (int k = 0; k < 2 * RUN; k++) {
        straight[k] = sac_multiply_add(re, x[k], straight[k]);
        crossed[k] = sac_multiply_add(im, x[k], crossed[k]);
    }
}

static void mix_run(const sac_mix_job *job, int32_t r, int64_t p, int64_t n)
{
    const size_t bytes = (size_t)n * 2 * sizeof(float);
    float straight[2 * RUN] = {0}, crossed[2 * RUN] = {0}, x[2 * RUN] = {0};
    const float *m = job->matrix + 2 * (ptrdiff_t)r * job->n_in;
    if (job->base)
        memcpy(straight, sac_mix_row(job->base, job->base_row, r) + 2 * p, bytes);
    for (int32_t i = 0; i < job->n_in; i++, m += 2) {
        memcpy(x, sac_mix_row(job->in, job->in_row, i) + 2 * p, bytes);
        add_frame(straight, crossed, x, m[0], m[1]);
    }
    float *out = sac_mix_row(job->out, job->out_row, r) + 2 * p;
    for (int64_t k = 0; k < n; k++) {
        out[2 * k] = straight[2 * k] - crossed[2 * k + 1];
        out[2 * k + 1] = straight[2 * k + 1] + crossed[2 * k];
    }
}

void sac_mix_c64_plain(const sac_mix_job *job)
{
    for (int64_t p = 0; p < job->n_points; p += RUN)
        for (int32_t r = 0; r < job->n_out; r++)
            mix_run(job, r, p, job->n_points - p < RUN ? job->n_points - p : RUN);
}
