/*
 * A real-time loop that runs, as a source of saccade view. Its threads stand back behind the
 * loop's: they take what is left on the CPUs, and share nothing with it but a tap and counts that
 * anybody may read.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_MELTPOOL_LIVE_H
#define CLI_VIEW_MELTPOOL_LIVE_H

#include <saccade/frame_link.h>
#include <saccade/stream.h>

#include "tap.h"
#include "view/view.h"

typedef struct pool_live pool_live;

/* What the loop is; all of it stays until pool_live_close. */
typedef struct pool_live_source {
    const sac_meltpool_desc *desc;
    const char *name, *variant;
    bool has_model;
    int32_t deadline_us, cpu; /* cpu: the worker's own; -1: any */
    const sac_stream *stream;
    const sac_frame_receiver *receiver;
    const _Atomic(const char *) *doubt; /* sac_meltpool_doubt of the counts */
} pool_live_source;

/* Listens, says where on standard error, and begins to look. Returns an exit status; `live` must be
 * closed in any case. */
int pool_live_open(pool_live **out, const pool_live_source *source,
                   const cli_view_options *options);

/* Where the loop's thread puts each frame. */
view_tap *pool_live_tap(pool_live *live);

/* Viewers leave, and the threads end. The loop puts nothing any more. */
void pool_live_close(pool_live **live);

#endif
