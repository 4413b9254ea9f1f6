/*
 * Files of frames and of records while they are open.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_FRAMES_FILE_H
#define SAC_IO_FRAMES_FILE_H

#include <saccade/frames.h>

#include "io/frames/parts.h"
#include "io/hdf5/hdf5.h"

#define SAC_FRAMES_MOST_SIDE 4096

/* Datasets of a value a frame: files of frames have the first SAC_FRAMES_SETS. */
enum {
    SAC_FRAMES_PICTURES,
    SAC_FRAMES_SIGNALS,
    SAC_FRAMES_TRUTH,
    SAC_FRAMES_SETS,
    SAC_FRAMES_FEATURES = SAC_FRAMES_SETS,
    SAC_FRAMES_PREDICTION,
    SAC_FRAMES_FLAGS,
    SAC_FRAMES_TIMES,
    SAC_FRAMES_ALL_SETS
};

/* "frames", "signals", "truth" .. */
extern const char *const sac_frames_names[SAC_FRAMES_ALL_SETS];

/* A value's type in files; to be closed. */
hid_t sac_frames_file_type(int set);

/* Whether a file's type has every part of the value, as a number that fits. */
bool sac_frames_type_fits(int set, hid_t type);

/* The axes of n values, which are so many: of pictures a value is a frame of w x h. */
int sac_frames_dims(hsize_t dims[3], int set, int64_t n, int32_t w, int32_t h);

/* Puts or gets n values from number `first` on. */
bool sac_frames_put(hid_t set, int which, const void *data, int64_t first, int64_t n, int32_t w,
                    int32_t h);
bool sac_frames_get(hid_t set, int which, void *data, int64_t first, int64_t n, int32_t w,
                    int32_t h);

/* A file that grows, and appears when it is whole. */
typedef struct sac_frames_file {
    sac_out out;
    sac_h5 h;
    sac_h5_sink sink;
    hid_t sets[SAC_FRAMES_ALL_SETS]; /* negative: not wanted */
    int64_t n;                       /* values in each */
    int32_t w, h_px;                 /* of pictures */
} sac_frames_file;

/* Attributes of the root; false where HDF5 refuses. */
typedef bool sac_frames_put_head_fn(hid_t file, const void *info);

/* Begins it, with the datasets that `has` says, w and h_px set. Needs no end after a failure. */
SAC_NODISCARD sac_status sac_frames_file_begin(sac_frames_file *f, const char *path,
                                               const bool has[SAC_FRAMES_ALL_SETS],
                                               sac_frames_put_head_fn *put_head, const void *info,
                                               sac_error *err);

/* n more values of each dataset that there is. */
SAC_NODISCARD sac_status sac_frames_file_append(sac_frames_file *f,
                                                const void *const data[SAC_FRAMES_ALL_SETS],
                                                int64_t n, sac_error *err);
SAC_NODISCARD sac_status sac_frames_file_commit(sac_frames_file *f, sac_error *err);
void sac_frames_file_abort(sac_frames_file *f);

/* The attribute `calibration`. */
bool sac_frames_put_calibration(hid_t file, const double m[2][3]);

#endif
