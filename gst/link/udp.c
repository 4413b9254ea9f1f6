/*
 * Messages as datagrams.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "net.h"

#define BUFFER (8 << 20) /* bytes of the socket, as far as the system gives them */
#define BATCH 32
#define MOST_BATCHES 16 /* then timers have their turn */
#define ROOM 4096       /* bytes for a datagram; larger ones are none of ours */

/* A network that cannot take one now has lost it, as far as anybody can tell. */
static int send_udp(void *ctx, sac_path *path, const uint8_t *bytes, size_t n)
{
    const sac_net *net = ctx;
    const sac_end *end = (const sac_end *)path;
    const int fd = end->fd >= 0 ? end->fd : net->fd;
    const struct sockaddr *to = end->fd >= 0 ? NULL : (const struct sockaddr *)&end->name;
    while (sendto(fd, bytes, n, MSG_NOSIGNAL, to, to ? end->name_size : 0) < 0)
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            return 0;
        else if (errno != EINTR)
            break;
    return 1;
}

/* The waiting side's connections have the same socket, and ends of their own. */
static sac_path *keep(void *ctx, sac_path *path)
{
    const sac_end *from = (const sac_end *)path;
    if (from->fd >= 0)
        return path;
    sac_end *end = sac_end_new(ctx, -1, &from->name, from->name_size, from->since_ns);
    return end ? &end->path : NULL;
}

static sac_status listen_udp(sac_net *net, sac_error *err)
{
    const sac_status st = net->uri.is_waiter ? sac_net_bind(net, SOCK_DGRAM, err) : SAC_OK;
    if (net->fd >= 0) {
        sac_net_buffer(net->fd, SO_RCVBUF, BUFFER);
        sac_net_buffer(net->fd, SO_SNDBUF, BUFFER);
    }
    return st;
}

static bool connect_udp(sac_net *net, int64_t now_ns)
{
    const int fd = sac_net_socket(net->to.ss_family, SOCK_DGRAM);
    if (fd < 0)
        return false;
    sac_net_buffer(fd, SO_RCVBUF, BUFFER);
    sac_net_buffer(fd, SO_SNDBUF, BUFFER);
    if (connect(fd, (const struct sockaddr *)&net->to, net->to_size) != 0) {
        close(fd);
        return false;
    }
    sac_end *end = sac_end_new(net, fd, &net->to, net->to_size, now_ns);
    if (end)
        sac_hub_connect(net->hub, &end->path, now_ns);
    return end != NULL;
}

static void prepare(sac_net *net)
{
    sac_net_poll_begin(net);
    if (net->fd >= 0)
        sac_net_poll_add(net, net->fd, POLLIN);
    for (uint32_t i = 0; i < net->n_ends; i++)
        if (net->ends[i]->fd >= 0)
            sac_net_poll_add(net, net->ends[i]->fd, POLLIN);
}

/* Who a datagram is from; a connection of this address is found by its number. */
static sac_path *path_of(sac_end *from, const struct sockaddr_storage *name, socklen_t size,
                         int64_t now_ns)
{
    *from = (sac_end){.fd = -1, .name_size = size, .since_ns = now_ns};
    memcpy(&from->name, name, size);
    sac_end_address(&from->path, name);
    return &from->path;
}

static void read_socket(sac_net *net, sac_end *end, int64_t now_ns)
{
    struct sockaddr_storage from[BATCH];
    struct iovec parts[BATCH];
    sac_system_datagram messages[BATCH];
    static _Thread_local uint8_t bytes[BATCH][ROOM];
    const int fd = end ? end->fd : net->fd;
    for (int batch = 0, came = BATCH; batch < MOST_BATCHES && came == BATCH; batch++) {
        for (int i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){bytes[i], ROOM};
            messages[i].msg_hdr = (struct msghdr){.msg_name = &from[i],
                                                  .msg_namelen = sizeof from[i],
                                                  .msg_iov = &parts[i],
                                                  .msg_iovlen = 1};
        }
        came = sac_system_receive(fd, messages, BATCH);
        for (int i = 0; i < came; i++) {
            sac_end other;
            sac_path *path =
                end ? &end->path
                    : path_of(&other, &from[i], messages[i].msg_hdr.msg_namelen, now_ns);
            if (end && (end->is_dead || path->is_broken))
                return;
            if (!end && bytes[i][3] == SAC_MESSAGE_HELLO)
                sac_end_name(path);
            (void)sac_hub_take(net->hub, path, bytes[i], messages[i].msg_len, now_ns);
        }
    }
}

static void read_all(sac_net *net, int64_t now_ns)
{
    if (net->fd >= 0)
        read_socket(net, NULL, now_ns);
    for (uint32_t i = 0; i < net->n_ends; i++)
        if (net->ends[i]->fd >= 0)
            read_socket(net, net->ends[i], now_ns);
    for (uint32_t i = 0; i < net->n_ends; i++)
        sac_hub_has_room(&net->ends[i]->path);
}

static void close_fd(int fd)
{
    close(fd);
}

static void close_udp(sac_net *net)
{
    if (net->fd >= 0)
        close(net->fd);
    net->fd = -1;
}

const sac_net_fns sac_net_udp = {
    .carrier = {.send = send_udp, .keep = keep, .drop = sac_end_drop, .loses = true, .around = 28},
    .listen = listen_udp,
    .connect = connect_udp,
    .prepare = prepare,
    .wait = sac_net_poll_wait,
    .read = read_all,
    .close_fd = close_fd,
    .close = close_udp,
};
