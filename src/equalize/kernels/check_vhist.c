/*
 * vhist_u8 and vhist_u16 for the harness; a room's kind is the bytes of a sample.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/depths_cuda.h"
#include "equalize/kernels/vhist_u16/vhist_u16.h"
#include "equalize/kernels/vhist_u8/vhist_u8.h"
#include "image/check_pixels.h"

enum { HIST, IN };

static const sac_variant rungs_u8[] = {
    {"single", 0, false, SAC_FN(sac_vhist_fn, sac_vhist_u8_single)},
    {"pairs", 0, false, SAC_FN(sac_vhist_fn, sac_vhist_u8_pairs)},
#if SAC_X86
    {"avx512-tables", SAC_CPU_AVX512_VBMI, false,
     SAC_FN(sac_vhist_fn, sac_vhist_u8_avx512_tables)},
#endif
    {0},
};

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

static uint64_t bytes(const sac_check_case *c)
{
    return sac_check_pixels_bytes(c, IN, c->mode);
}

const sac_room_check sac_vhist_u8_check = {
    SAC_CHECK_PIXELS(sac_vhist_u8_room, 1, sac_vhist_u8_cuda), .rungs = rungs_u8};
const sac_room_check sac_vhist_u16_check = {
    SAC_CHECK_PIXELS(sac_vhist_u16_room, 2, sac_vhist_u16_cuda), .costly = true};
