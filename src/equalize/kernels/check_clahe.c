/*
 * clahe_u8 and clahe_u16 for the harness: random levels on a random number of tiles. A room's kind
 * is the bytes of a sample.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "equalize/kernels/depths_cuda.h"
#include "equalize/kernels/clahe_u16/clahe_u16.h"
#include "equalize/kernels/clahe_u8/clahe_u8.h"
#include "image/check_pixels.h"

enum { OUT, IN, LEVEL, COLUMN };

#define MANY 10000 /* pixels: fewer may have 65,536 bins, in two tiles */

/* Tiles and bins of a case, from its seed; with pixels if there are sums. */
static sac_clahe tiles(const sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    sac_clahe t = {.w = c->w, .h = c->h};
    t.tiles_x = 1 + (int32_t)(sac_check_random(&random) % (uint64_t)(c->w < 8 ? c->w : 8));
    t.tiles_y = 1 + (int32_t)(sac_check_random(&random) % (uint64_t)(c->h < 8 ? c->h : 8));
    t.bins = sac_check_random(&random) >> 63 ? 256 : 2 + (int32_t)(sac_check_random(&random) % 255);
    const uint64_t which = sac_check_random(&random) % 8;
    if (c->kind == 2 && c->w * c->h < MANY && which < 2) {
        t.pixels = which ? 1 + (uint32_t)(sac_check_random(&random) % 65535) : 0;
        t.most = UINT64_C(65535) << SAC_CLAHE_LEVEL_BITS;
        t.tiles_x = c->w < 2 ? 1 : 2;
        t.tiles_y = 1;
        t.bins = 65536;
    }
    return t;
}

static void shape(sac_check_case *c)
{
    const sac_clahe t = tiles(c);
    sac_check_pixels_shape(c, OUT, "out", SAC_CHECK_OUT, (size_t)c->kind, c->mode);
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, (size_t)c->kind, c->mode);
    c->arg[LEVEL] = (sac_check_arg){"level",
                                    SAC_CHECK_IN,
                                    .size = t.pixels ? 2 : 4,
                                    .w = t.bins,
                                    .h = t.tiles_x * t.tiles_y,
                                    .packed = true};
    c->arg[COLUMN] = (sac_check_arg){"column",   SAC_CHECK_IN, .size = sizeof(sac_clahe_place),
                                     .align = 4, .w = c->w,    .h = 1};
    c->n_args = 4;
}

static void fill(sac_check_case *c)
{
    const sac_clahe t = tiles(c);
    const uint32_t highest = ((UINT32_C(1) << (8 * c->kind)) - 1) << SAC_CLAHE_LEVEL_BITS;
    const uint32_t max = t.pixels ? t.pixels : highest;
    uint64_t random = c->seed | 1;
    uint32_t *level = sac_check_data(c, LEVEL);
    uint16_t *sum = sac_check_data(c, LEVEL);
    sac_clahe_place *column = sac_check_data(c, COLUMN);
    for (int64_t x = 0; x < c->w; x++)
        column[x] = sac_clahe_at(x, c->w, t.tiles_x);
    sac_check_pixels_fill(c, IN, c->mode);
    for (int64_t i = 0; i < c->arg[LEVEL].w * c->arg[LEVEL].h; i++) {
        const uint64_t any = sac_check_random(&random) % (max + UINT64_C(1));
        const uint32_t x = i % 5 ? (uint32_t)any : max;
        if (t.pixels)
            sum[i] = (uint16_t)x;
        else
            level[i] = x;
    }
}

/* With its tables, in the memory that the case is in. */
static sac_clahe tables(const sac_check_case *c)
{
    sac_clahe t = tiles(c);
    if (t.pixels)
        t.sum = sac_check_data(c, LEVEL);
    else
        t.level = sac_check_data(c, LEVEL);
    t.column = sac_check_data(c, COLUMN);
    return t;
}

/* Memory for pairs of sums, of every other case that has sums. */
static sac_status open(sac_check_case *c)
{
    const sac_clahe t = tiles(c);
    if (!t.pixels || t.pixels % 2 == 0)
        return SAC_OK;
    c->state = sac_alloc(2 * (size_t)t.bins, sizeof(uint32_t));
    return c->state ? SAC_OK : SAC_E_NOMEM;
}

/* A GPU's kernels take levels alone. */
static bool supports(const sac_variant *v, const sac_check_case *c)
{
    const sac_variant *of = sac_clahe_u16_room.variants;
    while (of->name && of != v)
        of++;
    return of->name || !tiles(c).pixels;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_pixels out = sac_check_pixels(c, OUT, c->mode), in = sac_check_pixels(c, IN, c->mode);
    sac_clahe t = tables(c);
    for (int k = 0; c->state && k < 2; k++)
        t.pairs[k] = (uint32_t *)c->state + k * t.bins;
    ((sac_clahe_fn)fn)(&out, &in, &t, 0);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_pixels out = sac_check_pixels(c, OUT, c->mode), in = sac_check_pixels(c, IN, c->mode);
    const sac_clahe t = tables(c);
    return ((sac_clahe_cuda_fn)fn)(stream, shape_of, &out, &in, &t);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 2 * sac_check_pixels_bytes(c, IN, c->mode);
}

const sac_room_check sac_clahe_u8_check = {
    SAC_CHECK_PIXELS(sac_clahe_u8_room, 1, sac_clahe_u8_cuda)};
const sac_room_check sac_clahe_u16_check = {
    SAC_CHECK_PIXELS(sac_clahe_u16_room, 2, sac_clahe_u16_cuda), .open = open,
    .supports = supports};
