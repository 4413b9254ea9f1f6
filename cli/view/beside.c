/*
 * A server and a session in threads of low priority.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beside.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "thread.h"

#define NICE 10 /* of all threads here, more than of the work's */

struct view_beside {
    view_scene *scene;
    const view_settings *settings;
    int32_t cpu;
    view_server *server;
    cli_view_session *session;
    pthread_t thread;
    bool is_serving;
};

int view_beside_check(const cli_command *command, cli_view_options *options)
{
    if (options->port >= 0) {
        return cli_view_check_server(command, options, "view-");
    }
    return options->host || options->password_file
               ? cli_misuse(command, "--%s is for --view PORT",
                            options->host ? "view-host" : "view-password-file")
               : CLI_DONE;
}

void view_beside_stand_back(int32_t cpu)
{
    cpu_set_t cpus;
    const struct sched_param none = {0};
    const int policy = sched_getscheduler(0);
    if (policy == SCHED_FIFO || policy == SCHED_RR) { /* as the whole command was given */
        (void)sched_setscheduler(0, SCHED_OTHER, &none);
    }
    /* Of Linux: this thread's. What is above the most becomes the most. */
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICE);
    if (cpu >= 0 && sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
        CPU_CLR((size_t)cpu, &cpus);
        if (CPU_COUNT(&cpus) > 0) {
            (void)sched_setaffinity(0, sizeof cpus, &cpus);
        }
    }
}

static void *serve(void *ctx)
{
    view_beside *b = ctx;
    sac_error err = {0};
    view_beside_stand_back(b->cpu);
    if (cli_view_session_open(&b->session, b->scene, b->settings, &err) != SAC_OK) {
        cli_warn("nobody can look: %s", err.text);
        return NULL;
    }
    cli_view_server_run(b->server, b->session);
    return NULL;
}

static int start(view_beside *b)
{
    b->is_serving = view_thread_start(&b->thread, serve, b) == 0;
    return b->is_serving ? CLI_DONE : cli_fail("no thread to show with");
}

int view_beside_open(view_beside **out, view_scene *scene, const view_settings *settings,
                     int32_t cpu, const cli_view_options *options)
{
    view_beside *b = *out = cli_grow(NULL, 0, 1, sizeof *b);
    b->scene = scene;
    b->settings = settings;
    b->cpu = cpu;
    int status = cli_view_server_open(&b->server, options);
    status = status ? status : start(b);
    if (status == CLI_DONE) {
        char *address = cli_view_server_address(b->server);
        fprintf(stderr, "saccade: to be seen at %swhile it runs)\n", address);
        free(address);
    }
    return status;
}

int64_t view_beside_count(const sac_stream *stream, const sac_frame_receiver *receiver)
{
    sac_stream_counts c = {.struct_size = sizeof c};
    sac_frame_counts came = {.struct_size = sizeof came};
    sac_stream_get_counts(stream, &c);
    sac_frame_receiver_get_counts(receiver, &came);
    return c.received + c.processed + c.empty + c.refused + c.dropped + c.late + came.lost;
}

void view_beside_close(view_beside **beside)
{
    view_beside *b = *beside;
    if (!b) {
        return;
    }
    if (b->is_serving) {
        cli_view_server_stop(b->server);
        pthread_join(b->thread, NULL);
    }
    cli_view_server_close(&b->server); /* viewers leave, while there is a session */
    cli_view_session_close(&b->session);
    free(b);
    *beside = NULL;
}
