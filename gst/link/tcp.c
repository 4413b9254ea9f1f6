/*
 * Messages one after the other on a TCP connection.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "net.h"

#define UNSENT                                                                                     \
    (128 << 10)            /* bytes in the system that have not left: more would only wait there   \
                            */
#define STRANGER_ROOM 1024 /* bytes kept of a connection that has not greeted */
#define MOST_READS 64      /* of a connection, then others have their turn */

static bool has_out(const sac_end *end)
{
    return end->out_at < end->n_out;
}

/* What is left of the last message. -1: broken. */
static int flush(sac_end *end)
{
    while (has_out(end)) {
        const ssize_t n = send(end->fd, end->out + end->out_at, end->n_out - end->out_at,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0)
            end->out_at += (size_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return 0;
        else if (errno != EINTR)
            return -1;
    }
    return 1;
}

/* A message goes as a whole: what the system does not take is kept here. */
static int send_tcp(void *ctx, sac_path *path, const uint8_t *bytes, size_t n)
{
    sac_end *end = (sac_end *)path;
    (void)ctx;
    const int before = flush(end);
    if (before <= 0)
        return before;
    if (!end->out)
        end->out = malloc(SAC_MESSAGE_MOST);
    if (!end->out)
        return -1;
    memcpy(end->out, bytes, n);
    end->n_out = n;
    end->out_at = 0;
    return flush(end) < 0 ? -1 : 1;
}

static void set_up(int fd)
{
    const int on = 1, unsent = UNSENT;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef TCP_NOTSENT_LOWAT
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
#endif
}

static sac_status listen_tcp(sac_net *net, sac_error *err)
{
    if (!net->uri.is_waiter)
        return SAC_OK;
    const sac_status st = sac_net_bind(net, SOCK_STREAM, err);
    if (st == SAC_OK && listen(net->fd, SAC_NET_PENDING) != 0)
        return sac_fail(err, SAC_E_IO, "uri: %s", strerror(errno));
    return st;
}

static bool connect_tcp(sac_net *net, int64_t now_ns)
{
    const int fd = sac_net_socket(net->to.ss_family, SOCK_STREAM);
    if (fd < 0)
        return false;
    set_up(fd);
    if (connect(fd, (const struct sockaddr *)&net->to, net->to_size) != 0 && errno != EINPROGRESS) {
        const int failed = errno;
        close(fd);
        errno = failed;
        return false;
    }
    sac_end *end = sac_end_new(net, fd, &net->to, net->to_size, now_ns);
    if (!end)
        return false;
    end->is_connecting = true;
    sac_hub_connect(net->hub, &end->path, now_ns);
    net->hub->hello_ns = INT64_MAX; /* when it is connected */
    return true;
}

static void prepare(sac_net *net)
{
    sac_net_poll_begin(net);
    if (net->fd >= 0)
        sac_net_poll_add(net, net->fd, POLLIN);
    for (uint32_t i = 0; i < net->n_ends; i++) {
        const sac_end *end = net->ends[i];
        const bool wants_out =
            end->is_connecting || has_out(end) || (end->path.session && end->path.session->is_full);
        sac_net_poll_add(net, end->fd, (short)(POLLIN | (wants_out ? POLLOUT : 0)));
    }
}

static void accept_all(sac_net *net, int64_t now_ns)
{
    for (int i = 0; i < SAC_NET_PENDING; i++) {
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        const int fd =
            accept4(net->fd, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        sac_net_make_way(net, now_ns);
        set_up(fd);
        (void)sac_end_new(net, fd, &from, size, now_ns);
    }
}

/* Cuts messages from what came. False: there is none, or its seal is wrong: nothing of this
 * connection can be trusted any more. */
static bool cut(sac_net *net, sac_end *end, int64_t now_ns)
{
    size_t at = 0;
    while (at < end->n_in && !end->is_dead && !end->path.is_broken) {
        const int32_t n = sac_message_length(end->in + at, end->n_in - at);
        if (n < 0 || (!end->path.session && n > STRANGER_ROOM)) {
            net->hub->counts.foreign++;
            return false;
        }
        if (n == 0 || (size_t)n > end->n_in - at)
            break;
        if (!sac_hub_take(net->hub, &end->path, end->in + at, (size_t)n, now_ns))
            return false;
        at += (size_t)n;
    }
    memmove(end->in, end->in + at, end->n_in - at);
    end->n_in -= at;
    return true;
}

static bool read_end(sac_net *net, sac_end *end, int64_t now_ns)
{
    for (int i = 0; i < MOST_READS && !end->is_dead && !end->path.is_broken; i++) {
        const size_t most =
            end->path.session || !net->uri.is_waiter ? SAC_MESSAGE_MOST : STRANGER_ROOM;
        uint8_t *room = realloc(end->in, most);
        if (!room)
            return false;
        end->in = room;
        const ssize_t n = recv(end->fd, end->in + end->n_in, most - end->n_in, MSG_DONTWAIT);
        if (n == 0)
            return false;
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        end->n_in += (size_t)n;
        if (!cut(net, end, now_ns))
            return false;
    }
    return true;
}

/* Whether the connection that was begun is there, or may still come. */
static bool connected(sac_net *net, sac_end *end, int64_t now_ns)
{
    struct pollfd is = {.fd = end->fd, .events = POLLOUT};
    int failed = 0;
    socklen_t size = sizeof failed;
    if (poll(&is, 1, 0) <= 0)
        return true;
    if (getsockopt(end->fd, SOL_SOCKET, SO_ERROR, &failed, &size) != 0 || failed) {
        snprintf(net->why, sizeof net->why, "%s", strerror(failed));
        return false;
    }
    end->is_connecting = false;
    net->hub->hello_ns = now_ns;
    return true;
}

static void read_all(sac_net *net, int64_t now_ns)
{
    if (net->fd >= 0)
        accept_all(net, now_ns);
    for (uint32_t i = 0; i < net->n_ends; i++) {
        sac_end *end = net->ends[i];
        bool is_good = !end->is_connecting || connected(net, end, now_ns);
        if (is_good && !end->is_connecting)
            is_good = flush(end) >= 0 && read_end(net, end, now_ns);
        if (!is_good)
            end->path.is_broken = true;
        else
            sac_hub_has_room(&end->path);
    }
}

static void close_fd(int fd)
{
    close(fd);
}

static void close_tcp(sac_net *net)
{
    if (net->fd >= 0)
        close(net->fd);
    net->fd = -1;
}

const sac_net_fns sac_net_tcp = {
    .carrier = {.send = send_tcp, .keep = sac_end_keep, .drop = sac_end_drop, .most = 32768},
    .listen = listen_tcp,
    .connect = connect_tcp,
    .prepare = prepare,
    .wait = sac_net_poll_wait,
    .read = read_all,
    .close_fd = close_fd,
    .close = close_tcp,
};
