/*
 * A look through MAT before libmatio reads it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_MAT5_H
#define SAC_IO_RECORDING_MAT5_H

#include "io/in.h"

/* Whether all lengths in the file at `path`, v5, fit each other and the file, and nothing in it
 * makes libmatio take much more memory than RF, IQ and param are. SAC_E_FORMAT, SAC_E_IO,
 * SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_mat5_check(const char *path, const char *name, sac_error *err);

/* The same of v7.3; needs libhdf5 (else SAC_E_UNSUPPORTED). Under sac_io_lock. */
SAC_NODISCARD sac_status sac_mat73_check(const char *path, const char *name, uint64_t bytes,
                                         sac_error *err);

#endif
