/*
 * Threads, chance and files, by Linux and by POSIX.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)2 << 20)

static int make_room(pthread_attr_t *attributes)
{
    size_t has = 0;
    const int failed = pthread_attr_getstacksize(attributes, &has);
    return failed || has >= STACK_BYTES ? failed
                                        : pthread_attr_setstacksize(attributes, STACK_BYTES);
}

#if SAC_LINUX
#include <sys/random.h>

static int start_on(pthread_t *thread, pthread_attr_t *attributes, const cpu_set_t *cpus,
                    void *(*run)(void *), void *arg)
{
#ifdef __GLIBC__
    const int failed = pthread_attr_setaffinity_np(attributes, sizeof *cpus, cpus);
    return failed ? failed : pthread_create(thread, attributes, run, arg);
#else
    /* musl's attributes know no CPUs, but a thread inherits those of the one that starts it. */
    cpu_set_t before;
    int failed = pthread_getaffinity_np(pthread_self(), sizeof before, &before);
    if (!failed)
        failed = pthread_setaffinity_np(pthread_self(), sizeof *cpus, cpus);
    if (failed)
        return failed;
    failed = pthread_create(thread, attributes, run, arg);
    (void)pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    return failed;
#endif
}

int sac_system_thread(pthread_t *thread, pthread_attr_t *attributes, int32_t cpu,
                      void *(*run)(void *), void *arg)
{
    cpu_set_t cpus;
    const int failed = make_room(attributes);
    if (failed)
        return failed;
    if (cpu < 0)
        return pthread_create(thread, attributes, run, arg);
    if (cpu >= CPU_SETSIZE)
        return EINVAL;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)cpu, &cpus);
    return start_on(thread, attributes, &cpus, run, arg);
}

uint32_t sac_system_chance(void)
{
    uint32_t chance = 0;
    (void)!getrandom(&chance, sizeof chance, GRND_NONBLOCK);
    return chance;
}

void sac_system_wipe(void *bytes, size_t n)
{
    explicit_bzero(bytes, n);
}

int sac_system_compare_names(const char *a, const char *b)
{
    return strverscmp(a, b);
}

int sac_system_file_unnamed(const char *folder, unsigned mode)
{
    if (faccessat(AT_FDCWD, "/proc/self/fd", X_OK, AT_EACCESS) != 0)
        return -1;
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, (mode_t)mode);
}

bool sac_system_file_name(int fd, const char *path)
{
    char self[32];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}
#else
int sac_system_thread(pthread_t *thread, pthread_attr_t *attributes, int32_t cpu,
                      void *(*run)(void *), void *arg)
{
    const int failed = cpu < 0 ? make_room(attributes) : ENOTSUP;
    return failed ? failed : pthread_create(thread, attributes, run, arg);
}

uint32_t sac_system_chance(void)
{
    uint32_t chance = 0;
    const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    (void)!read(fd, &chance, sizeof chance);
    (void)close(fd);
    return chance;
}

void sac_system_wipe(void *bytes, size_t n)
{
    volatile unsigned char *at = bytes; /* so that every store stays */
    for (size_t i = 0; i < n; i++)
        at[i] = 0;
}

/* Leading zeros count for nothing but between equal numbers. */
int sac_system_compare_names(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    const char *at = a, *bt = b;
    while (*at && *bt) {
        const char *na = at + strspn(at, "0"), *nb = bt + strspn(bt, "0");
        const size_t la = strspn(na, digits), lb = strspn(nb, digits);
        const bool numbers = strspn(at, digits) > 0 && strspn(bt, digits) > 0;
        const int order = !numbers   ? (unsigned char)*at - (unsigned char)*bt
                          : la != lb ? (la < lb ? -1 : 1)
                                     : memcmp(na, nb, la);
        if (order != 0)
            return order;
        at = numbers ? na + la : at + 1;
        bt = numbers ? nb + lb : bt + 1;
    }
    return *at || *bt ? (unsigned char)*at - (unsigned char)*bt : strcmp(a, b);
}

int sac_system_file_unnamed(const char *folder, unsigned mode)
{
    (void)folder;
    (void)mode;
    errno = ENOTSUP;
    return -1;
}

bool sac_system_file_name(int fd, const char *path)
{
    (void)fd;
    (void)path;
    errno = ENOTSUP;
    return false;
}
#endif

int sac_system_file_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    char name[4096];
    folder = folder && *folder ? folder : "/tmp";
    int fd = sac_system_file_unnamed(folder, 0600);
    const int length = fd < 0 ? snprintf(name, sizeof name, "%s/saccade-XXXXXX", folder) : 0;
    if (fd >= 0 || length < 0 || (size_t)length >= sizeof name)
        return fd;
    fd = mkstemp(name);
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        (void)unlink(name);
    }
    return fd;
}
