/*
 * vhist_u8 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/check_pixels.h"
#include "equalize/kernels/vhist_cuda.h"
#include "vhist_u8.h"

enum { HIST, IN };

static const sac_variant rungs[] = {
    {"single", 0, false, SAC_FN(sac_vhist_u8_fn, sac_vhist_u8_single)},
    {"pairs", 0, false, SAC_FN(sac_vhist_u8_fn, sac_vhist_u8_pairs)},
#if SAC_X86
    {"avx512-tables", SAC_CPU_AVX512_VBMI, false,
     SAC_FN(sac_vhist_u8_fn, sac_vhist_u8_avx512_tables)},
#endif
    {0},
};

static void shape(sac_check_case *c)
{
    c->arg[HIST] = (sac_check_arg){"hist", SAC_CHECK_OUT, .size = 4, .w = 256, .h = 1};
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, 1, c->mode);
}

static void fill(sac_check_case *c)
{
    sac_check_pixels_fill(c, IN, c->mode);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_pixels in = sac_check_pixels(c, IN, c->mode);
    ((sac_vhist_u8_fn)fn)((uint32_t *)(void *)c->arg[HIST].data, &in);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    sac_pixels in = sac_check_pixels(c, IN, c->mode);
    return ((sac_vhist_cuda_fn)fn)(stream, shape_of, (uint32_t *)(void *)c->arg[HIST].data, &in);
}

static uint64_t bytes(const sac_check_case *c)
{
    return sac_check_pixels_bytes(c, IN, c->mode);
}

const sac_room_check sac_vhist_u8_check = {
    .room = &sac_vhist_u8_room,
    .rungs = rungs,
    .modes = sac_pixel_modes,
    .contents = sac_pixel_contents,
    .shape = shape,
    .fill = fill,
    .call = call,
    .bytes = bytes,
    .cuda = sac_vhist_u8_cuda,
    .call_cuda = call_cuda,
};
