/*
 * heat_u8 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heat_u8.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "motion/kernels/check_frames.h"
#include "motion/kernels/heat_maps.h"
#include "motion/kernels/pairs_cuda.h"

enum { OUT, CURRENT, PREVIOUS };

/* Layouts of the frames and of out, the map and its scale. In place: out is the current frame. */
static const struct {
    int in, out, map, scale;
    bool in_place;
} options[] = {
    {SAC_MODE_BGR, SAC_MODE_BGR, SAC_HEAT_SINE, 765, false},
    {SAC_MODE_BGR, SAC_MODE_BGR, SAC_HEAT_TURBO, 765, false},
    {SAC_MODE_RGB, SAC_MODE_RGB, SAC_HEAT_SINE, 765, true},
    {SAC_MODE_RGB, SAC_MODE_BGR, SAC_HEAT_VIRIDIS, 765, false},
    {SAC_MODE_BGR, SAC_MODE_BGR, SAC_HEAT_SINE, 510, true},
    {SAC_MODE_RGBA, SAC_MODE_RGBA, SAC_HEAT_SINE, 765, false},
    {SAC_MODE_BGRA, SAC_MODE_BGRA, SAC_HEAT_JET, 765, true},
    {SAC_MODE_GRAY, SAC_MODE_RGB, SAC_HEAT_SINE, 765, false},
    {SAC_MODE_GRAY, SAC_MODE_BGR, SAC_HEAT_TURBO, 510, false},
    {SAC_MODE_GRAY_ALPHA, SAC_MODE_RGBA, SAC_HEAT_GRAY, 765, false},
    {SAC_MODE_PLANAR, SAC_MODE_PLANAR, SAC_HEAT_SINE, 765, true},
    {SAC_MODE_PLANAR, SAC_MODE_RGB, SAC_HEAT_TURBO, 765, false},
    {SAC_MODE_SPARSE, SAC_MODE_SPARSE, SAC_HEAT_GRAY, 510, true},
    {SAC_MODE_RGBA, SAC_MODE_BGR, SAC_HEAT_SINE, 765, false},
};

static const char *const modes[] = {"bgr-sine",
                                    "bgr-turbo",
                                    "rgb-sine-in-place",
                                    "rgb-to-bgr-viridis",
                                    "bgr-sine-510-in-place",
                                    "rgba-sine",
                                    "bgra-jet-in-place",
                                    "gray-sine",
                                    "gray-turbo-510",
                                    "gray-alpha-gray",
                                    "planar-sine-in-place",
                                    "planar-to-rgb-turbo",
                                    "sparse-gray-510-in-place",
                                    "rgba-to-bgr-sine",
                                    NULL};

static const sac_check_task tasks[] = {
    {"sine", .mode = 0}, {"turbo", .mode = 1}, {"rgba", .mode = 5}, {"gray", .mode = 7}, {0}};

static int current_of(const sac_check_case *c)
{
    return options[c->mode].in_place ? OUT : CURRENT;
}

static void shape(sac_check_case *c)
{
    const bool in_place = options[c->mode].in_place;
    sac_check_pixels_shape(c, OUT, "out", in_place ? SAC_CHECK_INOUT : SAC_CHECK_OUT, 1,
                           options[c->mode].out);
    sac_check_pixels_shape(c, CURRENT, "current", SAC_CHECK_IN, 1, options[c->mode].in);
    sac_check_pixels_shape(c, PREVIOUS, "previous", SAC_CHECK_IN, 1, options[c->mode].in);
}

static void fill(sac_check_case *c)
{
    sac_check_frames_fill(c, CURRENT, PREVIOUS, options[c->mode].in);
    if (options[c->mode].in_place)
        sac_check_frames_fill(c, OUT, PREVIOUS, options[c->mode].in);
}

static sac_status open(sac_check_case *c)
{
    sac_heat_table *table = sac_alloc(1, sizeof *table);
    if (!table)
        return SAC_E_NOMEM;
    sac_heat_table_make(table, (sac_heat_map)options[c->mode].map, options[c->mode].scale);
    c->state = table;
    return SAC_OK;
}

static sac_pair pair_of(const sac_check_case *c)
{
    const sac_pair pair = {sac_check_pixels(c, OUT, options[c->mode].out),
                           sac_check_pixels(c, current_of(c), options[c->mode].in),
                           sac_check_pixels(c, PREVIOUS, options[c->mode].in)};
    return pair;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_pair p = pair_of(c);
    ((sac_heat_u8_fn)fn)(&p.out, &p.current, &p.previous, c->state);
}

#if SAC_CUDA
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    uint32_t words[SAC_HEAT_WORDS];
    sac_heat_words(words, c->state);
    return sac_check_keep_cuda(c, gpu, words, sizeof words);
}

static void close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    sac_check_free_cuda(c, gpu);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_pair p = pair_of(c);
    return ((sac_heat_u8_cuda_fn)fn)(stream, shape_of, &p, c->cuda);
}
#endif

static uint64_t bytes(const sac_check_case *c)
{
    return sac_check_pixels_bytes(c, OUT, options[c->mode].out) +
           2 * sac_check_pixels_bytes(c, PREVIOUS, options[c->mode].in);
}

static const sac_variant rungs[] = {
    {"cpu-naive", 0, false, SAC_FN(sac_heat_u8_fn, sac_heat_u8_cpu_naive)},
    {0},
};

static bool is_report(const sac_variant *v)
{
    return (v->kind & SAC_REPORT_BGR) != 0;
}

/* Rungs that compute sines have the sine map alone; the report's do not work in place. */
static bool supports(const sac_variant *v, const sac_check_case *c)
{
    if (!is_report(v) && strcmp(v->name, "cpu-naive") != 0)
        return true;
    const sac_pair pair = pair_of(c);
    return options[c->mode].map == SAC_HEAT_SINE && options[c->mode].scale == SAC_HEAT_MAX &&
           !(is_report(v) && options[c->mode].in_place) &&
           sac_check_report_takes(v, &pair, options[c->mode].in);
}

/* Of a video the previous frame is on the device already; the report's first program sends both. */
static bool passes(const sac_variant *v, const sac_check_case *c, int32_t arg, bool back)
{
    return back || arg == current_of(c) || (arg == PREVIOUS && (v->kind & SAC_REPORT_BOTH) != 0);
}

static void judge_sinf(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                       const sac_check_pair *p)
{
    (void)want;
    (void)v;
    sac_check_value(d, p, fabs(p->got - p->wanted), 1);
}

extern const sac_room_check sac_heat_u8_check;

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    if (v->kind & SAC_REPORT_SINF)
        sac_check_values(d, want, got, v, judge_sinf);
    else
        sac_check_bytewise(d, &sac_heat_u8_check, want, got, v);
}

/* Battilana's report, 1920x1080x3 on a Jetson Nano: kernel; copies, of cuda-naive two in; loop. */
#define NANO .device = "Jetson Nano", .source = "Battilana", .grid = 1
static const sac_check_published published[] = {
    {"cpu-naive", 980e6, 0, 0, 0, .device = "Jetson Nano", .source = "Battilana", .is_cpu = true},
    {"cuda-naive", 49.958e6, 2 * 2.5577e6, 2.4427e6, 57e6, NANO, .block = 1024},
    {"swap", 46.023e6, 2.44e6, 2.3453e6, 50e6, NANO, .block = 1024},
    {"word", 25.457e6, 2.4405e6, 2.3549e6, 30e6, NANO, .block = 1024},
    {"threads", 24.38e6, 2.4599e6, 2.383e6, 27e6, NANO, .block = 716, .note = "or 718 threads"},
    {0},
};

const sac_room_check sac_heat_u8_check = {
    SAC_CHECK_CALLS(sac_heat_u8_room),
    SAC_CHECK_RUNGS,
    .modes = modes,
    .contents = sac_frame_contents,
    .tasks = tasks,
    .open = open,
    .compare = compare,
    .passes = passes,
    .bytes = bytes,
    SAC_CHECK_CUDA(.cuda = sac_heat_u8_cuda, .cuda_rungs = sac_heat_u8_report_cuda,
                   .open_cuda = open_cuda, .close_cuda = close_cuda, .call_cuda = call_cuda),
};
