/*
 * Bytes in: a regular file or a stream through a buffer, anything else whole from memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/in.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stop.h"

const char *sac_io_name(char text[SAC_IO_NAME], const char *path, const char *dash)
{
    if (strcmp(path, "-") == 0) {
        snprintf(text, SAC_IO_NAME, "%s", dash);
        return text;
    }
    size_t room = SAC_IO_NAME - 6; /* two quotes, three dots, the final zero */
    size_t length = strlen(path);
    if (length <= room) {
        snprintf(text, SAC_IO_NAME, "`%s`", path);
    } else {
        const char *tail = path + length - room;
        while ((*tail & 0xc0) == 0x80) /* not in the middle of a UTF-8 character */
            tail++;
        snprintf(text, SAC_IO_NAME, "`...%s`", tail);
    }
    return text;
}

ssize_t sac_in_read_some(sac_in *in, int fd, void *to, size_t size)
{
    ssize_t n;
    do
        n = sac_stop_read(fd, to, size, in->stop_fd);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        in->error = errno;
    return n;
}

/* What sac_in_peek_stdin read of a stream; standard input is the process's, and so is this. */
static struct {
    pthread_mutex_t mutex;
    size_t n;
    uint8_t bytes[SAC_IN_KEPT];
} kept = {.mutex = PTHREAD_MUTEX_INITIALIZER};

size_t sac_in_peek_stdin(uint8_t *to, size_t size)
{
    size = size < SAC_IN_KEPT ? size : SAC_IN_KEPT;
    off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (at >= 0) { /* a file: nothing needs to be kept */
        ssize_t n = pread(STDIN_FILENO, to, size, at);
        return n > 0 ? (size_t)n : 0;
    }
    pthread_mutex_lock(&kept.mutex);
    while (kept.n < size) {
        ssize_t n = read(STDIN_FILENO, kept.bytes + kept.n, SAC_IN_KEPT - kept.n);
        if (n > 0)
            kept.n += (size_t)n;
        else if (n == 0 || errno != EINTR)
            break;
    }
    size = kept.n < size ? kept.n : size;
    memcpy(to, kept.bytes, size);
    pthread_mutex_unlock(&kept.mutex);
    return size;
}

static void take_kept(sac_in *in)
{
    pthread_mutex_lock(&kept.mutex);
    memcpy(in->buffer, kept.bytes, kept.n);
    in->next = in->buffer;
    in->end = in->buffer + kept.n;
    kept.n = 0;
    pthread_mutex_unlock(&kept.mutex);
}

/* Reads fd to its end into in->memory, behind what is in the buffer. */
static sac_status slurp(sac_in *in, int fd, uint64_t max_bytes, sac_error *err)
{
    size_t size = (size_t)(in->end - in->next);
    size_t room = 0;
    for (;;) {
        if (size > max_bytes)
            return sac_fail(err, SAC_E_FORMAT, "%s: more than %llu bytes, and no end yet", in->name,
                            (unsigned long long)max_bytes);
        if (size >= room) {
            size_t more = room ? 2 * room : sizeof in->buffer;
            uint8_t *grown = sac_alloc(more, 1);
            if (!grown)
                return sac_fail(err, SAC_E_NOMEM, "%s: no memory for %zu bytes", in->name, more);
            if (size)
                memcpy(grown, in->memory ? in->memory : in->next, size);
            sac_free(in->memory);
            in->memory = grown;
            room = more;
        }
        ssize_t n = sac_in_read_some(in, fd, in->memory + size, room - size);
        if (n < 0)
            return sac_fail(err, SAC_E_IO, "%s: %s", in->name, strerror(in->error));
        if (n == 0)
            break;
        size += (size_t)n;
    }
    in->next = in->memory;
    in->end = in->memory + size;
    return SAC_OK;
}

/* Sees what fd is: a regular file of known size or a stream is kept open, anything else read now.
 */
static sac_status take_fd(sac_in *in, int fd, bool streams, uint64_t max_bytes, sac_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return sac_fail(err, SAC_E_IO, "%s: %s", in->name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return sac_fail(err, SAC_E_IO, "%s: is a folder, not a file", in->name);
    off_t start = lseek(fd, 0, SEEK_CUR);
    if (S_ISREG(st.st_mode) && start >= 0 && st.st_size > start) {
        in->fd = fd;
        in->start = (uint64_t)start;
        in->left = (uint64_t)(st.st_size - start);
        in->stop_fd = SAC_NO_STOP; /* no read of it waits for long */
        return SAC_OK;
    }
    if (fd == STDIN_FILENO && start < 0)
        take_kept(in);
    if (!streams)
        return slurp(in, fd, max_bytes, err);
    in->fd = fd;
    in->is_stream = true;
    in->left = 2 * SAC_IN_ENDLESS;
    return SAC_OK;
}

static sac_status open_path(sac_in *in, const char *path, bool streams, int stop_fd,
                            uint64_t max_bytes, sac_error *err)
{
    sac_in_open_memory(in, NULL, 0);
    in->stop_fd = stop_fd;
    sac_io_name(in->name, path, "standard input");
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : sac_stop_open(path, stop_fd);
    if (fd < 0)
        return sac_fail(err, SAC_E_IO, "%s: %s", in->name, strerror(errno));
    sac_status st = take_fd(in, fd, streams, max_bytes, err);
    in->owns_fd = !is_stdin;
    if (in->owns_fd && in->fd != fd)
        close(fd);
    if (st != SAC_OK)
        sac_in_close(in);
    return st;
}

sac_status sac_in_open(sac_in *in, const char *path, uint64_t max_bytes, sac_error *err)
{
    return open_path(in, path, false, SAC_NO_STOP, max_bytes, err);
}

sac_status sac_in_open_stream(sac_in *in, const char *path, int stop_fd, sac_error *err)
{
    return open_path(in, path, true, stop_fd, 0, err);
}

void sac_in_open_memory(sac_in *in, const uint8_t *data, size_t size)
{
    snprintf(in->name, sizeof in->name, "memory");
    in->next = data;
    in->end = data ? data + size : NULL;
    in->fd = -1;
    in->stop_fd = SAC_NO_STOP;
    in->owns_fd = false;
    in->start = 0;
    in->left = 0;
    in->error = 0;
    in->is_stream = false;
    in->memory = NULL;
}

uint64_t sac_in_left(const sac_in *in)
{
    return (uint64_t)(in->end - in->next) + in->left;
}

bool sac_in_fill(sac_in *in)
{
    if (in->next < in->end)
        return true;
    if (in->left == 0)
        return false;
    ssize_t n = sac_in_read_some(in, in->fd, in->buffer, sizeof in->buffer);
    if (n <= 0) {
        in->left = 0;
        return false;
    }
    in->next = in->buffer;
    in->end = in->buffer + n;
    in->left -= in->left < (uint64_t)n ? in->left : (uint64_t)n;
    return true;
}

size_t sac_in_peek(sac_in *in, size_t size)
{
    size_t ready = (size_t)(in->end - in->next);
    if (ready >= size || in->left == 0)
        return ready;
    if (ready)
        memmove(in->buffer, in->next, ready); /* what comes from a file is in the buffer */
    in->next = in->buffer;
    while (ready < size && in->left) {
        ssize_t n = sac_in_read_some(in, in->fd, in->buffer + ready, sizeof in->buffer - ready);
        if (n <= 0) {
            in->left = 0;
            break;
        }
        ready += (size_t)n;
        in->left -= in->left < (uint64_t)n ? in->left : (uint64_t)n;
    }
    in->end = in->buffer + ready;
    return ready;
}

bool sac_in_read(sac_in *in, void *to, size_t size)
{
    uint8_t *at = to;
    while (size) {
        size_t n = (size_t)(in->end - in->next);
        if (n == 0 && size >= sizeof in->buffer && in->left) {
            ssize_t got = sac_in_read_some(in, in->fd, at, size);
            if (got <= 0)
                return false;
            n = (size_t)got;
            in->left -= in->left < n ? in->left : n;
        } else if (sac_in_fill(in)) {
            n = (size_t)(in->end - in->next);
            n = n < size ? n : size;
            memcpy(at, in->next, n);
            in->next += n;
        } else {
            return false;
        }
        at += n;
        size -= n;
    }
    return true;
}

bool sac_in_skip(sac_in *in, uint64_t bytes)
{
    uint64_t ready = (uint64_t)(in->end - in->next);
    if (bytes <= ready) {
        in->next += bytes;
        return true;
    }
    bytes -= ready;
    in->next = in->end;
    if (bytes > in->left || lseek(in->fd, (off_t)bytes, SEEK_CUR) < 0)
        return false;
    in->left -= bytes;
    return true;
}

sac_status sac_in_fail(const sac_in *in, const char *what, sac_error *err)
{
    return sac_fail(err, in->error ? SAC_E_IO : SAC_E_FORMAT, "%s: %s", in->name,
                    in->error ? strerror(in->error) : what);
}

sac_status sac_in_take_rest(char **rest, sac_in *in, sac_error *err)
{
    const size_t size = (size_t)sac_in_left(in);
    *rest = sac_alloc(size + 1, 1);
    if (!*rest)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for %zu bytes", in->name, size);
    return sac_in_read(in, *rest, size) ? SAC_OK : sac_in_fail(in, "is truncated", err);
}

void sac_in_close(sac_in *in)
{
    sac_free(in->memory);
    if (in->owns_fd && in->fd >= 0)
        close(in->fd);
    in->memory = NULL;
    in->fd = -1;
}
