/*
 * How filters walk over a picture: in blocks of columns, down the rows, with a line of samples for
 * each row of the window. A line is the picture's own memory if that is packed, otherwise a copy
 * with its reflected borders. Filters then see neighbors `step` samples apart, and one loop over
 * samples does every channel. Included by rooms, so that it is compiled for each instruction set.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_SAMPLES_INLINE_H
#define SAC_MOTION_SAMPLES_INLINE_H

#include <stdbool.h>
#include <string.h>

#include "motion/kernels/samples.h"

#define SAC_LINE 2048   /* samples of a block: the lines of a 5 x 5 window stay in the L1 cache */
#define SAC_LINE_PAD 64 /* around it; a neighbor is at most 2 pixels of 4 samples away */
#define SAC_GRAIN 64    /* lines are worked on in multiples of this, for loops without a tail */
#define SAC_LINE_ALL (SAC_LINE + 2 * SAC_LINE_PAD)
#define SAC_MAX_SIDE 5 /* of a window */

/* Index i of n, reflected without repeating the edge, as often as it takes. */
static inline int64_t sac_reflect(int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (n == 1)
        return 0;
    int64_t period = 2 * (n - 1);
    i = (i % period + period) % period;
    return i < n ? i : period - i;
}

static inline int64_t sac_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Whether a pixel's channels, and the pixels of a row, are neighbors in memory. */
static inline bool sac_samples_dense(const sac_samples *p)
{
    return p->pixel == p->n_channels && (p->n_channels == 1 || p->channel == 1);
}

/* One channel alone. */
static inline sac_samples sac_samples_channel(const sac_samples *p, int32_t c)
{
    sac_samples one = *p;
    one.data += c * p->channel;
    one.n_channels = 1;
    return one;
}

/* Pixels [x, x + n) of row y to `line`, channels side by side; x and y within the picture. */
static inline void sac_samples_gather(uint8_t *line, const sac_samples *p, int64_t x, int64_t y,
                                      int64_t n)
{
    const uint8_t *from = p->data + y * p->row + x * p->pixel;
    int32_t step = p->n_channels;
    if (sac_samples_dense(p)) {
        memcpy(line, from, (size_t)(n * step));
        return;
    }
    for (int32_t c = 0; c < step; c++)
        for (int64_t i = 0; i < n; i++)
            line[i * step + c] = from[i * p->pixel + c * p->channel];
}

/* The way back. */
static inline void sac_samples_scatter(const sac_samples *p, int64_t x, int64_t y,
                                       const uint8_t *line, int64_t n)
{
    uint8_t *to = p->data + y * p->row + x * p->pixel;
    if (sac_samples_dense(p)) {
        memcpy(to, line, (size_t)(n * p->n_channels));
        return;
    }
    for (int32_t c = 0; c < p->n_channels; c++)
        for (int64_t i = 0; i < n; i++)
            to[i * p->pixel + c * p->channel] = line[i * p->n_channels + c];
}

/* n rounded up to a multiple of SAC_GRAIN; compilers see that it is one. */
static inline int32_t sac_grains(int32_t n)
{
    return (n + SAC_GRAIN - 1) & -SAC_GRAIN;
}

/* A block of columns at work. */
typedef struct sac_block {
    const sac_samples *out, *in;
    int64_t x, n_pixels; /* the columns */
    int64_t y;           /* the row of `in` that out's first is */
    int32_t radius;      /* of the window */
    int32_t step;        /* samples from a pixel to its neighbor */
    int32_t n;           /* samples, rounded up to a multiple of SAC_GRAIN */
} sac_block;

/*
 * Row y of the input, reflected: the block's first sample, with `radius` pixels around the block,
 * in `buffer` (SAC_LINE_ALL) or in the picture. There is memory, of any content, from SAC_LINE_PAD
 * / 2 samples before it to SAC_LINE_PAD samples after its n.
 */
static inline const uint8_t *sac_block_line(const sac_block *b, int64_t y, uint8_t *buffer)
{
    const sac_samples *in = b->in;
    int64_t r = b->radius, first = b->x - r, end = b->x + b->n_pixels + r;
    y = sac_reflect(y, in->h);
    if (first >= 0 && b->x + 2 * SAC_GRAIN + b->n_pixels <= in->w && sac_samples_dense(in))
        return in->data + y * in->row + b->x * in->pixel;
    uint8_t *line = buffer + SAC_LINE_PAD;
    int64_t from = first < 0 ? 0 : first, to = sac_min_i64(end, in->w);
    sac_samples_gather(line + (from - b->x) * b->step, in, from, y, to - from);
    for (int64_t x = first; x < from; x++)
        sac_samples_gather(line + (x - b->x) * b->step, in, sac_reflect(x, in->w), y, 1);
    for (int64_t x = to; x < end; x++)
        sac_samples_gather(line + (x - b->x) * b->step, in, sac_reflect(x, in->w), y, 1);
    return line;
}

static inline bool sac_block_direct(const sac_block *b)
{
    return sac_samples_dense(b->out) && b->n == b->n_pixels * b->step;
}

/* Where n samples of row y of the output are to be written: the picture, or `buffer` (SAC_LINE). */
static inline uint8_t *sac_block_out(const sac_block *b, int64_t y, uint8_t *buffer)
{
    const sac_samples *out = b->out;
    return sac_block_direct(b) ? out->data + y * out->row + b->x * out->pixel : buffer;
}

/* They were written. */
static inline void sac_block_done(const sac_block *b, int64_t y, const uint8_t *line)
{
    if (!sac_block_direct(b))
        sac_samples_scatter(b->out, b->x, y, line, b->n_pixels);
}

typedef void (*sac_block_fn)(const sac_block *b, const sac_filter *f);

static inline void sac_filter_dense(const sac_samples *out, const sac_samples *in, int64_t y,
                                    int32_t radius, const sac_filter *f, sac_block_fn block)
{
    int64_t most = SAC_LINE / in->n_channels / SAC_GRAIN * SAC_GRAIN;
    for (int64_t x = 0; x < in->w; x += most) {
        sac_block b = {out, in, x, sac_min_i64(in->w - x, most), y, radius, in->n_channels, 0};
        b.n = sac_grains((int32_t)b.n_pixels * b.step);
        block(&b, f);
    }
}

/* Every block of a picture; interleaved pixels at once, other layouts a channel at a time. */
static inline void sac_filter_blocks(const sac_samples *out, const sac_samples *in, int64_t y,
                                     int32_t radius, const sac_filter *f, sac_block_fn block)
{
    if (sac_samples_dense(in) && sac_samples_dense(out)) {
        sac_filter_dense(out, in, y, radius, f, block);
        return;
    }
    for (int32_t c = 0; c < in->n_channels; c++) {
        sac_samples to = sac_samples_channel(out, c), from = sac_samples_channel(in, c);
        sac_filter_dense(&to, &from, y, radius, f, block);
    }
}

/* `rows` for a dense picture whose rows have `least` samples, which may then read and write them
 * where they lie; `blocks` for others, and for other layouts, channel by channel, either. */
static inline void sac_filter_rows(const sac_samples *out, const sac_samples *in, int64_t y,
                                   const sac_filter *f, int64_t least, sac_filter_u8_fn rows,
                                   sac_filter_u8_fn blocks)
{
    if (sac_samples_dense(in) && sac_samples_dense(out)) {
        (in->w * in->n_channels < least ? blocks : rows)(out, in, y, f);
        return;
    }
    for (int32_t c = 0; c < in->n_channels; c++) {
        sac_samples to = sac_samples_channel(out, c), from = sac_samples_channel(in, c);
        const bool dense = sac_samples_dense(&from) && sac_samples_dense(&to);
        (from.w < least || !dense ? blocks : rows)(&to, &from, y, f);
    }
}

/* Of references: channel c of the pixel at x, y, reflected. */
static inline uint8_t sac_sample_at(const sac_samples *p, int64_t x, int64_t y, int32_t c)
{
    return p
        ->data[sac_reflect(y, p->h) * p->row + sac_reflect(x, p->w) * p->pixel + c * p->channel];
}

static inline uint8_t *sac_sample_of(const sac_samples *p, int64_t x, int64_t y, int32_t c)
{
    return p->data + y * p->row + x * p->pixel + c * p->channel;
}

#endif
