/*
 * The structures of DLPack, version 1, as far as the module reads them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PY_DLPACK_H
#define PY_DLPACK_H

#include <stdint.h>

#define PY_DLPACK_CPU 1
#define PY_DLPACK_CUDA 2
#define PY_DLPACK_MANAGED 13
#define PY_DLPACK_READ_ONLY UINT64_C(1)

typedef struct DLTensor {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;

typedef struct py_managed_tensor {
    DLTensor tensor; /* the rest is its producer's */
} py_managed_tensor;

typedef struct py_versioned_tensor {
    uint32_t major, minor;
    void *manager_ctx;
    void (*deleter)(struct py_versioned_tensor *self);
    uint64_t flags;
    DLTensor tensor;
} py_versioned_tensor;

#endif
