/*
 * mix_c64, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mix_c64.h"

void sac_mix_c64_ref(const sac_mix_job *job)
{
    for (int32_t r = 0; r < job->n_out; r++) {
        float *out = sac_mix_row(job->out, job->out_row, r);
        const float *base = job->base ? sac_mix_row(job->base, job->base_row, r) : NULL;
        for (int64_t p = 0; p < job->n_points; p++) {
            double re = base ? (double)base[2 * p] : 0, im = base ? (double)base[2 * p + 1] : 0;
            for (int32_t i = 0; i < job->n_in; i++) {
                const float *m = job->matrix + 2 * ((ptrdiff_t)r * job->n_in + i);
                const float *x = sac_mix_row(job->in, job->in_row, i) + 2 * p;
                re += (double)m[0] * (double)x[0] - (double)m[1] * (double)x[1];
                im += (double)m[0] * (double)x[1] + (double)m[1] * (double)x[0];
            }
            out[2 * p] = (float)re;
            out[2 * p + 1] = (float)im;
        }
    }
}
