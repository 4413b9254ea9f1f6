/*
 * Reads that can be stopped: poll(2) over the input and the caller's stop_fd.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

int sac_stop_open(const char *path, int stop_fd)
{
    if (stop_fd < 0)
        return open(path, O_RDONLY | O_CLOEXEC);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
    if (flags >= 0)
        (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    return fd;
}

ssize_t sac_stop_read(int fd, void *to, size_t size, int stop_fd)
{
    struct pollfd wait[] = {{.fd = fd, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
    int n = 1;
    if (stop_fd >= 0)
        do
            n = poll(wait, 2, -1);
        while (n < 0 && errno == EINTR);
    /* Where poll itself fails, or has anything to tell of fd, read says what it is. */
    if (n > 0 && stop_fd >= 0 && !wait[0].revents) {
        errno = ECANCELED;
        return -1;
    }
    return read(fd, to, size);
}

bool sac_write_all(int fd, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}
