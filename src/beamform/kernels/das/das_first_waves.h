/*
 * Transmits by delays: which element's wave comes first, in loops that a compiler vectorizes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_FIRST_WAVES_H
#define SAC_BEAMFORM_DAS_FIRST_WAVES_H

#include "beamform/kernels/das/das.h"

/* Elements that are received at a time, and points. */
#define SAC_DAS_CHUNK 128

#define SAC_DAS_NEAR 32         /* points of which one says which elements can be first */
#define SAC_DAS_ROUNDING_M 1e-9 /* of distances and delays up to 1e6 m */

/* An element's wave at the middle of some points: how far it has come with its element's delay, how
 * far from the element, and in which direction. */
typedef struct sac_das_first {
    double at, distance, u[3];
} sac_das_first;

/*
 * Which of n elements may be first at points within `reach` of the middle, where their waves are
 * `at` far, in the directions u. As distances are convex, a wave's at a point d from the middle is
 * at least at + u d; and of `best`, any element's, at most that and reach^2 / 2 over the least
 * distance. So the wave comes first nowhere if it is later in the middle by more than that and
 * |u - u_best| reach.
 */
static inline void sac_das_maybe_first(int32_t *__restrict maybe, const double *__restrict at,
                                       double (*__restrict u)[SAC_DAS_CHUNK], int32_t n,
                                       const sac_das_first *best, double reach)
{
    const double nearest = best->distance - reach;
    const double bend = nearest > 0 ? reach * reach / (2 * nearest) : 2 * reach;
    const double slack = (bend < 2 * reach ? bend : 2 * reach) + SAC_DAS_ROUNDING_M;
    for (int32_t k = 0; k < n; k++) {
        const double x = u[0][k] - best->u[0], y = u[1][k] - best->u[1], z = u[2][k] - best->u[2];
        const double late = at[k] - best->at - slack;
        /* NaN: of a delay, none fires; of a direction, the point lies in the element. */
        maybe[k] = (late <= 2 * reach) &
                   !((late > 0) & (late * late > (x * x + y * y + z * z) * (reach * reach)));
    }
}

/*
 * How far away the first wave is, with its element's delay in metres, of a transmit by delays: at n
 * points, as sac_das_wave_of finds it but for rounding. Of most elements one distance is enough.
 * Without a wave: infinity.
 */
static inline void sac_das_first_waves(double *__restrict first, const sac_das *das, int32_t t,
                                       const double *x, const double *y, const double *z, int32_t n)
{
    const sac_element *fires = das->firing ? das->firing : das->elements;
    const int32_t n_fires = das->firing ? das->n_firing : das->n_rx, middle = n / 2;
    const double *delays_s = das->transmits[t].delays_s;
    sac_das_first best = {INFINITY, 0, {0, 0, 0}};
    double reach = 0;
    for (int32_t i = 0; i < n; i++) {
        const double u = x[i] - x[middle], v = y[i] - y[middle], w = z[i] - z[middle];
        const double distance = sqrt(u * u + v * v + w * w);
        reach = distance > reach ? distance : reach;
        first[i] = INFINITY;
    }
    for (int32_t begin = 0; begin < n_fires; begin += SAC_DAS_CHUNK) {
        const int32_t left = n_fires - begin, some = left < SAC_DAS_CHUNK ? left : SAC_DAS_CHUNK;
        double at[SAC_DAS_CHUNK], far[SAC_DAS_CHUNK], way[3][SAC_DAS_CHUNK];
        int32_t maybe[SAC_DAS_CHUNK];
        for (int32_t k = 0; k < some; k++) {
            const double *e = fires[begin + k].position_m;
            const double u = x[middle] - e[0], v = y[middle] - e[1], w = z[middle] - e[2];
            far[k] = sqrt(u * u + v * v + w * w);
            at[k] = delays_s[begin + k] * das->c_m_s + far[k];
            way[0][k] = u / far[k];
            way[1][k] = v / far[k];
            way[2][k] = w / far[k];
        }
        for (int32_t k = 0; k < some; k++)
            if (at[k] < best.at) /* false for NaN: that one does not fire */
                best = (sac_das_first){at[k], far[k], {way[0][k], way[1][k], way[2][k]}};
        sac_das_maybe_first(maybe, at, way, some, &best, reach);
        for (int32_t k = 0; k < some; k++) {
            if (!maybe[k])
                continue;
            const double e[3] = {fires[begin + k].position_m[0], fires[begin + k].position_m[1],
                                 fires[begin + k].position_m[2]};
            const double delay = delays_s[begin + k] * das->c_m_s;
            for (int32_t i = 0; i < n; i++) {
                const double u = x[i] - e[0], v = y[i] - e[1], w = z[i] - e[2];
                const double wave = delay + sqrt(u * u + v * v + w * w);
                first[i] = wave < first[i] ? wave : first[i];
            }
        }
    }
}

#endif
