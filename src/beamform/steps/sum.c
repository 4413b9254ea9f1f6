/*
 * The sum over an axis, as a public function. A complex sum is two real ones.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/signal.h>

#include "beamform/steps/lines.h"
#include "beamform/kernels/sum/sum.h"

#include <stdlib.h>
#include <string.h>

static sac_status check(const sac_array *out, const sac_array *in, int32_t axis, sac_error *err)
{
    sac_status status = sac_array_check(in, "in", err);
    if (status)
        return status;
    const sac_dtype dtype = in->dtype == SAC_C64 ? SAC_C64 : SAC_F32;
    status = sac_lines_check(in, "in", dtype, err);
    if (status == SAC_OK)
        status = sac_lines_check(out, "out", dtype, err);
    if (status)
        return status;
    if (axis < 0 || axis >= in->n_dims)
        return sac_fail(err, SAC_E_SHAPE, "axis: expected 0 to %d, got %d", in->n_dims - 1, axis);
    const int32_t n_dims = in->n_dims > 1 ? in->n_dims - 1 : 1;
    if (out->n_dims != n_dims)
        return sac_fail(err, SAC_E_SHAPE, "out: %d axes, expected %d", out->n_dims, n_dims);
    for (int32_t i = 0; i < n_dims; i++) {
        int64_t wanted = in->n_dims > 1 ? in->shape[i < axis ? i : i + 1] : 1;
        if (out->shape[i] != wanted)
            return sac_fail(err, SAC_E_SHAPE, "out: axis %d has %lld, expected %lld", i,
                            (long long)out->shape[i], (long long)wanted);
    }
    return SAC_OK;
}

/* Which of out's axes is worked along: where neighbors lie closest in `in`. */
static int32_t closest_axis(const sac_array *in, int32_t n_dims)
{
    int32_t best = 0;
    for (int32_t i = 1; i < n_dims; i++)
        if (in->shape[best] <= 1 || (in->shape[i] > 1 && llabs((long long)in->stride[i]) <
                                                             llabs((long long)in->stride[best])))
            best = i;
    return best;
}

static void move_axis_last(sac_array *array, int32_t axis, int32_t n_dims)
{
    const int64_t n = array->shape[axis];
    const ptrdiff_t stride = array->stride[axis];
    const size_t n_behind = (size_t)(n_dims - 1 - axis);
    memmove(&array->shape[axis], &array->shape[axis + 1], n_behind * sizeof *array->shape);
    memmove(&array->stride[axis], &array->stride[axis + 1], n_behind * sizeof *array->stride);
    array->shape[n_dims - 1] = n;
    array->stride[n_dims - 1] = stride;
}

/* All lines of `to`, whose sums are over n values at `step` bytes from those of `from`. */
static void sum_lines(sac_sum_fn fn, const sac_array *to, const sac_array *from, int64_t n,
                      ptrdiff_t step)
{
    const ptrdiff_t size = sizeof(float);
    const ptrdiff_t to_step = to->stride[to->n_dims - 1], in_step = from->stride[to->n_dims - 1];
    sac_sum_job job = {.in_k = step / size,
                       .in_m = in_step / size,
                       .out_m = to_step / size,
                       .n = n,
                       .n_lines = to->shape[to->n_dims - 1]};
    int parts = to->dtype == SAC_C64 ? 2 : 1;
    if (parts == 2 && to_step == 2 * size && in_step == 2 * size) { /* side by side */
        job.in_m = job.out_m = parts = 1;
        job.n_lines *= 2;
    }
    for (int64_t i = 0; i < sac_lines_count(to); i++)
        for (int part = 0; part < parts; part++) {
            job.in = (const float *)(const void *)sac_lines_at(from, i) + part;
            fn((float *)(void *)sac_lines_at(to, i) + part, &job);
        }
}

sac_status sac_sum(const sac_array *out, const sac_array *in, int32_t axis, sac_error *err)
{
    const sac_variant *v;
    sac_status status = check(out, in, axis, err);
    if (status == SAC_OK)
        status = sac_variant_choose(&v, &sac_sum_room, SAC_TIER_FP32, NULL, NULL, err);
    if (status || sac_array_count(out) == 0)
        return status;
    sac_array to = *out, from = *in;
    const int64_t n = in->shape[axis];
    const ptrdiff_t step = in->stride[axis];
    if (in->n_dims > 1) {
        move_axis_last(&from, axis, in->n_dims);
        from.n_dims--;
        const int32_t along = closest_axis(&from, from.n_dims);
        move_axis_last(&from, along, from.n_dims);
        move_axis_last(&to, along, to.n_dims);
    } else {
        from.shape[0] = 1;
    }
    sum_lines((sac_sum_fn)v->fn, &to, &from, n, step);
    return SAC_OK;
}
