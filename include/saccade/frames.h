/*
 * Files of camera frames with a machine's signals: HDF5 files of any length, read and written a
 * few frames at a time. In libsaccade-io; docs/formats.md has the schema.
 *
 *     sac_frames_in *in = NULL;
 *     st = sac_frames_open(&in, "build.h5", &err);
 *     int64_t n = sac_frames_get_info(in)->n_frames;
 *     st = sac_frames_read(in, frames, signals, NULL, 0, n < 1000 ? n : 1000, &err);
 *     sac_frames_close(&in);
 *
 * To write: sac_frames_create, sac_frames_append as often as needed, then sac_frames_commit, or
 * sac_frames_abort after a failure. These files are HDF5; saccade/video.h reads video.
 *
 * Threads: a file is used by one thread at a time. Different files may be used by different
 * threads, which wait for each other while libhdf5 works. The getter and close accept NULL; any
 * other NULL argument is SAC_E_INVALID, except err and arguments described as optional.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_FRAMES_H
#define SACCADE_FRAMES_H

#include <saccade/meltpool.h>
#include <saccade/simulate_meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Description of a file. */
typedef struct sac_frames_info {
    size_t struct_size;
    int64_t n_frames; /* when reading; ignored when writing */
    int32_t w, h;     /* of a frame, 1..4096 */
    bool has_signals, has_truth, has_calibration;
    double rate_hz;           /* frames per second; 0: unknown */
    double calibration[2][3]; /* from the signals' x and y to pixels: column and row are m[.][0] x +
                                 m[.][1] y + m[.][2] */
    int64_t seed;             /* of a simulation; -1: unknown, or not simulated */
} sac_frames_info;

/* Sets everything to 0 except struct_size and seed, which is -1. */
SAC_API void sac_frames_info_init(sac_frames_info *info);

/* A file opened for reading. */
typedef struct sac_frames_in sac_frames_in;

/*
 * Opens a file. It must have the dataset /frames, (n, h, w) of u8; /signals (laser_on, counter, x,
 * y as integers of at most 32 bits), /truth and all attributes are optional. SAC_E_IO;
 * SAC_E_FORMAT (not such a file, truncated, contradictory); SAC_E_UNSUPPORTED (this build lacks
 * HDF5); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_frames_open(sac_frames_in **out, const char *path,
                                                 sac_error *err);

/* The description; owned by the file. */
SAC_API const sac_frames_info *sac_frames_get_info(const sac_frames_in *in);

/*
 * Reads frames first .. first + n - 1: frames (n, h, w), signals (n), truth (n), contiguous; NULL
 * for what is not needed. Allocates memory for a chunk of the file: at most 16 MB or the size of
 * all its data. SAC_E_INVALID (a frame outside the file); SAC_E_FORMAT (damaged; signals or truth
 * are not in the file); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_frames_read(sac_frames_in *in, uint8_t *frames,
                                                 sac_meltpool_signals *signals,
                                                 sac_meltpool_truth *truth, int64_t first,
                                                 int64_t n, sac_error *err);
SAC_API void sac_frames_close(sac_frames_in **in);

/* A file opened for writing; it keeps one chunk in memory, about half a megabyte. */
typedef struct sac_frames_out sac_frames_out;

/*
 * To call before long work: whether sac_frames_create can write this file. SAC_E_INVALID (the
 * ending is not .h5 or .hdf5), SAC_E_UNSUPPORTED (this build lacks HDF5), SAC_E_IO (the folder is
 * not writable, or something else has the name).
 */
SAC_API SAC_NODISCARD sac_status sac_frames_can_write(const char *path, sac_error *err);

/*
 * Starts a file. It appears under its name, and replaces a file of this name, only at
 * sac_frames_commit, complete, and is forced to
 * the disk unless sac_file_durable says otherwise. Errors as sac_frames_can_write, and
 * SAC_E_INVALID (info), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_frames_create(sac_frames_out **out, const char *path,
                                                   const sac_frames_info *info, sac_error *err);

/*
 * Appends n frames (n, h, w), with signals (n) and truth (n) if the info has them, otherwise NULL.
 * After a failure the file can only be aborted. SAC_E_INVALID (signals or truth that the info does
 * not have, or that are missing), SAC_E_IO (for example a full disk), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_frames_append(sac_frames_out *out, const uint8_t *frames,
                                                   const sac_meltpool_signals *signals,
                                                   const sac_meltpool_truth *truth, int64_t n,
                                                   sac_error *err);

/* Finishes the file. Frees it and sets *out to NULL, also on failure. SAC_E_IO, SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_frames_commit(sac_frames_out **out, sac_error *err);

/* Discards the file: nothing appears under its name. Sets *out to NULL. */
SAC_API void sac_frames_abort(sac_frames_out **out);

#ifdef __cplusplus
}
#endif
#endif
