/*
 * label_u8 in plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "label_u8_inline.h"

static inline int32_t find(sac_label_run *runs, const uint8_t *row, int64_t w, int32_t threshold)
{
    int32_t n = 0;
    for (int32_t x = 0; x < w;) {
        while (x < w && row[x] < threshold)
            x++;
        if (x == w)
            break;
        runs[n].x0 = x;
        while (x < w && row[x] >= threshold)
            x++;
        runs[n++].x1 = x;
    }
    return n;
}

int32_t sac_label_u8_plain(const sac_label_job *job)
{
    return sac_label_by_runs(job, find);
}
