/*
 * predict_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "predict_u8.h"

static int median(int a, int b, int c)
{
    if (a > b) {
        int swap = a;
        a = b;
        b = swap;
    }
    return c < a ? a : c > b ? b : c;
}

uint32_t sac_predict_u8_ref(uint8_t *out, const uint8_t *in, const uint8_t *left, const uint8_t *up,
                            const uint8_t *up_left, int64_t n)
{
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        out[i] = (uint8_t)(in[i] - median(left[i], up[i], left[i] + up[i] - up_left[i]));
        sum += (uint32_t)abs((int8_t)out[i]);
    }
    return sum;
}
