/*
 * Objects in UFF, as USTB's write_object.m stores them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_UFF_H
#define SAC_IO_RECORDING_UFF_H

#include "io/recording/groups.h"

#define SAC_UFF_CLASS 64 /* bytes of the name of a class */

/* The name of the first object of that class ("uff." of any) at the file's top; returns how many
 * there are. */
uint64_t sac_uff_find(char *name, size_t size, const sac_h5 *h, const char *want);

/* Refuses a version that is not 1. SAC_E_UNSUPPORTED. */
SAC_NODISCARD sac_status sac_uff_check_version(const sac_h5 *h, sac_error *err);

/* The class of an object; "" where it has none. */
SAC_NODISCARD sac_status sac_uff_class(char class[SAC_UFF_CLASS], const sac_h5_group *group,
                                       sac_error *err);

/* The elements of a channel data's probe, unless the caller describes them. SAC_E_FORMAT,
 * SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_uff_read_probe(sac_draft *draft, const sac_h5_group *data,
                                            sac_error *err);

/* The file's version: an array of one text, as MATLAB's hdf5write makes it and USTB expects it. */
bool sac_uff_put_version(hid_t file);

/* A member with its class, of an array of n; to be closed by sac_uff_end, which returns whether all
 * went well so far, too. */
hid_t sac_uff_begin(hid_t at, const char *name, const char *class, double n);
bool sac_uff_end(hid_t group, bool ok);

/* A field of numbers, and the attributes of one that was put otherwise. */
bool sac_uff_put_matrix(hid_t group, const char *name, hsize_t rows, hsize_t columns,
                        const double *values);
bool sac_uff_put_attributes(hid_t group, const char *name, double imaginary);

/* Samples as a group of two parts, of `n_dims` axes: part() gives them as floats, which it may put
 * into `scratch`, as many as all of them. */
typedef const float *sac_uff_part_fn(const void *ctx, bool imaginary, float *scratch);
bool sac_uff_put_complex(hid_t at, const char *name, int n_dims, const hsize_t *dims,
                         sac_uff_part_fn *part, const void *ctx);

#endif
