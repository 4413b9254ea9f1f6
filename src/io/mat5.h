/*
 * A look through MAT v5 before libmatio reads it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_MAT5_H
#define SAC_IO_MAT5_H

#include "io/in.h"

/* Whether all lengths in the file at `path` fit each other and the file. SAC_E_FORMAT, SAC_E_IO. */
SAC_NODISCARD sac_status sac_mat5_check(const char *path, const char *name, sac_error *err);

#endif
