/*
 * saccade meltpool --listen at work: a receiver thread, the stream's worker, and a second stream
 * that writes files, so that neither of the first two waits for a disk.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MELTPOOL_LISTEN_H
#define CLI_MELTPOOL_LISTEN_H

#include "job.h"
#include "listening.h"
#include "view/meltpool/live.h"

typedef struct cli_listen_options {
    size_t struct_size;
    cli_listening_options at;
    const char *reply, *output, *record, *model, *calibration;
    int32_t size[2];
    double frame_um2, budget_us;
    cli_view_options view; /* its port -1: nobody looks */
} cli_listen_options;

/* What the pipelines' options fill in. */
typedef struct cli_listen_plan {
    size_t struct_size;
    sac_meltpool_desc meltpool;
    sac_stream_desc stream;
} cli_listen_plan;

typedef struct cli_listen {
    cli_listen_options options;
    cli_listen_plan plan;
    cli_meltpool_job job; /* plan, model and output, as of files */
    cli_listening at;
    char expects[32];     /* of frames */
    sac_stream *recorder; /* NULL: nothing is written */
    sac_result_sender *reply;
    sac_frames_out *record;
    pool_live *live;   /* NULL: nobody may look */
    view_tap *tap;     /* the worker's, of it */
    void *memory;      /* of the stream's slots, page-locked; NULL: the stream's own */
    size_t slot_bytes; /* of that stream */

    /* The worker's: written by it, read by any thread. Each is a number by itself: relaxed. */
    _Atomic double sums[SAC_MELTPOOL_PREDICTIONS]; /* of predicted densities */
    _Atomic int64_t replied, unreplied;            /* results that left, and that found no room */
    _Atomic(const char *) doubt;                   /* sac_meltpool_doubt of them; static */

    /* The worker's, until its stream has stopped. */
    bool in_batches;               /* what waits is run at once, else frame by frame */
    sac_meltpool_record *records;  /* (batch_max) */
    sac_meltpool_signals *signals; /* (batch_max) */
    sac_error work_error;
    const sac_stream_frame *newest; /* that the tap gets: behind it none waits; NULL: others do */
    int64_t doubt_at;               /* frames, behind which counts are looked at again */

    /* The recorder's, until its stream has stopped. */
    uint8_t *batch_frames;
    sac_meltpool_record *batch_records;
    sac_meltpool_signals *batch_signals;
    sac_error record_error;

    bool has_warned; /* the main thread, of doubts */

    sac_stream_counts recorded; /* when all is over */
} cli_listen;

/* Listens until it is interrupted or has seen what the options want. Returns an exit status. */
int cli_listen_run(cli_listen *l);

#define CLI_LISTEN_RECORD_BATCH 64

/* A frame on its way to the files. */
typedef struct cli_listen_item {
    sac_meltpool_record record;
    uint8_t pixels[]; /* (h, w), where frames are recorded */
} cli_listen_item;

/* What its threads do, the context being a cli_listen: the worker's; the recorder's, of
 * cli_listen_item, at most CLI_LISTEN_RECORD_BATCH. */
void cli_listen_work(void *ctx, sac_stream_frame *frames, int32_t n);
void cli_listen_write(void *ctx, sac_stream_frame *frames, int32_t n);

/* What stands on the live line behind the counts; the context is a cli_listen. */
void cli_listen_show(const void *ctx);
void cli_listen_print(const cli_listen *l);
int cli_listen_json(const cli_listen *l);

#endif
