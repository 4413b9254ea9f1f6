/*
 * NPY: the header of NumPy's arrays.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_NPY_H
#define SAC_IO_NPY_H

#include <saccade/array.h>

#include "io/in.h"
#include "io/out.h"

#define SAC_NPY_MAX_DIMS 8

typedef struct sac_npy {
    sac_dtype dtype; /* of the file */
    int n_dims;
    uint64_t dims[SAC_NPY_MAX_DIMS];
    bool fortran; /* the first axis is the fastest, not the last */
} sac_npy;

/* Reads the header; the samples come next. SAC_E_FORMAT: also what is not little-endian. */
SAC_NODISCARD sac_status sac_npy_read_header(sac_npy *npy, sac_in *in, sac_error *err);

/* Writes the header of such an array; its samples come next. */
SAC_NODISCARD sac_status sac_npy_write_header(sac_out *out, const sac_array *array, sac_error *err);

/* The same in `least` bytes or more, so that a header can be written again in its place. */
SAC_NODISCARD sac_status sac_npy_write_long_header(sac_out *out, const sac_array *array,
                                                   size_t least, sac_error *err);

/* Writes a contiguous array with its header. */
SAC_NODISCARD sac_status sac_npy_write(sac_out *out, const sac_array *array, sac_error *err);

#endif
