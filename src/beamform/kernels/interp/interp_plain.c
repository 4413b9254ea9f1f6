/*
 * interp in plain C: places in double, whatever the delays' type.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interp_inline.h"

static inline void place(sac_interp_places *at, int k, double s, double last, bool hold,
                         bool nearest)
{
    double held = s > 0 ? s : 0; /* NaN: 0 */
    held = held < last ? held : last;
    const int32_t i = (int32_t)held;
    const double u = held - i;
    at->i[k] = (hold | (held == s)) ? i + (nearest & (u >= 0.5)) : -1;
    at->u[k] = (float)u;
}

static void place_all(sac_interp_places *restrict at, const sac_interp_job *job, const char *row,
                      int64_t p, int n)
{
    const double last = job->n_samples - 1;
    const bool hold = job->outside == SAC_OUTSIDE_CLAMP,
               nearest = job->interp == SAC_INTERP_NEAREST;
    if (job->delays_dtype == SAC_F64) {
        const double *s = (const double *)(const void *)row + p;
        for (int k = 0; k < n; k++)
            place(at, k, s[k], last, hold, nearest);
    } else {
        const float *s = (const float *)(const void *)row + p;
        for (int k = 0; k < n; k++)
            place(at, k, (double)s[k], last, hold, nearest);
    }
}

void sac_interp_plain(void *out, const sac_interp_job *job)
{
    sac_interp_by_blocks(out, job, place_all, sac_interp_block);
}
