/*
 * How filters with vectors walk over a picture: in strips of rows, from left to right, V8 samples
 * of each row at a time. What a row gives to the results around it stays in registers on the way
 * down. Rows are read and written where they lie; only their ends are read from copies, which have
 * the reflected borders.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_STRIPS_H
#define SAC_MOTION_STRIPS_H

#include "motion/kernels/samples_inline.h"
#include "simd/simd.h"

#define SAC_STRIP 8     /* rows of results, made two at a time */
#define SAC_STRIP_PAD 8 /* samples before and after V8 that may be read: 2 pixels of 4 */
#define SAC_STRIP_LINES (SAC_STRIP + 4)
#define SAC_STRIP_LEAST (2 * V8 + SAC_STRIP_PAD) /* samples of a row */

typedef struct sac_strip {
    const uint8_t *line[SAC_STRIP_LINES]; /* rows of the picture, from `radius` rows above `to` */
    uint8_t *to[SAC_STRIP];               /* rows of results; if h is odd, the last one twice, so */
    int64_t h;                            /* that of each two the lower has to be written first */
    int32_t step;                         /* samples from a pixel to its neighbor */
} sac_strip;

/* Makes V8 samples of each row of results at samples first, first + V8, ... and at `last`. */
typedef void (*sac_strip_fn)(const sac_strip *s, int64_t first, int64_t last, const sac_filter *f);

/* What follows sample x. */
SIMD_INLINE int64_t sac_strip_next(int64_t x, int64_t last)
{
    return x == last || x + V8 <= last ? x + V8 : last;
}

/* Copies V8 samples of `line` from x on and those around them, x being an end of its n. */
static inline void sac_strip_copy(uint8_t *copy, const uint8_t *line, int64_t x, int64_t n,
                                  int32_t step, int32_t radius)
{
    const int64_t from = x ? x - SAC_STRIP_PAD : 0;
    memcpy(copy + (from - x), line + from, V8 + SAC_STRIP_PAD);
    for (int32_t i = 0; i < radius * step; i++) {
        const int32_t pixel = i / step, channel = i % step;
        if (x)
            copy[V8 + i] = line[n - (pixel + 2) * step + channel];
        else
            copy[-(pixel + 1) * step + channel] = line[(pixel + 1) * step + channel];
    }
}

static inline void sac_strip_end(const sac_strip *s, int64_t x, int64_t n, int32_t radius,
                                 const sac_filter *f, sac_strip_fn make)
{
    uint8_t copy[SAC_STRIP_LINES][V8 + 2 * SAC_STRIP_PAD];
    sac_strip end = *s;
    for (int64_t k = 0; k < s->h + s->h % 2 + 2 * radius; k++) {
        sac_strip_copy(copy[k] + SAC_STRIP_PAD, s->line[k], x, n, s->step, radius);
        end.line[k] = copy[k] + SAC_STRIP_PAD;
    }
    for (int64_t k = 0; k < s->h + s->h % 2; k++)
        end.to[k] = s->to[k] + x;
    make(&end, 0, 0, f);
}

/* A dense picture whose rows have SAC_STRIP_LEAST samples or more. */
static inline void sac_strips(const sac_samples *out, const sac_samples *in, int64_t y,
                              int32_t radius, const sac_filter *f, sac_strip_fn make)
{
    const int64_t n = in->w * in->n_channels;
    for (int64_t i = 0; i < out->h; i += SAC_STRIP) {
        sac_strip s = {.h = sac_min_i64(SAC_STRIP, out->h - i), .step = in->n_channels};
        for (int64_t k = 0; k < s.h + s.h % 2 + 2 * radius; k++)
            s.line[k] = in->data + sac_reflect(y + i + k - radius, in->h) * in->row;
        for (int64_t k = 0; k < s.h + s.h % 2; k++)
            s.to[k] = out->data + sac_min_i64(i + k, out->h - 1) * out->row;
        sac_strip_end(&s, 0, n, radius, f, make);
        make(&s, V8, n - V8 - SAC_STRIP_PAD, f);
        sac_strip_end(&s, n - V8, n, radius, f, make);
    }
}

#endif
