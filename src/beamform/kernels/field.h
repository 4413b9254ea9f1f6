/*
 * Transmit apodization: the field of view of each wave, and what a point takes of it.
 *
 * A wave has an axis, a line from `from` along a unit vector. At the distance d from there along
 * the axis its field reaches as far as
 *
 *     half(d) = sqrt((d / (2 F))^2 + waist^2)
 *
 * to each side; at the distance l from the axis W is the window at u = l / half, and 0 for u > 1.
 * With `lines` W is 1 for the one wave whose axis is nearest (of several the first), else 0. A
 * point takes a(t) W / max(1, sum of W) of a wave.
 *
 * A focused wave arrives as a sphere only within its cone, l <= |d| / (2 F). Beside it, around the
 * focus, tau_tx goes on linearly with d from the cone's one side to the other:
 *
 *     c tau_tx = |s| + sign(d) |p - s|                 in the cone
 *                |s| + d sqrt(1 + 1 / (2 F)^2)         beside it (d alone for lines without an F)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_FIELD_H
#define SAC_BEAMFORM_FIELD_H

#include "beamform/kernels/das/das_inline.h"
#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_field_shape {
    SAC_FIELD_EVERYWHERE = 0, /* W is 1 */
    SAC_FIELD_BOTH_SIDES,     /* of a focus */
    SAC_FIELD_AHEAD           /* of a source: W is 0 behind it */
} sac_field_shape;

typedef struct sac_field_wave {
    double from_m[3], axis[3];
    double slope2, waist2_m2; /* (1 / (2 F))^2, waist^2 */
    double source_m;          /* |s|, of a focus */
    sac_field_shape shape;
    float weight; /* a(t) */
} sac_field_wave;

typedef struct sac_field {
    int32_t n_tx;
    const sac_field_wave *waves; /* (n_tx) */
    sac_apodization window;      /* f_number above 0 */
    bool lines;
} sac_field;

/* The squared distance of a point from the axis, and how far along it lies. */
SAC_HOST_DEVICE static inline double sac_field_beside2(double *along, const sac_field_wave *wave,
                                                       double x, double y, double z)
{
    const double u = x - wave->from_m[0], v = y - wave->from_m[1], w = z - wave->from_m[2];
    *along = u * wave->axis[0] + v * wave->axis[1] + w * wave->axis[2];
    const double l2 = u * u + v * v + w * w - *along * *along;
    return l2 > 0 ? l2 : 0;
}

/* c tau_tx of a focused wave. */
SAC_HOST_DEVICE static inline double sac_field_arrival_m(const sac_field_wave *wave, double x,
                                                         double y, double z)
{
    double along;
    const double l2 = sac_field_beside2(&along, wave, x, y, z);
    const double away = sqrt(l2 + along * along), flat = along * sqrt(1 + wave->slope2);
    const bool in_cone = l2 <= along * along * wave->slope2;
    return wave->source_m + (!in_cone ? flat : along < 0 ? -away : away);
}

/* W by the window, at 0.5 of a turn its end. */
SAC_HOST_DEVICE static inline float sac_field_window(const sac_field_wave *wave,
                                                     const sac_apodization *window, double x,
                                                     double y, double z)
{
    double along;
    const double l2 = sac_field_beside2(&along, wave, x, y, z);
    const double u = sqrt(l2 / (along * along * wave->slope2 + wave->waist2_m2));
    float edge, unused;
    sac_das_rotation(&edge, &unused, sac_das_window(window, u < 1 ? u : 1));
    const bool outside = u > 1 || (wave->shape == SAC_FIELD_AHEAD && !(along > 0));
    return wave->shape == SAC_FIELD_EVERYWHERE ? 1 : outside ? 0 : 0.5f + 0.5f * edge;
}

/*
 * What n points take of each wave: weights[t * step + i]. x, y, z are theirs. *begin and *end: no
 * other waves are taken by any of them.
 */
SAC_INTERNAL void sac_field_weights(float *weights, int32_t step, int32_t *begin, int32_t *end,
                                    const sac_field *field, const double *x, const double *y,
                                    const double *z, int32_t n);

/* The same of one point, in double precision: weights (n_tx). */
SAC_INTERNAL void sac_field_weights_at(double *weights, const sac_field *field, const double p[3]);

/*
 * The axes of an acquisition's waves into waves[n_tx]. SAC_E_UNSUPPORTED: lines, and a transmit
 * that has no axis.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_field_open(sac_field *field, sac_field_wave *waves,
                                                     const sac_acquisition *acquisition,
                                                     const sac_apodization *window, bool lines,
                                                     sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
