/*
 * sac_array: a view of samples in memory: type, shape, strides in bytes, device. A view never owns
 * its memory.
 *
 *     uint8_t pixels[1080 * 1920 * 3];
 *     sac_array picture;
 *     int64_t shape[] = {1080, 1920, 3};
 *     sac_status st = sac_array_view(&picture, pixels, SAC_U8, 3, shape, &err);
 *
 * Memory with gaps between its rows: make the view, then set picture.stride[0] to the bytes from
 * one row to the next.
 *
 * To see the same memory with other axes, for example one frame of several, make another view of
 * it.
 *
 * Threads: all functions may be called from any thread at any time. `out` may be the same struct
 * as `in`, and is unchanged if the call fails. SAC_E_INVALID: NULL, or an axis or range that the
 * array does not have. Functions without a status must not be given NULL.
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
    SAC_C64, /* complex: two F32, real part first */
    SAC_C128 /* complex: two F64 */
} sac_dtype;

#define SAC_MAX_DIMS 6

/*
 * Axes are listed from slow to fast: a color picture is (h, w, channels). Strides are in bytes and
 * may be negative.
 */
typedef struct sac_array {
    void *data; /* the element at index (0, 0, ...) */
    sac_dtype dtype;
    int32_t n_dims;
    int64_t shape[SAC_MAX_DIMS];
    ptrdiff_t stride[SAC_MAX_DIMS];
    sac_device device;
} sac_array;

/* The order of a pixel's colors. A fourth channel, alpha or padding, is always last. */
typedef enum sac_pixel_order {
    SAC_ORDER_UNKNOWN = 0, /* gray, or not given: treated as RGB */
    SAC_ORDER_RGB,
    SAC_ORDER_BGR
} sac_pixel_order;

/* Bytes of one element; 0 if dtype is not one of sac_dtype. */
SAC_API size_t sac_dtype_size(sac_dtype dtype);

/* "u8", "f32", "c64"; "?" if dtype is not one of sac_dtype. The string is static. */
SAC_API const char *sac_dtype_name(sac_dtype dtype);

/*
 * Makes a view of contiguous CPU memory at `data`; the last axis is the fastest. `shape` is copied.
 * `data` may be NULL: the caller sets out->data later. For GPU memory, set out->device after the
 * call. SAC_E_SHAPE: a size is negative, dtype is not one of sac_dtype, n_dims is not in
 * 1..SAC_MAX_DIMS, or the number of bytes does not fit in ptrdiff_t.
 */
SAC_API SAC_NODISCARD sac_status sac_array_view(sac_array *out, void *data, sac_dtype dtype,
                                                int32_t n_dims, const int64_t *shape,
                                                sac_error *err);

/*
 * Restricts `axis` to `count` places from `start` on; count may be 0. A rectangular region of a
 * picture takes two calls, one for each axis.
 */
SAC_API SAC_NODISCARD sac_status sac_array_range(sac_array *out, const sac_array *in, int32_t axis,
                                                 int64_t start, int64_t count, sac_error *err);

/*
 * Reorders all axes: axis i of out is axis order[i] of in. With order (2, 0, 1) a view (h, w, c)
 * becomes (c, h, w).
 */
SAC_API SAC_NODISCARD sac_status sac_array_permute(sac_array *out, const sac_array *in,
                                                   const int32_t *order, sac_error *err);

/* Reverses `axis`: the same elements, last to first. */
SAC_API SAC_NODISCARD sac_status sac_array_flip(sac_array *out, const sac_array *in, int32_t axis,
                                                sac_error *err);

/* Whether the elements lie without gaps in one block of memory, the last axis fastest. */
SAC_API bool sac_array_is_contiguous(const sac_array *array);

/* The number of elements; 0 if any size is 0. */
SAC_API int64_t sac_array_count(const sac_array *array);

/*
 * Checks type, number of axes, sizes, and the alignment of data and strides. An error text calls
 * the array `name`. SAC_E_SHAPE; SAC_E_INVALID (NULL, or data is NULL and the array not empty).
 */
SAC_API SAC_NODISCARD sac_status sac_array_check(const sac_array *array, const char *name,
                                                 sac_error *err);

/*
 * Exchange with other libraries by DLPack, without copying. The structures are those of dlpack.h
 * (version 1): include that header to use them, or only pass the pointers on.
 */
struct DLTensor;
struct DLManagedTensorVersioned;

/*
 * Makes a view of a tensor in CPU or device memory. The view holds no reference: the caller keeps
 * the tensor alive. SAC_E_UNSUPPORTED (its type or device), SAC_E_SHAPE, SAC_E_INVALID.
 */
SAC_API SAC_NODISCARD sac_status sac_array_from_dlpack(sac_array *out,
                                                       const struct DLTensor *tensor,
                                                       sac_error *err);

/*
 * Wraps a view as a tensor that other libraries can hold. On SAC_OK the tensor owns `owner`, and
 * its deleter calls release(owner) once. On failure the caller still owns `owner`. `owner` and
 * `release` may be NULL. SAC_E_SHAPE (strides that are not whole elements), SAC_E_INVALID,
 * SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_array_to_dlpack(struct DLManagedTensorVersioned **out,
                                                     const sac_array *array, void *owner,
                                                     void (*release)(void *owner), sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
