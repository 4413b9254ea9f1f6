/*
 * The server of a build without libwebsockets.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view.h"

int cli_view_can_serve(void)
{
    return cli_fail(
        "this build has no libwebsockets (libwebsockets-dev), which saccade view needs");
}

const char *cli_view_server_version(void)
{
    return NULL;
}

int cli_view_server_open(view_server **out, const cli_view_options *options)
{
    (void)out;
    (void)options;
    return cli_view_can_serve();
}

char *cli_view_server_address(const view_server *server)
{
    (void)server;
    return NULL;
}

void cli_view_server_run(view_server *server, cli_view_session *session)
{
    (void)server;
    (void)session;
}

void cli_view_server_stop(view_server *server)
{
    (void)server;
}

void cli_view_server_close(view_server **server)
{
    (void)server;
}
