/*
 * A view beside other work of the same process: options of that work's command, and threads that
 * stand back behind the work's, so that they take what it leaves of the CPUs.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_BESIDE_H
#define CLI_VIEW_BESIDE_H

#include <saccade/frame_link.h>
#include <saccade/stream.h>

#include "view.h"

/* Rows of a table whose options have a cli_view_options `view`. Port -1: nobody looks. `what` is
 * shown, a text. */
#define CLI_ROWS_VIEW_BESIDE(what)                                                                 \
    {"view", CLI_INT(view.port, -1, 65535, -1, ""), "PORT",                                        \
     "show " what " in a browser while it runs, without waiting for viewers: port to listen at; "  \
     "0: any that is free; the address is printed. -1: no"},                                       \
        {"view-host", CLI_STRING(view.host), "ADDRESS",                                            \
         "address to listen at, for viewers on other machines; needs --view-password-file; "       \
         "default: 127.0.0.1, for this machine alone"},                                            \
    {                                                                                              \
        "view-password-file", CLI_STRING(view.password_file), "FILE",                              \
            "ask viewers for the password that is this file's first line, of 12 characters or "    \
            "more"                                                                                 \
    }

/* What they say. An exit status. */
int view_beside_check(const cli_command *command, cli_view_options *options);

typedef struct view_beside view_beside;

/* The calling thread, and those that it starts, a plan's too, run where and when the work does not:
 * not by real time, at a lower priority than the work's, and off `cpu` (-1: off none). */
void view_beside_stand_back(int32_t cpu);

/* Listens, says where on standard error, and serves the scene from these settings on, both of which
 * stay, by threads that stand back. An exit status; to be closed in any case. */
int view_beside_open(view_beside **out, view_scene *scene, const view_settings *settings,
                     int32_t cpu, const cli_view_options *options);

/* A sum of what a view shows of a stream and its receiver: another one tells that it is to be shown
 * again. Any thread. */
int64_t view_beside_count(const sac_stream *stream, const sac_frame_receiver *receiver);

/* Viewers leave, and the threads end. */
void view_beside_close(view_beside **beside);

#endif
