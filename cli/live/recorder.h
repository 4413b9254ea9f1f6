/*
 * A file of what is received: packets as they come, or frames, which another pipeline compresses.
 * Each is called by one thread of the pipeline at a time; what fails is told to `failed`, from
 * there.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LIVE_RECORDER_H
#define CLI_LIVE_RECORDER_H

#include <gst/gst.h>

#include "live.h"

typedef struct cli_live_recorder cli_live_recorder;

typedef void cli_live_failed_fn(void *ctx, const char *why);

/* For the file `path` of a format that cli_live_format_of knows. Nothing is written before the
 * first packet or frame. NULL: a line was said. */
cli_live_recorder *cli_live_recorder_open(const char *path, cli_live_failed_fn *failed, void *ctx);

/* Whether it takes packets; else frames. */
bool cli_live_recorder_takes_packets(const cli_live_recorder *recorder);

/* The time between two frames of the stream, once that is known: what has no times takes it. */
void cli_live_recorder_set_period(cli_live_recorder *recorder, uint64_t ns);

/* A buffer of these caps. */
void cli_live_recorder_take(cli_live_recorder *recorder, GstBuffer *buffer, const GstCaps *caps);

typedef struct cli_live_recorded {
    uint64_t written, dropped; /* packets or frames; dropped: no room, or after a gap */
    const char *encoder;       /* NULL: none */
    bool is_cut; /* a film that could not be completed: the last of its frames are not there */
} cli_live_recorded;

cli_live_recorded cli_live_recorder_counts(const cli_live_recorder *recorder);

/* Completes the file. An exit status; a line was said. */
int cli_live_recorder_finish(cli_live_recorder *recorder);
void cli_live_recorder_close(cli_live_recorder **recorder);

#endif
