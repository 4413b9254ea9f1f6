/*
 * predict_u8 in plain C and 8 bits throughout: left + up - up_left lies between left and up
 * exactly if up_left does, and then it does not overflow.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "predict_u8.h"

uint32_t sac_predict_u8_plain(uint8_t *restrict out, const uint8_t *in, const uint8_t *left,
                              const uint8_t *up, const uint8_t *up_left, int64_t n)
{
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        uint8_t a = left[i], b = up[i], c = up_left[i];
        uint8_t low = a < b ? a : b, high = a < b ? b : a;
        uint8_t p = (uint8_t)(a + b - c);
        p = c >= high ? low : p;
        p = c <= low ? high : p;
        uint8_t d = (uint8_t)(in[i] - p), minus = (uint8_t)-d;
        out[i] = d;
        sum += d < minus ? d : minus;
    }
    return sum;
}
