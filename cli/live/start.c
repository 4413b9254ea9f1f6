/*
 * saccade send and receive in `saccade`, which needs no GStreamer: saccade-live takes over.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"
#include "outputs.h"

#define PROGRAM "saccade-live"
#define LONGEST_PATH 4096

/* In a build the two lie in one folder; installed, where CMake says, seen from this program: what
 * is installed may be moved. */
static const char *const folders[] = {"", SAC_LIVE_FOLDER};

char *cli_beside(const char *name)
{
    char own[LONGEST_PATH];
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n < 0) {
        return NULL;
    }
    own[n] = '\0';
    const int folder = (int)(cli_base_name(own) - own);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path = cli_text("%.*s%s%s", folder, own, folders[i], name);
        if (access(path, R_OK) == 0) {
            return path;
        }
        free(path);
    }
    return NULL;
}

char *cli_live_program(void)
{
    return cli_beside(PROGRAM);
}

/* Returns only where there is nothing to start. */
static int start(void)
{
    char *path = cli_live_program();
    if (!path) {
        return cli_fail("live video needs GStreamer, and " PROGRAM " is not installed (Debian: "
                        "gstreamer1.0-saccade; or build saccade with libgstreamer1.0-dev and "
                        "libgstreamer-plugins-base1.0-dev)");
    }
    fflush(stdout);
    cli_argv = cli_grow(cli_argv, (size_t)cli_argc, (size_t)cli_argc + 1, sizeof *cli_argv);
    execv(path, cli_argv);
    const int status = cli_fail("`%s`: cannot be started: %s", path, strerror(errno));
    free(path);
    return status;
}

int cli_live_send_run(const cli_live_send_job *job)
{
    (void)job;
    return start();
}

int cli_live_receive_run(const cli_live_receive_job *job)
{
    (void)job;
    return start();
}
