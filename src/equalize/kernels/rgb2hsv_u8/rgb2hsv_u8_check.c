/*
 * rgb2hsv_u8: the table, and the room for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "rgb2hsv_u8.h"

#include <math.h>
#include <string.h>

#include "image/check_pixels.h"
#include "rgb2hsv_u8_cuda.h"

enum { HSV, RGB };

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(sac_rgb2hsv_u8_fn, sac_rgb2hsv_u8_ref)},
    {"v0", 0, false, SAC_FN(sac_rgb2hsv_u8_fn, sac_rgb2hsv_u8_v0)},
    {"v1", 0, false, SAC_FN(sac_rgb2hsv_u8_fn, sac_rgb2hsv_u8_v1)},
    {0},
};

static const sac_room room = {"rgb2hsv_u8", variants};

static void shape(sac_check_case *c)
{
    c->n_args = 0;
    c->arg[HSV] = (sac_check_arg){"hsv", SAC_CHECK_OUT, .size = 4, .w = 3 * c->w * c->h, .h = 1};
    sac_check_pixels_shape(c, RGB, "rgb", SAC_CHECK_IN, 1, SAC_MODE_RGB);
    c->arg[RGB].packed = true;
}

static void fill(sac_check_case *c)
{
    sac_check_pixels_fill(c, RGB, SAC_MODE_RGB);
}

static sac_hsv view(const sac_check_case *c)
{
    return sac_hsv_view((float *)(void *)c->arg[HSV].data, c->w * c->h, c->mode);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_hsv out = view(c);
    ((sac_rgb2hsv_u8_fn)fn)(&out, c->arg[RGB].data, c->w * c->h);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    sac_hsv pixels = view(c);
    return ((sac_rgb2hsv_u8_cuda_fn)fn)(stream, shape_of, &pixels, c->arg[RGB].data, c->w * c->h);
}

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    (void)v;
    sac_hsv a = view(want), b = view(got);
    const float *wants[] = {a.h, a.s, a.v}, *gots[] = {b.h, b.s, b.v};
    *d = (sac_check_diff){.ok = true};
    for (int64_t i = 0; i < want->w * want->h; i++)
        for (int k = 0; k < 3; k++) {
            float x = wants[k][i * a.step], y = gots[k][i * b.step];
            double unit = k == 0 ? 360 : 1, error = fabs((double)x - (double)y) / unit;
            error = k == 0 && error > 0.5 ? 1 - error : error; /* 0 and 360 degrees are one hue */
            d->n_differ += x != y;
            if (!(error <= d->error))
                d->error = error;
            if (error <= 0x1p-21 || !d->ok)
                continue;
            d->ok = false;
            d->arg = HSV;
            d->index = &wants[k][i * a.step] - a.h;
            d->wanted = (double)x;
            d->got = (double)y;
        }
}

static uint64_t bytes(const sac_check_case *c)
{
    return 15 * (uint64_t)(c->w * c->h);
}

/* Duong, on a GeForce MX130: 2,048 threads. */
static double published_ns(const char *rung)
{
    return strcmp(rung, "v1") ? 0 : 1.27e6;
}

const sac_room_check sac_rgb2hsv_u8_check = {
    .room = &room,
    .modes = sac_hsv_modes,
    .contents = sac_pixel_contents,
    .shape = shape,
    .fill = fill,
    .call = call,
    .compare = compare,
    .supports = sac_hsv_supports,
    .bytes = bytes,
    .published_ns = published_ns,
    .cuda = sac_rgb2hsv_u8_cuda,
    .call_cuda = call_cuda,
};
