/*
 * How much two frames differ, for reports.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/measure_video.h>

#include <stdlib.h>

#include "base/array_check.h"

/* Two frames on the CPU of one shape that a heat map takes. */
static sac_status check(const sac_array *current, const sac_array *previous, sac_error *err)
{
    sac_status st = sac_array_check(current, "current", err);
    if (st)
        return st;
    const int32_t n = current->n_dims;
    if (n != 2 && (n != 3 || (current->shape[2] != 3 && current->shape[2] != 4)))
        return sac_fail(err, SAC_E_SHAPE, "current: expected (h, w), (h, w, 3) or (h, w, 4)");
    st = sac_array_expect(current, "current", SAC_U8, n, current->shape, err);
    st = st ? st : sac_array_expect_on(current, "current", SAC_CPU, err);
    st = st ? st : sac_array_expect(previous, "previous", SAC_U8, n, current->shape, err);
    return st ? st : sac_array_expect_on(previous, "previous", SAC_CPU, err);
}

sac_status sac_measure_difference(sac_frame_difference *out, const sac_array *current,
                                  const sac_array *previous, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *out = (sac_frame_difference){0};
    const sac_status st = check(current, previous, err);
    if (st)
        return st;
    const bool is_gray = current->n_dims == 2;
    const ptrdiff_t *cs = current->stride, *ps = previous->stride;
    for (int64_t y = 0; y < current->shape[0]; y++) {
        const uint8_t *a = (const uint8_t *)current->data + y * cs[0];
        const uint8_t *b = (const uint8_t *)previous->data + y * ps[0];
        for (int64_t x = 0; x < current->shape[1]; x++, a += cs[1], b += ps[1]) {
            const int32_t d = is_gray ? 3 * abs(a[0] - b[0])
                                      : abs(a[0] - b[0]) + abs(a[cs[2]] - b[ps[2]]) +
                                            abs(a[2 * cs[2]] - b[2 * ps[2]]);
            out->n_changed += d > 0;
            out->sum += (uint64_t)d;
            out->max = d > out->max ? d : out->max;
        }
    }
    return SAC_OK;
}
