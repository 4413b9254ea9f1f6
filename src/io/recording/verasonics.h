/*
 * Workspaces of Verasonics' Vantage.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_VERASONICS_H
#define SAC_IO_RECORDING_VERASONICS_H

#include "io/recording/parts.h"

/* Whether a MAT v5 file has a workspace's variables. */
bool sac_verasonics_is(const char *path);

/* Reads it. */
SAC_NODISCARD sac_status sac_verasonics_read(sac_draft *draft, sac_error *err);

#endif
