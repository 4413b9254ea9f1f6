/*
 * saccade view: a recording in a browser, beamformed anew as options move.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIEW_H
#define CLI_VIEW_VIEW_H

#include "session.h"

typedef struct cli_view_options {
    size_t struct_size;
    const char *host, *password_file, *grid, *grid3, *sector, *apex, *picture;
    int32_t port;
    cli_recording_options recording;
    bool yes;
} cli_view_options;

/* Serves the page and what the session publishes until Ctrl-C. `password` NULL: none is asked.
 * Returns an exit status. */
int cli_view_serve(cli_view_session *session, const cli_view_options *options,
                   const char *password);

/* Why a build without libwebsockets has no server: an exit status; CLI_DONE where it has one. */
int cli_view_can_serve(void);

/* Of libwebsockets; NULL: this build has none. */
const char *cli_view_server_version(void);

#endif
