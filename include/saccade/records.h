/*
 * Files of melt-pool results (sac_meltpool_record): HDF5 or CSV, of any length. In libsaccade-io;
 * docs/formats.md has the schema.
 *
 *     sac_records_info info;
 *     sac_records_out *out = NULL;
 *     sac_records_info_init(&info);
 *     info.has_prediction = true;
 *     st = sac_records_create(&out, "features.csv", &info, &err);
 *     while (st == SAC_OK && (n = analyse(records)) > 0)
 *         st = sac_records_append(out, records, NULL, n, &err);
 *     if (st == SAC_OK)
 *         st = sac_records_commit(&out, &err);
 *     else
 *         sac_records_abort(&out);
 *
 * Threads: a file is used by one thread at a time. Different files may be used by different
 * threads, which wait for each other while libhdf5 works. Abort accepts NULL; any other NULL
 * argument is SAC_E_INVALID, except err and arguments described as optional.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_RECORDS_H
#define SACCADE_RECORDS_H

#include <saccade/meltpool.h>
#include <saccade/simulate_meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Description of all records of a file: what is stored besides flags and features. has_times stands
 * for arrival_ns and done_ns. CSV has a column for each number of a record, and does not store
 * rate_hz, calibration, parameters and model. Strings are not used after sac_records_create.
 */
typedef struct sac_records_info {
    size_t struct_size;
    bool has_signals, has_prediction, has_times, has_truth, has_calibration;
    double rate_hz;           /* frames per second; 0: unknown */
    double calibration[2][3]; /* used to locate the laser */
    const char *parameters;   /* "roi=40 threshold=60"; NULL: not stored */
    const char *model;        /* one line about the model of the predictions; NULL: not stored */
} sac_records_info;

/* Sets everything to 0 except struct_size. */
SAC_API void sac_records_info_init(sac_records_info *info);

/* A file opened for writing; it keeps a megabyte in memory. */
typedef struct sac_records_out sac_records_out;

/*
 * To call before long work: whether sac_records_create can write this file. "-" is CSV on standard
 * output. SAC_E_INVALID (the ending is not .h5, .hdf5 or .csv), SAC_E_UNSUPPORTED (this build
 * lacks HDF5), SAC_E_IO (the folder is not writable, or something else has the name).
 */
SAC_API SAC_NODISCARD sac_status sac_records_can_write(const char *path, sac_error *err);

/*
 * Starts a file. It appears under its name, and replaces a file of this name, only at
 * sac_records_commit, complete. Errors as
 * sac_records_can_write, and SAC_E_INVALID (info), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_records_create(sac_records_out **out, const char *path,
                                                    const sac_records_info *info, sac_error *err);

/*
 * Appends n records, with truth (n) if the info has has_truth, otherwise NULL. They are numbered
 * from 0 in the order in which they are appended. The file collects them, so n may be 1. After a
 * failure it can only be aborted. SAC_E_INVALID (truth is given without has_truth, or missing),
 * SAC_E_IO (for example a full disk), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_records_append(sac_records_out *out,
                                                    const sac_meltpool_record *records,
                                                    const sac_meltpool_truth *truth, int64_t n,
                                                    sac_error *err);

/* Finishes the file. Frees it and sets *out to NULL, also on failure. SAC_E_IO, SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_records_commit(sac_records_out **out, sac_error *err);

/* Discards the file: nothing appears under its name. Sets *out to NULL. */
SAC_API void sac_records_abort(sac_records_out **out);

#ifdef __cplusplus
}
#endif
#endif
