/*
 * Frames of a camera with a machine's signals, in HDF5 files of any length: read and written some
 * frames at a time. In libsaccade-io; docs/formats.md has the schema.
 *
 * Threads: one file is used by one thread at a time; different files by different threads, which
 * wait for each other while libhdf5 is at work. The getter and close take NULL; any other argument
 * that is NULL, but err and what is said to be optional, is SAC_E_INVALID.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_FRAMES_H
#define SACCADE_FRAMES_H

#include <saccade/meltpool.h>
#include <saccade/simulate_meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a file is of. */
typedef struct sac_frames_info {
    size_t struct_size;
    int64_t n_frames; /* when read */
    int32_t w, h;     /* of a frame, 1..4096 */
    bool has_signals, has_truth, has_calibration;
    double rate_hz;           /* of frames; 0: not known */
    double calibration[2][3]; /* from the signals' x and y to pixels: column and row are
                                 m[.][0] x + m[.][1] y + m[.][2] */
    int64_t seed;             /* of a simulation; -1: none is known */
} sac_frames_info;

/* All 0 but struct_size, and seed -1. */
SAC_API void sac_frames_info_init(sac_frames_info *info);

/* A file that is read. */
typedef struct sac_frames_in sac_frames_in;

/*
 * Dataset /frames, (n, h, w) of u8, must be there; /signals (laser_on, counter, x, y as integers of
 * at most 32 bits), /truth and all attributes may be. SAC_E_IO; SAC_E_FORMAT (no such file,
 * truncated, contradictory); SAC_E_UNSUPPORTED (this build lacks HDF5); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_frames_open(sac_frames_in **out, const char *path,
                                                 sac_error *err);
SAC_API const sac_frames_info *sac_frames_get_info(const sac_frames_in *in);

/*
 * Frames first .. first + n - 1: frames (n, h, w), signals (n), truth (n), contiguous; NULL for
 * what is not wanted. Takes memory for a chunk of the file: 16 MB, or all of its data, at most.
 * SAC_E_INVALID (a frame beyond the file); SAC_E_FORMAT (damaged; signals or truth are not in the
 * file); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_frames_read(sac_frames_in *in, uint8_t *frames,
                                                 sac_meltpool_signals *signals,
                                                 sac_meltpool_truth *truth, int64_t first,
                                                 int64_t n, sac_error *err);
SAC_API void sac_frames_close(sac_frames_in **in);

/* A file that is written, in memory of a chunk: about half a megabyte. */
typedef struct sac_frames_out sac_frames_out;

/* Asked before long work: whether sac_frames_create knows the ending (.h5, .hdf5) and can.
 * SAC_E_INVALID (the ending), SAC_E_UNSUPPORTED (this build lacks HDF5), SAC_E_IO (the folder, or
 * what is there). */
SAC_API SAC_NODISCARD sac_status sac_frames_can_write(const char *path, sac_error *err);

/* Begins a file, which appears with sac_frames_commit, whole or not at all, and on the disk unless
 * sac_file_durable says otherwise. As sac_frames_can_write, and SAC_E_INVALID (info),
 * SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_frames_create(sac_frames_out **out, const char *path,
                                                   const sac_frames_info *info, sac_error *err);

/* n more frames (n, h, w), with signals (n) and truth (n) where the info has them (else NULL).
 * After a failure the file can only be aborted. SAC_E_INVALID (not what the info says), SAC_E_IO (a
 * full disk), SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_frames_append(sac_frames_out *out, const uint8_t *frames,
                                                   const sac_meltpool_signals *signals,
                                                   const sac_meltpool_truth *truth, int64_t n,
                                                   sac_error *err);

/* Ends the file, and frees and NULLs *out, whatever comes of it. SAC_E_IO, SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_frames_commit(sac_frames_out **out, sac_error *err);
SAC_API void sac_frames_abort(sac_frames_out **out);

#ifdef __cplusplus
}
#endif
#endif
