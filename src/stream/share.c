/*
 * A block of shared memory: its shape, how it is made, and how its sides wait for each other.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stream/share_door.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define CHUNK (INT64_C(16) << 20) /* bytes that are taken at once */

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U /* Linux 6.3 */
#endif

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
    *shape = (sac_share_shape){.policy = policy, .spin_us = spin_us};
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

bool sac_share_pause(_Atomic uint32_t *asleep, int32_t spin_us, sac_ready_fn ready, const void *of)
{
    const int64_t most = SAC_SHARE_PATIENCE_NS, spin_ns = INT64_C(1000) * spin_us;
    if (spin_us == SAC_STREAM_SPIN)
        return sac_spin(ready, of, most);
    return sac_spin(ready, of, spin_ns < most ? spin_ns : most) ||
           sac_sleep(asleep, true, ready, of, most);
}

/* Takes all of it now: a file with holes would end the program where no memory is left. In pieces,
 * since a signal undoes the piece that it comes into. */
static int allocate(int fd, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += CHUNK) {
        const int64_t n = bytes - at < CHUNK ? bytes - at : CHUNK;
        int failed = EINTR;
        while (failed == EINTR)
            failed = posix_fallocate(fd, at, n);
        if (failed)
            return failed;
    }
    return 0;
}

/* Half of the machine's memory: the system ends programs before it refuses them a memfd. */
static bool is_too_much(uint64_t bytes)
{
    struct sysinfo machine;
    return sysinfo(&machine) == 0 && bytes > (uint64_t)machine.totalram * machine.mem_unit / 2;
}

static int make_file(void)
{
    const int fd = memfd_create("saccade", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return fd >= 0 || errno != EINVAL ? fd
                                      : memfd_create("saccade", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* Fills the file and maps it. Nobody can change its size afterwards: an access behind its end would
 * end the program. */
static sac_status map(sac_share *s, int fd, sac_error *err)
{
    const size_t bytes = (size_t)s->shape.bytes;
    const int failed = allocate(fd, (int64_t)bytes);
    if (failed)
        return sac_fail(err, SAC_E_NOMEM, "shared: no memory for %zu bytes: %s", bytes,
                        strerror(failed));
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return sac_fail(err, SAC_E_UNSUPPORTED, "shared: the system seals no memory: %s",
                        strerror(errno));
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (at == MAP_FAILED)
        return sac_fail(err, SAC_E_NOMEM, "shared: no memory for %zu bytes: %s", bytes,
                        strerror(errno));
    (void)madvise(at, bytes, MADV_DONTFORK); /* else a child would keep it */
    s->block = at;
    return SAC_OK;
}

static sac_status make_block(sac_share *s, sac_error *err)
{
    if (is_too_much(s->shape.bytes))
        return sac_fail(err, SAC_E_NOMEM, "shared: %llu bytes are more than half of the memory",
                        (unsigned long long)s->shape.bytes);
    const int fd = make_file();
    if (fd < 0)
        return sac_fail(err, errno == ENOSYS ? SAC_E_UNSUPPORTED : SAC_E_NOMEM,
                        "shared: no memory to share: %s", strerror(errno));
    const sac_status status = map(s, fd, err);
    if (status) {
        (void)close(fd);
        return status;
    }
    return sac_share_door_serve(s->door, &s->shape, fd, err);
}

void sac_share_close(sac_share **share)
{
    if (!share || !*share)
        return;
    sac_share *s = *share;
    sac_share_door_close(&s->door);
    if (s->block)
        (void)munmap(s->block, (size_t)s->shape.bytes);
    sac_free(s);
    *share = NULL;
}

sac_status sac_share_open(sac_share **out, const sac_stream_desc *desc, sac_error *err)
{
    sac_share *s = *out = sac_alloc(1, sizeof *s);
    if (!s)
        return sac_fail(err, SAC_E_NOMEM, "stream: no memory for it");
    sac_status status = sac_share_check_name(desc->shared, err);
    atomic_store_explicit(&s->final, SAC_SHARE_OPEN, memory_order_relaxed);
    if (status == SAC_OK && !sac_share_lay_out(&s->shape, desc->frame_bytes, desc->capacity,
                                               desc->batch_max, desc->policy, desc->spin_us))
        status = sac_fail(err, SAC_E_NOMEM, "frame_bytes: %zu are too many", desc->frame_bytes);
    status = status ? status : sac_share_door_open(&s->door, desc->shared, err);
    status = status ? status : make_block(s, err);
    if (status)
        sac_share_close(out);
    return status;
}
