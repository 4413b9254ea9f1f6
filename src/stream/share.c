/*
 * A block of shared memory: its shape and name, how its sides know of each other and wait.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stream/share.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/relax.h"

#define LOOKS 64 /* between two readings of the clock */
#define TRIES 8  /* to make a block where others make and leave theirs */

sac_status sac_share_check_name(const char *name, sac_error *err)
{
    if (!name || name[0] != '/' || name[1] == '\0' || strchr(name + 1, '/') ||
        strlen(name) >= SAC_SHARE_NAME)
        return sac_fail(err, SAC_E_INVALID,
                        "shared: expected a name like /camera, of less than %d bytes and with no "
                        "other slash, got %.60s",
                        SAC_SHARE_NAME, name ? name : "NULL");
    return SAC_OK;
}

bool sac_share_lay_out(sac_share_shape *shape, uint64_t frame_bytes, int32_t capacity,
                       int32_t batch_max, int32_t policy, int32_t spin_us)
{
    const uint64_t line = SAC_ALIGNMENT, most = UINT64_C(1) << 62;
    *shape = (sac_share_shape){.version = SAC_SHARE_VERSION, .policy = policy, .spin_us = spin_us};
    shape->frame_bytes = frame_bytes;
    shape->capacity = (uint32_t)capacity;
    shape->n_slots = (uint32_t)capacity + (uint32_t)batch_max + 1;
    shape->slots_at = (sizeof(sac_share_block) + line - 1) / line * line;
    if (frame_bytes == 0 || frame_bytes > most / 2)
        return false;
    shape->slot_bytes = sizeof(sac_ring_slot) + (frame_bytes + line - 1) / line * line;
    if (shape->slot_bytes > (most - shape->slots_at) / shape->n_slots)
        return false;
    shape->bytes = shape->slots_at + shape->n_slots * shape->slot_bytes;
    return true;
}

static struct flock byte_of(sac_share_side side)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = side, .l_len = 1};
}

bool sac_share_lock(int fd, sac_share_side side)
{
    struct flock byte = byte_of(side);
    return fcntl(fd, F_OFD_SETLK, &byte) == 0;
}

bool sac_share_is_alive(int fd, sac_share_side side)
{
    struct flock byte = byte_of(side);
    return fcntl(fd, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

bool sac_share_pause(_Atomic uint32_t *asleep, int32_t spin_us, bool (*ready)(const void *),
                     const void *of)
{
    const struct timespec patience = {.tv_nsec = SAC_SHARE_PATIENCE_NS};
    const int64_t spin_ns = INT64_C(1000) * spin_us, begin = sac_clock_ns();
    const bool spins = spin_us == SAC_STREAM_SPIN || spin_ns > SAC_SHARE_PATIENCE_NS;
    const int64_t until = begin + (spins ? SAC_SHARE_PATIENCE_NS : spin_ns);
    while (spin_us != 0 && sac_clock_ns() < until)
        for (int i = 0; i < LOOKS; i++) {
            if (ready(of))
                return true;
            sac_relax();
        }
    if (spin_us == SAC_STREAM_SPIN)
        return false;
    /* This store and the loads of ready(), the other side's store of what they look at and its load
     * in sac_share_wake are sequentially consistent: one of the two sees the other. */
    atomic_store(asleep, 1);
    if (!ready(of))
        (void)syscall(SYS_futex, asleep, FUTEX_WAIT, 1, &patience, NULL, 0);
    atomic_store(asleep, 0);
    return ready(of);
}

void sac_share_wake(_Atomic uint32_t *asleep)
{
    if (atomic_load(asleep) != 0 && atomic_exchange(asleep, 0) != 0)
        (void)syscall(SYS_futex, asleep, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Whether the file of this name was left behind by a stream that ended without close. If so, it is
 * no more. */
static bool remove_stale(const char *name)
{
    uint64_t magic = 0;
    const int fd = shm_open(name, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0)
        return errno == ENOENT; /* it was removed just now */
    const bool stale = sac_share_lock(fd, SAC_SHARE_STREAM) &&
                       pread(fd, &magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                       magic == SAC_SHARE_MAGIC;
    if (stale)
        (void)shm_unlink(name);
    (void)close(fd);
    return stale;
}

/* A new file of this name, whose first byte is locked. */
static sac_status make(int *out, const char *name, sac_error *err)
{
    for (int i = 0; i < TRIES; i++) {
        struct stat of;
        const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            return sac_fail(err, SAC_E_IO, "shared: %.60s: %s", name, strerror(errno));
        if (fd < 0 && !remove_stale(name))
            return sac_fail(err, SAC_E_IO, "shared: %.60s is another's already", name);
        if (fd < 0)
            continue;
        if (sac_share_lock(fd, SAC_SHARE_STREAM) && fstat(fd, &of) == 0 && of.st_nlink > 0) {
            *out = fd;
            return SAC_OK;
        }
        (void)close(fd); /* somebody took it for one that was left behind */
    }
    return sac_fail(err, SAC_E_IO, "shared: %.60s: others make and remove it", name);
}

/* Memory is taken now: a file with holes would end the program where none is left. */
static sac_status map(sac_share *s, sac_error *err)
{
    const off_t bytes = (off_t)s->shape.bytes;
    const int failed = posix_fallocate(s->fd, 0, bytes);
    if (failed)
        return sac_fail(err, SAC_E_NOMEM, "shared: %.60s: no memory for %lld bytes: %s", s->name,
                        (long long)bytes, strerror(failed));
    void *at =
        mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, s->fd, 0);
    if (at == MAP_FAILED)
        return sac_fail(err, SAC_E_NOMEM, "shared: %.60s: %s", s->name, strerror(errno));
    s->block = at;
    s->block->shape = s->shape;
    /* Release, for the acquire of an attach. */
    atomic_store_explicit(&s->block->magic, SAC_SHARE_MAGIC, memory_order_release);
    return SAC_OK;
}

sac_status sac_share_open(sac_share **out, const sac_stream_desc *desc, sac_error *err)
{
    *out = NULL;
    sac_status status = sac_share_check_name(desc->shared, err);
    if (status)
        return status;
    sac_share *s = sac_alloc(1, sizeof *s);
    if (!s)
        return sac_fail(err, SAC_E_NOMEM, "stream: no memory for it");
    s->fd = -1;
    atomic_store_explicit(&s->final, SAC_SHARE_OPEN, memory_order_relaxed);
    strcpy(s->name, desc->shared); /* as long as it may be */
    if (!sac_share_lay_out(&s->shape, desc->frame_bytes, desc->capacity, desc->batch_max,
                           desc->policy, desc->spin_us))
        status = sac_fail(err, SAC_E_NOMEM, "frame_bytes: %zu are too many", desc->frame_bytes);
    if (status == SAC_OK)
        status = make(&s->fd, s->name, err);
    if (status == SAC_OK)
        status = map(s, err);
    if (status)
        sac_share_close(&s);
    *out = s;
    return status;
}

void sac_share_close(sac_share **share)
{
    if (!share || !*share)
        return;
    sac_share *s = *share;
    if (s->block)
        (void)munmap(s->block, (size_t)s->shape.bytes);
    if (s->fd >= 0) {
        (void)shm_unlink(s->name); /* before the lock goes */
        (void)close(s->fd);
    }
    sac_free(s);
    *share = NULL;
}
