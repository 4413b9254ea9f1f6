/*
 * compress_f32 in plain C that compilers make vectors of: a logarithm from the number's own bits
 * and a polynomial.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compress_f32.h"

#include <float.h>
#include <string.h>

#include "compress_f32_inline.h"

#define LANES 64

/* LANES values, through memory of its own: out may be in. */
static inline void lanes(float *out, const float *in, float maximum, float floor_db)
{
    float ratio[LANES], db[LANES];
    uint32_t bits[LANES];
    for (int i = 0; i < LANES; i++) {
        float r = in[i] / maximum;
        r = r > FLT_MIN ? r : FLT_MIN; /* NaN, too */
        ratio[i] = r < 1 ? r : 1;
    }
    memcpy(bits, ratio, sizeof bits);
    for (int i = 0; i < LANES; i++) {
        int32_t octave = (int32_t)(bits[i] - SAC_SQRT_HALF) >> 23;
        bits[i] -= (uint32_t)octave << 23;
        db[i] = (float)octave;
    }
    memcpy(ratio, bits, sizeof ratio);
    for (int i = 0; i < LANES; i++) {
        float t = ratio[i] - 1;
        float d = SAC_DB_PER_OCTAVE * sac_multiply_add(t, sac_log2_over(t), db[i]);
        db[i] = d > floor_db ? d : floor_db;
    }
    memcpy(out, db, sizeof db);
}

void sac_compress_f32_plain(float *out, const float *in, int64_t n, float maximum, float range_db)
{
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        lanes(out + i, in + i, maximum, -range_db);
    if (i == n)
        return;
    float rest[LANES] = {0};
    memcpy(rest, in + i, (size_t)(n - i) * sizeof *in);
    lanes(rest, rest, maximum, -range_db);
    memcpy(out + i, rest, (size_t)(n - i) * sizeof *out);
}
