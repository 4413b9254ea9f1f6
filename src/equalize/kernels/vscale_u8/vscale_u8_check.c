/*
 * vscale_u8 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/check_pixels.h"
#include "equalize/kernels/check_scale.h"
#include "equalize/kernels/vscale_cuda.h"
#include "vscale_u8.h"

enum { OUT, IN };

static void shape(sac_check_case *c)
{
    sac_check_pixels_shape(c, OUT, "out", SAC_CHECK_OUT, 1, c->mode);
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, 1, c->mode);
}

static void fill(sac_check_case *c)
{
    sac_check_pixels_fill(c, IN, c->mode);
}

static sac_status open(sac_check_case *c)
{
    sac_pixels in = sac_check_pixels(c, IN, c->mode);
    return sac_check_scale_open(c, &in, 8);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_pixels out = sac_check_pixels(c, OUT, c->mode), in = sac_check_pixels(c, IN, c->mode);
    ((sac_vscale_u8_fn)fn)(&out, &in, sac_check_scale(c));
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    sac_pixels out = sac_check_pixels(c, OUT, c->mode), in = sac_check_pixels(c, IN, c->mode);
    return ((sac_vscale_cuda_fn)fn)(stream, shape_of, &out, &in, sac_check_scale_on_cuda(c));
}

static uint64_t bytes(const sac_check_case *c)
{
    return 2 * sac_check_pixels_bytes(c, IN, c->mode);
}

const sac_room_check sac_vscale_u8_check = {
    .room = &sac_vscale_u8_room,
    .modes = sac_pixel_modes,
    .contents = sac_pixel_contents,
    .shape = shape,
    .open = open,
    .close = sac_check_scale_close,
    .fill = fill,
    .call = call,
    .bytes = bytes,
    .cuda = sac_vscale_u8_cuda,
    .open_cuda = sac_check_scale_open_cuda,
    .close_cuda = sac_check_scale_close_cuda,
    .call_cuda = call_cuda,
};
