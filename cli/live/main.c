/*
 * saccade-live: `saccade send` and `saccade receive`, with GStreamer. `saccade` starts it with its
 * own command line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <gst/gst.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"

GST_PLUGIN_STATIC_DECLARE(saccade);

/* The elements of this program are its own, whatever plugin of saccade is installed. */
static void take_own_elements(void)
{
    GstRegistry *registry = gst_registry_get();
    GstPlugin *other;
    while ((other = gst_registry_find_plugin(registry, "saccade")) != NULL) {
        gst_registry_remove_plugin(registry, other);
        gst_object_unref(other);
    }
    GST_PLUGIN_STATIC_REGISTER(saccade);
}

/* One heap for all threads. glibc gives each new thread one of many, and a source that begins again
 * has new threads: what frames leave behind in each of them would add up for hours. */
static void share_heap(void)
{
#ifdef M_ARENA_MAX
    (void)mallopt(M_ARENA_MAX, 1);
#endif
}

int main(int argc, char **argv)
{
    static const cli_command *const commands[] = {&cli_live_send, &cli_live_receive};
    GError *error = NULL;
    int status = CLI_USAGE;
    share_heap();
    cli_argc = argc;
    cli_argv = cli_grow(NULL, 0, (size_t)argc, sizeof *argv);
    memcpy(cli_argv, argv, (size_t)argc * sizeof *argv); /* getopt_long reorders its own */
    const cli_command *command = NULL;
    for (size_t i = 0; argc > 1 && i < G_N_ELEMENTS(commands); i++) {
        command = strcmp(argv[1], commands[i]->name) == 0 ? commands[i] : command;
    }
    if (!command) {
        status = cli_misuse(NULL, "saccade-live is part of `saccade send` and `saccade receive`");
    } else if (!gst_init_check(NULL, NULL, &error)) {
        status = cli_fail("GStreamer: %s", error->message);
        g_error_free(error);
    } else {
        take_own_elements();
        status = command->run(argc - 1, argv + 1);
    }
    free(cli_argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CLI_DONE) {
        return errno == EPIPE ? CLI_FAILED : cli_fail("standard output: %s", strerror(errno));
    }
    return status;
}
