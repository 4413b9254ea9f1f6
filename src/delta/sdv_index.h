/*
 * The index at the end of an .sdv file: where its keyframes are.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_SDV_INDEX_H
#define SAC_DELTA_SDV_INDEX_H

#include "delta/sdv_bytes.h"

typedef struct sac_sdv_index {
    bool is_sound;         /* else the file has none that is */
    uint64_t keys, n_keys; /* where they are in the file, in order, and how many */
    uint64_t n_frames;
} sac_sdv_index;

/* Finds the index of a file, or none: index->is_sound. SAC_E_NOMEM. */
sac_status sac_sdv_index_find(sac_sdv_index *index, const sac_sdv_bytes *in, sac_error *err);

/* Where the last keyframe that is not behind `frame` begins; false: there is no index, or the file
 * says no more. */
bool sac_sdv_index_key(const sac_sdv_index *index, const sac_sdv_bytes *in, uint64_t frame,
                       uint64_t *offset);

#endif
