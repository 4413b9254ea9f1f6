/*
 * Frames of the motion pipelines: checks, pixels, strips.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/frame.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array_check.h"
#include "image/pixels_inline.h"
#include "motion/gpu.h"

sac_status sac_frame_shape_check(const sac_frame_shape *shape, sac_device device,
                                 const void *stream, sac_error *err)
{
    const sac_status status = sac_plan_check_frame(shape->w, shape->h, SAC_PLAN_MAX_SIDE,
                                                   shape->n_channels, shape->order, err);
    if (status == SAC_OK && device.kind == SAC_DEVICE_CPU && stream)
        return sac_fail(err, SAC_E_INVALID, "stream: is for a GPU, and the device is cpu");
    return status;
}

sac_status sac_frame_batch_check(const void *plan, const sac_array *outs, const sac_array *currents,
                                 const sac_array *previouses, bool keeps, int32_t n, sac_error *err)
{
    const char *missing = !plan                   ? "plan"
                          : n < 1                 ? NULL
                          : !outs                 ? "out"
                          : !currents             ? "current"
                          : !previouses && !keeps ? "previous"
                                                  : NULL;
    return missing ? sac_fail(err, SAC_E_INVALID, "%s: is NULL", missing) : SAC_OK;
}

sac_status sac_frame_apart(const sac_array *out, const sac_array *in, sac_error *err)
{
    return out->data != in->data
               ? SAC_OK
               : sac_fail(err, SAC_E_SHAPE,
                          "out: is the frame itself, and must be memory of its own");
}

static sac_status open_kept(sac_frame_pair *pair, sac_error *err)
{
    const sac_frame_shape *s = &pair->shape;
    size_t bytes = (size_t)s->n_channels;
    const bool fits = !__builtin_mul_overflow(bytes, (size_t)s->w, &bytes) &&
                      !__builtin_mul_overflow(bytes, (size_t)s->h, &bytes);
    for (int i = 0; i < 2; i++) {
        pair->kept[i] = fits ? sac_alloc(bytes, 1) : NULL;
        if (!pair->kept[i])
            return sac_fail(err, SAC_E_NOMEM,
                            "keep_previous: no memory for frames of %lld x %lld pixels",
                            (long long)s->w, (long long)s->h);
    }
    return SAC_OK;
}

sac_status sac_frame_pair_open(sac_frame_pair *pair, const sac_plan_choice *choice, bool keeps,
                               sac_error *err)
{
    sac_any_fn fn[SAC_MAX_ROOMS];
    const sac_status status =
        sac_plan_choose(&pair->pool, fn, pair->variant, sizeof pair->variant, choice, err);
    if (status)
        return status;
    pair->draw = fn[0];
    pair->n_strips = sac_frame_strips(pair->pool, pair->shape.h);
    return keeps ? open_kept(pair, err) : SAC_OK;
}

void sac_frame_pair_close(sac_frame_pair *pair)
{
    sac_free(pair->kept[0]);
    sac_free(pair->kept[1]);
    sac_pool_close(&pair->pool);
    sac_motion_gpu_close(&pair->gpu);
}

sac_status sac_frame_pixels(sac_pixels *pixels, const sac_array *array, const char *name,
                            const sac_frame_shape *shape, sac_error *err)
{
    const sac_status status =
        sac_array_expect_frame(array, name, shape->h, shape->w, shape->n_channels, err);
    if (status)
        return status;
    sac_known(array);
    *pixels = (sac_pixels){
        .n_colors = shape->n_channels == 1 ? 1 : 3,
        .pixel = array->stride[1],
        .row = array->stride[0],
        .w = shape->w,
        .h = shape->h,
    };
    const ptrdiff_t step = array->n_dims == 3 ? array->stride[2] : 0;
    const int red = shape->order == SAC_ORDER_BGR && pixels->n_colors == 3 ? 2 : 0;
    for (int c = 0; c < pixels->n_colors; c++)
        pixels->color[c] = (char *)array->data + (red ? red - c : c) * step;
    if (shape->n_channels == 4)
        pixels->alpha = (char *)array->data + 3 * step;
    return SAC_OK;
}

sac_status sac_frame_take(sac_pixels *pixels, const sac_array *array, const char *name,
                          const sac_frame_shape *shape, sac_error *err)
{
    const sac_status status = sac_frame_pixels(pixels, array, name, shape, err);
    return status ? status : sac_array_expect_on(array, name, SAC_CPU, err);
}

static sac_pixels kept_pixels(const sac_frame_pair *pair, int i)
{
    const sac_frame_shape *s = &pair->shape;
    const sac_array array = {
        .data = pair->kept[i],
        .dtype = SAC_U8,
        .n_dims = s->n_channels == 1 ? 2 : 3,
        .shape = {s->h, s->w, s->n_channels},
        .stride = {(ptrdiff_t)(s->w * s->n_channels), s->n_channels, 1},
    };
    sac_pixels pixels = {0};
    (void)sac_frame_pixels(&pixels, &array, "previous", s, NULL); /* which it is */
    return pixels;
}

static void copy_row(const sac_pixels *to, const sac_pixels *from, int64_t y)
{
    const sac_pixels t = sac_pixels_rows(to, y, 1), f = sac_pixels_rows(from, y, 1);
    for (int32_t c = 0; c <= t.n_colors; c++) {
        uint8_t *sample = c < t.n_colors ? t.color[c] : t.alpha;
        const uint8_t *read = c < t.n_colors ? f.color[c] : f.alpha;
        for (int64_t x = 0; sample && x < t.w; x++)
            sample[x * t.pixel] = read[x * f.pixel];
    }
}

/* Whether a row's bytes follow each other as in q, which is packed. */
static bool is_packed_as(const sac_pixels *p, const sac_pixels *q)
{
    bool is = p->pixel == q->pixel;
    for (int32_t c = 1; c < q->n_colors; c++)
        is = is &&
             (char *)p->color[c] - (char *)p->color[0] == (char *)q->color[c] - (char *)q->color[0];
    return is && (!q->alpha ||
                  (char *)p->alpha - (char *)p->color[0] == (char *)q->alpha - (char *)q->color[0]);
}

/* Strip i of the current frame to kept[1]. */
static void keep_strip(void *arg, int32_t i)
{
    const sac_frame_pair *pair = arg;
    const sac_pixels to = kept_pixels(pair, 1), *from = &pair->current;
    const int64_t h = pair->shape.h, n = pair->n_strips, end = h * (i + 1) / n;
    const int first = pair->shape.order == SAC_ORDER_BGR ? to.n_colors - 1 : 0;
    const bool is_packed = is_packed_as(from, &to);
    for (int64_t y = h * i / n; y < end; y++)
        if (is_packed)
            memcpy((char *)to.color[first] + y * to.row,
                   (const char *)from->color[first] + y * from->row, (size_t)to.row);
        else
            copy_row(&to, from, y);
}

/* What `previous` of NULL stands for, and the current frame for the next run. */
static sac_status keep(sac_frame_pair *pair, bool has_previous)
{
    const bool has_kept = pair->has_kept;
    uint8_t *before = pair->kept[0];
    sac_pool_run(pair->pool, pair->n_strips, keep_strip, pair);
    if (!has_previous && has_kept)
        pair->previous = kept_pixels(pair, 0);
    pair->kept[0] = pair->kept[1];
    pair->kept[1] = before;
    pair->has_kept = true;
    return has_previous || has_kept ? SAC_OK : SAC_AGAIN;
}

sac_status sac_frame_pair_run(sac_frame_pair *pair, const sac_array *out, const sac_array *current,
                              const sac_array *previous, sac_task_fn draw_strip, void *plan,
                              sac_error *err)
{
    sac_status status = sac_frame_take(&pair->out, out, "out", &pair->out_shape, err);
    if (status == SAC_OK)
        status = sac_frame_take(&pair->current, current, "current", &pair->shape, err);
    if (status == SAC_OK && previous)
        status = sac_frame_take(&pair->previous, previous, "previous", &pair->shape, err);
    if (status == SAC_OK && pair->kept[0])
        status = keep(pair, previous != NULL);
    if (status == SAC_OK)
        sac_pool_run(pair->pool, pair->n_strips, draw_strip, plan);
    return status;
}

sac_status sac_frame_pairs_of(sac_pair *pairs, const sac_frame_pair *pair,
                              const sac_motion_arrays *calls, int32_t n)
{
    sac_status st = SAC_OK;
    for (int32_t i = 0; i < n && st == SAC_OK; i++) {
        st = sac_frame_pixels(&pairs[i].out, calls[i].out, "out", &pair->out_shape, NULL);
        if (st == SAC_OK)
            st = sac_frame_pixels(&pairs[i].current, calls[i].current, "current", &pair->shape,
                                  NULL);
        if (st == SAC_OK)
            st = sac_frame_pixels(&pairs[i].previous, calls[i].previous, "previous", &pair->shape,
                                  NULL);
    }
    return st;
}

int32_t sac_frame_strips(const sac_pool *pool, int64_t h)
{
    const int64_t n_threads = sac_pool_threads(pool);
    int64_t n = n_threads > 1 ? 2 * n_threads : 1;
    n = n < h ? n : h;
    return (int32_t)(n < SAC_POOL_MAX_TASKS ? n : SAC_POOL_MAX_TASKS);
}

sac_frame_pair sac_frame_pair_strip(const sac_frame_pair *pair, int32_t i)
{
    const int64_t h = pair->shape.h, n = pair->n_strips;
    const int64_t from = h * i / n, rows = h * (i + 1) / n - from;
    sac_frame_pair strip = *pair;
    strip.out = sac_pixels_rows(&pair->out, from, rows);
    strip.current = sac_pixels_rows(&pair->current, from, rows);
    strip.previous = sac_pixels_rows(&pair->previous, from, rows);
    return strip;
}
