/*
 * Which rows of an ensemble are mixed from which: what the CPU and a GPU then run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/plan.h"

#define SAMPLE (2 * (ptrdiff_t)sizeof(float)) /* bytes */

int sac_flow_filter_jobs(sac_mix_job jobs[2], const sac_flow *plan, sac_flow_block *b)
{
    const ptrdiff_t own_row = b->size * SAMPLE;
    if (plan->n_basis == 0 && !plan->keeps)
        return 0;
    jobs[0] = (sac_mix_job){.out = b->coefficients,
                            .in = b->x,
                            .matrix = b->first,
                            .out_row = own_row,
                            .in_row = b->row,
                            .n_points = b->n_points,
                            .n_out = plan->n_basis,
                            .n_in = plan->n};
    jobs[1] = (sac_mix_job){.out = b->frames,
                            .base = plan->keeps ? NULL : b->x,
                            .in = b->coefficients,
                            .matrix = b->second,
                            .out_row = own_row,
                            .base_row = b->row,
                            .in_row = own_row,
                            .n_points = b->n_points,
                            .n_out = plan->n,
                            .n_in = plan->n_basis};
    b->x = b->frames;
    b->row = own_row;
    return 2;
}

/* As many rows as there are frames. */
static sac_mix_job square_job(const sac_flow *plan, float *out, ptrdiff_t out_row, const float *in,
                              ptrdiff_t in_row, const float *matrix, int64_t n_points)
{
    return (sac_mix_job){.out = out,
                         .in = in,
                         .matrix = matrix,
                         .out_row = out_row,
                         .in_row = in_row,
                         .n_points = n_points,
                         .n_out = plan->n,
                         .n_in = plan->n};
}

sac_mix_job sac_flow_spectrum_job(const sac_flow *plan, const sac_flow_block *b)
{
    return square_job(plan, b->lines, b->size * SAMPLE, b->x, b->row, b->spectrum, b->n_points);
}

sac_mix_job sac_flow_shares_job(const sac_flow *plan, float *shares, const float *picked,
                                const float *first)
{
    const ptrdiff_t row = plan->n_picked * SAMPLE;
    return square_job(plan, shares, row, picked, row, first, plan->n_picked);
}
