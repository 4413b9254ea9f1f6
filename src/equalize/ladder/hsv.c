/*
 * equalize by way of HSV, as Duong, "Programmation GPU" (2024), does it: RGB to HSV, histogram of
 * V, cumulative sum, scaling of V, HSV to RGB; in triples, and in planes. Packed 8-bit RGB only;
 * may differ from the reference by 1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "equalize/ladder/check.h"
#include "equalize/kernels/hsv2rgb_u8/hsv2rgb_u8.h"
#include "equalize/kernels/rgb2hsv_u8/rgb2hsv_u8.h"

/* Scales every V by the picture's own s. */
static void equalize_v(const sac_equalize_job *job, const sac_hsv *p, int64_t n)
{
    enum { BINS = 256 };
    uint64_t c[BINS] = {0}, total = 0, first = 0;
    float s[BINS];
    for (int64_t i = 0; i < n; i++)
        c[(int)(p->v[i * p->step] * 255 + 0.5f)]++;
    uint64_t zero = c[0];
    int v0 = (int)(p->v[0] * 255 + 0.5f);
    if (c[v0] == (uint64_t)n && job->desc->scale != SAC_SCALE_MAX)
        return; /* one bin: the picture stays as it is */
    for (int b = 0; b < BINS; b++) {
        first = first ? first : c[b];
        c[b] = total += c[b];
    }
    uint64_t base = job->desc->scale == SAC_SCALE_FIRST    ? first
                    : job->desc->scale == SAC_SCALE_MINMAX ? zero
                                                           : 0;
    for (int b = 0; b < BINS; b++)
        s[b] = (float)((double)(c[b] > base ? c[b] - base : 0) / (double)(total - base));
    for (int64_t i = 0; i < n; i++) {
        float *v = &p->v[i * p->step];
        *v = *v > 0 ? s[(int)(*v * 255 + 0.5f)] : 0;
    }
}

void sac_equalize_hsv_triples(const sac_equalize_job *job)
{
    int64_t n = job->in.w * job->in.h;
    sac_hsv p = sac_hsv_view(job->hsv, n, SAC_HSV_TRIPLES);
    sac_rgb2hsv_u8_v0(&p, job->in.color[0], n);
    equalize_v(job, &p, n);
    sac_hsv2rgb_u8_v0(job->out.color[0], &p, n);
}

void sac_equalize_hsv_planes(const sac_equalize_job *job)
{
    int64_t n = job->in.w * job->in.h;
    sac_hsv p = sac_hsv_view(job->hsv, n, SAC_HSV_PLANES);
    sac_rgb2hsv_u8_v1(&p, job->in.color[0], n);
    equalize_v(job, &p, n);
    sac_hsv2rgb_u8_v1(job->out.color[0], &p, n);
}
