/*
 * What a build without cJSON says when it is to read what commands wrote.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command.h"
#include "ladder/compare.h"
#include "report/report.h"

static int refuse(const char *path)
{
    return cli_fail("%s: this build reads no JSON: it has no cJSON (Debian and Ubuntu: "
                    "libcjson-dev; then build saccade again)",
                    path);
}

int cli_compared_open(cli_compared *out, const char *path)
{
    *out = (cli_compared){.path = path};
    return refuse(path);
}

void cli_compared_close(cli_compared *file)
{
    *file = (cli_compared){0};
}

int cli_report_make(char *const *paths, int n, const char *title, const char *output)
{
    (void)n;
    (void)title;
    (void)output;
    return refuse(paths[0]);
}
