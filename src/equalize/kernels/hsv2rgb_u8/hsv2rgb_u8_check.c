/*
 * hsv2rgb_u8: the table, and the room for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hsv2rgb_u8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "image/check_pixels.h"
#include "hsv2rgb_u8_cuda.h"

enum { RGB, HSV };

static const char *const contents[] = {"random", "corners", NULL};

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(sac_hsv2rgb_u8_fn, sac_hsv2rgb_u8_ref)},
    {"v0", 0, false, SAC_FN(sac_hsv2rgb_u8_fn, sac_hsv2rgb_u8_v0)},
    {"v1", 0, false, SAC_FN(sac_hsv2rgb_u8_fn, sac_hsv2rgb_u8_v1)},
    {0},
};

static const sac_room room = {"hsv2rgb_u8", variants};

static void shape(sac_check_case *c)
{
    int64_t n = 3 * c->w * c->h;
    c->arg[RGB] = (sac_check_arg){"rgb", SAC_CHECK_OUT, .size = 1, .w = n, .h = 1};
    c->arg[HSV] = (sac_check_arg){"hsv", SAC_CHECK_IN, .size = 4, .w = n, .h = 1};
    c->n_args = 2;
}

static sac_hsv view(const sac_check_case *c)
{
    return sac_hsv_view((float *)(void *)c->arg[HSV].data, c->w * c->h, c->mode);
}

/* Hues, saturations and values of anything, or of the cube's corners and edges. */
static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    sac_hsv in = view(c);
    for (int64_t i = 0; i < c->w * c->h; i++) {
        float x[3];
        for (int k = 0; k < 3; k++) {
            uint64_t r = sac_check_random(&random) >> 40;
            x[k] = c->content == 0 ? (float)r * 0x1p-24f : (float)(r % 2);
        }
        in.h[i * in.step] = c->content == 0 ? x[0] * 359.99f : (float)(60 * (i % 6));
        in.s[i * in.step] = x[1];
        in.v[i * in.step] = x[2];
    }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_hsv in = view(c);
    ((sac_hsv2rgb_u8_fn)fn)(c->arg[RGB].data, &in, c->w * c->h);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    sac_hsv pixels = view(c);
    return ((sac_hsv2rgb_u8_cuda_fn)fn)(stream, shape_of, c->arg[RGB].data, &pixels, c->w * c->h);
}

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    (void)v;
    *d = (sac_check_diff){.ok = true};
    for (int64_t i = 0; i < want->arg[RGB].w; i++) {
        int error = abs(want->arg[RGB].data[i] - got->arg[RGB].data[i]);
        d->n_differ += error != 0;
        d->error = fmax(d->error, error);
        if (error <= 1 || !d->ok)
            continue;
        *d = (sac_check_diff){.n_differ = d->n_differ,
                              .error = error,
                              .arg = RGB,
                              .index = i,
                              .wanted = want->arg[RGB].data[i],
                              .got = got->arg[RGB].data[i]};
    }
}

static uint64_t bytes(const sac_check_case *c)
{
    return 15 * (uint64_t)(c->w * c->h);
}

/* Duong, on a GeForce MX130: 2,048 threads. */
static double published_ns(const char *rung)
{
    return strcmp(rung, "v1") ? 0 : 0.81e6;
}

const sac_room_check sac_hsv2rgb_u8_check = {
    .room = &room,
    .modes = sac_hsv_modes,
    .contents = contents,
    .shape = shape,
    .fill = fill,
    .call = call,
    .compare = compare,
    .supports = sac_hsv_supports,
    .bytes = bytes,
    .published_ns = published_ns,
    .cuda = sac_hsv2rgb_u8_cuda,
    .call_cuda = call_cuda,
};
