/*
 * Datagrams wait in no order until their time has come.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "live_relay.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"

enum { CLIENTS = 16, ROOM = 4096, MOST = 65536, BUFFER = 8 << 20 };

typedef struct held {
    int64_t at_ns;
    int client;
    bool is_back; /* to the client */
    size_t n;
    uint8_t *bytes;
} held;

typedef struct state {
    relay *r;
    struct sockaddr_in clients[CLIENTS];
    int fds[CLIENTS]; /* towards `to`, one for each client */
    int n_clients, n_held;
    held *all;
    uint64_t drawn;
    int64_t begin_ns;
} state;

static double draw(state *s)
{
    return sac_random_uniform(s->r->faults.seed, s->drawn++);
}

static int new_socket(int32_t port, bool binds)
{
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), size = BUFFER;
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    const struct sockaddr *name = (const struct sockaddr *)&at;
    if ((binds ? bind(fd, name, sizeof at) : connect(fd, name, sizeof at)) == 0)
        return fd;
    close(fd);
    return -1;
}

static void hold(state *s, int client, bool is_back, const uint8_t *bytes, size_t n)
{
    const relay_faults *f = &s->r->faults;
    const int64_t now = sac_clock_ns();
    const double seconds = (double)(now - s->begin_ns) / 1e9;
    atomic_fetch_add(&s->r->n_datagrams, 1);
    const bool is_out = f->every_s > 0 && seconds - f->every_s * (int)(seconds / f->every_s) >
                                              f->every_s - f->outage_s;
    if (is_out || draw(s) < f->loss || s->n_held == MOST) {
        atomic_fetch_add(&s->r->n_lost, 1);
        return;
    }
    const int times = draw(s) < f->duplicate ? 2 : 1;
    for (int i = 0; i < times && s->n_held < MOST; i++) {
        held *h = &s->all[s->n_held++];
        *h = (held){.client = client, .is_back = is_back, .n = n, .bytes = malloc(n ? n : 1)};
        h->at_ns = now + (int64_t)(1e6 * (f->delay_ms + draw(s) * f->jitter_ms));
        memcpy(h->bytes, bytes, n);
        if (n > 0 && draw(s) < f->damage)
            h->bytes[(size_t)(draw(s) * (double)n)] ^= (uint8_t)(1 << (int)(8 * draw(s)));
    }
}

static int client_of(state *s, const struct sockaddr_in *from)
{
    for (int i = 0; i < s->n_clients; i++)
        if (s->clients[i].sin_port == from->sin_port)
            return i;
    const int fd = s->n_clients < CLIENTS ? new_socket(s->r->to, false) : -1;
    if (fd < 0)
        return -1;
    s->fds[s->n_clients] = fd;
    s->clients[s->n_clients] = *from;
    return s->n_clients++;
}

static void read_all(state *s)
{
    uint8_t bytes[ROOM];
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t n;
    while ((n = recvfrom(s->r->fd, bytes, ROOM, 0, (struct sockaddr *)&from, &size)) >= 0) {
        const int client = client_of(s, &from);
        if (client >= 0)
            hold(s, client, false, bytes, (size_t)n);
    }
    for (int i = 0; i < s->n_clients; i++)
        while ((n = recv(s->fds[i], bytes, ROOM, 0)) >= 0)
            hold(s, i, true, bytes, (size_t)n);
}

/* Lets go what is due, in the order of its time. Returns when more is. */
static int64_t emit(state *s, int64_t now)
{
    for (;;) {
        int next = -1;
        for (int i = 0; i < s->n_held; i++)
            if (next < 0 || s->all[i].at_ns < s->all[next].at_ns)
                next = i;
        if (next < 0 || s->all[next].at_ns > now)
            return next < 0 ? INT64_MAX : s->all[next].at_ns;
        const held h = s->all[next];
        s->all[next] = s->all[--s->n_held];
        if (h.is_back)
            (void)!sendto(s->r->fd, h.bytes, h.n, 0, (const struct sockaddr *)&s->clients[h.client],
                          sizeof s->clients[h.client]);
        else
            (void)!send(s->fds[h.client], h.bytes, h.n, 0);
        free(h.bytes);
    }
}

static void *run(void *arg)
{
    state s = {.r = arg, .begin_ns = sac_clock_ns()};
    struct pollfd polled[CLIENTS + 2];
    s.all = malloc(MOST * sizeof *s.all);
    for (bool stops = !s.all; !stops;) {
        const int64_t now = sac_clock_ns(), until = emit(&s, now);
        const int64_t ns = until == INT64_MAX ? 1000000000 : until > now ? until - now : 0;
        const struct timespec wait = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
        polled[0] = (struct pollfd){.fd = s.r->stop_fd, .events = POLLIN};
        polled[1] = (struct pollfd){.fd = s.r->fd, .events = POLLIN};
        for (int i = 0; i < s.n_clients; i++)
            polled[2 + i] = (struct pollfd){.fd = s.fds[i], .events = POLLIN};
        (void)ppoll(polled, (nfds_t)(2 + s.n_clients), &wait, NULL);
        stops = polled[0].revents != 0;
        read_all(&s);
    }
    while (s.n_held > 0)
        free(s.all[--s.n_held].bytes);
    while (s.n_clients > 0)
        close(s.fds[--s.n_clients]);
    free(s.all);
    return NULL;
}

bool relay_open(relay *r, int32_t port, int32_t to_port, const relay_faults *faults)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    *r = (relay){.faults = *faults, .to = to_port};
    r->fd = new_socket(port, true);
    r->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (r->fd < 0 || r->stop_fd < 0 || getsockname(r->fd, (struct sockaddr *)&at, &size) != 0 ||
        pthread_create(&r->thread, NULL, run, r) != 0)
        return false;
    r->port = ntohs(at.sin_port);
    return true;
}

void relay_close(relay *r)
{
    const uint64_t one = 1;
    (void)!write(r->stop_fd, &one, sizeof one);
    pthread_join(r->thread, NULL);
    close(r->fd);
    close(r->stop_fd);
}
