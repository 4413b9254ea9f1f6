/*
 * Records in HDF5, for sac_records_out; hdf5/none.c has them in a build without libhdf5.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_FRAMES_RECORDS_PARTS_H
#define SAC_IO_FRAMES_RECORDS_PARTS_H

#include <saccade/records.h>

typedef struct sac_records_file sac_records_file;

/* As the public functions; the arguments have been checked. */
SAC_NODISCARD sac_status sac_records_file_begin(sac_records_file **out, const char *path,
                                                const sac_records_info *info, sac_error *err);
SAC_NODISCARD sac_status sac_records_file_append(sac_records_file *file,
                                                 const sac_meltpool_record *records,
                                                 const sac_meltpool_truth *truth, int64_t n,
                                                 sac_error *err);
SAC_NODISCARD sac_status sac_records_file_commit(sac_records_file **file, sac_error *err);
void sac_records_file_abort(sac_records_file **file);

#endif
