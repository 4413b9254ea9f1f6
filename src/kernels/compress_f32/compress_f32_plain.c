/*
 * compress_f32 in plain C that compilers make vectors of: a logarithm from the number's own bits
 * and a polynomial.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compress_f32.h"

#include <float.h>
#include <string.h>

#include "kernels/multiply_add.h"

#define LANES 64
#define DB_PER_OCTAVE 6.02059991f /* 20 log10(2) */
#define SQRT_HALF 0x3f3504f3u     /* the bits of sqrt(1/2) */

/*
 * log2(1 + t) / t for 1 + t in [sqrt(1/2), sqrt(2)), by Remez's exchange: its largest error, times
 * t, is 1.1e-7.
 */
static inline float log2_over(float t)
{
    float sum = -0.149733275f;
    sum = sac_multiply_add(sum, t, 0.235709637f);
    sum = sac_multiply_add(sum, t, -0.248322815f);
    sum = sac_multiply_add(sum, t, 0.28686887f);
    sum = sac_multiply_add(sum, t, -0.360263467f);
    sum = sac_multiply_add(sum, t, 0.480931163f);
    sum = sac_multiply_add(sum, t, -0.721352458f);
    return sac_multiply_add(sum, t, 1.4426949f);
}

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
        int32_t octave = (int32_t)(bits[i] - SQRT_HALF) >> 23;
        bits[i] -= (uint32_t)octave << 23;
        db[i] = (float)octave;
    }
    memcpy(ratio, bits, sizeof ratio);
    for (int i = 0; i < LANES; i++) {
        float t = ratio[i] - 1;
        float d = DB_PER_OCTAVE * sac_multiply_add(t, log2_over(t), db[i]);
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
