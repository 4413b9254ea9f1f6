/*
 * From the histogram of V to the scaling s, the three ways; and over time, so that a video does not
 * flicker.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "equalize/plan.h"

#define ONE (UINT64_C(1) << 32) /* s = 1 where `smooth` carries s from frame to frame */

void sac_equalize_fold(uint64_t *counts, int32_t bins, const uint64_t *occurs, int32_t n_values)
{
    if (bins == n_values) {
        memcpy(counts, occurs, (size_t)bins * sizeof *counts);
        return;
    }
    memset(counts, 0, (size_t)bins * sizeof *counts);
    for (int64_t v = 0; v < n_values; v++)
        counts[v * bins / n_values] += occurs[v];
}

int64_t sac_equalize_follow(const sac_equalize *plan)
{
    return plan->started ? (int64_t)lrint((1 - plan->desc.smooth) * 65536) : 65536;
}

/* num and den of this picture alone; den = 0 where it stays as it is. */
static uint64_t rational(sac_equalize *plan, uint64_t base, bool one_bin)
{
    uint64_t total = (uint64_t)plan->n_pixels, den = total - base;
    return one_bin && plan->desc.scale != SAC_SCALE_MAX ? 0 : den;
}

/* s of this picture as a 32-bit fraction; a picture that stays as it is has s rising evenly. */
static uint64_t fraction(const sac_equalize *plan, int32_t b, uint64_t base, uint64_t den)
{
    if (den == 0)
        return (uint64_t)b * ONE / (uint64_t)(plan->desc.bins - 1);
    uint64_t c = plan->cumulative[b];
    return (uint64_t)((sac_uint128)(c > base ? c - base : 0) * ONE / den);
}

void sac_equalize_make_scale(sac_equalize *plan)
{
    int32_t bins = plan->desc.bins, first = 0;
    sac_equalize_fold(plan->counts, bins, plan->occurs, plan->n_values);
    plan->scan(plan->cumulative, plan->counts, (size_t)bins);
    while (plan->counts[first] == 0)
        first++;
    uint64_t base = 0;
    if (plan->desc.scale == SAC_SCALE_FIRST)
        base = plan->counts[first];
    if (plan->desc.scale == SAC_SCALE_MINMAX)
        base = plan->counts[0];
    bool one_bin = plan->counts[first] == (uint64_t)plan->n_pixels;
    uint64_t den = rational(plan, base, one_bin);
    if (plan->desc.smooth > 0) {
        int64_t follow = sac_equalize_follow(plan);
        for (int32_t b = 0; b < bins; b++) {
            int64_t step = (int64_t)fraction(plan, b, base, den) - (int64_t)plan->num[b];
            plan->num[b] = (uint64_t)((int64_t)plan->num[b] + step * follow / 65536);
        }
        den = ONE;
    } else {
        for (int32_t b = 0; b < bins; b++)
            plan->num[b] = plan->cumulative[b] > base ? plan->cumulative[b] - base : 0;
    }
    plan->scale.den = den;
    if (plan->q16)
        sac_scale_ceilings(plan->q16, plan->q32, &plan->scale, plan->occurs);
    else
        sac_scale_multipliers(plan->q8, NULL, &plan->scale, plan->occurs);
}
