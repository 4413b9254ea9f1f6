/*
 * Files of frames while they are open.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_FRAMES_H
#define SAC_IO_FRAMES_H

#include <saccade/frames.h>

#include "io/hdf5.h"

#define SAC_FRAMES_MOST_SIDE 4096

/* A dataset of a value a frame, one of SAC_FRAMES_SETS. */
enum { SAC_FRAMES_PICTURES, SAC_FRAMES_SIGNALS, SAC_FRAMES_TRUTH, SAC_FRAMES_SETS };

/* "frames", "signals", "truth". */
extern const char *const sac_frames_names[SAC_FRAMES_SETS];

/* A value's type, in memory and in files; to be closed. */
hid_t sac_frames_memory_type(int set);
hid_t sac_frames_file_type(int set);

/* Whether a file's type has every part of the value, as a number that fits. */
bool sac_frames_type_fits(int set, hid_t type);

/* Puts or gets n values from number `first` on; of pictures a value is a frame of w x h. */
bool sac_frames_put(hid_t set, int which, const void *data, int64_t first, int64_t n, int32_t w,
                    int32_t h);
bool sac_frames_get(hid_t set, int which, void *data, int64_t first, int64_t n, int32_t w,
                    int32_t h);

#endif
