/*
 * equalize, the specification, straight from its definition and sharing no code with the plan:
 * integers, and a division for every sample. Whole pictures without CLAHE.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "equalize/ladder/check.h"
#include "image/pixels_inline.h"

__extension__ typedef unsigned __int128 wide;

static uint32_t get(const sac_equalize_job *job, int c, int64_t x, int64_t y)
{
    return job->desc->dtype == SAC_U8 ? *sac_row_u8(&job->in, c, x, y)
                                      : *sac_row_u16(&job->in, c, x, y);
}

static void put(const sac_equalize_job *job, int c, int64_t x, int64_t y, uint32_t value)
{
    if (job->desc->dtype == SAC_U8)
        *sac_out_u8(&job->out, c, x, y) = (uint8_t)value;
    else
        *sac_out_u16(&job->out, c, x, y) = (uint16_t)value;
}

static uint32_t value_of(const sac_equalize_job *job, int64_t x, int64_t y)
{
    uint32_t v = 0;
    for (int c = 0; c < job->in.n_colors; c++)
        v = SAC_MAX(v, get(job, c, x, y));
    return v;
}

/* The cumulative histogram, and what the scaling takes away from it; true if one bin holds all. */
static bool accumulate(const sac_equalize_job *job, uint64_t *base)
{
    uint64_t *c = job->counts, total = 0, first = 0, fullest = 0;
    size_t bins = (size_t)job->desc->bins, n_values = job->desc->dtype == SAC_U8 ? 256 : 65536;
    memset(c, 0, bins * sizeof *c);
    for (int64_t y = 0; y < job->in.h; y++)
        for (int64_t x = 0; x < job->in.w; x++)
            c[value_of(job, x, y) * bins / n_values]++;
    uint64_t zero = c[0];
    for (size_t b = 0; b < bins; b++) {
        first = first ? first : c[b];
        fullest = SAC_MAX(fullest, c[b]);
        c[b] = total += c[b];
    }
    *base = job->desc->scale == SAC_SCALE_FIRST    ? first
            : job->desc->scale == SAC_SCALE_MINMAX ? zero
                                                   : 0;
    return fullest == total;
}

void sac_equalize_ref(const sac_equalize_job *job)
{
    uint64_t base, n = (uint64_t)(job->in.w * job->in.h), bins = (uint64_t)job->desc->bins;
    bool one_bin = accumulate(job, &base), same = one_bin && job->desc->scale != SAC_SCALE_MAX;
    uint64_t n_values = job->desc->dtype == SAC_U8 ? 256 : 65536;
    for (int64_t y = 0; y < job->in.h; y++)
        for (int64_t x = 0; x < job->in.w; x++) {
            uint32_t v = value_of(job, x, y);
            uint64_t c = job->counts[v * bins / n_values], num = c > base ? c - base : 0;
            wide bottom = (wide)v * (n - base);
            for (int k = 0; k < job->in.n_colors; k++) {
                wide sample = get(job, k, x, y);
                if (v > 0 && !same)
                    sample = (2 * (n_values - 1) * num * sample + bottom) / (2 * bottom);
                put(job, k, x, y, (uint32_t)sample);
            }
        }
    sac_copy_alpha(&job->out, &job->in, sac_dtype_size(job->desc->dtype));
}
