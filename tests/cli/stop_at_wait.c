/*
 * For LD_PRELOAD: the signal SIGTERM comes at the worst moment, when the program has looked whether
 * it shall stop and is about to wait for input that is not there. Once, and only where the program
 * catches it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEEN __attribute__((visibility("default")))

typedef int (*poll_fn)(struct pollfd *, nfds_t, int);
typedef ssize_t (*read_fn)(int, void *, size_t);

static int real_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    poll_fn next;
    *(void **)&next = dlsym(RTLD_NEXT, "poll");
    return next(fds, n, timeout_ms);
}

static void stop(void)
{
    static bool done;
    struct sigaction action;
    if (!done && sigaction(SIGTERM, NULL, &action) == 0 && action.sa_handler != SIG_DFL) {
        done = true;
        raise(SIGTERM);
    }
}

SEEN int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    if (timeout_ms != 0 && real_poll(fds, n, 0) == 0) {
        stop();
    }
    return real_poll(fds, n, timeout_ms);
}

SEEN ssize_t read(int fd, void *to, size_t size)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    struct stat st;
    read_fn next;
    *(void **)&next = dlsym(RTLD_NEXT, "read");
    if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && real_poll(&input, 1, 0) == 0) {
        stop();
    }
    return next(fd, to, size);
}
