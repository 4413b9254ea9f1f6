/*
 * rgb2hsv_u8 and hsv2rgb_u8, rooms that only teach: their tables, and the rooms for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "equalize/kernels/hsv2rgb_u8/hsv2rgb_u8.h"
#include "equalize/kernels/hsv2rgb_u8/hsv2rgb_u8_cuda.h"
#include "equalize/kernels/published.h"
#include "equalize/kernels/rgb2hsv_u8/rgb2hsv_u8.h"
#include "equalize/kernels/rgb2hsv_u8/rgb2hsv_u8_cuda.h"
#include "image/check_pixels.h"

enum { OUT, IN };
enum { HUE, SATURATION, VALUE };

static const char *const modes[] = {"triples", "planes", NULL};

/* v0 is written for triples and v1 for planes; the reference takes both. */
static bool supports(const sac_variant *v, const sac_check_case *c)
{
    if (!strcmp(v->name, "v0"))
        return c->mode == SAC_HSV_TRIPLES;
    return strcmp(v->name, "v1") || c->mode == SAC_HSV_PLANES;
}

static sac_hsv view(const sac_check_case *c, int i)
{
    return sac_hsv_view(sac_check_data(c, i), c->w * c->h, c->mode);
}

static const sac_variant to_hsv[] = {
    {"ref", 0, false, SAC_FN(sac_rgb2hsv_u8_fn, sac_rgb2hsv_u8_ref)},
    {"v0", 0, false, SAC_FN(sac_rgb2hsv_u8_fn, sac_rgb2hsv_u8_v0)},
    {"v1", 0, false, SAC_FN(sac_rgb2hsv_u8_fn, sac_rgb2hsv_u8_v1)},
    {0},
};
static const sac_room to_hsv_room = {"rgb2hsv_u8", to_hsv};

static const sac_check_published to_hsv_published[] = {{"v0", 19e6, SAC_DUONG_FIG_2},
                                                       {"v1", 1.2722e6, SAC_DUONG_FIG_16},
                                                       {"v1", 1.5283e6, SAC_DUONG_FIG_17},
                                                       {"v1", 17e6, SAC_DUONG_FIG_2},
                                                       {0}};

static void shape_to_hsv(sac_check_case *c)
{
    c->arg[OUT] = (sac_check_arg){"hsv", SAC_CHECK_OUT, .size = 4, .w = 3 * c->w * c->h, .h = 1};
    sac_check_pixels_shape(c, IN, "rgb", SAC_CHECK_IN, 1, SAC_MODE_RGB);
    c->arg[IN].packed = true;
}

static void fill_to_hsv(sac_check_case *c)
{
    sac_check_pixels_fill(c, IN, SAC_MODE_RGB);
}

static void call_to_hsv(sac_any_fn fn, const sac_check_case *c)
{
    const sac_hsv out = view(c, OUT);
    ((sac_rgb2hsv_u8_fn)fn)(&out, sac_check_data(c, IN), c->w * c->h);
}

static sac_status call_to_hsv_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                   const sac_gpu_shape *shape_of, const sac_check_case *c)
{
    const sac_hsv out = view(c, OUT);
    return ((sac_rgb2hsv_u8_cuda_fn)fn)(stream, shape_of, &out, sac_check_data(c, IN), c->w * c->h);
}

/* In units of the whole range; 0 and 360 degrees are one hue. */
static void judge_hsv(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                      const sac_check_pair *p)
{
    (void)v;
    const int64_t component = want->mode == SAC_HSV_TRIPLES ? p->x % 3 : p->x / (want->w * want->h);
    double error = fabs(p->wanted - p->got) / (component == HUE ? 360 : 1);
    error = component == HUE && error > 0.5 ? 1 - error : error;
    sac_check_value(d, p, error, 0x1p-21);
}

const sac_room_check sac_rgb2hsv_u8_check = {
    .room = &to_hsv_room,
    .modes = modes,
    .contents = sac_pixel_contents,
    .tasks = sac_pixel_tasks,
    .shape = shape_to_hsv,
    .fill = fill_to_hsv,
    .call = call_to_hsv,
    .judge = judge_hsv,
    .supports = supports,
    .published = to_hsv_published,
    .cuda = sac_rgb2hsv_u8_cuda,
    .call_cuda = call_to_hsv_cuda,
};

static const sac_variant to_rgb[] = {
    {"ref", 0, false, SAC_FN(sac_hsv2rgb_u8_fn, sac_hsv2rgb_u8_ref)},
    {"v0", 0, false, SAC_FN(sac_hsv2rgb_u8_fn, sac_hsv2rgb_u8_v0)},
    {"v1", 0, false, SAC_FN(sac_hsv2rgb_u8_fn, sac_hsv2rgb_u8_v1)},
    {0},
};
static const sac_room to_rgb_room = {"hsv2rgb_u8", to_rgb};
static const sac_check_published to_rgb_published[] = {
    {"v1", 814.69e3, SAC_DUONG_FIG_16}, {"v1", 1.0697e6, SAC_DUONG_FIG_17}, {0}};

/* A picture's colors; one color; colors of anything; those of the cube's corners and edges. */
enum { SCENE, CONSTANT, RANDOM, CORNERS };
static const char *const to_rgb_contents[] = {"scene", "constant", "random", "corners", NULL};

static void shape_to_rgb(sac_check_case *c)
{
    const int64_t n = 3 * c->w * c->h;
    c->arg[OUT] = (sac_check_arg){"rgb", SAC_CHECK_OUT, .size = 1, .w = n, .h = 1};
    c->arg[IN] = (sac_check_arg){"hsv", SAC_CHECK_IN, .size = 4, .w = n, .h = 1};
    c->n_args = 2;
}

/* A third of the way around in hue over a picture, less saturated and brighter downwards. */
static void scene_at(float x[3], const sac_check_case *c, int64_t i)
{
    x[HUE] = (float)(i % c->w) / (float)(3 * c->w);
    x[SATURATION] = 1 - (float)(i / c->w) / (float)(c->h + 1);
    x[VALUE] = (float)(i / c->w) / (float)(c->h + 1);
}

static void fill_to_rgb(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    const sac_hsv in = view(c, IN);
    for (int64_t i = 0; i < c->w * c->h; i++) {
        float x[3] = {0.3f, 0.5f, 0.5f};
        for (int k = HUE; k <= VALUE && c->content >= RANDOM; k++) {
            uint64_t r = sac_check_random(&random) >> 40;
            x[k] = c->content == RANDOM ? (float)r * 0x1p-24f : (float)(r % 2);
        }
        if (c->content == SCENE)
            scene_at(x, c, i);
        in.h[i * in.step] = c->content == CORNERS ? (float)(60 * (i % 6)) : x[HUE] * 359.99f;
        in.s[i * in.step] = x[SATURATION];
        in.v[i * in.step] = x[VALUE];
    }
}

static void call_to_rgb(sac_any_fn fn, const sac_check_case *c)
{
    const sac_hsv in = view(c, IN);
    ((sac_hsv2rgb_u8_fn)fn)(sac_check_data(c, OUT), &in, c->w * c->h);
}

static sac_status call_to_rgb_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                   const sac_gpu_shape *shape_of, const sac_check_case *c)
{
    const sac_hsv in = view(c, IN);
    return ((sac_hsv2rgb_u8_cuda_fn)fn)(stream, shape_of, sac_check_data(c, OUT), &in, c->w * c->h);
}

static void judge_rgb(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                      const sac_check_pair *p)
{
    (void)want, (void)v;
    sac_check_value(d, p, fabs(p->got - p->wanted), 1);
}

const sac_room_check sac_hsv2rgb_u8_check = {
    .room = &to_rgb_room,
    .modes = modes,
    .contents = to_rgb_contents,
    .tasks = sac_pixel_tasks,
    .shape = shape_to_rgb,
    .fill = fill_to_rgb,
    .call = call_to_rgb,
    .judge = judge_rgb,
    .supports = supports,
    .published = to_rgb_published,
    .cuda = sac_hsv2rgb_u8_cuda,
    .call_cuda = call_to_rgb_cuda,
};
