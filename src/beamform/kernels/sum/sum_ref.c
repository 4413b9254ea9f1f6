/*
 * sum: the specification, in double.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sum.h"

void sac_sum_ref(float *out, const sac_sum_job *job)
{
    for (int64_t m = 0; m < job->n_lines; m++) {
        double sum = 0;
        for (int64_t k = 0; k < job->n; k++)
            sum += (double)job->in[k * job->in_k + m * job->in_m];
        out[m * job->out_m] = (float)sum;
    }
}
