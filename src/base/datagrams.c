/*
 * Sockets for datagrams, many datagrams a call: by Linux, and one by one by POSIX.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/system.h"

#include <fcntl.h>

#if SAC_LINUX
#include <netinet/in.h>

/* <linux/sock_diag.h>, which not every C library comes with. */
enum { MEMORY_DROPS = 8, MEMORY_VALUES = 9 }; /* SK_MEMINFO_DROPS, SK_MEMINFO_VARS */

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

int sac_system_socket(int family)
{
    return socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

int sac_system_send(int fd, sac_system_datagram *datagrams, unsigned n, bool may_wait)
{
    return sendmmsg(fd, datagrams, n, may_wait ? 0 : MSG_DONTWAIT);
}

int sac_system_receive(int fd, sac_system_datagram *datagrams, unsigned n)
{
    return recvmmsg(fd, datagrams, n, MSG_DONTWAIT, NULL);
}

/* Asked of the socket itself: what SO_RXQ_OVFL brings with a datagram is of the time before it, and
 * knows nothing of drops behind the last one. */
int64_t sac_system_dropped(int fd)
{
    uint32_t memory[MEMORY_VALUES] = {0};
    socklen_t size = sizeof memory;
    const bool knows = getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &size) == 0 &&
                       size > MEMORY_DROPS * sizeof *memory;
    return knows ? (int64_t)memory[MEMORY_DROPS] : -1;
}
#else
int sac_system_socket(int family)
{
    const int fd = socket(family, SOCK_DGRAM, 0);
    if (fd >= 0)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

int sac_system_send(int fd, sac_system_datagram *datagrams, unsigned n, bool may_wait)
{
    for (unsigned i = 0; i < n; i++) {
        const ssize_t went = sendmsg(fd, &datagrams[i].msg_hdr, may_wait ? 0 : MSG_DONTWAIT);
        if (went < 0)
            return i > 0 ? (int)i : -1;
        datagrams[i].msg_len = (unsigned)went;
    }
    return (int)n;
}

int sac_system_receive(int fd, sac_system_datagram *datagrams, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const ssize_t came = recvmsg(fd, &datagrams[i].msg_hdr, MSG_DONTWAIT);
        if (came < 0)
            return i > 0 ? (int)i : -1;
        datagrams[i].msg_len = (unsigned)came;
    }
    return (int)n;
}

int64_t sac_system_dropped(int fd)
{
    (void)fd;
    return -1;
}
#endif
