/*
 * Recordings in HDF5 as other programs write it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_FOREIGN_H
#define SAC_IO_RECORDING_FOREIGN_H

#include "io/recording/groups.h"

/* Whether the file looks like one, by what no other has. */
bool sac_uff_is(const sac_h5 *h);
bool sac_picmus_is(const sac_h5 *h);
bool sac_zea_is(const sac_h5 *h);

/* Reads it. The names in draft and h already say the format, for errors. */
SAC_NODISCARD sac_status sac_uff_read(sac_draft *draft, const sac_h5 *h, sac_error *err);
SAC_NODISCARD sac_status sac_picmus_read(sac_draft *draft, const sac_h5 *h, sac_error *err);
SAC_NODISCARD sac_status sac_zea_read(sac_draft *draft, const sac_h5 *h, sac_error *err);

#endif
