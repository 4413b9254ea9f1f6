/*
 * Views of memory: making, cutting, turning and checking them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/array.h>

#include <stdio.h>

#include "base/array_check.h"

static const struct {
    const char *name;
    size_t size, align;
} types[] = {
    [SAC_U8] = {"u8", 1, 1},      [SAC_U16] = {"u16", 2, 2}, [SAC_U32] = {"u32", 4, 4},
    [SAC_U64] = {"u64", 8, 8},    [SAC_I8] = {"i8", 1, 1},   [SAC_I16] = {"i16", 2, 2},
    [SAC_I32] = {"i32", 4, 4},    [SAC_I64] = {"i64", 8, 8}, [SAC_F16] = {"f16", 2, 2},
    [SAC_F32] = {"f32", 4, 4},    [SAC_F64] = {"f64", 8, 8}, [SAC_C64] = {"c64", 8, 4},
    [SAC_C128] = {"c128", 16, 8},
};

static bool is_type(sac_dtype dtype)
{
    return (int)dtype >= SAC_U8 && (int)dtype <= SAC_C128;
}

size_t sac_dtype_size(sac_dtype dtype)
{
    return is_type(dtype) ? types[dtype].size : 0;
}

const char *sac_dtype_name(sac_dtype dtype)
{
    return is_type(dtype) ? types[dtype].name : "?";
}

sac_status sac_array_view(sac_array *out, void *data, sac_dtype dtype, int32_t n_dims,
                          const int64_t *shape, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    if (!is_type(dtype))
        return sac_fail(err, SAC_E_SHAPE, "array: %d is not a type", (int)dtype);
    if (n_dims < 1 || n_dims > SAC_MAX_DIMS)
        return sac_fail(err, SAC_E_SHAPE, "array: %d axes, expected 1 to %d", n_dims, SAC_MAX_DIMS);
    if (!shape)
        return sac_fail(err, SAC_E_INVALID, "shape: is NULL");
    sac_array array = {.data = data, .dtype = dtype, .n_dims = n_dims};
    ptrdiff_t bytes = (ptrdiff_t)types[dtype].size;
    bool fits = true;
    for (int32_t i = n_dims - 1; i >= 0; i--) {
        if (shape[i] < 0)
            return sac_fail(err, SAC_E_SHAPE, "array: axis %d has size %lld", i,
                            (long long)shape[i]);
        array.shape[i] = shape[i];
        array.stride[i] = bytes;
        /* An empty axis counts as 1, so that the other strides stay those of its siblings. */
        fits = fits && !__builtin_mul_overflow(bytes, shape[i] ? shape[i] : 1, &bytes);
    }
    if (!fits)
        return sac_fail(err, SAC_E_SHAPE, "array: more bytes than can be addressed");
    *out = array;
    return SAC_OK;
}

static sac_status check_both(const sac_array *out, const sac_array *in, sac_error *err)
{
    return out && in ? SAC_OK : sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "in" : "out");
}

static sac_status check_axis(const sac_array *in, int32_t axis, sac_error *err)
{
    if (axis < 0 || axis >= in->n_dims)
        return sac_fail(err, SAC_E_INVALID, "array: axis %d of %d", axis, in->n_dims);
    return SAC_OK;
}

sac_status sac_array_range(sac_array *out, const sac_array *in, int32_t axis, int64_t start,
                           int64_t count, sac_error *err)
{
    sac_status status = check_both(out, in, err);
    if (status == SAC_OK)
        status = check_axis(in, axis, err);
    if (status)
        return status;
    if (start < 0 || count < 0 || start > in->shape[axis] || count > in->shape[axis] - start)
        return sac_fail(err, SAC_E_INVALID, "array: places %lld + %lld of axis %d, which has %lld",
                        (long long)start, (long long)count, axis, (long long)in->shape[axis]);
    *out = *in;
    if (in->data) /* an empty view may have none */
        out->data = (char *)in->data + start * in->stride[axis];
    out->shape[axis] = count;
    return SAC_OK;
}

sac_status sac_array_permute(sac_array *out, const sac_array *in, const int32_t *order,
                             sac_error *err)
{
    sac_status both = check_both(out, in, err);
    if (both)
        return both;
    if (!order)
        return sac_fail(err, SAC_E_INVALID, "order: is NULL");
    sac_array array = *in;
    uint32_t seen = 0;
    for (int32_t i = 0; i < in->n_dims; i++) {
        sac_status status = check_axis(in, order[i], err);
        if (status)
            return status;
        seen |= UINT32_C(1) << order[i];
        array.shape[i] = in->shape[order[i]];
        array.stride[i] = in->stride[order[i]];
    }
    if (seen != (UINT32_C(1) << in->n_dims) - 1)
        return sac_fail(err, SAC_E_INVALID, "array: the order names an axis twice");
    *out = array;
    return SAC_OK;
}

sac_status sac_array_flip(sac_array *out, const sac_array *in, int32_t axis, sac_error *err)
{
    sac_status status = check_both(out, in, err);
    if (status == SAC_OK)
        status = check_axis(in, axis, err);
    if (status)
        return status;
    *out = *in;
    if (in->data && in->shape[axis] > 0)
        out->data = (char *)in->data + (in->shape[axis] - 1) * in->stride[axis];
    out->stride[axis] = -in->stride[axis];
    return SAC_OK;
}

bool sac_array_is_contiguous(const sac_array *array)
{
    ptrdiff_t expected = (ptrdiff_t)sac_dtype_size(array->dtype);
    for (int32_t i = array->n_dims - 1; i >= 0; i--) {
        if (array->shape[i] == 0)
            return true;
        if (array->shape[i] != 1 && array->stride[i] != expected)
            return false;
        expected *= array->shape[i];
    }
    return true;
}

int64_t sac_array_count(const sac_array *array)
{
    int64_t count = 1;
    for (int32_t i = 0; i < array->n_dims; i++)
        count *= array->shape[i];
    return count;
}

sac_status sac_array_check(const sac_array *array, const char *name, sac_error *err)
{
    if (!array)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", name);
    if (!is_type(array->dtype))
        return sac_fail(err, SAC_E_SHAPE, "%s: %d is not a type", name, (int)array->dtype);
    if (array->n_dims < 1 || array->n_dims > SAC_MAX_DIMS)
        return sac_fail(err, SAC_E_SHAPE, "%s: %d axes, expected 1 to %d", name, array->n_dims,
                        SAC_MAX_DIMS);
    size_t align = types[array->dtype].align;
    int64_t count = 1;
    bool empty = false;
    for (int32_t i = 0; i < array->n_dims; i++) {
        if (array->shape[i] < 0)
            return sac_fail(err, SAC_E_SHAPE, "%s: axis %d has size %lld", name, i,
                            (long long)array->shape[i]);
        if (array->stride[i] % (ptrdiff_t)align)
            return sac_fail(err, SAC_E_SHAPE,
                            "%s: axis %d has a stride of %td bytes, not whole samples of %zu", name,
                            i, array->stride[i], align);
        empty = empty || array->shape[i] == 0;
        if (!empty && __builtin_mul_overflow(count, array->shape[i], &count))
            return sac_fail(err, SAC_E_SHAPE, "%s: more elements than can be counted", name);
    }
    if (!empty && !array->data)
        return sac_fail(err, SAC_E_INVALID, "%s: data is NULL", name);
    if ((uintptr_t)array->data % align)
        return sac_fail(err, SAC_E_SHAPE, "%s: data is not aligned to its %zu-byte samples", name,
                        align);
    return SAC_OK;
}

/* "u8 (1080, 1920, 3)". */
static const char *shape_text(char *text, size_t size, sac_dtype dtype, int32_t n_dims,
                              const int64_t *shape)
{
    int at = snprintf(text, size, "%s (", sac_dtype_name(dtype));
    for (int32_t i = 0; i < n_dims; i++)
        at += snprintf(text + at, size - (size_t)at, "%s%lld", i ? ", " : "", (long long)shape[i]);
    snprintf(text + at, size - (size_t)at, ")");
    return text;
}

sac_status sac_array_expect(const sac_array *array, const char *name, sac_dtype dtype,
                            int32_t n_dims, const int64_t *shape, sac_error *err)
{
    const sac_status status = sac_array_check(array, name, err);
    if (status)
        return status;
    bool fits = array->dtype == dtype && array->n_dims == n_dims;
    for (int32_t i = 0; i < n_dims && fits; i++)
        fits = array->shape[i] == shape[i];
    char expected[22 * SAC_MAX_DIMS + 8], got[22 * SAC_MAX_DIMS + 8]; /* 20 digits and ", " each */
    return fits ? SAC_OK
                : sac_fail(err, SAC_E_SHAPE, "%s: expected %s, got %s", name,
                           shape_text(expected, sizeof expected, dtype, n_dims, shape),
                           shape_text(got, sizeof got, array->dtype, array->n_dims, array->shape));
}

static const char *device_text(char *text, size_t size, sac_device device)
{
    if (device.kind == SAC_DEVICE_CPU)
        snprintf(text, size, "the CPU's");
    else
        snprintf(text, size, "cuda:%d's", device.index);
    return text;
}

sac_status sac_array_expect_on(const sac_array *array, const char *name, sac_device device,
                               sac_error *err)
{
    const bool cpu = device.kind == SAC_DEVICE_CPU;
    if (array->device.kind == device.kind && (cpu || array->device.index == device.index))
        return SAC_OK;
    char expected[24], got[24];
    return sac_fail(err, SAC_E_SHAPE, "%s: expected %s memory, got %s", name,
                    device_text(expected, sizeof expected, device),
                    device_text(got, sizeof got, array->device));
}

sac_status sac_array_expect_frame(const sac_array *array, const char *name, int64_t h, int64_t w,
                                  int32_t n_channels, sac_error *err)
{
    const bool is_gray = array && array->n_dims == 2 && n_channels == 1;
    const int64_t sizes[] = {h, w, n_channels};
    return sac_array_expect(array, name, SAC_U8, is_gray ? 2 : 3, sizes, err);
}
