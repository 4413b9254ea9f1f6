/*
 * The spatial filters for the harness: layouts, windows, weights, calls in strips of rows.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/check_samples.h"

#include "base/alloc.h"
#include "motion/kernels/filters_cuda.h"
#include "motion/kernels/gaussian_u8/gaussian_u8.h"
#include "motion/kernels/mean_u8/mean_u8.h"
#include "motion/kernels/median3_u8/median3_u8.h"
#include "motion/kernels/median5_u8/median5_u8.h"

enum { OUT, IN };

/* Layouts with a window of 3 x 3, the first sac_pixel_modes, then some with 5 x 5. */
static const char *const modes[] = {"rgb",      "gray",       "bgr",        "rgba",    "bgra",
                                    "planar",   "sparse",     "gray-alpha", "rgb-5x5", "gray-5x5",
                                    "rgba-5x5", "planar-5x5", "sparse-5x5", NULL};

static const int wide_layouts[] = {SAC_MODE_RGB, SAC_MODE_GRAY, SAC_MODE_RGBA, SAC_MODE_PLANAR,
                                   SAC_MODE_SPARSE};

static int layout_of(int mode)
{
    return mode < SAC_N_PIXEL_MODES ? mode : wide_layouts[mode - SAC_N_PIXEL_MODES];
}

sac_samples sac_check_samples(const sac_check_case *c, int i, int mode)
{
    sac_pixels p = sac_check_pixels(c, i, mode);
    uint8_t *first = p.color[0];
    if (p.n_colors == 3 && (uint8_t *)p.color[2] < first && mode != SAC_MODE_PLANAR)
        first = p.color[2];
    return (sac_samples){
        .data = first,
        .channel = mode == SAC_MODE_PLANAR ? (uint8_t *)p.color[1] - first : 1,
        .pixel = p.pixel,
        .row = p.row,
        .w = p.w,
        .h = p.h,
        .n_channels = p.n_colors == 3 && p.alpha ? 4 : p.n_colors,
    };
}

/* The i-th of n strips of rows; *y: its first row. */
static sac_samples strip_of(int64_t *y, const sac_samples *p, int32_t i, int32_t n)
{
    sac_samples part = *p;
    *y = p->h * i / n;
    part.data += *y * p->row;
    part.h = p->h * (i + 1) / n - *y;
    return part;
}

static void shape(sac_check_case *c)
{
    sac_check_pixels_shape(c, OUT, "out", SAC_CHECK_OUT, 1, layout_of(c->mode));
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, 1, layout_of(c->mode));
}

static void fill(sac_check_case *c)
{
    sac_check_pixels_fill(c, IN, layout_of(c->mode));
}

static sac_status open(sac_check_case *c)
{
    sac_filter *f = sac_alloc(1, sizeof *f);
    if (!f)
        return SAC_E_NOMEM;
    f->size = c->mode < SAC_N_PIXEL_MODES ? 3 : 5;
    if (f->size == 3)
        f->weight[1] = (int32_t)(c->seed >> 8 & 127);
    else
        f->weight[2] = (int32_t)(c->seed >> 8 & 63), f->weight[1] = (int32_t)(c->seed >> 16 & 63);
    f->weight[0] = 256 - 2 * (f->weight[1] + f->weight[2]);
    c->state = f;
    return SAC_OK;
}

/* In n_threads strips. */
static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_samples out = sac_check_samples(c, OUT, layout_of(c->mode));
    sac_samples in = sac_check_samples(c, IN, layout_of(c->mode));
    int32_t n = c->n_threads < out.h ? c->n_threads : (int32_t)out.h;
    for (int32_t i = 0; i < n; i++) {
        int64_t y;
        sac_samples strip = strip_of(&y, &out, i, n);
        ((sac_filter_u8_fn)fn)(&strip, &in, y, c->state);
    }
}

#if SAC_CUDA
static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_samples out = sac_check_samples(c, OUT, layout_of(c->mode));
    const sac_samples in = sac_check_samples(c, IN, layout_of(c->mode));
    return ((sac_filter_u8_cuda_fn)fn)(stream, shape_of, &out, &in, 1, c->state);
}
#endif

static uint64_t bytes(const sac_check_case *c)
{
    sac_samples in = sac_check_samples(c, IN, layout_of(c->mode));
    return 2 * (uint64_t)(in.w * in.h * in.n_channels);
}

#define FILTER                                                                                     \
    .contents = sac_pixel_contents, .shape = shape, .open = open, .fill = fill, .call = call,      \
    .bytes = bytes

const sac_room_check sac_mean_u8_check = {
    .room = &sac_mean_u8_room,
    .modes = modes,
    FILTER,
    SAC_CHECK_CUDA(.cuda = sac_mean_u8_cuda, .call_cuda = call_cuda)};

const sac_room_check sac_gaussian_u8_check = {
    .room = &sac_gaussian_u8_room,
    .modes = modes,
    FILTER,
    SAC_CHECK_CUDA(.cuda = sac_gaussian_u8_cuda, .call_cuda = call_cuda)};

const sac_room_check sac_median3_u8_check = {
    .room = &sac_median3_u8_room,
    .modes = sac_pixel_modes,
    FILTER,
    SAC_CHECK_CUDA(.cuda = sac_median3_u8_cuda, .call_cuda = call_cuda)};

const sac_room_check sac_median5_u8_check = {
    .room = &sac_median5_u8_room,
    .modes = sac_pixel_modes,
    FILTER,
    SAC_CHECK_CUDA(.cuda = sac_median5_u8_cuda, .call_cuda = call_cuda)};
