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

/* A point's distance (it may be infinite), azimuth and elevation; the origin where it is not there.
 * SAC_E_FORMAT. */
typedef struct sac_uff_point {
    double distance_m, azimuth_rad, elevation_rad;
} sac_uff_point;
SAC_NODISCARD sac_status sac_uff_point_read(sac_uff_point *point, const sac_h5_group *at,
                                            const char *name, sac_error *err);

/* x, y, z of a point that is not infinitely far away. */
void sac_uff_point_place(double place_m[3], const sac_uff_point *point);

/* Which elements fire in transmit i, whose kind is known, and how strongly: the recording's
 * tx_apodization, where they are not all. At most `most` transmits times elements can be in the
 * file. SAC_E_FORMAT, SAC_E_UNSUPPORTED, SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_uff_read_fires(sac_draft *draft, int32_t i, const sac_h5_group *wave,
                                            uint64_t most, sac_error *err);

/* The middle of the elements that fire in transmit i, by their amplitudes. */
void sac_uff_middle(double middle_m[3], const sac_acquisition *acquisition, int32_t i);

/* Notes where a wave's origin is not the middle of the elements that fire, from which its axis
 * leads. */
SAC_NODISCARD sac_status sac_uff_check_origin(sac_draft *draft, int32_t i, const sac_h5_group *wave,
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

/* One part of a frame, all that one step of the first axis has, as floats. */
typedef void sac_uff_part_fn(const void *ctx, int64_t frame, bool imaginary, float *to);

/* A dataset of such floats, of `n_dims` axes, frame by frame; of complex ones, a group of two. */
bool sac_uff_put_real(hid_t at, const char *name, bool imaginary, int n_dims, const hsize_t *dims,
                      sac_uff_part_fn *part, const void *ctx);
bool sac_uff_put_complex(hid_t at, const char *name, int n_dims, const hsize_t *dims,
                         sac_uff_part_fn *part, const void *ctx);

#endif
