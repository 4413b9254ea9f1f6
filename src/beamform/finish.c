/*
 * From beamformed samples to what the caller asked for: blocks turned into frames, envelopes,
 * decibels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "beamform/steps/lines.h"
#include "beamform/plan.h"

#define FRAMES_AT_ONCE 8 /* complex samples of a cache line */
#define SEGMENT 2048     /* values of a line that a step takes */

/* Where point `index` of image 0 of frame 0 lies in the caller's array; how many follow it there:
 * in its line, and in those that begin where the last one ends. */
static char *place(const sac_beamform *plan, int64_t index, int64_t *n_left)
{
    const sac_array *out = &plan->out;
    const int first = plan->das.lri ? 2 : 1;
    int axis = out->n_dims - 1;
    int64_t n = out->shape[axis];
    char *at = out->data;
    for (; axis > first && out->stride[axis - 1] == out->shape[axis] * out->stride[axis]; axis--)
        n *= out->shape[axis - 1];
    *n_left = n - index % n;
    for (axis = out->n_dims - 1; axis >= first; axis--) {
        at += index % out->shape[axis] * out->stride[axis];
        index /= out->shape[axis];
    }
    return at;
}

/* Turns n points' values of `count` frames: to (count, SAC_DAS_BLOCK), from points `skip` apart. */
static void turn(void *to, const float *from, ptrdiff_t skip, int32_t n, int32_t count, bool iq)
{
    for (int32_t i = 0; i < n; i++, from += skip)
        for (int32_t k = 0; k < count; k++) {
            if (iq)
                memcpy((float *)to + 2 * (k * SAC_DAS_BLOCK + i), from + (ptrdiff_t)2 * k, 8);
            else
                ((float *)to)[k * SAC_DAS_BLOCK + i] = from[k];
        }
}

/* One image's points of one line into the caller's array. */
static void put_line(const sac_beamform *plan, char *to, const float *from, int32_t n)
{
    ptrdiff_t step = plan->out.stride[plan->out.n_dims - 1];
    size_t size = sac_dtype_size(plan->out.dtype);
    float magnitude[SAC_DAS_BLOCK];
    if (sac_beamform_does(plan, SAC_STEP_MAGNITUDE)) {
        plan->magnitude(magnitude, from, n);
        from = magnitude;
    }
    if (step == (ptrdiff_t)size)
        memcpy(to, from, (size_t)n * size);
    else
        sac_lines_copy(to, step, (const char *)from, (ptrdiff_t)size, n, size);
}

/* Where point `index` of the plan is in the caller's order, and how many follow it there. */
static sac_das_spot spot_of(const sac_beamform *plan, int64_t index, int64_t n)
{
    if (!plan->order && !plan->das.tile_rows)
        return (sac_das_spot){.index = index, .left = n};
    if (!plan->order)
        return sac_das_spot_of(&plan->das, index);
    const int32_t *order = plan->order + index;
    sac_das_spot spot = {.index = order[0], .left = 1};
    while (spot.left < n && order[spot.left] == order[0] + spot.left)
        spot.left++;
    return spot;
}

void sac_beamform_finish_block(const sac_beamform *plan, const float *block, int64_t first,
                               int32_t n_points)
{
    int32_t n_images = sac_das_images(&plan->das), n_frames = plan->n_batch_frames;
    int32_t n_parts = plan->iq ? 2 : 1;
    ptrdiff_t skip = (ptrdiff_t)n_images * n_frames * n_parts;
    float turned[2 * FRAMES_AT_ONCE * SAC_DAS_BLOCK];
    for (int32_t done = 0; done < n_points;) {
        const sac_das_spot point = spot_of(plan, first + done, n_points - done);
        int64_t n_left;
        char *at = place(plan, point.index, &n_left);
        n_left = point.left < n_left ? point.left : n_left;
        int32_t n = n_left < n_points - done ? (int32_t)n_left : n_points - done;
        for (int32_t f = 0; f < n_images * n_frames; f += FRAMES_AT_ONCE) {
            int32_t left = n_images * n_frames - f;
            int32_t count = left < FRAMES_AT_ONCE ? left : FRAMES_AT_ONCE;
            turn(turned, block + done * skip + (ptrdiff_t)f * n_parts, skip, n, count, plan->iq);
            for (int32_t k = 0; k < count; k++) {
                int32_t image = (f + k) / n_frames, frame = (f + k) % n_frames;
                ptrdiff_t offset = (plan->first_image + frame) * plan->out.stride[0] +
                                   (plan->das.lri ? image * plan->out.stride[1] : 0);
                put_line(plan, at + offset, turned + (ptrdiff_t)n_parts * k * SAC_DAS_BLOCK, n);
            }
        }
        done += n;
    }
}

/*
 * w columns of one image from column `first` on, all their z, between the caller's array (`offset`
 * bytes on, for the image) and `own` (n_z, SAC_BEAMFORM_COLUMNS): there, or back.
 */
static void copy_columns(const sac_beamform *plan, float *own, ptrdiff_t offset, int64_t first,
                         int64_t w, int64_t n_z, bool back)
{
    ptrdiff_t step = plan->out.stride[plan->out.n_dims - 1], size = (ptrdiff_t)sizeof *own;
    int64_t n_columns = plan->das.n_points / n_z;
    for (int64_t z = 0; z < n_z; z++)
        for (int64_t done = 0, n; done < w; done += n) {
            int64_t n_left;
            char *at = place(plan, z * n_columns + first + done, &n_left) + offset;
            char *row = (char *)(own + z * SAC_BEAMFORM_COLUMNS + done);
            n = n_left < w - done ? n_left : w - done;
            if (back)
                sac_lines_copy(at, step, row, size, n, sizeof *own);
            else
                sac_lines_copy(row, size, at, step, n, sizeof *own);
        }
}

/* Strips of columns of an image, and how many points a column has. */
static int64_t count_strips(const sac_beamform *plan, int64_t *n_z)
{
    *n_z = plan->out.shape[plan->das.lri ? 2 : 1];
    return (plan->das.n_points / *n_z + SAC_BEAMFORM_COLUMNS - 1) / SAC_BEAMFORM_COLUMNS;
}

static int64_t count_images(const sac_beamform *plan)
{
    return (int64_t)sac_das_images(&plan->das) * plan->n_batch_frames;
}

/* Columns of all images, a strip of them at a time. */
static void envelope_task(void *arg, int32_t i)
{
    sac_beamform *plan = arg;
    const sac_array *out = &plan->out;
    int32_t n_images = sac_das_images(&plan->das);
    int64_t n_z, n_strips = count_strips(plan, &n_z), n_columns = plan->das.n_points / n_z;
    int64_t n_all = n_strips * count_images(plan);
    ptrdiff_t row = SAC_BEAMFORM_COLUMNS * (ptrdiff_t)sizeof(float);
    float *rf = plan->columns + 2 * SAC_BEAMFORM_COLUMNS * n_z * i;
    float *envelope = rf + SAC_BEAMFORM_COLUMNS * n_z;
    for (int64_t k = sac_beamform_take(plan); k < n_all; k = sac_beamform_take(plan)) {
        int64_t first = k % n_strips * SAC_BEAMFORM_COLUMNS, image = k / n_strips;
        int64_t left = n_columns - first;
        int64_t w = left < SAC_BEAMFORM_COLUMNS ? left : SAC_BEAMFORM_COLUMNS;
        ptrdiff_t offset = (plan->first_image + image / n_images) * out->stride[0] +
                           (plan->das.lri ? image % n_images * out->stride[1] : 0);
        copy_columns(plan, rf, offset, first, w, n_z, false);
        plan->hilbert(envelope, row, rf, row, w, n_z, &plan->taps);
        copy_columns(plan, envelope, offset, first, w, n_z, true);
    }
}

/* A segment of a line of the caller's f32 array, contiguous: there, or copied to `own`. */
typedef struct segment {
    char *at;
    float *values;
    int64_t n;
    int32_t frame;
} segment;

static int64_t segments(const sac_beamform *plan, int64_t *per_line)
{
    const sac_array *out = &plan->out;
    int64_t n = out->shape[out->n_dims - 1];
    *per_line = (n + SEGMENT - 1) / SEGMENT;
    return sac_lines_count(out) / out->shape[0] * plan->n_batch_frames * *per_line;
}

static segment open_segment(const sac_beamform *plan, int64_t i, int64_t per_line, float *own)
{
    const sac_array *out = &plan->out;
    int64_t lines = sac_lines_count(out) / out->shape[0], n = out->shape[out->n_dims - 1];
    int64_t line = i / per_line, first = i % per_line * SEGMENT;
    ptrdiff_t step = out->stride[out->n_dims - 1];
    segment s = {.n = n - first < SEGMENT ? n - first : SEGMENT, .frame = (int32_t)(line / lines)};
    s.at = sac_lines_at(out, plan->first_image * lines + line) + first * step;
    s.values = (float *)(void *)s.at;
    if (step != (ptrdiff_t)sizeof(float)) {
        s.values = own;
        sac_lines_copy((char *)own, sizeof(float), s.at, step, s.n, sizeof(float));
    }
    return s;
}

/* A segment's decibels, 0 down to -range, as gray in the caller's array. */
static void put_gray(const sac_beamform *plan, const segment *s, int64_t i, int64_t per_line)
{
    const sac_array *to = &plan->picture;
    int64_t lines = sac_lines_count(to) / to->shape[0];
    ptrdiff_t step = to->stride[to->n_dims - 1];
    char *at = sac_lines_at(to, plan->first_frame * lines + i / per_line);
    at += i % per_line * SEGMENT * step;
    float range_db = (float)plan->desc.dynamic_range_db;
    for (int64_t k = 0; k < s->n; k++)
        *(uint8_t *)(at + k * step) = (uint8_t)(255 * (1 + s->values[k] / range_db) + 0.5F);
}

static void maximum_task(void *arg, int32_t i)
{
    sac_beamform *plan = arg;
    float own[SEGMENT], *maximum = plan->maximum + (ptrdiff_t)i * plan->das.n_frames;
    int64_t per_line, n = segments(plan, &per_line);
    memset(maximum, 0, (size_t)plan->das.n_frames * sizeof *maximum);
    for (int64_t k = sac_beamform_share(n, plan->n_tasks, i);
         k < sac_beamform_share(n, plan->n_tasks, i + 1); k++) {
        segment s = open_segment(plan, k, per_line, own);
        maximum[s.frame] = fmaxf(maximum[s.frame], sac_frame_maximum(s.values, s.n));
    }
}

static void compress_task(void *arg, int32_t i)
{
    sac_beamform *plan = arg;
    float own[SEGMENT];
    const float *maximum = plan->maximum + (ptrdiff_t)plan->n_tasks * plan->das.n_frames;
    int64_t per_line, n = segments(plan, &per_line);
    for (int64_t k = sac_beamform_share(n, plan->n_tasks, i);
         k < sac_beamform_share(n, plan->n_tasks, i + 1); k++) {
        segment s = open_segment(plan, k, per_line, own);
        plan->compress(s.values, s.values, s.n, maximum[s.frame],
                       (float)plan->desc.dynamic_range_db);
        if (sac_beamform_does(plan, SAC_STEP_GRAY))
            put_gray(plan, &s, k, per_line);
        else if (s.values == own)
            sac_lines_copy(s.at, plan->out.stride[plan->out.n_dims - 1], (const char *)own,
                           sizeof(float), s.n, sizeof(float));
    }
}

/* Lines of pictures, shared out. */
static void convert_task(void *arg, int32_t i)
{
    sac_beamform *plan = arg;
    const sac_array *to = &plan->converted;
    const int64_t n = to->shape[to->n_dims - 1], lines = plan->scan.n_points / n;
    const int64_t n_all = lines * count_images(plan);
    const int64_t first = (plan->first_image * (int64_t)sac_das_images(&plan->das)) * lines;
    const ptrdiff_t step = to->stride[to->n_dims - 1];
    for (int64_t k = sac_beamform_share(n_all, plan->n_tasks, i);
         k < sac_beamform_share(n_all, plan->n_tasks, i + 1); k++) {
        const float *from = plan->polar + k / lines * plan->das.n_points;
        const sac_scan_place *place = plan->places + k % lines * n;
        char *at = sac_lines_at(to, first + k);
        for (int64_t x = 0; x < n; x++)
            *(float *)(void *)(at + x * step) = sac_scan_value(from, &plan->scan, &place[x]);
    }
}

/* Envelopes in the sector to pictures, on which the steps go on. */
static void convert_batch(sac_beamform *plan)
{
    plan->out = plan->converted;
    plan->first_image = sac_beamform_does(plan, SAC_STEP_GRAY) ? 0 : plan->first_frame;
    sac_pool_run(plan->pool, plan->n_tasks, convert_task, plan);
}

void sac_beamform_finish_batch(sac_beamform *plan)
{
    int64_t n_z;
    if (sac_beamform_does(plan, SAC_STEP_HILBERT))
        sac_beamform_work(plan, count_strips(plan, &n_z) * count_images(plan), envelope_task);
    if (sac_beamform_does(plan, SAC_STEP_CONVERT))
        convert_batch(plan);
    if (!sac_beamform_does(plan, SAC_STEP_COMPRESS))
        return;
    sac_pool_run(plan->pool, plan->n_tasks, maximum_task, plan);
    int32_t n_frames = plan->das.n_frames;
    float *of_all = plan->maximum + (ptrdiff_t)plan->n_tasks * n_frames;
    for (int32_t f = 0; f < n_frames; f++) {
        of_all[f] = 0;
        for (int32_t i = 0; i < plan->n_tasks; i++)
            of_all[f] = fmaxf(of_all[f], plan->maximum[(ptrdiff_t)i * n_frames + f]);
    }
    sac_pool_run(plan->pool, plan->n_tasks, compress_task, plan);
}
