/*
 * The demo of live video: what one process sends another one receives and records, on this machine.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demo.h"
#include "live/live.h"

/* A port that nobody has now; 0: there is no network, not even this machine's own. */
static int free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_bound = fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 &&
                          getsockname(fd, (struct sockaddr *)&at, &size) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return is_bound ? ntohs(at.sin_port) : 0;
}

/* Starts saccade-live; errors go to the file `said`, its summary nowhere if it is to be quiet. */
static pid_t start(const char *program, char **args, FILE *said, bool is_quiet)
{
    posix_spawn_file_actions_t files;
    pid_t id = -1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fileno(said), STDERR_FILENO);
    if (is_quiet) {
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (posix_spawn(&id, program, &files, NULL, args, environ) != 0) {
        id = -1;
    }
    posix_spawn_file_actions_destroy(&files);
    return id;
}

/* Whether it ended, and well. */
static bool is_done(pid_t id)
{
    int status = 0;
    return id > 0 && waitpid(id, &status, 0) == id && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The last line that was said. A GStreamer without what a test picture takes is no failure. */
static int explain(FILE *said)
{
    char line[512] = "", last[512] = "no reason was given";
    rewind(said);
    while (fgets(line, sizeof line, said)) {
        snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\n"), line);
    }
    if (strstr(last, "GStreamer has no element")) {
        printf("  No live video: %s\n", last);
        return CLI_DONE;
    }
    return cli_fail("live: sending and receiving on this machine failed: %s", last);
}

static int show(const char *program, const char *output, int port)
{
    char *from = cli_text("tcp://127.0.0.1:%d?mode=listener", port);
    char *to = cli_text("tcp://127.0.0.1:%d", port);
    char *receive[] = {"saccade", "receive",        from, "-o", (char *)output, "--frames",
                       "60",      "--silence-exit", "10", NULL};
    char *send[] = {"saccade", "send",        "test", "--to",      to,   "--size",
                    "640x480", "--threshold", "0",    "--seconds", "30", NULL};
    FILE *said = tmpfile();
    if (!said) {
        return cli_fail("a temporary file: %s", strerror(errno));
    }
    fflush(stdout);
    const pid_t receiver = start(program, receive, said, false),
                sender = start(program, send, said, true);
    const bool has_come = is_done(receiver);
    if (sender > 0) {
        kill(sender, SIGTERM);
    }
    const bool has_left = is_done(sender);
    free(from);
    free(to);
    const int status = has_come && has_left ? CLI_DONE : explain(said);
    fclose(said);
    return status;
}

int cli_demo_live(const cli_demo_options *options)
{
    if (options->n_inputs > 0) {
        return CLI_DONE;
    }
    puts("\nlive: a test picture sent by one process, received and recorded by another");
    char *program = cli_live_program(), *output = cli_text("%s/live.sdv", options->output);
    const int port = program ? free_port() : 0;
    int status = CLI_DONE;
    if (!program) {
        puts("  No live video: it needs GStreamer, and saccade-live is not installed "
             "(docs/live.md)");
    } else if (port == 0) {
        puts("  No live video: this machine has no network, not even with itself");
    } else {
        status = show(program, output, port);
    }
    free(program);
    free(output);
    return status;
}
