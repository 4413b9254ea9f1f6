/*
 * Components of whole pictures, as a public function.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/label.h>

#include "base/alloc.h"
#include "meltpool/kernels/label_u8/label_u8.h"

static sac_status check_picture(const sac_array *a, const char *name, sac_dtype dtype,
                                sac_error *err)
{
    sac_status status = sac_array_check(a, name, err);
    if (status)
        return status;
    if (a->device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_SHAPE, "%s: expected an array in the CPU's memory", name);
    if (a->dtype != dtype || a->n_dims != 2)
        return sac_fail(err, SAC_E_SHAPE, "%s: expected (h, w) of %s, got %d axes of %s", name,
                        sac_dtype_name(dtype), a->n_dims, sac_dtype_name(a->dtype));
    if (a->shape[1] > 1 && a->stride[1] != (ptrdiff_t)sac_dtype_size(dtype))
        return sac_fail(err, SAC_E_SHAPE, "%s: expected the pixels of a row side by side", name);
    return SAC_OK;
}

static sac_status check_pair(const sac_array *labels, const sac_array *in, sac_error *err)
{
    sac_status status = check_picture(in, "in", SAC_U8, err);
    if (status == SAC_OK)
        status = check_picture(labels, "labels", SAC_I32, err);
    if (status)
        return status;
    int64_t h = in->shape[0], w = in->shape[1];
    if (labels->shape[0] != h || labels->shape[1] != w)
        return sac_fail(err, SAC_E_SHAPE, "labels: expected %lld x %lld as in, got %lld x %lld",
                        (long long)w, (long long)h, (long long)labels->shape[1],
                        (long long)labels->shape[0]);
    if (h > 0 && w > INT32_MAX / h)
        return sac_fail(err, SAC_E_SHAPE, "in: %lld x %lld are more pixels than labels are counted",
                        (long long)w, (long long)h);
    return SAC_OK;
}

sac_status sac_label(const sac_array *labels, int64_t *n, const sac_array *in, int32_t threshold,
                     sac_error *err)
{
    if (!n)
        return sac_fail(err, SAC_E_INVALID, "n: is NULL");
    *n = 0;
    const sac_variant *v = NULL;
    sac_status status = check_pair(labels, in, err);
    if (status == SAC_OK && (threshold < 0 || threshold > 256))
        status = sac_fail(err, SAC_E_INVALID, "threshold: expected 0 to 256, got %d", threshold);
    if (status)
        return status;
    int64_t h = in->shape[0], w = in->shape[1];
    const sac_variant_shape shape = {w * h, 1};
    status = sac_variant_choose(&v, &sac_label_u8_room, SAC_TIER_EXACT, &shape, NULL, err);
    if (status)
        return status;
    if (w == 0 || h == 0)
        return SAC_OK;
    sac_label_job job = {.in = in->data,
                         .labels = labels->data,
                         .in_row = in->stride[0],
                         .labels_row = labels->stride[0],
                         .w = w,
                         .h = h,
                         .threshold = threshold,
                         .scratch = sac_alloc(sac_label_scratch(w, h), 1)};
    if (!job.scratch)
        return sac_fail(err, SAC_E_NOMEM, "label: no memory for the runs of %lld x %lld pixels",
                        (long long)w, (long long)h);
    *n = ((sac_label_u8_fn)v->fn)(&job);
    sac_free(job.scratch);
    return SAC_OK;
}

static void add_pixel(sac_component *c, int64_t sum[2], int64_t x, int64_t y, uint8_t value)
{
    if (c->area == 0)
        *c = (sac_component){.x0 = x, .y0 = y, .x1 = x + 1, .y1 = y + 1};
    c->area++;
    c->intensity += value;
    c->x0 = x < c->x0 ? x : c->x0;
    c->x1 = x + 1 > c->x1 ? x + 1 : c->x1;
    c->y1 = y + 1;
    sum[0] += x;
    sum[1] += y;
}

/* The label's component; NULL where it is not one of n. */
static sac_component *component_of(sac_component *components, int64_t n, int32_t label)
{
    return label > 0 && label <= n ? &components[label - 1] : NULL;
}

static const int32_t *label_row(const sac_array *labels, int64_t y)
{
    return (const int32_t *)(const void *)((const char *)labels->data + y * labels->stride[0]);
}

static void add_moments(sac_component *components, int64_t n, const sac_array *labels)
{
    for (int64_t y = 0; y < labels->shape[0]; y++)
        for (int64_t x = 0; x < labels->shape[1]; x++) {
            sac_component *c = component_of(components, n, label_row(labels, y)[x]);
            if (!c)
                continue;
            double dx = (double)x - c->x, dy = (double)y - c->y;
            c->xx += dx * dx;
            c->xy += dx * dy;
            c->yy += dy * dy;
        }
    for (int64_t i = 0; i < n; i++) {
        double area = components[i].area > 0 ? (double)components[i].area : 1;
        components[i].xx /= area;
        components[i].xy /= area;
        components[i].yy /= area;
    }
}

sac_status sac_label_components(sac_component *components, int64_t n, const sac_array *labels,
                                const sac_array *in, sac_error *err)
{
    sac_status status = check_pair(labels, in, err);
    if (status)
        return status;
    if (n < 0)
        return sac_fail(err, SAC_E_INVALID, "n: expected 0 or more, got %lld", (long long)n);
    if (n > 0 && !components)
        return sac_fail(err, SAC_E_INVALID, "components: is NULL");
    int64_t(*sums)[2] = n > 0 ? sac_alloc((size_t)n, sizeof *sums) : NULL;
    if (n > 0 && !sums)
        return sac_fail(err, SAC_E_NOMEM, "label: no memory for %lld components", (long long)n);
    for (int64_t i = 0; i < n; i++)
        components[i] = (sac_component){0};
    for (int64_t y = 0; y < in->shape[0]; y++)
        for (int64_t x = 0; x < in->shape[1]; x++) {
            int32_t label = label_row(labels, y)[x];
            sac_component *c = component_of(components, n, label);
            if (c)
                add_pixel(c, sums[label - 1], x, y,
                          ((const uint8_t *)in->data + y * in->stride[0])[x]);
        }
    for (int64_t i = 0; i < n; i++)
        if (components[i].area > 0) {
            components[i].x = (double)sums[i][0] / (double)components[i].area;
            components[i].y = (double)sums[i][1] / (double)components[i].area;
        }
    add_moments(components, n, labels);
    sac_free(sums);
    return SAC_OK;
}
