/*
 * noise_u8 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "noise_u8.h"

#include <string.h>

#include "motion/kernels/check_frames.h"
#include "motion/kernels/pairs_cuda.h"

enum { OUT, COUNT, CURRENT, PREVIOUS };
enum { APART, IN_CURRENT, IN_PREVIOUS, ON_BLACK };

/* The layout of frames and out, what is drawn, the threshold, and which frame out is, or that it is
 * black before. */
static const struct {
    int layout, view, threshold, in_place;
} options[] = {
    {SAC_MODE_BGR, SAC_NOISE_MASK, 20, APART},
    {SAC_MODE_BGR, SAC_NOISE_OVERLAY, 20, APART},
    {SAC_MODE_BGR, SAC_NOISE_OVERLAY, 20, IN_PREVIOUS},
    {SAC_MODE_BGR, SAC_NOISE_PURE, 127, APART},
    {SAC_MODE_BGR, SAC_NOISE_BITS, 20, APART},
    {SAC_MODE_RGB, SAC_NOISE_MASK, 0, IN_PREVIOUS},
    {SAC_MODE_RGB, SAC_NOISE_OVERLAY, 254, IN_CURRENT},
    {SAC_MODE_RGB, SAC_NOISE_PURE, 128, IN_PREVIOUS},
    {SAC_MODE_RGB, SAC_NOISE_BITS, 255, APART},
    {SAC_MODE_RGBA, SAC_NOISE_MASK, 20, IN_CURRENT},
    {SAC_MODE_RGBA, SAC_NOISE_OVERLAY, 128, APART},
    {SAC_MODE_BGRA, SAC_NOISE_PURE, 1, IN_PREVIOUS},
    {SAC_MODE_BGRA, SAC_NOISE_BITS, 127, APART},
    {SAC_MODE_GRAY, SAC_NOISE_MASK, 20, APART},
    {SAC_MODE_GRAY, SAC_NOISE_OVERLAY, 235, IN_PREVIOUS},
    {SAC_MODE_GRAY, SAC_NOISE_BITS, 0, APART},
    {SAC_MODE_PLANAR, SAC_NOISE_MASK, 2, APART},
    {SAC_MODE_PLANAR, SAC_NOISE_PURE, 20, IN_CURRENT},
    {SAC_MODE_SPARSE, SAC_NOISE_OVERLAY, 20, APART},
    {SAC_MODE_SPARSE, SAC_NOISE_BITS, 20, APART},
    {SAC_MODE_GRAY_ALPHA, SAC_NOISE_PURE, 20, APART},
    {SAC_MODE_BGR, SAC_NOISE_MASK, 20, ON_BLACK},
};
enum { MASK, OVERLAY, OVERLAY_IN_PLACE, PURE, BITS, MASK_ON_BLACK = 21 };
_Static_assert(sizeof options / sizeof *options == MASK_ON_BLACK + 1, "the last of the options");

static const char *const modes[] = {"bgr-mask",
                                    "bgr-overlay",
                                    "bgr-overlay-in-previous",
                                    "bgr-pure-127",
                                    "bgr-bits",
                                    "rgb-mask-0-in-previous",
                                    "rgb-overlay-254-in-current",
                                    "rgb-pure-128-in-previous",
                                    "rgb-bits-255",
                                    "rgba-mask-in-current",
                                    "rgba-overlay-128",
                                    "bgra-pure-1-in-previous",
                                    "bgra-bits-127",
                                    "gray-mask",
                                    "gray-overlay-235-in-previous",
                                    "gray-bits-0",
                                    "planar-mask-2",
                                    "planar-pure-in-current",
                                    "sparse-overlay",
                                    "sparse-bits",
                                    "gray-alpha-pure",
                                    "bgr-mask-on-black",
                                    NULL};

/*
 * What the ladder times: a mode and a content, since time may depend on it. `mask` and its like are
 * the report's ladder: out is black before, and its overlay is drawn in place.
 */
#define REPORT .mode = MASK_ON_BLACK, .other_mode = OVERLAY_IN_PLACE
static const sac_check_task tasks[] = {
    {"mask", REPORT, .content = SAC_FRAME_SCENE},
    {"mask-none", REPORT, .content = SAC_FRAME_NONE},
    {"mask-clip", REPORT, .content = SAC_FRAME_CLIP},
    {"mask-all", REPORT, .content = SAC_FRAME_ALL},
    {"overlay", .mode = OVERLAY, .content = SAC_FRAME_SCENE},
    {"overlay-none", .mode = OVERLAY, .content = SAC_FRAME_NONE},
    {"overlay-all", .mode = OVERLAY, .content = SAC_FRAME_ALL},
    {"overlay-in-place", .mode = OVERLAY_IN_PLACE, .content = SAC_FRAME_SCENE},
    {"overlay-in-place-none", .mode = OVERLAY_IN_PLACE, .content = SAC_FRAME_NONE},
    {"overlay-in-place-clip", .mode = OVERLAY_IN_PLACE, .content = SAC_FRAME_CLIP},
    {"overlay-in-place-all", .mode = OVERLAY_IN_PLACE, .content = SAC_FRAME_ALL},
    {"pure-random", .mode = PURE, .content = SAC_FRAME_RANDOM},
    {"bits", .mode = BITS, .content = SAC_FRAME_SCENE},
    {0},
};

static void shape(sac_check_case *c)
{
    const int layout = options[c->mode].layout;
    const sac_check_role role =
        options[c->mode].in_place == APART ? SAC_CHECK_OUT : SAC_CHECK_INOUT;
    if (options[c->mode].view == SAC_NOISE_BITS)
        c->arg[OUT] = (sac_check_arg){"out", role, .size = 1, .w = (c->w + 7) / 8, .h = c->h};
    else
        sac_check_pixels_shape(c, OUT, "out", role, 1, layout);
    c->arg[COUNT] = (sac_check_arg){"count", SAC_CHECK_OUT, .size = 8, .w = 1, .h = 1};
    sac_check_pixels_shape(c, CURRENT, "current", SAC_CHECK_IN, 1, layout);
    sac_check_pixels_shape(c, PREVIOUS, "previous", SAC_CHECK_IN, 1, layout);
}

static void fill(sac_check_case *c)
{
    const int layout = options[c->mode].layout;
    sac_check_frames_fill(c, CURRENT, PREVIOUS, layout);
    if (options[c->mode].in_place == IN_CURRENT)
        sac_check_frames_fill(c, OUT, PREVIOUS, layout);
    else if (options[c->mode].in_place == IN_PREVIOUS)
        sac_check_frames_fill(c, CURRENT, OUT, layout);
    else if (options[c->mode].in_place == ON_BLACK)
        for (int64_t y = 0; y < c->arg[OUT].h; y++)
            memset(sac_check_row(c, OUT, y), 0, (size_t)c->arg[OUT].w);
}

static sac_pair pair_of(const sac_check_case *c)
{
    const int layout = options[c->mode].layout, in_place = options[c->mode].in_place;
    const sac_check_arg *a = &c->arg[OUT];
    sac_pair p = {{{a->data}, .n_colors = 1, .pixel = 1, .row = a->row, .w = a->w, .h = a->h},
                  sac_check_pixels(c, in_place == IN_CURRENT ? OUT : CURRENT, layout),
                  sac_check_pixels(c, in_place == IN_PREVIOUS ? OUT : PREVIOUS, layout)};
    if (options[c->mode].view != SAC_NOISE_BITS)
        p.out = sac_check_pixels(c, OUT, layout);
    return p;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_pair p = pair_of(c);
    *(uint64_t *)sac_check_data(c, COUNT) =
        ((sac_noise_u8_fn)fn)(&p.out, &p.current, &p.previous,
                              (sac_noise_view)options[c->mode].view, options[c->mode].threshold);
}

#if SAC_CUDA
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    const sac_noise_scratch zero = {0};
    return sac_check_keep_cuda(c, gpu, &zero, sizeof zero);
}

static void close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    sac_check_free_cuda(c, gpu);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_pair p = pair_of(c);
    return ((sac_noise_u8_cuda_fn)fn)(stream, shape_of, &p, (sac_noise_view)options[c->mode].view,
                                      options[c->mode].threshold, sac_check_data(c, COUNT),
                                      c->cuda);
}
#endif

static uint64_t bytes(const sac_check_case *c)
{
    return (uint64_t)(c->arg[OUT].w * c->arg[OUT].h) +
           2 * sac_check_pixels_bytes(c, PREVIOUS, options[c->mode].layout);
}

static const sac_variant rungs[] = {
    {"cpu-naive", 0, false, SAC_FN(sac_noise_u8_fn, sac_noise_u8_cpu_naive)},
    {0},
};

static bool supports(const sac_variant *v, const sac_check_case *c)
{
    const int view = options[c->mode].view, in_place = options[c->mode].in_place;
    const sac_pair pair = pair_of(c);
    if ((v->kind & SAC_REPORT_BGR) == 0)
        return strcmp(v->name, "cpu-naive") != 0 || view == SAC_NOISE_MASK;
    if (!sac_check_report_takes(v, &pair, options[c->mode].layout))
        return false;
    if (v->kind & SAC_REPORT_OVERLAY)
        return view == SAC_NOISE_OVERLAY && in_place == IN_PREVIOUS;
    return view == SAC_NOISE_MASK &&
           (in_place == ON_BLACK || (in_place == APART && (v->kind & SAC_REPORT_BLACK) == 0));
}

/* Of a video the previous frame is on the device already, and a black picture stays there. The
 * report's programs do not count. */
static bool passes(const sac_variant *v, const sac_check_case *c, int32_t arg, bool back)
{
    if (back)
        return arg != COUNT || (v->kind & SAC_REPORT_BGR) == 0;
    return arg == (options[c->mode].in_place == IN_CURRENT ? OUT : CURRENT);
}

/* Battilana's report, 1920x1080x3 on a Jetson Nano: kernel, copies, loop. */
#define NANO .device = "Jetson Nano", .source = "Battilana", .grid = 1, .block = 1024
static const sac_check_published published[] = {
    {"cpu-naive", 250e6, 0, 0, 0, .device = "Jetson Nano", .source = "Battilana", .is_cpu = true},
    {"chunk", 21.759e6, 2.5469e6, 2.4141e6, 26e6, NANO},
    {"red-only", 16.684e6, 2.6294e6, 2.6294e6, 22e6, NANO, .note = "lens covered"},
    {"overlay", 7.5647e6, 3.345e6, 3.316e6, 16.5e6, NANO, .note = "lens covered"},
    {0},
};

const sac_room_check sac_noise_u8_check = {
    SAC_CHECK_CALLS(sac_noise_u8_room),
    SAC_CHECK_RUNGS,
    .modes = modes,
    .contents = sac_frame_contents,
    .tasks = tasks,
    .passes = passes,
    .bytes = bytes,
    SAC_CHECK_CUDA(.cuda = sac_noise_u8_cuda, .cuda_rungs = sac_noise_u8_report_cuda,
                   .open_cuda = open_cuda, .close_cuda = close_cuda, .call_cuda = call_cuda),
};
