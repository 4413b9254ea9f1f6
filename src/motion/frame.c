/*
 * Frames of the motion pipelines: checks, pixels, strips.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/frame.h"

#include <stdio.h>

#include "base/array_check.h"
#include "image/pixels_inline.h"

#define MAX_SIDE INT64_C(0x7fffffff)

sac_status sac_frame_check(const sac_frame_shape *shape, sac_device device, const char *pipeline,
                           sac_error *err)
{
    if (shape->w < 1 || shape->h < 1 || shape->w > MAX_SIDE || shape->h > MAX_SIDE)
        return sac_fail(err, SAC_E_SHAPE, "w, h: expected 1 to %lld pixels, got %lld x %lld",
                        (long long)MAX_SIDE, (long long)shape->w, (long long)shape->h);
    if (shape->n_channels != 1 && shape->n_channels != 3 && shape->n_channels != 4)
        return sac_fail(err, SAC_E_SHAPE, "n_channels: expected 1, 3 or 4, got %d",
                        shape->n_channels);
    if ((uint32_t)shape->order > SAC_ORDER_BGR)
        return sac_fail(err, SAC_E_INVALID, "order: %d is invalid", (int)shape->order);
    if (device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_UNSUPPORTED, "device: %s does not work on cuda yet", pipeline);
    return SAC_OK;
}

static sac_status take(sac_pixels *pixels, const sac_array *array, const char *name,
                       const sac_frame_shape *shape, sac_error *err)
{
    const bool has_channels = !array || array->n_dims != 2 || shape->n_channels != 1;
    const int64_t sizes[] = {shape->h, shape->w, shape->n_channels};
    sac_status status = sac_array_expect(array, name, SAC_U8, has_channels ? 3 : 2, sizes, err);
    if (status == SAC_OK)
        status = sac_array_expect_on(array, name, (sac_device){SAC_DEVICE_CPU, 0}, err);
    if (status)
        return status;
    *pixels = (sac_pixels){
        .n_colors = shape->n_channels == 1 ? 1 : 3,
        .pixel = array->stride[1],
        .row = array->stride[0],
        .w = shape->w,
        .h = shape->h,
    };
    const ptrdiff_t step = has_channels ? array->stride[2] : 0;
    const int red = shape->order == SAC_ORDER_BGR && pixels->n_colors == 3 ? 2 : 0;
    for (int c = 0; c < pixels->n_colors; c++)
        pixels->color[c] = (char *)array->data + (red ? red - c : c) * step;
    if (shape->n_channels == 4)
        pixels->alpha = (char *)array->data + 3 * step;
    return SAC_OK;
}

sac_status sac_frames_take(sac_frames *frames, const sac_array *out, const sac_array *current,
                           const sac_array *previous, sac_error *err)
{
    sac_status status = take(&frames->out, out, "out", &frames->out_shape, err);
    if (status == SAC_OK)
        status = take(&frames->current, current, "current", &frames->shape, err);
    return status ? status : take(&frames->previous, previous, "previous", &frames->shape, err);
}

int32_t sac_frame_strips(const sac_pool *pool, int64_t h)
{
    const int64_t n_threads = sac_pool_threads(pool);
    int64_t n = n_threads > 1 ? 2 * n_threads : 1;
    n = n < h ? n : h;
    return (int32_t)(n < SAC_POOL_MAX_TASKS ? n : SAC_POOL_MAX_TASKS);
}

sac_frames sac_frames_strip(const sac_frames *frames, int32_t i, int32_t n)
{
    const int64_t from = frames->shape.h * i / n, rows = frames->shape.h * (i + 1) / n - from;
    sac_frames strip = *frames;
    strip.out = sac_pixels_rows(&frames->out, from, rows);
    strip.current = sac_pixels_rows(&frames->current, from, rows);
    strip.previous = sac_pixels_rows(&frames->previous, from, rows);
    return strip;
}
