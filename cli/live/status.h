/*
 * What sender and receiver tell while they run and at their end: a line on the terminal each
 * second, a row of JSON each second, a summary.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LIVE_STATUS_H
#define CLI_LIVE_STATUS_H

#include <gst/gst.h>
#include <saccade/histogram.h>

#include "json.h"

/* Counts since the start. */
typedef struct cli_live_counts {
    uint64_t frames;    /* encoded, or shown */
    uint64_t raw_bytes; /* of them */
    uint64_t packets, keys, packet_bytes;
} cli_live_counts;

typedef struct cli_live_status {
    const char *uri, *json_path; /* json_path NULL: no JSON */
    cli_json rows;
    bool is_terminal;
    bool has_port;           /* where it waits was told */
    int64_t since_ns, at_ns; /* of the start, and of the last second's end */
    cli_live_counts before;  /* at that time */

    /* Written by threads of the pipeline; under the lock. */
    GMutex lock;
    cli_live_counts counts;
    int64_t first_ns, last_ns; /* when the first and the last frame came; 0: none yet */
    gint w, h, n_channels;
    sac_histogram *latency, *latency_now; /* all times, and those of the last second */
} cli_live_status;

/* What a second was. */
typedef struct cli_live_rates {
    double seconds, frames_s, packets_s, mbit_s,
        ratio; /* ratio: of raw frames to packets; 0: none came */
    cli_live_counts all;
} cli_live_rates;

void cli_live_status_open(cli_live_status *status, const char *uri, const char *json_path);
void cli_live_status_close(cli_live_status *status);

/* The rates since this was last called; and from the first frame to the last. */
cli_live_rates cli_live_status_second(cli_live_status *status);
cli_live_rates cli_live_status_total(cli_live_status *status);

uint64_t cli_live_frames(cli_live_status *status);

/* How long no frame has come, since the start at most. */
double cli_live_silent_s(cli_live_status *status);

/* A frame's size, of caps of video/x-raw. */
void cli_live_status_set_caps(cli_live_status *status, const GstCaps *caps);

/* Counts a frame of these caps, or a packet. */
void cli_live_count_frame(cli_live_status *status);
void cli_live_count_packet(cli_live_status *status, GstBuffer *buffer);

/* One line on a terminal, over the one before; frees it. */
void cli_live_line(const cli_live_status *status, char *line);

/* Members of a row that both sides have. */
void cli_live_put_rates(cli_json *json, const cli_live_rates *rates);

/* Members of a row: the numbers of what the transport tells, in its names, '_' for '-'. */
void cli_live_put_stats(cli_json *json, const GstStructure *stats);

/* Tells once at which port this side waits, if it does and as soon as it is known. */
void cli_live_tell_port(cli_live_status *status, GstElement *transport);

/* What the `stats` of an element are; free it. NULL: it has none. */
GstStructure *cli_live_stats(GstElement *element);

/* "1280x720x3"; "no frames" before the first. 48 bytes are enough. */
const char *cli_live_shape(char text[48], const cli_live_status *status);

#endif
