/*
 * Workspaces of Verasonics' Vantage.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_VERASONICS_H
#define SAC_IO_RECORDING_VERASONICS_H

#include "io/recording/parts.h"

/* Whether a MAT file, v5 or v7.3, has a workspace's variables. */
bool sac_verasonics_is(const char *path, uint64_t bytes, bool v5);

/* Reads it. */
SAC_NODISCARD sac_status sac_verasonics_read(sac_draft *draft, bool v5, sac_error *err);

#endif
