/*
 * The index of an .sdv file. docs/delta-format.md specifies it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_SDV_H
#define SAC_DELTA_SDV_H

#include "delta/delta.h"

#define SAC_SDV_MAGIC UINT32_C(0x58434153) /* "SACX" */
#define SAC_SDV_VERSION 1
#define SAC_SDV_HEAD 24  /* bytes in front of the entries */
#define SAC_SDV_ENTRY 24 /* bytes of an entry */
#define SAC_SDV_NAME 104 /* of a file, in errors */
#define SAC_SDV_TAIL 16  /* where the index begins, and its checksum */

typedef struct sac_sdv_key {
    uint64_t offset, frame, time_ns;
} sac_sdv_key;

/* Keyframes, as many as there is memory for. */
typedef struct sac_sdv_index {
    sac_sdv_key *keys;
    size_t n_keys, room;
    uint64_t n_frames;
} sac_sdv_index;

/* Adds a packet that begins at `offset`. SAC_E_NOMEM. */
sac_status sac_sdv_index_add(sac_sdv_index *index, uint64_t offset, const sac_delta_header *packet);

#endif
