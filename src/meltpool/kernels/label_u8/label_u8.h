/*
 * label_u8: the components of a picture. Pixels of at least a threshold belong to one component if
 * a way from one to the other leads over such pixels that share an edge (4-connected).
 *
 *     labels[y, x] = 0 where in[y, x] < threshold, else its component's number
 *
 * Components are numbered 1, 2 .. in the raster order of their first pixels. Returns how many there
 * are. Exact.
 *
 * in (h, w) of u8, labels (h, w) of i32; rows of either in_row and labels_row bytes apart, of any
 * sign, pixels of a row side by side; no overlap. w h < 2^31. Writes every label once. scratch:
 * sac_label_scratch(w, h) bytes, aligned to 4.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LABEL_U8_H
#define SAC_MELTPOOL_LABEL_U8_H

#include "room/variant.h"

typedef struct sac_label_job {
    const uint8_t *in;
    int32_t *labels;
    ptrdiff_t in_row, labels_row;
    int64_t w, h;
    int32_t threshold; /* 0..256 */
    void *scratch;
} sac_label_job;

/* Pixels of a row that are side by side: x0 <= x < x1. parent: a run of the same component that
 * comes before, or itself. */
typedef struct sac_label_run {
    int32_t x0, x1, parent;
} sac_label_run;

/* Every other pixel may begin a run; and where each row's first one is. */
static inline size_t sac_label_scratch(int64_t w, int64_t h)
{
    return (size_t)h * (size_t)((w + 1) / 2) * sizeof(sac_label_run) +
           (size_t)(h + 1) * sizeof(int32_t);
}

typedef int32_t sac_label_u8_function(const sac_label_job *job);
typedef sac_label_u8_function *sac_label_u8_fn;

sac_label_u8_function sac_label_u8_ref, sac_label_u8_plain, sac_label_u8_avx2, sac_label_u8_avx512,
    sac_label_u8_neon;

SAC_INTERNAL extern const sac_room sac_label_u8_room;

#endif
