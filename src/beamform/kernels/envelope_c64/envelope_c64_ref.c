/*
 * envelope_c64, the specification, and what the compiler makes vectors of.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "envelope_c64.h"

#include <math.h>

void sac_envelope_c64_ref(float *restrict out, const float *restrict in, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double re = (double)in[2 * i], im = (double)in[2 * i + 1];
        out[i] = (float)sqrt(re * re + im * im);
    }
}
