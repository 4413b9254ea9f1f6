/*
 * vhist_u8 and vhist_u16 for the harness; a room's kind is the bytes of a sample.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "equalize/kernels/depths_cuda.h"
#include "equalize/kernels/published.h"
#include "equalize/kernels/vhist_u16/vhist_u16.h"
#include "equalize/kernels/vhist_u8/vhist_u8.h"
#include "image/check_pixels.h"

enum { HIST, IN };

static const sac_variant rungs_u8[] = {
    {"single", 0, false, SAC_FN(sac_vhist_fn, sac_vhist_u8_single)},
    {"pairs", 0, false, SAC_FN(sac_vhist_fn, sac_vhist_u8_pairs)},
#if SAC_X86
    {"avx512-tables", SAC_CPU_AVX512_VBMI, false, SAC_FN(sac_vhist_fn, sac_vhist_u8_avx512_tables)},
#endif
    {0},
};

/* Of V in floats, in shared memory. */
static const sac_check_published published_u8[] = {
    {"shared", 238.08e3, SAC_DUONG_FIG_16, .of = "V as floats"},
    {"shared", 236.16e3, SAC_DUONG_FIG_17, .of = "V as floats"},
    {0}};

static void shape(sac_check_case *c)
{
    const int64_t n = INT64_C(1) << (8 * c->kind);
    c->arg[HIST] = (sac_check_arg){"hist", SAC_CHECK_OUT, .size = 4, .w = n, .h = 1};
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, (size_t)c->kind, c->mode);
}

static void fill(sac_check_case *c)
{
    sac_check_pixels_fill(c, IN, c->mode);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_pixels in = sac_check_pixels(c, IN, c->mode);
    ((sac_vhist_fn)fn)(sac_check_data(c, HIST), &in);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_pixels in = sac_check_pixels(c, IN, c->mode);
    return ((sac_vhist_cuda_fn)fn)(stream, shape_of, sac_check_data(c, HIST), &in);
}

/* Pixels counted by turns in n_tables of `bins` counters, which are added up at the end; V of a
 * block takes `rows` bytes. */
static sac_check_cost tables(uint64_t n, uint64_t bins, uint64_t n_tables, uint64_t rows)
{
    const uint64_t others = n_tables > 1 ? n_tables : 0;
    return (sac_check_cost){.work = n + others * bins,
                            .steps = (n + n_tables - 1) / n_tables + others,
                            .extra = 4 * others * bins + rows};
}

/* Counts of pairs a b, in tables of `size` counters; then what each says of a and of b. */
static sac_check_cost pairs(uint64_t n, uint64_t size, uint64_t n_tables, uint64_t b)
{
    return (sac_check_cost){.work = n / 2 + n % 2 + (n_tables + 1) * size,
                            .steps = n / 2 / n_tables + n % 2 + n_tables + 2 * b,
                            .extra = 4 * n_tables * size};
}

/* Counts, and the additions that collect them, of the picture that is worst: a constant one waits
 * for its one counter. V = max(R, G, B) is not counted. */
static void cost(sac_check_cost *cost, const sac_variant *v, const sac_check_case *c, bool on_gpu,
                 const sac_gpu_shape *shape)
{
    enum { BLOCK = 512, WARP = 32, NEAR = 16, PAIR_TABLES = 4 };
    const uint64_t n = (uint64_t)(c->w * c->h), bins = UINT64_C(1) << (8 * c->kind);
    uint64_t blocks, threads, own = 0; /* tables of a block */
    sac_rung_launch(&blocks, &threads, shape, (int64_t)n);
    *cost = tables(n, bins, 1, 0);
    if (!on_gpu && (!strncmp(v->name, "avx", 3) || !strcmp(v->name, "neon")) && c->kind == 1 &&
        strcmp(v->name, "avx512-tables") != 0) {
        *cost = pairs(n, 256 * NEAR, PAIR_TABLES, NEAR); /* and single ones on noise */
        cost->work += 8 * bins;
        cost->extra += 4 * 8 * bins;
    } else if (!strcmp(v->name, "pairs"))
        *cost = pairs(n, 65536, 1, 256);
    else if (!on_gpu && strcmp(v->name, "ref") != 0)
        *cost = tables(n, bins, c->kind == 1 && strcmp(v->name, "single") != 0 ? 8 : 1,
                       (uint64_t)c->kind * BLOCK);
    else if (!strcmp(v->name, "together"))
        cost->steps = (n + WARP - 1) / WARP;
    else if (!strcmp(v->name, "shared") || !strcmp(v->name, "ilp"))
        own = 1;
    else if (!strcmp(v->name, "per-warp"))
        own = (threads + WARP - 1) / WARP;
    else if (!strcmp(v->name, "per-lane"))
        own = WARP;
    if (own > 0) /* a block adds its tables up, then to the grid's one counter a value */
        *cost = (sac_check_cost){.work = n + blocks * (own > 1 ? own + 1 : 1) * bins,
                                 .steps = (n + blocks * own - 1) / (blocks * own) +
                                          (own > 1 ? own : 0) + blocks,
                                 .extra = 4 * blocks * own * bins};
}

static uint64_t bytes(const sac_check_case *c)
{
    return sac_check_pixels_bytes(c, IN, c->mode);
}

const sac_room_check sac_vhist_u8_check = {
    SAC_CHECK_PIXELS(sac_vhist_u8_room, 1, sac_vhist_u8_cuda), .rungs = rungs_u8,
    .published = published_u8, .cost = cost};
const sac_room_check sac_vhist_u16_check = {
    SAC_CHECK_PIXELS(sac_vhist_u16_room, 2, sac_vhist_u16_cuda), .costly = true, .cost = cost};
