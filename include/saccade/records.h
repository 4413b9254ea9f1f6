/*
 * What sac_meltpool made of frames, in files of any length: HDF5, or CSV. In libsaccade-io;
 * docs/formats.md has the schema.
 *
 * Threads: one file is used by one thread at a time; different files by different threads, which
 * wait for each other while libhdf5 is at work. Abort takes NULL; any other argument that is NULL,
 * but err and what is said to be optional, is SAC_E_INVALID.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_RECORDS_H
#define SACCADE_RECORDS_H

#include <saccade/meltpool.h>
#include <saccade/simulate_meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a file says of all of its records. */
typedef struct sac_records_info {
    size_t struct_size;
    bool has_signals, has_prediction, has_times, has_truth, has_calibration;
    double rate_hz;           /* of frames; 0: not known */
    double calibration[2][3]; /* that the laser was located by */
    const char *parameters;   /* "roi=40 threshold=60"; NULL: nothing is said */
    const char *model;        /* one line of what predicted; NULL likewise */
} sac_records_info;

/* All 0 but struct_size. */
SAC_API void sac_records_info_init(sac_records_info *info);

/* A file that is written, a megabyte of it in memory. */
typedef struct sac_records_out sac_records_out;

/* Asked before long work: whether sac_records_create knows the ending (.h5, .hdf5; .csv) and can.
 * "-" is CSV on standard output. SAC_E_INVALID (the ending), SAC_E_UNSUPPORTED (this build lacks
 * HDF5), SAC_E_IO (the folder, or what is there). */
SAC_API SAC_NODISCARD sac_status sac_records_can_write(const char *path, sac_error *err);

/* Begins a file, which appears with sac_records_commit, whole or not at all. As
 * sac_records_can_write, and SAC_E_INVALID (info), SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_records_create(sac_records_out **out, const char *path,
                                                    const sac_records_info *info, sac_error *err);

/* n more records, with truth (n) where the info has it (else NULL). After a failure the file can
 * only be aborted. SAC_E_INVALID (truth that the info has not, or lacks), SAC_E_IO (a full disk),
 * SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_records_append(sac_records_out *out,
                                                    const sac_meltpool_record *records,
                                                    const sac_meltpool_truth *truth, int64_t n,
                                                    sac_error *err);

/* Ends the file, and frees and NULLs *out, whatever comes of it. SAC_E_IO, SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_records_commit(sac_records_out **out, sac_error *err);
SAC_API void sac_records_abort(sac_records_out **out);

#ifdef __cplusplus
}
#endif
#endif
