/*
 * clahe_u8 for the harness: random levels on a random number of tiles.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u8.h"
#include "image/check_pixels.h"
#include "equalize/kernels/clahe_cuda.h"

enum { OUT, IN, LEVEL, COLUMN };

/* Tiles and bins of a case, from its seed. */
static sac_clahe tiles(const sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    sac_clahe t = {.w = c->w, .h = c->h};
    t.tiles_x = 1 + (int32_t)(sac_check_random(&random) % (uint64_t)(c->w < 8 ? c->w : 8));
    t.tiles_y = 1 + (int32_t)(sac_check_random(&random) % (uint64_t)(c->h < 8 ? c->h : 8));
    t.bins = sac_check_random(&random) >> 63 ? 256 : 2 + (int32_t)(sac_check_random(&random) % 255);
    return t;
}

static void shape(sac_check_case *c)
{
    sac_clahe t = tiles(c);
    sac_check_pixels_shape(c, OUT, "out", SAC_CHECK_OUT, 1, c->mode);
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, 1, c->mode);
    c->arg[LEVEL] = (sac_check_arg){
        "level", SAC_CHECK_IN, .size = 4, .w = t.bins, .h = t.tiles_x * t.tiles_y, .packed = true};
    c->arg[COLUMN] = (sac_check_arg){"column",   SAC_CHECK_IN, .size = sizeof(sac_clahe_place),
                                     .align = 4, .w = c->w,    .h = 1};
    c->n_args = 4;
}

static void fill(sac_check_case *c)
{
    const uint32_t max = ((UINT32_C(1) << 8) - 1) << SAC_CLAHE_LEVEL_BITS;
    uint64_t random = c->seed | 1;
    uint32_t *level = (uint32_t *)(void *)c->arg[LEVEL].data;
    sac_clahe t = tiles(c);
    sac_clahe_place *column = (sac_clahe_place *)(void *)c->arg[COLUMN].data;
    for (int64_t x = 0; x < c->w; x++)
        column[x] = sac_clahe_at(x, c->w, t.tiles_x);
    sac_check_pixels_fill(c, IN, c->mode);
    for (int64_t i = 0; i < c->arg[LEVEL].w * c->arg[LEVEL].h; i++)
        level[i] = i % 5 ? (uint32_t)(sac_check_random(&random) % (max + UINT64_C(1))) : max;
}

/* With its tables, in the memory that the case is in. */
static sac_clahe tables(const sac_check_case *c)
{
    sac_clahe t = tiles(c);
    t.level = (const uint32_t *)(const void *)c->arg[LEVEL].data;
    t.column = (const sac_clahe_place *)(const void *)c->arg[COLUMN].data;
    return t;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_pixels out = sac_check_pixels(c, OUT, c->mode), in = sac_check_pixels(c, IN, c->mode);
    sac_clahe t = tables(c);
    ((sac_clahe_u8_fn)fn)(&out, &in, &t, 0);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    sac_pixels out = sac_check_pixels(c, OUT, c->mode), in = sac_check_pixels(c, IN, c->mode);
    sac_clahe t = tables(c);
    return ((sac_clahe_cuda_fn)fn)(stream, shape_of, &out, &in, &t);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 2 * sac_check_pixels_bytes(c, IN, c->mode);
}

const sac_room_check sac_clahe_u8_check = {
    .room = &sac_clahe_u8_room,
    .modes = sac_pixel_modes,
    .contents = sac_pixel_contents,
    .shape = shape,
    .fill = fill,
    .call = call,
    .bytes = bytes,
    .cuda = sac_clahe_u8_cuda,
    .call_cuda = call_cuda,
};
