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

/* The cumulative histogram, and what the scaling subtracts from it. True if one bin has all pixels.
 */
static bool accumulate(const sac_equalize_job *job, uint64_t *base, int depth)
{
    uint64_t *c = job->counts, total = 0, first = 0, fullest = 0;
    size_t bins = (size_t)job->desc->bins;
    memset(c, 0, bins * sizeof *c);
    for (int64_t y = 0; y < job->in.h; y++)
        for (int64_t x = 0; x < job->in.w; x++)
            c[sac_pixel_value(&job->in, depth, x, y) * bins >> depth]++;
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
    const int depth = job->desc->dtype == SAC_U8 ? 8 : 16;
    uint64_t base, n = (uint64_t)(job->in.w * job->in.h), bins = (uint64_t)job->desc->bins;
    bool one_bin = accumulate(job, &base, depth),
         same = one_bin && job->desc->scale != SAC_SCALE_MAX;
    const wide max = (1u << depth) - 1;
    for (int64_t y = 0; y < job->in.h; y++)
        for (int64_t x = 0; x < job->in.w; x++) {
            uint32_t v = sac_pixel_value(&job->in, depth, x, y);
            uint64_t c = job->counts[v * bins >> depth], num = c > base ? c - base : 0;
            wide bottom = (wide)v * (n - base);
            for (int k = 0; k < job->in.n_colors; k++) {
                wide sample = sac_pixel_get(&job->in, depth, k, x, y);
                if (v > 0 && !same)
                    sample = (2 * max * num * sample + bottom) / (2 * bottom);
                sac_pixel_set(&job->out, depth, k, x, y, (uint32_t)sample);
            }
        }
    sac_copy_alpha(&job->out, &job->in, sac_dtype_size(job->desc->dtype));
}
