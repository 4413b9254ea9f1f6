/*
 * vscale_u8 and vscale_u16 for the harness: random scalings, whose multipliers are made as a plan
 * makes them. A room's kind is the bytes of a sample.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "equalize/kernels/published.h"
#include "equalize/kernels/scale.h"
#include "equalize/kernels/depths_cuda.h"
#include "equalize/kernels/vscale_u16/vscale_u16.h"
#include "equalize/kernels/vscale_u8/vscale_u8.h"
#include "image/check_pixels.h"
#include "image/pixels_inline.h"

enum { OUT, IN };

#define MAX_VALUES 65536

typedef struct {
    sac_scale scale; /* first: c->state is read as a sac_scale */
    uint64_t num[MAX_VALUES];
    uint64_t q16[MAX_VALUES];
    uint32_t q32[MAX_VALUES];
    uint64_t occurs[MAX_VALUES];
    uint32_t q8[256];
} holder;

static void shape(sac_check_case *c)
{
    sac_check_pixels_shape(c, OUT, "out", SAC_CHECK_OUT, (size_t)c->kind, c->mode);
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, (size_t)c->kind, c->mode);
}

static void fill(sac_check_case *c)
{
    sac_check_pixels_fill(c, IN, c->mode);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void count(uint64_t *occurs, const sac_pixels *in, int32_t depth)
{
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++) {
            uint16_t v = 0;
            for (int k = 0; k < in->n_colors; k++) {
                uint16_t sample = depth == 8 ? *sac_row_u8(in, k, x, y) : *sac_row_u16(in, k, x, y);
                v = SAC_MAX(v, sample);
            }
            occurs[v]++;
        }
}

/* Monotone, by the case's seed: any den up to 2^31, any bins; multipliers, or ceilings as a plan
 * has, for each V that occurs in the picture. With the content "constant" the scaling leaves
 * pictures as they are. */
static sac_status open(sac_check_case *c)
{
    const sac_pixels in = sac_check_pixels(c, IN, c->mode);
    holder *h = sac_alloc(1, sizeof *h);
    if (!h)
        return SAC_E_NOMEM;
    const int32_t depth = 8 * c->kind;
    uint64_t random = c->seed | 1;
    int32_t n_values = 1 << depth;
    h->scale =
        (sac_scale){.depth = depth, .num = h->num, .q8 = h->q8, .q16 = h->q16, .q32 = h->q32};
    /* As many bins as values half of the time, else any number from 2 on. */
    uint64_t r = sac_check_random(&random);
    h->scale.bins = r & 1 ? n_values : 2 + (int32_t)((r >> 8) % (uint64_t)(n_values - 1));
    /* Pixels of a picture: up to 2^31. */
    h->scale.den = 1 + (sac_check_random(&random) >> (33 + sac_check_random(&random) % 31));
    for (int32_t b = 0; b < h->scale.bins; b++)
        h->num[b] = sac_check_random(&random) % (h->scale.den + 1);
    qsort(h->num, (size_t)h->scale.bins, sizeof h->num[0], compare);
    h->num[h->scale.bins - 1] = h->scale.den;
    if (c->content == 1)
        h->scale.den = 0;
    count(h->occurs, &in, depth);
    if (depth == 16 && random >> 63)
        sac_scale_ceilings(h->q16, h->q32, &h->scale, h->occurs);
    else
        sac_scale_multipliers(h->q8, h->q16, &h->scale, h->occurs);
    for (uint32_t v = 0; depth == 16 && v < MAX_VALUES; v++)
        h->q32[v] = sac_scale_short(h->q16[v], v);
    c->state = h;
    return SAC_OK;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_pixels out = sac_check_pixels(c, OUT, c->mode), in = sac_check_pixels(c, IN, c->mode);
    ((sac_vscale_fn)fn)(&out, &in, c->state);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 2 * sac_check_pixels_bytes(c, IN, c->mode);
}

/* c->cuda: a copy of the holder, with multipliers; the scale itself stays here. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    holder *h = c->state;
    sac_scale_multipliers(h->q8, h->q16, &h->scale, h->occurs);
    return sac_check_keep_cuda(c, gpu, c->state, sizeof(holder));
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_pixels out = sac_check_pixels(c, OUT, c->mode), in = sac_check_pixels(c, IN, c->mode);
    const holder *there = c->cuda;
    sac_scale scale = ((const holder *)c->state)->scale;
    scale.num = there->num;
    scale.q8 = there->q8;
    scale.q16 = there->q16;
    return ((sac_vscale_cuda_fn)fn)(stream, shape_of, &out, &in, &scale);
}

/* Of V alone, in floats. */
static const sac_check_published published_u8[] = {
    {"table", 594.34e3, SAC_DUONG_FIG_16, .of = "V as floats"},
    {"table", 527.65e3, SAC_DUONG_FIG_17, .of = "V as floats"},
    {0}};

#define TABLES .open = open, .open_cuda = open_cuda, .close_cuda = sac_check_free_cuda

const sac_room_check sac_vscale_u8_check = {
    SAC_CHECK_PIXELS(sac_vscale_u8_room, 1, sac_vscale_u8_cuda), TABLES, .published = published_u8};
const sac_room_check sac_vscale_u16_check = {
    SAC_CHECK_PIXELS(sac_vscale_u16_room, 2, sac_vscale_u16_cuda), TABLES, .costly = true};
