/*
 * The equalize plan: what open prepares and run uses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_PLAN_H
#define SAC_EQUALIZE_PLAN_H

#include <saccade/equalize.h>

#include "base/threads.h"
#include "equalize/gpu.h"
#include "equalize/kernels/clahe.h"
#include "equalize/kernels/clahe_u16/clahe_u16.h"
#include "equalize/kernels/clahe_u8/clahe_u8.h"
#include "equalize/kernels/levels_u32/levels_u32.h"
#include "equalize/kernels/scale.h"
#include "equalize/kernels/scan_u64/scan_u64.h"
#include "equalize/kernels/vhist_u16/vhist_u16.h"
#include "equalize/kernels/vhist_u8/vhist_u8.h"
#include "equalize/kernels/vscale_u16/vscale_u16.h"
#include "equalize/kernels/vscale_u8/vscale_u8.h"

struct sac_equalize {
    sac_equalize_desc desc;
    int32_t n_values; /* 2^depth */
    int32_t n_colors;
    bool has_alpha;
    bool started; /* `smooth` has an earlier frame to follow */
    int64_t n_pixels;
    sac_pool *pool;        /* NULL: on a GPU, on the caller's stream */
    sac_equalize_gpu *gpu; /* NULL: on the CPU */

    /* The chosen kernels, of the plan's depth; those of CLAHE, or `scan` and `apply_scale`. */
    sac_vhist_fn count;
    sac_scan_u64_fn scan;
    sac_vscale_fn apply_scale;
    sac_levels_fn make_levels;
    sac_clahe_fn apply_levels;
    char variant[160];

    int32_t n_strips;     /* tasks of a pass over the picture */
    uint32_t *hist;       /* (n_strips, n_values): of V */
    uint64_t *occurs;     /* (n_values): their sum */
    uint64_t *counts;     /* (bins) */
    uint64_t *cumulative; /* (bins) */
    uint64_t *num;        /* (bins): of scale; with `smooth` carried from frame to frame */
    uint32_t *q8;         /* (256) */
    uint64_t *q16;        /* (65536) */
    uint32_t *q32;        /* (65536) */
    sac_scale scale;

    /* CLAHE only. Tiles are shared out to n_strips tasks, each with a histogram and a row of
     * counts. */
    sac_clahe clahe;
    uint32_t *level;         /* (tiles_y, tiles_x, bins); NULL with sums */
    uint16_t *sum;           /* the same, where sac_clahe has sums */
    sac_clahe_place *column; /* (w) */
    uint32_t *tile_counts;   /* (n_strips, bins): of the tile at work */
    uint32_t *found;         /* (n_strips, bins): of fewer than 2^32 pixels of its tiles */
    uint64_t *strip_counts;  /* (n_strips, bins): of all the task's tiles, as found */

    sac_pixels in, out; /* of the run at work */
};

/* Regions of a run, from arrays that fit the plan, wherever they lie. SAC_E_SHAPE. */
sac_status sac_equalize_pixels(sac_pixels *pixels, const sac_array *array, const char *name,
                               const sac_equalize_desc *desc, sac_error *err);

/* counts (bins) and s from the occurs of a whole picture: scale's num, den and multipliers. */
void sac_equalize_make_scale(sac_equalize *plan);

/* CLAHE as strip i takes it. */
sac_clahe sac_equalize_strip_clahe(const sac_equalize *plan, int32_t i);

/* CLAHE's first pass: levels of every tile, and counts. */
void sac_equalize_make_levels(sac_equalize *plan);

/* Folds (n_values) counts of V into (bins): bin(V) = floor(V bins / n_values). */
void sac_equalize_fold(uint64_t *counts, int32_t bins, const uint64_t *occurs, int32_t n_values);

/* How far a frame moves towards its own s, over 2^16, from desc.smooth. */
int64_t sac_equalize_follow(const sac_equalize *plan);

#endif
