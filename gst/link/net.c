/*
 * What all carriers share: addresses, ends, waiting.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#define GREET_NS (2000 * SAC_MS) /* a connection that has not greeted by then goes */
#define LEAVE_NS (100 * SAC_MS)  /* that a goodbye has to leave, */
#define LOOK_NS (2 * SAC_MS)     /* and when to look whether it has */

static bool read_host(sac_uri *uri, const char *at, size_t n)
{
    const bool is_bracketed = n >= 2 && at[0] == '[' && at[n - 1] == ']';
    at += is_bracketed;
    n -= is_bracketed ? 2 : 0;
    if (n >= sizeof uri->host || (!is_bracketed && memchr(at, ':', n)) || memchr(at, '/', n))
        return false;
    memcpy(uri->host, at, n);
    uri->host[n] = '\0';
    return true;
}

static bool read_uri(sac_uri *uri, const char *text)
{
    static const char *const schemes[] = {
        [SAC_UDP] = "udp://", [SAC_TCP] = "tcp://", [SAC_SRT] = "srt://"};
    *uri = (sac_uri){0};
    for (int i = 0; i < 3; i++)
        if (strncmp(text, schemes[i], 6) == 0) {
            uri->scheme = (sac_scheme)i;
            text += 6;
            break;
        } else if (i == 2)
            return false;
    const char *end = text + strcspn(text, "?"), *colon = end;
    while (colon > text && *colon != ':')
        colon--;
    const size_t digits = strspn(colon + (*colon == ':'), "0123456789");
    if (*colon != ':' || digits < 1 || digits > 5 || colon + 1 + digits != end ||
        atoi(colon + 1) > 65535 || !read_host(uri, text, (size_t)(colon - text)))
        return false;
    memcpy(uri->port, colon + 1, digits);
    uri->is_waiter = uri->host[0] == '\0';
    if (strcmp(end, "?mode=listener") == 0)
        uri->is_waiter = true;
    else if (*end && strcmp(end, "?mode=caller") != 0)
        return false;
    return uri->is_waiter || (uri->host[0] != '\0' && atoi(uri->port) > 0);
}

sac_status sac_uri_read(sac_uri *uri, const char *text, sac_error *err)
{
    return text && read_uri(uri, text)
               ? SAC_OK
               : sac_fail(err, SAC_E_INVALID,
                          "uri: expected udp://, tcp:// or srt:// with HOST:PORT to connect, or "
                          ":PORT (or ?mode=listener) to wait, got `%.100s`",
                          text ? text : "");
}

static struct addrinfo *look_up(const sac_net *net, int type, const char **why)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = type,
                                   .ai_flags = net->uri.is_waiter ? AI_PASSIVE : 0};
    struct addrinfo *found = NULL;
    const char *host = net->uri.host[0]             ? net->uri.host
                       : net->uri.scheme == SAC_SRT ? "0.0.0.0"
                                                    : "::";
    const int failed = getaddrinfo(host, net->uri.port, &hints, &found);
    *why = failed ? gai_strerror(failed) : NULL;
    return found;
}

bool sac_net_resolve(sac_net *net, const char **why)
{
    struct addrinfo *found =
        look_up(net, net->uri.scheme == SAC_TCP ? SOCK_STREAM : SOCK_DGRAM, why);
    if (!found)
        return false;
    uint32_t n = 0;
    for (const struct addrinfo *a = found; a; a = a->ai_next)
        n++;
    const struct addrinfo *next = found;
    for (uint32_t i = net->n_resolved++ % n; i > 0; i--)
        next = next->ai_next;
    memcpy(&net->to, next->ai_addr, next->ai_addrlen);
    net->to_size = next->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

void sac_net_note(sac_net *net, const char *why)
{
    char text[SAC_LINK_TEXT];
    if (why && strcmp(net->why, why) != 0) {
        snprintf(text, sizeof text, "%s: %s", net->uri.host, why);
        sac_hub_event(net->hub, SAC_LINK_UNKNOWN, text);
    }
    snprintf(net->why, sizeof net->why, "%s", why ? why : "no answer");
}

int sac_net_socket(int family, int type)
{
    return socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void sac_net_buffer(int fd, int option, int bytes)
{
#ifdef SO_RCVBUFFORCE
    const int force = option == SO_RCVBUF ? SO_RCVBUFFORCE : SO_SNDBUFFORCE;
    if (setsockopt(fd, SOL_SOCKET, force, &bytes, sizeof bytes) == 0)
        return;
#endif
    (void)setsockopt(fd, SOL_SOCKET, option, &bytes, sizeof bytes);
}

/* The net's socket, at its address; that of every address takes IPv4 and IPv6. */
sac_status sac_net_bind(sac_net *net, int type, sac_error *err)
{
    const int on = 1, off = 0;
    const char *why = NULL;
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    if (!sac_net_resolve(net, &why))
        return sac_fail(err, SAC_E_IO, "uri: %.100s: %s", net->uri.host, why);
    net->fd = sac_net_socket(net->to.ss_family, type);
    if (net->fd < 0 && net->to.ss_family == AF_INET6 && !net->uri.host[0]) { /* a host without it */
        struct sockaddr_in v4 = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)atoi(net->uri.port))};
        memcpy(&net->to, &v4, sizeof v4);
        net->to_size = sizeof v4;
        net->fd = sac_net_socket(AF_INET, type);
    }
    if (net->fd >= 0 && type == SOCK_STREAM)
        (void)setsockopt(net->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (net->fd >= 0 && net->to.ss_family == AF_INET6)
        (void)setsockopt(net->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (net->fd < 0 || bind(net->fd, (const struct sockaddr *)&net->to, net->to_size) != 0 ||
        getsockname(net->fd, (struct sockaddr *)&name, &size) != 0)
        return sac_fail(err, SAC_E_IO, "uri: %.100s:%s: %s", net->uri.host, net->uri.port,
                        strerror(errno));
    net->port =
        ntohs(((const struct sockaddr_in *)&name)->sin_port); /* at the same place in both */
    return SAC_OK;
}

void sac_end_address(sac_path *path, const struct sockaddr_storage *name)
{
    memset(path->address, 0, sizeof path->address);
    if (name->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)name;
        memcpy(path->address, &in->sin6_addr, 16);
        memcpy(path->address + 16, &in->sin6_port, 2);
        memcpy(path->address + 18, &in->sin6_scope_id, 4);
    } else {
        const struct sockaddr_in *in = (const struct sockaddr_in *)name;
        memset(path->address + 10, 0xff, 2); /* as IPv6 has it, ::ffff:a.b.c.d */
        memcpy(path->address + 12, &in->sin_addr, 4);
        memcpy(path->address + 16, &in->sin_port, 2);
    }
}

void sac_end_name(sac_path *path)
{
    char host[INET6_ADDRSTRLEN] = "?";
    struct in6_addr address;
    uint16_t port;
    memcpy(&address, path->address, sizeof address);
    memcpy(&port, path->address + 16, sizeof port);
    const bool is_v4 = IN6_IS_ADDR_V4MAPPED(&address);
    (void)inet_ntop(is_v4 ? AF_INET : AF_INET6, path->address + (is_v4 ? 12 : 0), host,
                    sizeof host);
    snprintf(path->name, sizeof path->name, is_v4 ? "%s:%d" : "[%s]:%d", host, ntohs(port));
}

sac_end *sac_end_new(sac_net *net, int fd, const struct sockaddr_storage *name, socklen_t size,
                     int64_t now_ns)
{
    sac_end *end = net->n_ends < SAC_NET_ENDS ? calloc(1, sizeof *end) : NULL;
    if (!end) {
        if (fd >= 0)
            net->fns->close_fd(fd);
        return NULL;
    }
    end->fd = fd;
    end->since_ns = now_ns;
    memcpy(&end->name, name, size);
    end->name_size = size;
    sac_end_address(&end->path, name);
    sac_end_name(&end->path);
    net->ends[net->n_ends++] = end;
    return end;
}

sac_path *sac_end_keep(void *net, sac_path *path)
{
    (void)net;
    return path;
}

void sac_end_drop(void *net, sac_path *path)
{
    (void)net;
    ((sac_end *)path)->is_dead = true;
}

static void free_end(sac_net *net, sac_end *end)
{
    if (end->fd >= 0)
        net->fns->close_fd(end->fd);
    free(end->in);
    free(end->out);
    free(end);
}

/* Whether an end's last message has left, or never will. */
static bool may_go(const sac_net *net, sac_end *end, int64_t now_ns)
{
    if (end->path.is_broken || !net->fns->has_left || net->fns->has_left(end->fd))
        return true;
    end->leave_ns = end->leave_ns ? end->leave_ns : now_ns + LEAVE_NS;
    return now_ns >= end->leave_ns;
}

int64_t sac_net_sweep(sac_net *net, int64_t now_ns)
{
    int64_t until = INT64_MAX;
    for (uint32_t i = 0; i < net->n_ends; i++) {
        sac_end *end = net->ends[i];
        const int64_t late_ns = end->since_ns + GREET_NS;
        if (!end->is_dead && net->uri.is_waiter && !end->path.session) {
            end->path.is_broken |= now_ns >= late_ns;
            until = late_ns < until ? late_ns : until;
        }
        if (!end->is_dead && end->path.is_broken)
            sac_hub_break(net->hub, &end->path);
        if (end->is_dead && !may_go(net, end, now_ns)) {
            until = now_ns + LOOK_NS < until ? now_ns + LOOK_NS : until;
        } else if (end->is_dead || end->path.is_broken) {
            free_end(net, end);
            net->ends[i--] = net->ends[--net->n_ends];
        }
    }
    return until;
}

void sac_net_make_way(sac_net *net, int64_t now_ns)
{
    sac_end *oldest = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < net->n_ends; i++) {
        sac_end *end = net->ends[i];
        if (end->path.session || end->path.is_broken)
            continue;
        n++;
        oldest = !oldest || end->since_ns < oldest->since_ns ? end : oldest;
    }
    if (n < SAC_NET_PENDING)
        return;
    oldest->path.is_broken = true;
    (void)sac_net_sweep(net, now_ns);
}

void sac_net_wake(sac_net *net)
{
    const uint64_t one = 1;
    (void)!write(net->wake_fd, &one, sizeof one);
}

void sac_net_poll_begin(sac_net *net)
{
    net->n_polled = 0;
    sac_net_poll_add(net, net->wake_fd, POLLIN);
}

void sac_net_poll_add(sac_net *net, int fd, short events)
{
    net->polled[net->n_polled++] = (struct pollfd){.fd = fd, .events = events};
}

void sac_net_poll_wait(sac_net *net, int64_t ns)
{
    const struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    uint64_t count;
    (void)ppoll(net->polled, net->n_polled, ns < INT64_MAX / 2 ? &time : NULL, NULL);
    (void)!read(net->wake_fd, &count, sizeof count);
}

sac_status sac_net_open(sac_net *net, const sac_uri *uri, sac_hub *hub, int32_t mtu, sac_error *err)
{
    static const sac_net_fns *const all[] = {
        [SAC_UDP] = &sac_net_udp, [SAC_TCP] = &sac_net_tcp, [SAC_SRT] = &sac_net_srt};
    *net = (sac_net){.uri = *uri,
                     .fns = all[uri->scheme],
                     .hub = hub,
                     .mtu = mtu,
                     .fd = -1,
                     .wake_fd = -1,
                     .srt_epoll = -1};
    if (uri->scheme == SAC_SRT && !sac_net_has_srt())
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "uri: this build has no SRT: it lacks libsrt (Debian and Ubuntu: "
                        "libsrt-gnutls-dev)");
    net->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    net->bytes = malloc(SAC_MESSAGE_MOST + 1);
    if (net->wake_fd < 0 || !net->bytes)
        return sac_fail(err, SAC_E_NOMEM, "link: no memory, or too many open files");
    return net->fns->listen(net, err);
}

/* When the link is over there is nobody who would wait for this. */
static void let_leave(sac_net *net)
{
    bool waits = true;
    while (waits) { /* for all at once */
        const int64_t now_ns = sac_clock_ns();
        waits = false;
        for (uint32_t i = 0; i < net->n_ends; i++)
            waits |= !may_go(net, net->ends[i], now_ns);
        if (waits)
            sac_clock_sleep_until(now_ns + LOOK_NS);
    }
}

void sac_net_close(sac_net *net)
{
    if (net->fns && net->fns->close)
        net->fns->close(net); /* first: who is told goodbye would connect again */
    let_leave(net);
    while (net->n_ends > 0)
        free_end(net, net->ends[--net->n_ends]);
    if (net->wake_fd >= 0)
        close(net->wake_fd);
    free(net->bytes);
    net->bytes = NULL;
    net->fns = NULL;
}
