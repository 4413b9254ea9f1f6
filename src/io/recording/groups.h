/*
 * What the readers of other programs' HDF5 share: groups with their paths, numbers in datasets, and
 * samples frame by frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_GROUPS_H
#define SAC_IO_RECORDING_GROUPS_H

#include "io/hdf5/hdf5.h"

#define SAC_H5_PATH 96

/* A group that is open. */
typedef struct sac_h5_group {
    const sac_h5 *h;
    hid_t id;               /* negative: it is not there, and has nothing */
    char path[SAC_H5_PATH]; /* "/channel_data/", for errors */
} sac_h5_group;

/* Errors say which format a file is taken for: "`data.uff`: UFF". */
void sac_h5_name_format(char name[SAC_IO_NAME], const char *format);

sac_h5_group sac_h5_root(const sac_h5 *h); /* not to be closed */

/* A member of `at`; one that is not there is no error. SAC_E_FORMAT: it is no group, or damaged. To
 * be closed. */
SAC_NODISCARD sac_status sac_h5_group_open(sac_h5_group *group, const sac_h5_group *at,
                                           const char *name, sac_error *err);
void sac_h5_group_close(sac_h5_group *group);

/* "/channel_data/probe: is missing", ...: SAC_E_FORMAT. */
sac_status sac_h5_odd(const sac_h5_group *group, const char *name, const char *what,
                      sac_error *err);

/* One number: a dataset of any axes, of 1 each. One that is not there leaves *value. SAC_E_FORMAT
 * where it is not one number, or NaN. */
SAC_NODISCARD sac_status sac_h5_value(const sac_h5_group *group, const char *name, double *value,
                                      sac_error *err);

/* The same of a number that must be there, unless the caller has given it by that option (NaN: not
 * given; NULL: there is none). */
SAC_NODISCARD sac_status sac_h5_need(const sac_h5_group *group, const char *name, double *value,
                                     double given, const char *option, sac_error *err);

/* All of a dataset of numbers of at most two axes: (1, n) of one. */
typedef struct sac_h5_numbers {
    double *values; /* (rows, columns); NULL: it is not there. To be freed by sac_free */
    uint64_t rows, columns;
} sac_h5_numbers;

/* SAC_E_FORMAT: also more than 16 axes' worth of the longest list, or one that is not finite
 * (`nan_too`: NaN may be). */
SAC_NODISCARD sac_status sac_h5_numbers_read(sac_h5_numbers *numbers, const sac_h5_group *group,
                                             const char *name, bool nan_too, sac_error *err);

/* Name of member i of a group; false where there is none, or it is longer. */
bool sac_h5_member(char *name, size_t size, const sac_h5_group *group, uint64_t i);

/* What is read of the samples, whose n_dims are the last of (n_frames, n_transmits, n_elements,
 * n_samples) in any order of the last two; a set of parts has axes behind them. */
void sac_h5_wanted(hsize_t *first, hsize_t *count, const sac_draft *draft, const sac_h5_set *set,
                   int n_dims);

/* Samples of a dataset on their way to a recording, a frame at a time. place() puts those of frame
 * `frame` of the recording, as the file orders them, where they belong. Where no samples are wanted
 * nothing is read. */
typedef void sac_h5_place_fn(void *ctx, int64_t frame, const void *samples);
typedef struct sac_h5_frames {
    const sac_draft *draft;
    const sac_h5_group *group;
    const char *name;
    const sac_h5_set *set;
    int n_dims; /* as in sac_h5_wanted: 4 has frames, else it is one */
    hid_t type; /* in memory, of `size` bytes */
    size_t size;
    sac_h5_place_fn *place;
    void *ctx;
} sac_h5_frames;
SAC_NODISCARD sac_status sac_h5_frames_read(const sac_h5_frames *frames, sac_error *err);

/* All samples, (n_frames, n_transmits, n_elements, n_samples) or the last 2 or 3 of these axes, of
 * `re` and, of IQ, `im` (NULL: RF, as f32), into a recording whose metadata is resolved. */
SAC_NODISCARD sac_status sac_h5_samples(sac_draft *draft, const sac_h5_group *group,
                                        const sac_h5_set *re, const char *re_name,
                                        const sac_h5_set *im, const char *im_name, sac_error *err);

#endif
