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

int cli_view_serve(cli_view_session *session, const cli_view_options *options, const char *password)
{
    (void)session;
    (void)options;
    (void)password;
    return cli_view_can_serve();
}
