/*
 * The jobs that bench_motion times: each of saccade, then OpenCV's way to it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "equalize_opencv.h"
#include "motion_bench.h"

#define THRESHOLD 20
#define GAIN 1.5 /* with LIFT no sum is halfway between two levels */
#define LIFT 20.25
#define SATURATION 1.7

static bool run_heatmap(const entry *e, const frames *f)
{
    return sac_heatmap_run(e->heatmap, &f->out, &f->current, &f->previous, NULL) == SAC_OK;
}

static bool run_noise(const entry *e, const frames *f)
{
    return sac_noise_run(e->noise, &f->out, &f->current, &f->previous, NULL) == SAC_OK;
}

static bool run_opencv_heatmap(const entry *e, const frames *f)
{
    (void)e;
    return bench_opencv_heatmap(f->out.data, f->current.data, f->previous.data, W, H);
}

static bool run_opencv_noise(const entry *e, const frames *f)
{
    (void)e;
    return bench_opencv_noise(f->out.data, f->current.data, f->previous.data, W, H, THRESHOLD);
}

static bool run_denoise(const entry *e, const frames *f)
{
    return sac_denoise_run(e->denoise, &f->out, &f->current, NULL) == SAC_OK;
}

static bool run_opencv_filter(const entry *e, const frames *f)
{
    return bench_opencv_denoise(f->out.data, f->current.data, W, H, e->filter);
}

static bool run_adjust(const entry *e, const frames *f)
{
    return sac_adjust_run(e->adjust, &f->out, &f->current, NULL) == SAC_OK;
}

static bool run_opencv_levels(const entry *e, const frames *f)
{
    (void)e;
    return bench_opencv_levels(f->out.data, f->current.data, W, H, GAIN, LIFT);
}

static bool run_opencv_colors(const entry *e, const frames *f)
{
    (void)e;
    return bench_opencv_colors(f->out.data, f->current.data, W, H, SATURATION);
}

static bool run_copy(const entry *e, const frames *f)
{
    (void)e;
    memcpy(f->out.data, f->current.data, (size_t)W * H * 3);
    return true;
}

static entry *add(bench *b, const char *name, int32_t n_threads,
                  bool (*run)(const entry *e, const frames *f))
{
    entry *e = &b->entry[b->n_entries++];
    e->name = name;
    e->level = b->level;
    e->n_threads = n_threads;
    e->run = run;
    e->against = b->n_entries - 1;
    return e;
}

static sac_status add_heatmap(bench *b, const char *name, sac_heat_map map, int32_t n_threads,
                              sac_error *err)
{
    sac_heatmap_desc desc;
    sac_heatmap_desc_init(&desc);
    desc.w = W;
    desc.h = H;
    desc.order = SAC_ORDER_BGR;
    desc.map = (int32_t)map;
    desc.n_threads = n_threads;
    return sac_heatmap_open(&add(b, name, n_threads, run_heatmap)->heatmap, &desc, err);
}

static sac_status add_noise(bench *b, const char *name, sac_noise_view view, int32_t n_threads,
                            sac_error *err)
{
    sac_noise_desc desc;
    sac_noise_desc_init(&desc);
    desc.w = W;
    desc.h = H;
    desc.order = SAC_ORDER_BGR;
    desc.view = (int32_t)view;
    desc.threshold = THRESHOLD;
    desc.n_threads = n_threads;
    return sac_noise_open(&add(b, name, n_threads, run_noise)->noise, &desc, err);
}

/* OpenCV's way to what the entry before does. */
static entry *add_opencv(bench *b, const char *name, int32_t n_threads,
                         bool (*run)(const entry *e, const frames *f), int32_t border)
{
    entry *e = add(b, name, n_threads, run);
    e->against = b->n_entries - 2;
    e->border = border;
    return e;
}

static bool has_opencv(const bench *b)
{
    return bench_opencv_version() && (!b->is_one_of || b->level == 0);
}

static const struct {
    const char *name, *opencv;
    sac_denoise_method method;
    int32_t size;
    bench_opencv_filter filter;
    int32_t border;
} filters[] = {
    {"Gaussian 3x3", "OpenCV GaussianBlur 3x3", SAC_DENOISE_GAUSSIAN, 3, BENCH_GAUSSIAN3, 0},
    {"median 3x3", "OpenCV medianBlur 3x3", SAC_DENOISE_MEDIAN, 3, BENCH_MEDIAN3, 1},
    {"median 5x5", "OpenCV medianBlur 5x5", SAC_DENOISE_MEDIAN, 5, BENCH_MEDIAN5, 2},
    {"mean 3x3", "OpenCV blur 3x3", SAC_DENOISE_MEAN, 3, BENCH_MEAN3, 0},
    {"temporal", "OpenCV running average", SAC_DENOISE_TEMPORAL, 3, BENCH_AVERAGE, H},
};

static sac_status add_filters(bench *b, int32_t n_threads, sac_error *err)
{
    sac_status st = SAC_OK;
    for (size_t i = 0; i < sizeof filters / sizeof filters[0] && st == SAC_OK; i++) {
        sac_denoise_desc desc;
        sac_denoise_desc_init(&desc);
        desc.w = W;
        desc.h = H;
        desc.method = (int32_t)filters[i].method;
        desc.size = filters[i].size;
        desc.n_threads = n_threads;
        st =
            sac_denoise_open(&add(b, filters[i].name, n_threads, run_denoise)->denoise, &desc, err);
        if (has_opencv(b))
            add_opencv(b, filters[i].opencv, n_threads, run_opencv_filter, filters[i].border)
                ->filter = filters[i].filter;
    }
    return st;
}

/* Of each sample alone, and with a part of the luma. */
static sac_status add_adjust(bench *b, int32_t n_threads, sac_error *err)
{
    sac_adjust_desc desc;
    sac_adjust_desc_init(&desc);
    desc.w = W;
    desc.h = H;
    desc.order = SAC_ORDER_BGR;
    desc.n_threads = n_threads;
    desc.gain = GAIN;
    desc.brightness = LIFT / 2.55;
    sac_status st =
        sac_adjust_open(&add(b, "adjust, levels", n_threads, run_adjust)->adjust, &desc, err);
    if (has_opencv(b))
        add_opencv(b, "OpenCV convertTo", n_threads, run_opencv_levels, 0);
    desc.gain = 1;
    desc.brightness = 0;
    desc.saturation = SATURATION;
    if (st == SAC_OK)
        st = sac_adjust_open(&add(b, "adjust, colors", n_threads, run_adjust)->adjust, &desc, err);
    if (has_opencv(b))
        add_opencv(b, "OpenCV transform", n_threads, run_opencv_colors, H);
    return st;
}

sac_status bench_motion_add(bench *b, int32_t n_threads, sac_error *err)
{
    sac_status st = add_heatmap(b, "heat map, sine", SAC_HEAT_SINE, n_threads, err);
    if (st == SAC_OK)
        st = add_heatmap(b, "heat map, turbo", SAC_HEAT_TURBO, n_threads, err);
    if (st == SAC_OK && has_opencv(b))
        add_opencv(b, "OpenCV heat map, turbo", n_threads, run_opencv_heatmap, H);
    if (st == SAC_OK)
        st = add_noise(b, "noise overlay", SAC_NOISE_OVERLAY, n_threads, err);
    if (st == SAC_OK)
        st = add_noise(b, "noise mask", SAC_NOISE_MASK, n_threads, err);
    if (st == SAC_OK && has_opencv(b))
        add_opencv(b, "OpenCV noise mask", n_threads, run_opencv_noise, 0);
    if (st == SAC_OK)
        st = add_filters(b, n_threads, err);
    if (st == SAC_OK)
        st = add_adjust(b, n_threads, err);
    if (st == SAC_OK && n_threads == 1 && !b->is_one_of)
        add(b, "memcpy", 1, run_copy);
    return st;
}

void bench_motion_close(bench *b)
{
    for (int32_t i = 0; i < b->n_entries; i++) {
        sac_heatmap_close(&b->entry[i].heatmap);
        sac_noise_close(&b->entry[i].noise);
        sac_denoise_close(&b->entry[i].denoise);
        sac_adjust_close(&b->entry[i].adjust);
    }
}
