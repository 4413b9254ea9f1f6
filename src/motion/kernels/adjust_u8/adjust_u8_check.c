/*
 * adjust_u8 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "adjust_u8.h"

#include "image/check_pixels.h"
#include "motion/kernels/adjust_cuda.h"

enum { OUT, IN };

/* As a plan makes them: what changes nothing; gain 1.5; contrast 0.5, brightness -10 %; contrast
 * 1.2, saturation 1.7; saturation 0; the largest factors, with sums of both signs; factors of 64
 * without colors, and just below it with them; white and black alone. */
enum { NOTHING, GAIN, FLAT, VIVID, LUMA, MOST, LEAST, STEEP, STEEPER, WHITE, BLACK };
static const sac_adjust_mix mixes[] = {
    [NOTHING] = {8192, 0, 16, 13},
    [GAIN] = {12288, 0, 16, 13},
    [FLAT] = {4096, 0, 1240, 13},
    [VIVID] = {16712, -6882, -800, 13},
    [LUMA] = {0, 8192, 16, 13},
    [MOST] = {16384, -12288, 20416, 6},
    [LEAST] = {16384, -12288, -20384, 6},
    [STEEP] = {16384, 0, -12224, 8},
    [STEEPER] = {32256, -24192, 16, 9},
    [WHITE] = {0, 0, 8176, 13},
    [BLACK] = {0, 0, 16, 13},
};

/* The layout, what is done, and whether out is in. */
static const struct {
    int layout, mix;
    bool in_place;
} options[] = {
    {SAC_MODE_RGB, VIVID, false},       {SAC_MODE_RGB, GAIN, false},
    {SAC_MODE_RGB, VIVID, true},        {SAC_MODE_RGB, GAIN, true},
    {SAC_MODE_GRAY, FLAT, false},       {SAC_MODE_RGBA, VIVID, false},
    {SAC_MODE_RGBA, GAIN, false},       {SAC_MODE_RGB, NOTHING, false},
    {SAC_MODE_RGB, LUMA, true},         {SAC_MODE_BGR, VIVID, false},
    {SAC_MODE_BGR, STEEP, false},       {SAC_MODE_BGR, LUMA, false},
    {SAC_MODE_BGR, MOST, true},         {SAC_MODE_RGB, LEAST, false},
    {SAC_MODE_BGRA, LUMA, true},        {SAC_MODE_BGRA, MOST, false},
    {SAC_MODE_RGBA, FLAT, true},        {SAC_MODE_GRAY, VIVID, true},
    {SAC_MODE_GRAY, LEAST, false},      {SAC_MODE_PLANAR, VIVID, false},
    {SAC_MODE_PLANAR, STEEP, true},     {SAC_MODE_PLANAR, LEAST, false},
    {SAC_MODE_SPARSE, VIVID, false},    {SAC_MODE_SPARSE, GAIN, true},
    {SAC_MODE_GRAY_ALPHA, FLAT, false}, {SAC_MODE_GRAY_ALPHA, LUMA, true},
    {SAC_MODE_RGB, WHITE, false},       {SAC_MODE_BGRA, BLACK, false},
    {SAC_MODE_BGR, STEEPER, false},     {SAC_MODE_RGBA, STEEPER, true},
};
enum { COLORS, LEVELS, COLORS_IN_PLACE, LEVELS_IN_PLACE, OF_GRAY, COLORS_4, LEVELS_4 };

static const char *const modes[] = {"rgb-vivid",
                                    "rgb-gain",
                                    "rgb-vivid-in-place",
                                    "rgb-gain-in-place",
                                    "gray-flat",
                                    "rgba-vivid",
                                    "rgba-gain",
                                    "rgb-nothing",
                                    "rgb-luma-in-place",
                                    "bgr-vivid",
                                    "bgr-steep",
                                    "bgr-luma",
                                    "bgr-most-in-place",
                                    "rgb-least",
                                    "bgra-luma-in-place",
                                    "bgra-most",
                                    "rgba-flat-in-place",
                                    "gray-vivid-in-place",
                                    "gray-least",
                                    "planar-vivid",
                                    "planar-steep-in-place",
                                    "planar-least",
                                    "sparse-vivid",
                                    "sparse-gain-in-place",
                                    "gray-alpha-flat",
                                    "gray-alpha-luma-in-place",
                                    "rgb-white",
                                    "bgra-black",
                                    "bgr-steeper",
                                    "rgba-steeper-in-place",
                                    NULL};
_Static_assert(sizeof options / sizeof *options + 1 == sizeof modes / sizeof *modes, "all named");

/* Time depends on luma and layout, not on the content. */
static const sac_check_task tasks[] = {
    {"colors", .mode = COLORS},
    {"levels", .mode = LEVELS},
    {"colors-in-place", .mode = COLORS_IN_PLACE},
    {"levels-in-place", .mode = LEVELS_IN_PLACE},
    {"gray", .mode = OF_GRAY},
    {"colors-4", .mode = COLORS_4},
    {"levels-4", .mode = LEVELS_4},
    {0},
};

static void shape(sac_check_case *c)
{
    const int layout = options[c->mode].layout;
    const sac_check_role role = options[c->mode].in_place ? SAC_CHECK_INOUT : SAC_CHECK_OUT;
    sac_check_pixels_shape(c, OUT, "out", role, 1, layout);
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, 1, layout);
}

static void fill(sac_check_case *c)
{
    sac_check_pixels_fill(c, IN, options[c->mode].layout);
    if (options[c->mode].in_place)
        sac_check_pixels_fill(c, OUT, options[c->mode].layout);
}

static sac_pixels picture(const sac_check_case *c, int arg)
{
    return sac_check_pixels(c, options[c->mode].in_place ? OUT : arg, options[c->mode].layout);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_pixels out = picture(c, OUT), in = picture(c, IN);
    ((sac_adjust_u8_fn)fn)(&out, &in, &mixes[options[c->mode].mix]);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 2 * sac_check_pixels_bytes(c, IN, options[c->mode].layout);
}

/* What is adjusted in place comes as out. */
static bool passes(const sac_variant *v, const sac_check_case *c, int32_t arg, bool back)
{
    (void)v;
    return back || !options[c->mode].in_place ? arg == (back ? OUT : IN) : arg == OUT;
}

#if SAC_CUDA
static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_pair pair = {picture(c, OUT), picture(c, IN), picture(c, IN)};
    return ((sac_adjust_u8_cuda_fn)fn)(stream, shape_of, &pair, &mixes[options[c->mode].mix]);
}
#endif

const sac_room_check sac_adjust_u8_check = {
    SAC_CHECK_CALLS(sac_adjust_u8_room),
    .modes = modes,
    .contents = sac_pixel_contents,
    .tasks = tasks,
    .passes = passes,
    .bytes = bytes,
    SAC_CHECK_CUDA(.cuda = sac_adjust_u8_cuda, .call_cuda = call_cuda),
};
