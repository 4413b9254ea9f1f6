/*
 * Interpolation at given delays, as a public function: checks, then the room's kernel, record by
 * record.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/signal.h>

#include "base/alloc.h"
#include "beamform/steps/lines.h"
#include "beamform/kernels/interp/interp.h"

#define CHUNK 512 /* points that are brought together at a time, where they lie apart */

static bool is_contiguous(const sac_array *array)
{
    return array->stride[array->n_dims - 1] == (ptrdiff_t)sac_dtype_size(array->dtype);
}

static sac_status check_type(const sac_array *array, const char *name, sac_dtype a, sac_dtype b,
                             sac_dtype c, sac_error *err)
{
    sac_status status = sac_array_check(array, name, err);
    if (status)
        return status;
    if (array->device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_SHAPE, "%s: expected memory of the CPU", name);
    if (array->dtype == a || array->dtype == b || array->dtype == c)
        return SAC_OK;
    return sac_fail(err, SAC_E_SHAPE, "%s: expected %s%s%s%s%s, got %s", name, sac_dtype_name(a),
                    a != b ? ", " : "", a != b ? sac_dtype_name(b) : "", b != c ? ", " : "",
                    b != c ? sac_dtype_name(c) : "", sac_dtype_name(array->dtype));
}

/* The first n axes agree with those of delays. */
static sac_status check_axes(const sac_array *array, const char *name, const sac_array *delays,
                             int32_t n, sac_error *err)
{
    if (array->n_dims != delays->n_dims)
        return sac_fail(err, SAC_E_SHAPE, "%s: %d axes, and delays has %d", name, array->n_dims,
                        delays->n_dims);
    for (int32_t i = 0; i < n; i++)
        if (array->shape[i] != delays->shape[i])
            return sac_fail(err, SAC_E_SHAPE, "%s: axis %d has %lld, and that of delays %lld", name,
                            i, (long long)array->shape[i], (long long)delays->shape[i]);
    return SAC_OK;
}

static sac_status check(const sac_array *out, const sac_array *in, const sac_array *delays,
                        sac_interp interp, sac_outside outside, sac_error *err)
{
    sac_status status = check_type(in, "in", SAC_I16, SAC_F32, SAC_C64, err);
    if (status == SAC_OK)
        status = check_type(delays, "delays", SAC_F32, SAC_F64, SAC_F64, err);
    if (status)
        return status;
    sac_dtype wanted = in->dtype == SAC_C64 ? SAC_C64 : SAC_F32;
    status = check_type(out, "out", wanted, wanted, wanted, err);
    if (status == SAC_OK)
        status = check_axes(in, "in", delays, delays->n_dims - 1, err);
    if (status == SAC_OK)
        status = check_axes(out, "out", delays, delays->n_dims, err);
    if (status)
        return status;
    if ((int)interp < SAC_INTERP_NEAREST || interp > SAC_INTERP_CUBIC)
        return sac_fail(err, SAC_E_INVALID, "interp: %d is invalid", (int)interp);
    if (outside != SAC_OUTSIDE_ZERO && outside != SAC_OUTSIDE_CLAMP)
        return sac_fail(err, SAC_E_INVALID, "outside: %d is invalid", (int)outside);
    int64_t n = in->shape[in->n_dims - 1];
    if (n > INT32_MAX || (n < 1 && sac_array_count(out) > 0))
        return sac_fail(err, SAC_E_SHAPE, "in: expected records of 1 to %d samples, got %lld",
                        INT32_MAX, (long long)n);
    return SAC_OK;
}

/* One record; delays and out from `s` and `to` on, `n` points. */
static void interpolate_line(sac_interp_fn fn, sac_interp_job *job, char *to, ptrdiff_t to_step,
                             const char *s, ptrdiff_t s_step, int64_t n)
{
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(job->delays_dtype);
    const ptrdiff_t to_size = job->dtype == SAC_C64 ? 2 * sizeof(float) : sizeof(float);
    float results[2 * CHUNK];
    double delays[CHUNK];
    job->delays = s;
    job->n_points = n;
    if (s_step == size && to_step == to_size) {
        fn(to, job);
        return;
    }
    for (int64_t p = 0; p < n; p += CHUNK) {
        job->delays = delays;
        job->n_points = n - p < CHUNK ? n - p : CHUNK;
        sac_lines_copy((char *)delays, size, s + p * s_step, s_step, job->n_points, (size_t)size);
        fn(results, job);
        sac_lines_copy(to + p * to_step, to_step, (const char *)results, to_size, job->n_points,
                       (size_t)to_size);
    }
}

/* `record`: memory for one, where samples lie apart; else NULL. */
static void interpolate_lines(sac_interp_fn fn, sac_interp_job *job, const sac_array *out,
                              const sac_array *in, const sac_array *delays, char *record)
{
    const int32_t last = out->n_dims - 1;
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(in->dtype);
    for (int64_t i = 0; i < sac_lines_count(out); i++) {
        job->in = sac_lines_at(in, i);
        if (record) {
            sac_lines_copy(record, size, job->in, in->stride[last], in->shape[last], (size_t)size);
            job->in = record;
        }
        interpolate_line(fn, job, sac_lines_at(out, i), out->stride[last], sac_lines_at(delays, i),
                         delays->stride[last], out->shape[last]);
    }
}

sac_status sac_interpolate(const sac_array *out, const sac_array *in, const sac_array *delays,
                           sac_interp interp, sac_outside outside, sac_error *err)
{
    const sac_variant *v;
    sac_status status = check(out, in, delays, interp, outside, err);
    if (status == SAC_OK)
        status = sac_variant_choose(&v, &sac_interp_room, SAC_TIER_FP32, NULL, NULL, err);
    if (status || sac_array_count(out) == 0)
        return status;
    const int64_t n_samples = in->shape[in->n_dims - 1];
    char *record = NULL;
    if (!is_contiguous(in)) {
        record = sac_alloc((size_t)n_samples, sac_dtype_size(in->dtype));
        if (!record)
            return sac_fail(err, SAC_E_NOMEM, "interpolate: no memory for %lld samples",
                            (long long)n_samples);
    }
    sac_interp_job job = {.dtype = in->dtype,
                          .delays_dtype = delays->dtype,
                          .n_layers = 1,
                          .n_samples = (int32_t)n_samples,
                          .interp = interp,
                          .outside = outside};
    interpolate_lines((sac_interp_fn)v->fn, &job, out, in, delays, record);
    sac_free(record);
    return SAC_OK;
}
