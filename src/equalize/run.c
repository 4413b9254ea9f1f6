/*
 * Running an equalize plan: histogram, scaling, picture.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/array_check.h"
#include "equalize/plan.h"
#include "image/pixels_inline.h"

sac_status sac_equalize_pixels(sac_pixels *pixels, const sac_array *array, const char *name,
                               const sac_equalize_desc *desc, sac_error *err)
{
    bool plain = array && array->n_dims == 2 && desc->n_channels == 1;
    bool planar = !plain && desc->layout == SAC_PLANAR;
    int axis_c = plain ? -1 : planar ? 0 : 2, axis_y = planar, axis_x = axis_y + 1;
    const int64_t w = desc->w, h = desc->h, n = desc->n_channels;
    const int64_t shapes[2][3] = {{h, w, n}, {n, h, w}};
    sac_status status =
        sac_array_expect(array, name, desc->dtype, plain ? 2 : 3, shapes[planar], err);
    if (status)
        return status;
    sac_known(array);
    int n_colors = desc->n_channels < 3 ? 1 : 3;
    *pixels = (sac_pixels){
        .n_colors = n_colors,
        .pixel = array->stride[axis_x],
        .row = array->stride[axis_y],
        .w = desc->w,
        .h = desc->h,
    };
    for (int c = 0; c < desc->n_channels; c++) {
        void *channel = (char *)array->data + (axis_c < 0 ? 0 : c * array->stride[axis_c]);
        if (c < n_colors)
            pixels->color[c] = channel;
        else
            pixels->alpha = channel;
    }
    return SAC_OK;
}

static int64_t strip_start(const sac_equalize *plan, int32_t i)
{
    return plan->desc.h / plan->n_strips * i +
           (i < plan->desc.h % plan->n_strips ? i : plan->desc.h % plan->n_strips);
}

static sac_pixels strip(const sac_equalize *plan, const sac_pixels *p, int32_t i)
{
    int64_t y = strip_start(plan, i);
    return sac_pixels_rows(p, y, strip_start(plan, i + 1) - y);
}

static void count_strip(void *arg, int32_t i)
{
    sac_equalize *plan = arg;
    sac_pixels in = strip(plan, &plan->in, i);
    uint32_t *hist = plan->hist + (size_t)i * (size_t)plan->n_values;
    plan->count(hist, &in);
}

static void scale_strip(void *arg, int32_t i)
{
    sac_equalize *plan = arg;
    sac_pixels in = strip(plan, &plan->in, i), out = strip(plan, &plan->out, i);
    if (plan->apply_levels) {
        const sac_clahe of = sac_equalize_strip_clahe(plan, i);
        plan->apply_levels(&out, &in, &of, strip_start(plan, i));
    } else {
        plan->apply_scale(&out, &in, &plan->scale);
    }
}

/* The strips' histograms together. */
static void sum_strips(sac_equalize *plan)
{
    for (int32_t v = 0; v < plan->n_values; v++)
        plan->occurs[v] = plan->hist[v];
    for (int32_t i = 1; i < plan->n_strips; i++) {
        const uint32_t *hist = plan->hist + (size_t)i * (size_t)plan->n_values;
        for (int32_t v = 0; v < plan->n_values; v++)
            plan->occurs[v] += hist[v];
    }
}

static sac_status run_cpu(sac_equalize *plan, const sac_array *out, const sac_array *in,
                          sac_error *err)
{
    sac_status status = sac_equalize_pixels(&plan->in, in, "in", &plan->desc, err);
    if (status == SAC_OK)
        status = sac_equalize_pixels(&plan->out, out, "out", &plan->desc, err);
    if (status == SAC_OK)
        status = sac_array_expect_on(in, "in", plan->desc.device, err);
    if (status == SAC_OK)
        status = sac_array_expect_on(out, "out", plan->desc.device, err);
    if (status)
        return status;
    if (plan->apply_levels) {
        sac_equalize_make_levels(plan);
    } else {
        sac_pool_run(plan->pool, plan->n_strips, count_strip, plan);
        sum_strips(plan);
        sac_equalize_make_scale(plan);
    }
    sac_pool_run(plan->pool, plan->n_strips, scale_strip, plan);
    plan->started = true;
    return SAC_OK;
}

sac_status sac_equalize_run_batch(sac_equalize *plan, const sac_array *outs, const sac_array *ins,
                                  int32_t n, sac_error *err)
{
    if (!plan)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    if (n > 0 && (!outs || !ins))
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", ins ? "out" : "in");
    if (plan->gpu)
        return sac_equalize_gpu_run(plan, outs, ins, n, err);
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++)
        status = run_cpu(plan, &outs[i], &ins[i], err);
    return status;
}

sac_status sac_equalize_run(sac_equalize *plan, const sac_array *out, const sac_array *in,
                            sac_error *err)
{
    return sac_equalize_run_batch(plan, out, in, 1, err);
}
