/*
 * Velocities in a vessel against the truth.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include <saccade/flow.h>

#include "base/array_check.h"

#define FEWEST_POINTS 16

typedef struct sums {
    double error, error2, product, truth2;
    double measured[SAC_FLOW_PROFILE], truth[SAC_FLOW_PROFILE];
    int64_t n, in_part[SAC_FLOW_PROFILE];
} sums;

static double place(const sac_grid *grid, int axis, int64_t i)
{
    const double first = grid->first_m[axis], last = grid->last_m[axis];
    return grid->n[axis] > 1 ? first + (last - first) * (double)i / (double)(grid->n[axis] - 1)
                             : first;
}

/* -1 at the wall nearer to the probe, 1 at the other. */
static double beside(const sac_vessel *v, double x_m, double z_m)
{
    return ((x_m - v->center_m[0]) * sin(v->angle_rad) +
            (z_m - v->center_m[2]) * cos(v->angle_rad)) /
           v->radius_m;
}

static void add(sums *s, double velocity, double truth, double at)
{
    const int part = (int)fmin((at + 1) / 2 * SAC_FLOW_PROFILE, SAC_FLOW_PROFILE - 1);
    s->n++;
    s->error += velocity - truth;
    s->error2 += (velocity - truth) * (velocity - truth);
    s->product += velocity * truth;
    s->truth2 += truth * truth;
    s->measured[part] += velocity;
    s->truth[part] += truth;
    s->in_part[part]++;
}

/* share: of the vessel's speed, along what is measured. */
static sac_status check(const sac_array *velocity, const sac_grid *grid, const sac_vessel *v,
                        double share, sac_error *err)
{
    const int64_t shape[] = {grid->n[2], grid->n[0]};
    const double sum = v->center_m[0] + v->center_m[2] + v->radius_m + v->angle_rad + v->peak_m_s;
    sac_status st = sac_array_expect(velocity, "velocity", SAC_F32, 2, shape, err);
    st = st ? st : sac_array_expect_on(velocity, "velocity", SAC_CPU, err);
    if (st != SAC_OK)
        return st;
    if (!isfinite(sum) || !(v->radius_m > 0) || v->peak_m_s == 0)
        return sac_fail(err, SAC_E_INVALID, "vessel: expected a radius and a speed");
    return fabs(share) > 1e-3
               ? SAC_OK
               : sac_fail(err, SAC_E_INVALID,
                          "vessel: lies across the beam or the axis of x, along which it has no "
                          "velocity");
}

static void finish(sac_flow_measure *out, const sums *s, const sac_vessel *v)
{
    const double n = (double)s->n, mean = s->error / n;
    out->n_points = s->n;
    out->bias_m_s = mean;
    out->deviation_m_s = sqrt(fmax(0, s->error2 / n - mean * mean));
    out->peak_m_s = v->peak_m_s * s->product / s->truth2;
    out->peak_error = s->product / s->truth2 - 1;
    for (int k = 0; k < SAC_FLOW_PROFILE; k++) {
        const double of_part = (double)s->in_part[k]; /* 0 / 0 is NaN */
        out->profile_m_s[k] = s->measured[k] / of_part;
        out->truth_m_s[k] = s->truth[k] / of_part;
    }
}

static sac_status measure(sac_flow_measure *out, const sac_array *velocity, const sac_grid *grid,
                          const sac_vessel *vessel, bool is_across, sac_error *err)
{
    if (!out || !velocity || !grid || !vessel)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL",
                        !out        ? "out"
                        : !velocity ? "velocity"
                        : !grid     ? "grid"
                                    : "vessel");
    const double share = is_across ? cos(vessel->angle_rad) : sin(vessel->angle_rad);
    const sac_status st = check(velocity, grid, vessel, share, err);
    if (st != SAC_OK)
        return st;
    const double along = vessel->peak_m_s * share;
    sums s = {0};
    for (int64_t k = 0; k < grid->n[2]; k++)
        for (int64_t i = 0; i < grid->n[0]; i++) {
            const double at = beside(vessel, place(grid, 0, i), place(grid, 2, k));
            const char *value =
                (const char *)velocity->data + k * velocity->stride[0] + i * velocity->stride[1];
            const double v = (double)*(const float *)(const void *)value;
            if (fabs(at) < 1 && isfinite(v))
                add(&s, v, along * (1 - at * at), at);
        }
    if (s.n < FEWEST_POINTS)
        return sac_fail(err, SAC_E_INVALID, "vessel: %lld points in it, expected %d or more",
                        (long long)s.n, FEWEST_POINTS);
    finish(out, &s, vessel);
    return SAC_OK;
}

sac_status sac_measure_flow(sac_flow_measure *out, const sac_array *velocity, const sac_grid *grid,
                            const sac_vessel *vessel, sac_error *err)
{
    return measure(out, velocity, grid, vessel, false, err);
}

sac_status sac_measure_flow_across(sac_flow_measure *out, const sac_array *velocity,
                                   const sac_grid *grid, const sac_vessel *vessel, sac_error *err)
{
    return measure(out, velocity, grid, vessel, true, err);
}
