/*
 * A file of frames, whose records a thread makes from its first frame on, while any frame can be
 * looked at. Other options begin it anew.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_MELTPOOL_FILM_H
#define CLI_VIEW_MELTPOOL_FILM_H

#include "columns.h"
#include "map.h"
#include "meltpool/job.h"
#include "meltpool/layers.h"

typedef struct pool_film pool_film;

/* Of a job that is open (cli_meltpool_open_job) and stays; reads where the file's layers begin.
 * `is_sure`: even if records need more than half of the free memory. Returns an exit status. */
int pool_film_open(pool_film **out, cli_meltpool_job *job, bool is_sure);

/* Ends the thread; the job may be closed then. */
void pool_film_close(pool_film **film);

/* Begins anew, with the options of a desc; `news` is called by the thread now and then. SAC_E_*,
 * and what was begun before goes on. */
SAC_NODISCARD sac_status pool_film_begin(pool_film *film, const sac_meltpool_desc *desc,
                                         void (*news)(const void *ctx), const void *ctx,
                                         sac_error *err);

/* What is known of a frame. */
typedef struct pool_film_frame {
    const uint8_t *pixels; /* until the next look */
    sac_meltpool_signals signals;
    bool is_done;               /* there is a record */
    sac_meltpool_record record; /* of it */
    bool has_truth;
    float truth[SAC_MELTPOOL_PREDICTIONS];
    const double *last_pool; /* as of sac_meltpool_find_outline; NULL: there is none */
} pool_film_frame;

/* SAC_E_FORMAT. */
SAC_NODISCARD sac_status pool_film_look(pool_film *film, pool_film_frame *out, int64_t frame,
                                        sac_error *err);

/* How far it is, at one time. */
typedef struct pool_film_state {
    int64_t n_done;
    sac_meltpool_counts counts;
    int64_t run_ns, from; /* from: the key of rows' first column */
    float rows[POOL_ROWS * POOL_COLUMNS];
    sac_error error; /* what ended it */
} pool_film_state;

void pool_film_get(pool_film *film, pool_film_state *out, int32_t value);

/* The map of the layer that a frame is in, of those of its frames that are done; *layer: which one.
 * NULL: nobody knows where the laser was. */
const pool_map *pool_film_map(pool_film *film, int64_t frame, int64_t n_done, int64_t *layer);

int64_t pool_film_width(const pool_film *film);           /* frames of a column */
const sac_histogram *pool_film_times(const pool_film *f); /* of frames */

#endif
