/*
 * saccade receive at work: what its parts share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LIVE_RECEIVE_H
#define CLI_LIVE_RECEIVE_H

#include "live.h"
#include "loop.h"
#include "recorder.h"
#include "status.h"

typedef struct cli_receiving {
    const cli_live_receive_job *job;
    cli_live_loop loop;
    cli_live_status status;
    GstElement *source, *packets, *window;
    GstCaps *capture;            /* of the meta that tells when a frame was taken */
    cli_live_recorder *recorder; /* NULL: nothing is recorded */

    /* Of the threads of the pipeline, under the lock of the status. */
    uint64_t packet_time, packet_number;
    bool has_packet; /* those are of one */

    GstElement *recording; /* the queue to the recorder */
    gint n_given, n_taken; /* buffers that went into and came out of it; atomic */
    bool is_connected;
    double quiet_s;
    int64_t n_lost;           /* connections */
    double offset_ms, rtt_ms; /* as long as they were known */
    GstStructure *stats;      /* of the source, at the end */
} cli_receiving;

/* Each second: the line, the row, and what is waited for. */
void cli_receive_second(cli_receiving *r);

/* Takes the transport's counts, while it knows them. */
void cli_receive_keep(cli_receiving *r);

/* The summary, and what of `status` and the report's own is the exit status. */
int cli_receive_report(cli_receiving *r, int status);

#endif
