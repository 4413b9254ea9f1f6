/*
 * Vectors from plane waves of several angles: what each angle sees of a velocity (x along the
 * array, z toward the probe) is (-sin az x + (1 + cos az) z) / 2, and least squares over the
 * angles, all of one weight, give both (Yiu, Yu, "Least-squares multi-angle Doppler estimators for
 * plane-wave vector flow imaging", IEEE TUFFC 63, 2016).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "flow/plan.h"

#define DEGREE 0.017453292519943295
#define LEAST_SPREAD 1e-3 /* radians */

static sac_status check_angles(const sac_flow_desc *d, sac_error *err)
{
    double least = INFINITY, most = -INFINITY;
    for (int32_t t = 0; t < d->n_transmits; t++) {
        if (!(fabs(d->azimuth_rad[t]) < 90 * DEGREE))
            return sac_fail(err, SAC_E_INVALID,
                            "azimuth_rad: expected angles between -90 and 90 degrees, got %g",
                            d->azimuth_rad[t] / DEGREE);
        least = fmin(least, d->azimuth_rad[t]);
        most = fmax(most, d->azimuth_rad[t]);
    }
    return most - least >= LEAST_SPREAD
               ? SAC_OK
               : sac_fail(err, SAC_E_INVALID,
                          "azimuth_rad: vectors need two angles that differ, and all %d are %g "
                          "degrees",
                          d->n_transmits, d->azimuth_rad[0] / DEGREE + 0); /* not -0 */
}

sac_status sac_flow_vector_check(const sac_flow_desc *d, sac_error *err)
{
    if (d->kind != SAC_FLOW_VECTOR)
        return d->n_transmits == 0
                   ? SAC_OK
                   : sac_fail(err, SAC_E_INVALID,
                              "n_transmits: is of vector alone: 0 for other kinds, got %d",
                              d->n_transmits);
    if (d->n_transmits < 2 || d->n_transmits > SAC_FLOW_MAX_TRANSMITS)
        return sac_fail(err, SAC_E_INVALID,
                        "n_transmits: vectors need images of 2 to %d transmits, got %d",
                        SAC_FLOW_MAX_TRANSMITS, d->n_transmits);
    return d->azimuth_rad ? check_angles(d, err)
                          : sac_fail(err, SAC_E_INVALID, "azimuth_rad: is NULL");
}

void sac_flow_vector_open(sac_flow *plan)
{
    const sac_flow_desc *d = &plan->desc;
    double xx = 0, xz = 0, zz = 0;
    for (int32_t t = 0; t < d->n_transmits; t++) {
        const double x = -sin(d->azimuth_rad[t]) / 2, z = (1 + cos(d->azimuth_rad[t])) / 2;
        xx += x * x;
        xz += x * z;
        zz += z * z;
    }
    const double product = xx * zz - xz * xz;
    for (int32_t t = 0; t < d->n_transmits; t++) {
        const double x = -sin(d->azimuth_rad[t]) / 2, z = (1 + cos(d->azimuth_rad[t])) / 2;
        plan->weights[2 * t] = (zz * x - xz * z) / product;
        plan->weights[2 * t + 1] = (xx * z - xz * x) / product;
    }
    /* The larger eigenvalue of the normal matrix; the smaller is the product over it. */
    const double larger = (xx + zz + hypot(xx - zz, 2 * xz)) / 2;
    plan->condition = larger / sqrt(product);
    if (plan->condition > SAC_FLOW_POOR_CONDITION)
        sac_log_line(d->log, SAC_LOG_WARNING,
                     "flow: the angles lie close together (condition number %.3g): velocities "
                     "along x are %.3g times as noisy as those of an angle",
                     plan->condition, plan->condition / sqrt(d->n_transmits));
}

void sac_flow_vector_add(sac_flow *plan, int32_t transmit)
{
    const int64_t n = plan->n_points;
    const double *weights = plan->weights + (ptrdiff_t)2 * transmit;
    if (transmit == 0)
        memset(plan->components, 0, 2 * (size_t)n * sizeof *plan->components);
    for (int64_t p = 0; p < n; p++) {
        const double v = sac_flow_velocity(plan, p);
        plan->components[p] += weights[0] * v;
        plan->components[n + p] += weights[1] * v;
    }
}

double sac_flow_get_condition(const sac_flow *plan)
{
    return plan ? plan->condition : 0;
}
