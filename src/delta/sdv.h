/*
 * The index of an .sdv file. docs/delta-format.md specifies it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_SDV_H
#define SAC_DELTA_SDV_H

#include "delta/format.h"

#define SAC_SDV_MAGIC UINT32_C(0x58434153) /* "SACX" */
#define SAC_SDV_VERSION 1
#define SAC_SDV_HEAD 24  /* bytes in front of the entries */
#define SAC_SDV_ENTRY 24 /* bytes of an entry */
#define SAC_SDV_LEAST_PACKET (SAC_DELTA_HEADER + SAC_DELTA_TAIL)
#define SAC_SDV_NAME 104 /* of a file, in errors */
#define SAC_SDV_TAIL 16  /* where the index begins, and its checksum */

/* An entry of the index. */
typedef struct sac_sdv_key {
    uint64_t offset, frame, time_ns;
} sac_sdv_key;

#endif
