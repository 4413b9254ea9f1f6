/*
 * The table of multipliers: one for each V that occurs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/scale_inline.h"

static bool any_is_close(uint32_t q, uint32_t v)
{
    uint32_t close = 0;
    for (uint32_t x = 1; x <= v; x++)
        close |= sac_scale_is_close(sac_scale_fraction(q, x), x);
    return close;
}

static bool any_overshoots(uint64_t q, sac_scale_ratio t, uint32_t v, int shift)
{
    for (uint32_t x = 1; x <= v; x++)
        if (sac_scale_overshoots(q, t, x, shift))
            return true;
    return false;
}

static uint64_t multiplier(const sac_scale *s, uint32_t v, int shift)
{
    if (s->den == 0 || v == 0)
        return UINT64_C(1) << shift;
    sac_scale_ratio t = sac_scale_ratio_of(s->num[sac_scale_bin(s, v)], s->den, v, s->depth);
    uint64_t q = sac_scale_ceiling(t, shift);
    if (s->depth == 16)
        return sac_scale_correct(q, t, v, shift);
    return any_is_close((uint32_t)q, v) && any_overshoots(q, t, v, shift) ? q - 1 : q;
}

void sac_scale_multipliers(uint32_t *q8, uint64_t *q16, const sac_scale *s, const uint64_t *occurs)
{
    for (uint32_t v = 0; v < UINT32_C(1) << s->depth; v++) {
        if (occurs && !occurs[v])
            continue;
        if (s->depth == 8)
            q8[v] = (uint32_t)multiplier(s, v, SAC_SCALE_SHIFT_U8);
        else
            q16[v] = multiplier(s, v, SAC_SCALE_SHIFT_U16);
    }
}

/*
 * The ceiling of 2^40 top / bottom, both below 2^48 and the quotient below 2^52: a double's is off
 * by at most 1, which the remainder, small and so right modulo 2^64, shows.
 */
static uint64_t ceiling(uint64_t top, uint64_t bottom)
{
    const double one = (double)(UINT64_C(1) << SAC_SCALE_SHIFT_U16);
    const uint64_t q = (uint64_t)(int64_t)((double)(int64_t)top * one / (double)(int64_t)bottom);
    const int64_t rest = (int64_t)((top << SAC_SCALE_SHIFT_U16) - q * bottom);
    return q + (rest > 0) + (rest > (int64_t)bottom) - (rest <= -(int64_t)bottom);
}

void sac_scale_ceilings(uint64_t *q16, uint32_t *q32, const sac_scale *s, const uint64_t *occurs)
{
    const bool small = s->den > 0 && s->den <= UINT64_C(1) << 32;
    for (uint32_t v = 0; v < 65536; v++) {
        if (!occurs[v])
            continue;
        if (small && v >= 16)
            q16[v] = ceiling(65535 * s->num[sac_scale_bin(s, v)], s->den * v);
        else
            q16[v] = multiplier(s, v, SAC_SCALE_SHIFT_U16);
        q32[v] = sac_scale_short(q16[v], v);
    }
}
