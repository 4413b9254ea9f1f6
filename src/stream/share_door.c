/*
 * The stream's name, and the thread that lets producers in.
 *
 * Whoever connects is heard for a second at most, and several at once, so that nobody can keep
 * others out by silence. What the name is bound to must not outlive the stream's process: a child
 * that it forks closes its copies at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stream/share_door.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "stream/thread.h"

#define BACKLOG 64
#define HEARD_NS INT64_C(1000000000) /* a caller that says nothing for so long is sent away */
#define DEAF_NS INT64_C(100000000)   /* where there are no descriptors for callers */

/* Places of descriptors; the first ones are polled. */
enum { WAKE = 0, NAME, CALLERS, N_POLLED = CALLERS + 16, PRODUCER = N_POLLED, BLOCK, N_PLACES };

/* Of the thread alone once it runs. Descriptors change under the lock, for forks. */
struct sac_share_door {
    struct pollfd at[N_PLACES]; /* fd -1: none */
    int64_t until_ns[N_POLLED]; /* of callers: when they are sent away; of the name: when it is
                                   listened to again */
    sac_share_shape shape;
    uid_t user;
    pthread_t thread;
    bool has_thread;
    sac_share_door *next;
};

/* All doors of this process: what a child has to close. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sac_share_door *doors;

static void close_at(sac_share_door *d, int place)
{
    if (d->at[place].fd >= 0)
        (void)close(d->at[place].fd);
    d->at[place].fd = -1;
}

static void before_fork(void)
{
    (void)pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    (void)pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    for (; doors; doors = doors->next)
        for (int i = 0; i < N_PLACES; i++)
            close_at(doors, i);
    (void)pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child);
}

socklen_t sac_share_address(struct sockaddr_un *to, const char *name)
{
    static const char prefix[] = SAC_SHARE_PREFIX;
    const size_t n = strlen(name), before = 1 + sizeof prefix - 1; /* abstract: a zero first */
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    memcpy(to->sun_path + 1, prefix, sizeof prefix - 1);
    memcpy(to->sun_path + before, name, n);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + before + n);
}

bool sac_share_has_hung_up(int fd)
{
    struct pollfd at = {.fd = fd};
    return poll(&at, 1, 0) > 0;
}

static bool is_allowed(const sac_share_door *d, int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == d->user || peer.uid == 0);
}

/* A place for one more caller: where all are taken, that of the one who is silent the longest. */
static int place_for_caller(sac_share_door *d)
{
    int oldest = CALLERS;
    for (int i = CALLERS; i < N_POLLED; i++) {
        if (d->at[i].fd < 0)
            return i;
        if (d->until_ns[i] < d->until_ns[oldest])
            oldest = i;
    }
    close_at(d, oldest);
    return oldest;
}

static void accept_caller(sac_share_door *d, int64_t now_ns)
{
    const int fd = accept4(d->at[NAME].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR))
        return; /* it has gone again */
    if (fd < 0) {
        /* Not again at once: the caller still stands there where descriptors ran out. */
        d->at[NAME].events = 0;
        d->until_ns[NAME] = now_ns + DEAF_NS;
    } else if (!is_allowed(d, fd)) {
        (void)close(fd);
    } else {
        const int place = place_for_caller(d);
        d->at[place] = (struct pollfd){.fd = fd, .events = POLLIN};
        d->until_ns[place] = now_ns + HEARD_NS;
    }
}

static bool reply_to(const sac_share_door *d, int fd, sac_share_answer answer)
{
    const sac_share_reply reply = {SAC_SHARE_MAGIC, SAC_SHARE_VERSION, answer, d->shape};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec from = {.iov_base = (void *)(uintptr_t)&reply, .iov_len = sizeof reply};
    struct msghdr message = {.msg_iov = &from, .msg_iovlen = 1};
    if (answer == SAC_SHARE_WELCOME) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &d->at[BLOCK].fd, sizeof(int));
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof reply;
}

static sac_share_answer answer_to(sac_share_door *d, const sac_share_request *r, ssize_t n)
{
    if (r->version != SAC_SHARE_VERSION || n != (ssize_t)sizeof *r)
        return SAC_SHARE_OTHER_VERSION;
    if (r->frame_bytes != d->shape.frame_bytes)
        return SAC_SHARE_OTHER_SIZE;
    /* Asked now: who has gone before this one came is known to be gone. */
    if (d->at[PRODUCER].fd >= 0 && sac_share_has_hung_up(d->at[PRODUCER].fd))
        close_at(d, PRODUCER);
    return d->at[PRODUCER].fd >= 0 ? SAC_SHARE_TAKEN : SAC_SHARE_WELCOME;
}

static void hear(sac_share_door *d, int place)
{
    sac_share_request request = {0};
    struct pollfd *caller = &d->at[place];
    const ssize_t n = recv(caller->fd, &request, sizeof request, MSG_DONTWAIT | MSG_TRUNC);
    if (n >= (ssize_t)offsetof(sac_share_request, frame_bytes) &&
        request.magic == SAC_SHARE_MAGIC) {
        const sac_share_answer answer = answer_to(d, &request, n);
        if (reply_to(d, caller->fd, answer) && answer == SAC_SHARE_WELCOME) {
            d->at[PRODUCER] = *caller;
            caller->fd = -1;
        }
    }
    close_at(d, place);
}

static void look_around(sac_share_door *d)
{
    const int64_t now_ns = sac_clock_ns();
    if (d->at[NAME].events == 0 && now_ns >= d->until_ns[NAME])
        d->at[NAME].events = POLLIN;
    for (int i = CALLERS; i < N_POLLED; i++)
        if (d->at[i].fd >= 0 && d->at[i].revents)
            hear(d, i);
        else if (now_ns >= d->until_ns[i])
            close_at(d, i);
    if (d->at[NAME].revents)
        accept_caller(d, now_ns);
}

/* Until the first deadline, in milliseconds; -1: there is none. */
static int patience_ms(const sac_share_door *d)
{
    int64_t first_ns = d->at[NAME].events ? INT64_MAX : d->until_ns[NAME];
    for (int i = CALLERS; i < N_POLLED; i++)
        if (d->at[i].fd >= 0 && d->until_ns[i] < first_ns)
            first_ns = d->until_ns[i];
    if (first_ns == INT64_MAX)
        return -1;
    const int64_t left_ns = first_ns - sac_clock_ns();
    return left_ns <= 0 ? 0 : (int)(left_ns / 1000000) + 1; /* within HEARD_NS */
}

static void *serve(void *arg)
{
    sac_share_door *d = arg;
    for (;;) {
        if (poll(d->at, N_POLLED, patience_ms(d)) < 0)
            continue; /* EINTR: nothing was looked at */
        if (d->at[WAKE].revents)
            return NULL;
        (void)pthread_mutex_lock(&lock);
        look_around(d);
        (void)pthread_mutex_unlock(&lock);
    }
}

/* Under the lock: no child has the name and is not known to close it. */
static sac_status take_name(sac_share_door *d, const char *name, sac_error *err)
{
    struct sockaddr_un at;
    const socklen_t length = sac_share_address(&at, name);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return sac_fail(err, SAC_E_IO, "shared: %.60s: no socket: %s", name, strerror(errno));
    d->at[NAME] = (struct pollfd){.fd = fd, .events = POLLIN};
    if (bind(fd, (const struct sockaddr *)&at, length) != 0 || listen(fd, BACKLOG) != 0)
        return sac_fail(err, SAC_E_IO,
                        errno == EADDRINUSE ? "shared: %.60s is another's already"
                                            : "shared: %.60s: the system refuses this name",
                        name);
    d->at[WAKE] = (struct pollfd){.fd = eventfd(0, EFD_CLOEXEC), .events = POLLIN};
    if (d->at[WAKE].fd < 0)
        return sac_fail(err, SAC_E_IO, "shared: %.60s: no descriptor: %s", name, strerror(errno));
    return SAC_OK;
}

void sac_share_door_close(sac_share_door **door)
{
    if (!door || !*door)
        return;
    sac_share_door *d = *door;
    if (d->has_thread) {
        (void)eventfd_write(d->at[WAKE].fd, 1);
        (void)pthread_join(d->thread, NULL);
    }
    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < N_PLACES; i++)
        close_at(d, i);
    sac_share_door **link = &doors;
    while (*link != d)
        link = &(*link)->next;
    *link = d->next;
    (void)pthread_mutex_unlock(&lock);
    sac_free(d);
    *door = NULL;
}

sac_status sac_share_door_open(sac_share_door **out, const char *name, sac_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sac_share_door *d = *out = sac_alloc(1, sizeof *d);
    if (!d)
        return sac_fail(err, SAC_E_NOMEM, "stream: no memory for its name");
    for (int i = 0; i < N_PLACES; i++)
        d->at[i].fd = -1;
    d->user = geteuid();
    (void)pthread_once(&once, watch_forks);
    (void)pthread_mutex_lock(&lock);
    const sac_status status = take_name(d, name, err);
    d->next = doors;
    doors = d;
    (void)pthread_mutex_unlock(&lock);
    if (status)
        sac_share_door_close(out);
    return status;
}

sac_status sac_share_door_serve(sac_share_door *d, const sac_share_shape *shape, int block_fd,
                                sac_error *err)
{
    (void)pthread_mutex_lock(&lock);
    d->shape = *shape;
    d->at[BLOCK].fd = block_fd;
    (void)pthread_mutex_unlock(&lock);
    const sac_status status = sac_thread_start(&d->thread, -1, 0, serve, d, err);
    d->has_thread = status == SAC_OK;
    return status;
}
