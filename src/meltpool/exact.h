/*
 * Elementary functions of additions, multiplications, divisions and roots alone, which IEEE 754
 * rounds the same everywhere: unlike those of libm, they give the same bits on every machine. They
 * differ from the true value by 1e-14 of it, cosines by 1e-14.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_EXACT_H
#define SAC_MELTPOOL_EXACT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SAC_PI 3.14159265358979323846
#define SAC_LN2 0.69314718055994530942

/* e^x for x <= 700; 0 below -700. The series of x less a multiple of ln 2, times a power of 2. */
static inline double sac_exact_exp(double x)
{
    if (x < -700)
        return 0;
    const double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34;
    int64_t k = (int64_t)(x / SAC_LN2 + (x < 0 ? -0.5 : 0.5));
    double r = (x - (double)k * ln2_high) - (double)k * ln2_low, sum = 1, power;
    for (int n = 13; n > 0; n--) /* |r| <= 0.35: the next term is 4e-18 */
        sum = 1 + sum * r / n;
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

/* ln x for normal x > 0: by 2 atanh((m - 1) / (m + 1)) of the mantissa m around 1. */
static inline double sac_exact_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    double e = (double)(int64_t)(bits >> 52) - 1023, m;
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1023) << 52;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m /= 2;
        e += 1;
    }
    double s = (m - 1) / (m + 1), sum = 0;
    for (int n = 21; n > 0; n -= 2) /* |s| <= 0.172: the next term is 1e-19 */
        sum = sum * (s * s) + 1.0 / n;
    return e * SAC_LN2 + 2 * s * sum;
}

/* x^y for x > 0. */
static inline double sac_exact_pow(double x, double y)
{
    return sac_exact_exp(y * sac_exact_log(x));
}

/* cos x = 1 - 2 sin^2(x / 2) for |x| < 1e6, x less a multiple of 2 pi. */
static inline double sac_exact_cos(double x)
{
    double half = (x - 2 * SAC_PI * floor(x / (2 * SAC_PI) + 0.5)) / 2, sum = 1;
    for (int n = 20; n > 0; n -= 2) /* |half| <= pi / 2: the next term is 1e-18 */
        sum = 1 - sum * half * half / (n * (n + 1));
    return 1 - 2 * (half * sum) * (half * sum);
}

static inline double sac_exact_sin(double x)
{
    return sac_exact_cos(x - SAC_PI / 2);
}

#endif
