/*
 * Messages of SRT, by libsrt. Its own resending is used, and nothing of it delays or drops: a
 * picture that waits for the one before it gains nothing by either.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <srt/srt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "net.h"

#define LOOK_NS (2 * SAC_MS) /* that messages of a connection wait at most */
#define MISSED_NS (100 * SAC_MS)
#define LISTEN_NS (20 * SAC_MS) /* and connections */
#define MOST_READS 1024         /* of a connection, then others have their turn */
#define SEND_BUFFER (2 << 20)   /* bytes: more would only wait there */

bool sac_net_has_srt(void)
{
    return true;
}

static int send_srt(void *ctx, sac_path *path, const uint8_t *bytes, size_t n)
{
    const sac_end *end = (const sac_end *)path;
    (void)ctx;
    if (srt_sendmsg(end->fd, (const char *)bytes, (int)n, -1, 1) >= 0)
        return 1;
    return srt_getlasterror(NULL) == SRT_EASYNCSND ? 0 : -1;
}

static void set_bool(SRTSOCKET s, SRT_SOCKOPT option, bool value)
{
    (void)srt_setsockflag(s, option, &value, (int)sizeof value);
}

static void set_int(SRTSOCKET s, SRT_SOCKOPT option, int value)
{
    (void)srt_setsockflag(s, option, &value, (int)sizeof value);
}

static SRTSOCKET new_socket(void)
{
    const SRTSOCKET s = srt_create_socket();
    if (s == SRT_INVALID_SOCK)
        return s;
    set_int(s, SRTO_TRANSTYPE, SRTT_LIVE);
    set_bool(s, SRTO_TSBPDMODE, false);
    set_bool(s, SRTO_TLPKTDROP, false);
    set_int(s, SRTO_PAYLOADSIZE, SRT_LIVE_MAX_PLSIZE);
    set_int(s, SRTO_SNDBUF, SEND_BUFFER);
    set_int(s, SRTO_CONNTIMEO, 2000);
    set_bool(s, SRTO_SNDSYN, false);
    set_bool(s, SRTO_RCVSYN, false);
    return s;
}

static void close_fd(int fd)
{
    (void)srt_close(fd);
}

static bool has_left(int fd)
{
    int n = 0, size = sizeof n;
    return srt_getsockstate(fd) != SRTS_CONNECTED ||
           srt_getsockflag(fd, SRTO_SNDDATA, &n, &size) == SRT_ERROR || n == 0;
}

/* Of libsrt's threads: a connection will be there to be taken. */
static int on_connection(void *net, SRTSOCKET s, int version, const struct sockaddr *from,
                         const char *id)
{
    (void)s, (void)version, (void)from, (void)id;
    atomic_store_explicit(&((sac_net *)net)->srt_came_ns, sac_clock_ns(), memory_order_relaxed);
    return 0;
}

/* "Address already in use" says more than that a socket cannot be configured. */
static const char *reason(void)
{
    int number = 0;
    (void)srt_getlasterror(&number);
    return number ? strerror(number) : srt_getlasterror_str();
}

/* Once, until the process ends: srt_cleanup (1.5.1) frees sockets at once, also one whose
 * handshake another of its threads works on. */
static pthread_once_t started = PTHREAD_ONCE_INIT;
static bool has_started;

static void start_libsrt(void)
{
    has_started = srt_startup() >= 0;
    srt_setloglevel(LOG_CRIT); /* else whoever sends garbage fills standard error */
}

static sac_status listen_srt(sac_net *net, sac_error *err)
{
    const char *why = NULL;
    struct sockaddr_storage name;
    int size = sizeof name;
    pthread_once(&started, start_libsrt);
    if (!has_started)
        return sac_fail(err, SAC_E_NOMEM, "srt: libsrt does not start");
    net->srt_epoll = srt_epoll_create();
    if (net->srt_epoll < 0)
        return sac_fail(err, SAC_E_IO, "srt: %s", srt_getlasterror_str());
    if (!net->uri.is_waiter)
        return SAC_OK;
    if (!sac_net_resolve(net, &why))
        return sac_fail(err, SAC_E_IO, "uri: %.100s: %s", net->uri.host, why);
    net->fd = new_socket();
    if (net->fd == SRT_INVALID_SOCK ||
        srt_bind(net->fd, (const struct sockaddr *)&net->to, (int)net->to_size) != 0 ||
        srt_listen_callback(net->fd, on_connection, net) != 0 ||
        srt_listen(net->fd, SAC_NET_PENDING) != 0 ||
        srt_getsockname(net->fd, (struct sockaddr *)&name, &size) != 0)
        return sac_fail(err, SAC_E_IO, "uri: %.100s:%s: %s", net->uri.host, net->uri.port,
                        reason());
    net->port = ntohs(((const struct sockaddr_in *)&name)->sin_port);
    const int in = SRT_EPOLL_IN | SRT_EPOLL_ERR;
    (void)srt_epoll_add_usock(net->srt_epoll, net->fd, &in);
    return SAC_OK;
}

static bool connect_srt(sac_net *net, int64_t now_ns)
{
    const SRTSOCKET s = new_socket();
    if (s == SRT_INVALID_SOCK)
        return false;
    sac_end *end = sac_end_new(net, s, &net->to, net->to_size, now_ns);
    if (!end)
        return false;
    end->is_connecting = true;
    if (srt_connect(s, (const struct sockaddr *)&net->to, (int)net->to_size) == SRT_ERROR) {
        end->path.is_broken = true;
        return false;
    }
    sac_hub_connect(net->hub, &end->path, now_ns);
    net->hub->hello_ns = INT64_MAX; /* when it is connected */
    return true;
}

static void prepare(sac_net *net)
{
    sac_net_poll_begin(net);
}

/* SRT's own waiting looks every 10 ms only. */
static void wait_srt(sac_net *net, int64_t ns)
{
    const int64_t most = net->n_ends > 0 ? LOOK_NS : LISTEN_NS;
    SRT_EPOLL_EVENT event;
    sac_net_poll_wait(net, ns < most ? ns : most);
    net->srt_accepts = net->fd >= 0 && srt_epoll_uwait(net->srt_epoll, &event, 1, 0) > 0;
}

/* One, if there is one: libsrt writes a line to standard error where there is none. */
static void accept_one(sac_net *net, int64_t now_ns)
{
    struct sockaddr_storage from;
    int size = sizeof from;
    const SRTSOCKET s = srt_accept(net->fd, (struct sockaddr *)&from, &size);
    if (s == SRT_INVALID_SOCK)
        return;
    atomic_store_explicit(&net->srt_came_ns, 0, memory_order_relaxed);
    set_bool(s, SRTO_SNDSYN, false);
    set_bool(s, SRTO_RCVSYN, false);
    sac_net_make_way(net, now_ns);
    (void)sac_end_new(net, s, &from, (socklen_t)size, now_ns);
}

/* Whether a connection waits to be taken. libsrt says so; if it does not soon after one came, this
 * looks for itself. */
static bool has_come(sac_net *net, int64_t now_ns)
{
    const int64_t came_ns = atomic_load_explicit(&net->srt_came_ns, memory_order_relaxed);
    if (net->srt_accepts)
        return true;
    if (came_ns == 0 || now_ns - came_ns < MISSED_NS || now_ns - net->srt_looked_ns < MISSED_NS)
        return false;
    if (now_ns - came_ns > 10 * MISSED_NS) /* it has gone */
        atomic_store_explicit(&net->srt_came_ns, 0, memory_order_relaxed);
    net->srt_looked_ns = now_ns;
    return true;
}

static bool read_end(sac_net *net, sac_end *end, int64_t now_ns)
{
    for (int i = 0; i < MOST_READS && !end->is_dead && !end->path.is_broken; i++) {
        const int n = srt_recvmsg(end->fd, (char *)net->bytes, SAC_MESSAGE_MOST);
        if (n < 0)
            return srt_getlasterror(NULL) == SRT_EASYNCRCV;
        if (n == 0 || !sac_hub_take(net->hub, &end->path, net->bytes, (size_t)n, now_ns))
            return false;
    }
    return true;
}

static void read_all(sac_net *net, int64_t now_ns)
{
    if (net->fd >= 0 && has_come(net, now_ns))
        accept_one(net, now_ns);
    for (uint32_t i = 0; i < net->n_ends; i++) {
        sac_end *end = net->ends[i];
        if (end->is_dead)
            continue;
        const SRT_SOCKSTATUS state = srt_getsockstate(end->fd);
        if (end->is_connecting && state == SRTS_CONNECTED) {
            end->is_connecting = false;
            net->hub->hello_ns = now_ns;
        }
        if (state > SRTS_CONNECTED || (state == SRTS_CONNECTED && !read_end(net, end, now_ns)))
            end->path.is_broken = true;
        else
            sac_hub_has_room(&end->path);
    }
}

static void close_srt(sac_net *net)
{
    if (net->fd >= 0)
        (void)srt_close(net->fd);
    net->fd = -1;
    if (net->srt_epoll >= 0)
        (void)srt_epoll_release(net->srt_epoll);
    net->srt_epoll = -1;
}

const sac_net_fns sac_net_srt = {
    .carrier = {.send = send_srt,
                .keep = sac_end_keep,
                .drop = sac_end_drop,
                .most = SRT_LIVE_MAX_PLSIZE,
                .around = 44},
    .listen = listen_srt,
    .connect = connect_srt,
    .prepare = prepare,
    .wait = wait_srt,
    .read = read_all,
    .close_fd = close_fd,
    .has_left = has_left,
    .close = close_srt,
};
