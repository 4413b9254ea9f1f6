/*
 * DLPack in and out. The structures below are the binary interface of dlpack.h version 1.0, whose
 * names they keep.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/array.h>

#include "base/alloc.h"

typedef struct {
    int32_t device_type, device_id;
} DLDevice;

typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;

struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: contiguous */
    uint64_t byte_offset;
};

struct DLManagedTensorVersioned {
    struct {
        uint32_t major, minor;
    } version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    struct DLTensor dl_tensor;
};

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_COMPLEX = 5 };

static const struct {
    sac_dtype dtype;
    uint8_t code, bits;
} types[] = {
    {SAC_U8, DL_UINT, 8},        {SAC_U16, DL_UINT, 16},  {SAC_U32, DL_UINT, 32},
    {SAC_U64, DL_UINT, 64},      {SAC_I8, DL_INT, 8},     {SAC_I16, DL_INT, 16},
    {SAC_I32, DL_INT, 32},       {SAC_I64, DL_INT, 64},   {SAC_F16, DL_FLOAT, 16},
    {SAC_F32, DL_FLOAT, 32},     {SAC_F64, DL_FLOAT, 64}, {SAC_C64, DL_COMPLEX, 64},
    {SAC_C128, DL_COMPLEX, 128},
};
#define N_TYPES (sizeof types / sizeof types[0])

sac_status sac_array_from_dlpack(sac_array *out, const struct DLTensor *t, sac_error *err)
{
    if (!out || !t)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "tensor" : "out");
    sac_array array = {0};
    sac_device device = {SAC_DEVICE_CPU, 0};
    for (size_t i = 0; i < N_TYPES; i++)
        if (t->dtype.lanes == 1 && t->dtype.code == types[i].code && t->dtype.bits == types[i].bits)
            array.dtype = types[i].dtype;
    if (!array.dtype)
        return sac_fail(err, SAC_E_UNSUPPORTED, "dlpack: type code %d of %d bits, %d lanes",
                        t->dtype.code, t->dtype.bits, t->dtype.lanes);
    switch (t->device.device_type) {
    case DL_CPU:
    case DL_CUDA_HOST:
        break;
    case DL_CUDA:
    case DL_CUDA_MANAGED:
        device = (sac_device){SAC_DEVICE_CUDA, t->device.device_id};
        break;
    default:
        return sac_fail(err, SAC_E_UNSUPPORTED, "dlpack: device type %d", t->device.device_type);
    }
    sac_status status = sac_array_view(&array, NULL, array.dtype, t->ndim, t->shape, err);
    if (status)
        return status;
    array.data = (char *)t->data + t->byte_offset;
    array.device = device;
    ptrdiff_t size = (ptrdiff_t)sac_dtype_size(array.dtype);
    for (int32_t i = 0; t->strides && i < t->ndim; i++)
        if (__builtin_mul_overflow(t->strides[i], size, &array.stride[i]))
            return sac_fail(err, SAC_E_SHAPE, "dlpack: the stride of axis %d overflows", i);
    status = sac_array_check(&array, "dlpack", err);
    if (status == SAC_OK)
        *out = array;
    return status;
}

/* A tensor that we hand out, with room for its shape. */
typedef struct {
    struct DLManagedTensorVersioned tensor;
    int64_t shape[SAC_MAX_DIMS], strides[SAC_MAX_DIMS];
    void *owner;
    void (*release)(void *owner);
} export;

static void delete_export(struct DLManagedTensorVersioned *self)
{
    export *e = self->manager_ctx;
    if (e->release)
        e->release(e->owner);
    sac_free(e);
}

sac_status sac_array_to_dlpack(struct DLManagedTensorVersioned **out, const sac_array *array,
                               void *owner, void (*release)(void *owner), sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_status status = sac_array_check(array, "array", err);
    if (status)
        return status;
    ptrdiff_t size = (ptrdiff_t)sac_dtype_size(array->dtype);
    for (int32_t i = 0; i < array->n_dims; i++)
        if (array->stride[i] % size)
            return sac_fail(err, SAC_E_SHAPE,
                            "array: axis %d has a stride of %td bytes, not whole "
                            "elements of %td as DLPack needs",
                            i, array->stride[i], size);
    export *e = sac_alloc(1, sizeof *e);
    if (!e)
        return sac_fail(err, SAC_E_NOMEM, "dlpack: no memory for a tensor");
    e->owner = owner;
    e->release = release;
    e->tensor.version.major = 1;
    e->tensor.manager_ctx = e;
    e->tensor.deleter = delete_export;
    struct DLTensor *t = &e->tensor.dl_tensor;
    t->data = array->data;
    t->device.device_type = array->device.kind == SAC_DEVICE_CUDA ? DL_CUDA : DL_CPU;
    t->device.device_id = array->device.index;
    t->ndim = array->n_dims;
    t->dtype.lanes = 1;
    for (size_t i = 0; i < N_TYPES; i++)
        if (types[i].dtype == array->dtype) {
            t->dtype.code = types[i].code;
            t->dtype.bits = types[i].bits;
        }
    for (int32_t i = 0; i < array->n_dims; i++) {
        e->shape[i] = array->shape[i];
        e->strides[i] = array->stride[i] / size;
    }
    t->shape = e->shape;
    t->strides = e->strides;
    *out = &e->tensor;
    return SAC_OK;
}
