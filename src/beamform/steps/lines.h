/*
 * The lines of an array along its last axis, numbered: what the signal steps loop over.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_LINES_H
#define SAC_BEAMFORM_LINES_H

#include <string.h>

#include <saccade/array.h>

/* How many lines; 1 for an array of one axis. */
static inline int64_t sac_lines_count(const sac_array *array)
{
    int64_t count = 1;
    for (int32_t i = 0; i + 1 < array->n_dims; i++)
        count *= array->shape[i];
    return count;
}

/* Where line i starts. */
static inline char *sac_lines_at(const sac_array *array, int64_t i)
{
    ptrdiff_t at = 0;
    for (int32_t k = array->n_dims - 2; k >= 0; k--) {
        at += i % array->shape[k] * array->stride[k];
        i /= array->shape[k];
    }
    return (char *)array->data + at;
}

/* Checks an argument: well formed, in the CPU's memory, of this type. */
SAC_NODISCARD sac_status sac_lines_check(const sac_array *array, const char *name, sac_dtype dtype,
                                         sac_error *err);

/* Checks that `out` has in's axes and sizes, the first n_dims of them. */
SAC_NODISCARD sac_status sac_lines_alike(const sac_array *out, const sac_array *in, int32_t n_dims,
                                         sac_error *err);

/* Copies n values of `size` bytes, 4 or 8, between strides. */
static inline void sac_lines_copy(char *out, ptrdiff_t out_step, const char *in, ptrdiff_t in_step,
                                  int64_t n, size_t size)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * out_step, in + i * in_step, size);
}

#endif
