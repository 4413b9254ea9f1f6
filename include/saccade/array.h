/*
 * sac_array: a view of samples in memory (type, shape, byte strides, device). It never owns them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_ARRAY_H
#define SACCADE_ARRAY_H

#include <saccade/base.h>
#include <saccade/device.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_dtype {
    SAC_U8 = 1,
    SAC_U16,
    SAC_U32,
    SAC_U64,
    SAC_I8,
    SAC_I16,
    SAC_I32,
    SAC_I64,
    SAC_F16,
    SAC_F32,
    SAC_F64,
    SAC_C64, /* complex of two F32, real part first */
    SAC_C128 /* complex of two F64 */
} sac_dtype;

#define SAC_MAX_DIMS 6

/* Axes run from slow to fast: a color picture is (h, w, channels). Strides are in bytes and may be
 * negative. */
typedef struct sac_array {
    void *data; /* the element at index (0, 0, ...) */
    sac_dtype dtype;
    int32_t n_dims;
    int64_t shape[SAC_MAX_DIMS];
    ptrdiff_t stride[SAC_MAX_DIMS];
    sac_device device;
} sac_array;

/* How the colors of a pixel are ordered; a fourth channel, alpha or nothing, is always last. */
typedef enum sac_pixel_order {
    SAC_ORDER_UNKNOWN = 0, /* gray, or not told: then RGB is taken */
    SAC_ORDER_RGB,
    SAC_ORDER_BGR
} sac_pixel_order;

/* Bytes of one element; 0 for a type that is none. */
SAC_API size_t sac_dtype_size(sac_dtype dtype);

/* "u8", "f32", "c64"; "?" for a type that is none. */
SAC_API const char *sac_dtype_name(sac_dtype dtype);

/*
 * A view of contiguous CPU memory at `data`, the last axis fastest. Fails with SAC_E_SHAPE where a
 * size is negative, n_dims is not 1..SAC_MAX_DIMS, or the bytes do not fit in ptrdiff_t.
 */
SAC_API SAC_NODISCARD sac_status sac_array_view(sac_array *out, void *data, sac_dtype dtype,
                                                int32_t n_dims, const int64_t *shape,
                                                sac_error *err);

/* `count` places of `axis` from `start` on: a region of interest is two of these. */
SAC_API SAC_NODISCARD sac_status sac_array_range(sac_array *out, const sac_array *in, int32_t axis,
                                                 int64_t start, int64_t count, sac_error *err);

/* Every axis in a new order: out's axis i is in's axis order[i]. (2, 0, 1) shows (h, w, c) as (c,
 * h, w). */
SAC_API SAC_NODISCARD sac_status sac_array_permute(sac_array *out, const sac_array *in,
                                                   const int32_t *order, sac_error *err);

/* The same elements with `axis` backwards. */
SAC_API SAC_NODISCARD sac_status sac_array_flip(sac_array *out, const sac_array *in, int32_t axis,
                                                sac_error *err);

/* Whether the elements lie in one run of memory, the last axis fastest. */
SAC_API bool sac_array_is_contiguous(const sac_array *array);

/* How many elements; 0 if one size is 0. */
SAC_API int64_t sac_array_count(const sac_array *array);

/* Checks type, axes, sizes and alignment of data and strides; names the fault as that of argument
 * `name`. */
SAC_API SAC_NODISCARD sac_status sac_array_check(const sac_array *array, const char *name,
                                                 sac_error *err);

/*
 * DLPack, without copying. The structures are those of dlpack.h (version 1); include it before use,
 * or pass the pointers through.
 */
struct DLTensor;
struct DLManagedTensorVersioned;

/* Views a tensor, on the CPU or in device memory. The view holds no reference: the caller keeps the
 * tensor alive. */
SAC_API SAC_NODISCARD sac_status sac_array_from_dlpack(sac_array *out,
                                                       const struct DLTensor *tensor,
                                                       sac_error *err);

/*
 * Wraps a view as a tensor that others may hold. On SAC_OK the tensor owns `owner` and calls
 * release(owner) once, from its deleter; else the caller still does. `release` may be NULL.
 */
SAC_API SAC_NODISCARD sac_status sac_array_to_dlpack(struct DLManagedTensorVersioned **out,
                                                     const sac_array *array, void *owner,
                                                     void (*release)(void *owner), sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
