/*
 * compress_f32, the specification, in double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compress_f32.h"

#include <math.h>

void sac_compress_f32_ref(float *out, const float *in, int64_t n, float maximum, float range_db)
{
    for (int64_t i = 0; i < n; i++) {
        double ratio = (double)in[i] / (double)maximum;
        double db = ratio > 0 ? 20 * log10(ratio) : -(double)range_db;
        out[i] = (float)fmin(fmax(db, -(double)range_db), 0);
    }
}
