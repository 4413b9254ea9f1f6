/*
 * Whether six numbers can be a camera's calibration.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include <saccade/meltpool.h>

#include "base/error.h"

#define MOST_CONDITION                                                                             \
    1e6                    /* of its linear part: a camera's is near 1, one of a slanted view 10   \
                            */
#define LEAST_STEP 0x1p-32 /* pixels a unit: all places of 32-bit signals are within one pixel */

sac_status sac_meltpool_calibration_check(const double *m, sac_error *err)
{
    if (!m)
        return sac_fail(err, SAC_E_INVALID, "calibration: is NULL");
    for (int i = 0; i < 6; i++)
        if (!isfinite(m[i]))
            return sac_fail(
                err, SAC_E_INVALID,
                "calibration: expected 2 x 3 finite numbers, got %g in row %d, column %d", m[i],
                i / 3, i % 3);
    const double most = fmax(fmax(fabs(m[0]), fabs(m[1])), fmax(fabs(m[3]), fabs(m[4])));
    const bool moves = most >= LEAST_STEP;
    const double by = moves ? most : 1; /* so that no product overflows or vanishes */
    const double a = m[0] / by, b = m[1] / by, c = m[3] / by, d = m[4] / by;
    /* With the singular values s1 >= s2: a^2 + b^2 + c^2 + d^2 = s1^2 + s2^2, and the determinant
     * is s1 s2, so their quotient is k + 1 / k, k = s1 / s2 being the condition number. */
    if (moves && fabs(a * d - b * c) * (MOST_CONDITION + 1 / MOST_CONDITION) >=
                     a * a + b * b + c * c + d * d)
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID,
                    "calibration: expected a matrix that can be inverted, got %g %g, %g %g, which "
                    "puts all places of the laser on one %s",
                    m[0], m[1], m[3], m[4], moves ? "line" : "pixel");
}
