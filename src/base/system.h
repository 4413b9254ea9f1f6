/*
 * What saccade asks of the operating system beyond POSIX. Each function has two forms: Linux' own,
 * and one with POSIX alone for other systems. SAC_POSIX_ONLY takes the second on Linux, too: tests
 * compile and run it. Only src/stream/share* still knows Linux, and is left out elsewhere.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_SYSTEM_H
#define SAC_BASE_SYSTEM_H

#include <pthread.h>
#include <sys/socket.h>

#include "base/error.h"

#if defined(__linux__) && !defined(SAC_POSIX_ONLY)
#define SAC_LINUX 1
#else
#define SAC_LINUX 0
#endif

/* pthread_create, and the thread runs on this CPU from its first instruction; -1: anywhere. EINVAL
 * where this process may not run there; POSIX form: ENOTSUP. Its stack has 2 MiB at least, which
 * goes into `attributes`: musl's have 128 KiB, and kernels keep more than that there. */
SAC_INTERNAL int sac_system_thread(pthread_t *thread, pthread_attr_t *attributes, int32_t cpu,
                                   void *(*run)(void *arg), void *arg);

/* Chance that two processes do not share. 0 where there is none yet. */
SAC_INTERNAL uint32_t sac_system_chance(void);

/*
 * A file in `folder` that has no name and is gone when the program ends, however that ends; -1 and
 * errno where there is no such thing, as in the POSIX form. sac_system_file_name names it; false
 * and errno: EEXIST where that name is taken.
 */
SAC_INTERNAL int sac_system_file_unnamed(const char *folder, unsigned mode);
SAC_INTERNAL bool sac_system_file_name(int fd, const char *path);

/* Zeros that no compiler leaves out. */
SAC_INTERNAL void sac_system_wipe(void *bytes, size_t n);

/* Names by strverscmp: numbers in them by their value. */
SAC_INTERNAL int sac_system_compare_names(const char *a, const char *b);

/* A file for as long as it is open, in TMPDIR or /tmp; -1 and errno. */
SAC_INTERNAL int sac_system_file_temporary(void);

/* A socket for datagrams that no child keeps; -1 and errno. */
SAC_INTERNAL int sac_system_socket(int family);

/* A datagram, and how many bytes of it went. */
#if SAC_LINUX
typedef struct mmsghdr sac_system_datagram;
#else
typedef struct sac_system_datagram {
    struct msghdr msg_hdr;
    unsigned msg_len;
} sac_system_datagram;
#endif

/* sendmsg and recvmsg of `n` datagrams: how many went, or -1 and errno where the first did not. A
 * send waits for room where it may; a receive takes what has come. */
SAC_INTERNAL int sac_system_send(int fd, sac_system_datagram *datagrams, unsigned n, bool may_wait);
SAC_INTERNAL int sac_system_receive(int fd, sac_system_datagram *datagrams, unsigned n);

/* Datagrams that the system dropped for want of room in this socket; -1 where it does not say. */
SAC_INTERNAL int64_t sac_system_dropped(int fd);

#endif
