/*
 * What a build without cJSON says when it is asked to compare.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command.h"
#include "compare.h"

int cli_compared_open(cli_compared *out, const char *path)
{
    *out = (cli_compared){.path = path};
    return cli_fail("%s: this build reads no JSON: it has no cJSON (Debian and Ubuntu: "
                    "libcjson-dev; then build saccade again)",
                    path);
}

void cli_compared_close(cli_compared *file)
{
    *file = (cli_compared){0};
}
