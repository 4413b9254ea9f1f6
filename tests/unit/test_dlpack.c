/*
 * DLPack in and out. The structures are written out again, as another library would see them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <saccade/array.h>

#include "base/alloc.h"

/* dlpack.h, version 1.0 */
typedef struct DLDevice {
    int32_t device_type, device_id;
} DLDevice;

typedef struct DLDataType {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensorVersioned {
    struct {
        uint32_t major, minor;
    } version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

enum { DL_CPU = 1, DL_CUDA = 2, DL_OPENCL = 4 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_COMPLEX = 5 };

static uint16_t samples[2 * 3 * 4];

/* (2, 3, 4) u16 on the CPU, strides NULL. */
static DLTensor tensor(int64_t *shape)
{
    shape[0] = 2;
    shape[1] = 3;
    shape[2] = 4;
    return (DLTensor){.data = samples,
                      .device = {DL_CPU, 0},
                      .ndim = 3,
                      .dtype = {DL_UINT, 16, 1},
                      .shape = shape};
}

static void from_dlpack_without_strides_is_contiguous(void **state)
{
    (void)state;
    int64_t shape[3];
    const DLTensor t = tensor(shape);
    sac_array a;
    sac_error err = {0};
    assert_ok(sac_array_from_dlpack(&a, &t, &err), &err);
    assert_ptr_equal(a.data, samples);
    assert_int_equal(a.dtype, SAC_U16);
    assert_int_equal(a.n_dims, 3);
    assert_int_equal(a.shape[2], 4);
    assert_int_equal(a.stride[0], 24);
    assert_true(sac_array_is_contiguous(&a));
}

static void from_dlpack_strides_become_bytes(void **state)
{
    (void)state;
    int64_t shape[3];
    int64_t strides[3] = {-12, 1, 3};
    DLTensor t = tensor(shape);
    t.strides = strides;
    t.byte_offset = 24;
    sac_array a;
    sac_error err = {0};
    assert_ok(sac_array_from_dlpack(&a, &t, &err), &err);
    assert_ptr_equal(a.data, &samples[12]);
    assert_int_equal(a.stride[0], -24);
    assert_int_equal(a.stride[1], 2);
    assert_int_equal(a.stride[2], 6);
}

static void from_dlpack_cuda_keeps_the_device(void **state)
{
    (void)state;
    int64_t shape[3];
    DLTensor t = tensor(shape);
    t.device = (DLDevice){DL_CUDA, 3};
    sac_array a;
    sac_error err = {0};
    assert_ok(sac_array_from_dlpack(&a, &t, &err), &err);
    assert_int_equal(a.device.kind, SAC_DEVICE_CUDA);
    assert_int_equal(a.device.index, 3);
}

static void from_dlpack_what_has_no_like_is_refused(void **state)
{
    (void)state;
    int64_t shape[3];
    sac_array a = {0};
    sac_error err = {0};
    DLTensor t = tensor(shape);
    t.dtype = (DLDataType){DL_BFLOAT, 16, 1};
    assert_failed(sac_array_from_dlpack(&a, &t, &err), SAC_E_UNSUPPORTED, &err, "dlpack");
    t.dtype = (DLDataType){DL_UINT, 8, 4};
    assert_failed(sac_array_from_dlpack(&a, &t, &err), SAC_E_UNSUPPORTED, &err, "lanes");
    t.dtype = (DLDataType){DL_INT, 4, 1};
    assert_failed(sac_array_from_dlpack(&a, &t, &err), SAC_E_UNSUPPORTED, &err, "4 bits");
    t = tensor(shape);
    t.device.device_type = DL_OPENCL;
    assert_failed(sac_array_from_dlpack(&a, &t, &err), SAC_E_UNSUPPORTED, &err, "device");
    t = tensor(shape);
    t.ndim = SAC_MAX_DIMS + 1;
    assert_failed(sac_array_from_dlpack(&a, &t, &err), SAC_E_SHAPE, &err, "7");
    t = tensor(shape);
    t.byte_offset = 1;
    assert_failed(sac_array_from_dlpack(&a, &t, &err), SAC_E_SHAPE, &err, "align");
    t = tensor(shape);
    int64_t strides[3] = {INT64_MAX / 2 + 1, 1, 1};
    t.strides = strides;
    assert_failed(sac_array_from_dlpack(&a, &t, &err), SAC_E_SHAPE, &err, "stride");
    assert_null(a.data);
}

static int n_released;

static void release(void *owner)
{
    assert_ptr_equal(owner, samples);
    n_released++;
}

static void to_dlpack_and_back_is_the_same_view(void **state)
{
    (void)state;
    static const sac_dtype dtypes[] = {SAC_U8,  SAC_U16, SAC_U32, SAC_U64, SAC_I8,
                                       SAC_I16, SAC_I32, SAC_I64, SAC_F16, SAC_F32,
                                       SAC_F64, SAC_C64, SAC_C128};
    static _Alignas(16) uint8_t memory[16 * 2 * 3];
    const int64_t shape[] = {2, 3};
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        sac_array a;
        sac_array b;
        sac_error err = {0};
        DLManagedTensorVersioned *t = NULL;
        assert_ok(sac_array_view(&a, memory, dtypes[i], 2, shape, &err), &err);
        assert_ok(sac_array_flip(&a, &a, 0, &err), &err);
        assert_ok(sac_array_to_dlpack(&t, &a, NULL, NULL, &err), &err);
        assert_int_equal(t->version.major, 1);
        assert_int_equal(t->dl_tensor.dtype.lanes, 1);
        assert_int_equal(t->dl_tensor.dtype.bits, 8 * sac_dtype_size(dtypes[i]));
        assert_int_equal(t->dl_tensor.strides[0], -3);
        assert_ok(sac_array_from_dlpack(&b, &t->dl_tensor, &err), &err);
        t->deleter(t);
        assert_ptr_equal(a.data, b.data);
        assert_int_equal(a.dtype, b.dtype);
        assert_memory_equal(a.shape, b.shape, sizeof a.shape);
        assert_memory_equal(a.stride, b.stride, sizeof a.stride);
    }
}

static void to_dlpack_releases_the_owner_once(void **state)
{
    (void)state;
    sac_array a;
    sac_error err = {0};
    const int64_t shape[] = {24};
    DLManagedTensorVersioned *t = NULL;
    assert_ok(sac_array_view(&a, samples, SAC_U16, 1, shape, &err), &err);
    n_released = 0;
    assert_ok(sac_array_to_dlpack(&t, &a, samples, release, &err), &err);
    assert_int_equal(n_released, 0);
    t->deleter(t);
    assert_int_equal(n_released, 1);
}

static bool refuse(size_t bytes)
{
    (void)bytes;
    return false;
}

static void to_dlpack_that_fails_leaves_the_owner(void **state)
{
    (void)state;
    sac_array a;
    sac_error err = {0};
    const int64_t shape[] = {24};
    DLManagedTensorVersioned *t = NULL;
    assert_ok(sac_array_view(&a, samples, SAC_U16, 1, shape, &err), &err);
    n_released = 0;
    sac_alloc_hook(refuse);
    const sac_status status = sac_array_to_dlpack(&t, &a, samples, release, &err);
    sac_alloc_hook(NULL);
    assert_failed(status, SAC_E_NOMEM, &err, "memory");
    a.dtype = (sac_dtype)0;
    assert_int_equal(sac_array_to_dlpack(&t, &a, samples, release, &err), SAC_E_SHAPE);
    assert_int_equal(n_released, 0);
    assert_null(t);
}

static void to_dlpack_with_strides_of_no_whole_elements_is_refused(void **state)
{
    (void)state;
    static _Alignas(8) uint8_t memory[64];
    sac_error err = {0};
    DLManagedTensorVersioned *t = NULL;
    /* A complex of two floats is aligned to a float, so 12 bytes are a stride; but no 8. */
    const sac_array a = {
        .data = memory, .dtype = SAC_C64, .n_dims = 1, .shape = {3}, .stride = {12}};
    assert_failed(sac_array_to_dlpack(&t, &a, NULL, NULL, &err), SAC_E_SHAPE, &err, "12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_dlpack_without_strides_is_contiguous),
        cmocka_unit_test(from_dlpack_strides_become_bytes),
        cmocka_unit_test(from_dlpack_cuda_keeps_the_device),
        cmocka_unit_test(from_dlpack_what_has_no_like_is_refused),
        cmocka_unit_test(to_dlpack_and_back_is_the_same_view),
        cmocka_unit_test(to_dlpack_releases_the_owner_once),
        cmocka_unit_test(to_dlpack_that_fails_leaves_the_owner),
        cmocka_unit_test(to_dlpack_with_strides_of_no_whole_elements_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
