/*
 * A producer asks a stream for its block.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "stream/share_door.h"

/* The shape as it came: only what lays out the same is one. */
static bool is_sound(const sac_share_shape *got)
{
    sac_share_shape want;
    const int64_t batch_max = (int64_t)got->n_slots - got->capacity - 1;
    return got->capacity >= 1 && got->capacity <= 1 << 20 && batch_max >= 1 && batch_max <= 4096 &&
           got->policy >= SAC_STREAM_WAIT && got->policy <= SAC_STREAM_DROP_OLDEST &&
           got->spin_us >= SAC_STREAM_SPIN &&
           sac_share_lay_out(&want, got->frame_bytes, (int32_t)got->capacity, (int32_t)batch_max,
                             got->policy, got->spin_us) &&
           memcmp(&want, got, sizeof want) == 0;
}

/* A block that cannot be cut short: else a write to it could end this process. */
static bool is_block(int fd, uint64_t bytes)
{
    struct stat of;
    const int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(fd, &of) == 0 &&
           of.st_size == (off_t)bytes;
}

static sac_status connect_until(int fd, const char *name, int64_t until_ns, sac_error *err)
{
    struct sockaddr_un to;
    const socklen_t length = sac_share_address(&to, name);
    for (int64_t left_ns; (left_ns = until_ns - sac_clock_ns()) > 0;) {
        const int64_t us = left_ns / 1000 + 1; /* 0 would be for ever */
        const struct timeval left = {.tv_sec = us / 1000000, .tv_usec = us % 1000000};
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &left, sizeof left);
        if (connect(fd, (const struct sockaddr *)&to, length) == 0)
            return SAC_OK;
        if (errno != EINTR && errno != EAGAIN)
            return sac_fail(err, SAC_E_IO, "shared: there is no stream at %.60s: %s", name,
                            strerror(errno));
    }
    return sac_fail(err, SAC_E_IO, "shared: the stream at %.60s accepted no producer within %d s",
                    name, SAC_SHARE_ATTACH_S);
}

/* The stream's process is of the same user, or this is root. */
static sac_status check_user(int fd, const char *name, sac_error *err)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
        (peer.uid != geteuid() && geteuid() != 0))
        return sac_fail(err, SAC_E_IO, "shared: %.60s is another user's", name);
    return SAC_OK;
}

static bool await_reply(int fd, int64_t until_ns)
{
    struct pollfd at = {.fd = fd, .events = POLLIN};
    for (int64_t left_ns; (left_ns = until_ns - sac_clock_ns()) > 0;)
        if (poll(&at, 1, (int)(left_ns / 1000000) + 1) > 0)
            return true;
    return false;
}

/* The bytes of the reply that came; *block_fd is -1 if no descriptor came along. */
static ssize_t receive(sac_share_reply *reply, int *block_fd, int fd)
{
    /* Room for one descriptor; the system closes any other. */
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct iovec to = {.iov_base = reply, .iov_len = sizeof *reply};
    struct msghdr message = {.msg_iov = &to,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = CMSG_LEN(sizeof(int))};
    const ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_TRUNC);
    const struct cmsghdr *head = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
    *block_fd = -1;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(block_fd, CMSG_DATA(head), sizeof *block_fd);
    return n;
}

static sac_status judge(const sac_share_reply *r, ssize_t n, int block_fd, const char *name,
                        size_t frame_bytes, sac_error *err)
{
    if (n <= 0)
        return sac_fail(err, SAC_E_IO, "shared: the stream at %.60s has ended or hung up", name);
    if (n < (ssize_t)offsetof(sac_share_reply, shape) || r->magic != SAC_SHARE_MAGIC)
        return sac_fail(err, SAC_E_FORMAT, "shared: %.60s does not belong to a stream", name);
    if (r->version != SAC_SHARE_VERSION)
        return sac_fail(err, SAC_E_FORMAT, "shared: %.60s: expected version %d, got %u", name,
                        SAC_SHARE_VERSION, r->version);
    if (r->answer == SAC_SHARE_TAKEN)
        return sac_fail(err, SAC_E_IO, "shared: another producer is attached to %.60s", name);
    if (n != (ssize_t)sizeof *r || !is_sound(&r->shape))
        return sac_fail(err, SAC_E_FORMAT, "shared: %.60s does not belong to a stream", name);
    if (r->shape.frame_bytes != frame_bytes)
        return sac_fail(err, SAC_E_INVALID, "frame_bytes: expected %llu, as %.60s has it, got %zu",
                        (unsigned long long)r->shape.frame_bytes, name, frame_bytes);
    if (r->answer != SAC_SHARE_WELCOME || block_fd < 0 || !is_block(block_fd, r->shape.bytes))
        return sac_fail(err, SAC_E_FORMAT, "shared: %.60s does not belong to a stream", name);
    return SAC_OK;
}

static sac_status ask(sac_share_place *out, const char *name, size_t frame_bytes, sac_error *err)
{
    const sac_share_request request = {
        .magic = SAC_SHARE_MAGIC, .version = SAC_SHARE_VERSION, .frame_bytes = frame_bytes};
    const int64_t until_ns = sac_clock_ns() + INT64_C(1000000000) * SAC_SHARE_ATTACH_S;
    sac_share_reply reply = {0};
    sac_status status = connect_until(out->fd, name, until_ns, err);
    status = status ? status : check_user(out->fd, name, err);
    if (status)
        return status;
    /* There is room for it: it is the first. Where it fails, there is no reply either. */
    (void)!send(out->fd, &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (!await_reply(out->fd, until_ns))
        return sac_fail(err, SAC_E_IO, "shared: the stream at %.60s gave no reply within %d s",
                        name, SAC_SHARE_ATTACH_S);
    const ssize_t n = receive(&reply, &out->block_fd, out->fd);
    out->shape = reply.shape;
    return judge(&reply, n, out->block_fd, name, frame_bytes, err);
}

sac_status sac_share_ask(sac_share_place *out, const char *name, size_t frame_bytes, sac_error *err)
{
    *out = (sac_share_place){.block_fd = -1};
    out->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (out->fd < 0)
        return sac_fail(err, SAC_E_IO, "shared: %.60s: no socket: %s", name, strerror(errno));
    const sac_status status = ask(out, name, frame_bytes, err);
    if (status) {
        if (out->block_fd >= 0)
            (void)close(out->block_fd);
        (void)close(out->fd);
    }
    return status;
}
