/*
 * saccade send at work: what its parts share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LIVE_SEND_H
#define CLI_LIVE_SEND_H

#include "live.h"
#include "loop.h"
#include "status.h"

typedef struct cli_sending {
    const cli_live_send_job *job;
    cli_live_loop loop;
    cli_live_status status;
    GstElement *origin; /* NULL: there is none now */
    GstElement *queue, *adjust, *encoder, *sink;

    sac_adjust_desc controls;
    bool is_set[CLI_LIVE_CONTROLS]; /* of them; by anyone */

    GstClockTime end; /* of the last frame that the origin gave; its thread's while it plays */
    gint n_in;        /* frames that the origin gave; atomic */
    gint n_since;     /* the same since it was made; atomic */
    bool has_worked;  /* a frame ever came */
    bool is_retrying; /* it went away, and frames have not come again */
    bool awaits;      /* a file that begins with the first receiver */
    guint retry, retry_ms;
    int64_t n_lost;                 /* times that it went away */
    int64_t n_clients, n_served;    /* receivers now, and all that came */
    GstStructure *stats;            /* of the sink, at the end */
    double idle_s, quiet_s, slow_s; /* without receiver, without frame, below the wanted rate */
} cli_sending;

/* Puts the origin in front of the queue, its beginning not before `from`; to play, too, from now
 * on. False: a line was said. */
bool cli_send_add_origin(cli_sending *s, GstClockTime from);
bool cli_send_play(cli_sending *s);

/* A part of it failed, true: it is tried again; it gave its last frame. */
bool cli_send_is_of_origin(const cli_sending *s, GstObject *part);
bool cli_send_origin_failed(cli_sending *s, const char *why);
void cli_send_origin_ended(cli_sending *s);

/* Notes that frames come, and says so if they had ceased to. */
void cli_send_tell_return(cli_sending *s);

/* Sets the controls as they are now, in the camera and in software. */
void cli_send_control(cli_sending *s);

/* A line of standard input, and what a receiver sent. */
void cli_send_on_line(void *ctx, const char *line);
void cli_send_on_control(cli_sending *s, const GstStructure *what);

/* Each second: the line, the row, and what is waited for. */
void cli_send_second(cli_sending *s);

/* The summary, and what of `status` and the report's own is the exit status. */
int cli_send_report(cli_sending *s, int status);

/* What GStreamer says of an address, without its password; g_free it. */
char *cli_send_without_password(const cli_live_send_job *job, const char *why);

/* saccade send --to -. An exit status. */
int cli_live_frames_run(const cli_live_send_job *job);

#endif
