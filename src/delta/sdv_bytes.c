/*
 * A window of bytes that moves along a file or a stream.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stop.h"
#include "delta/sdv_bytes.h"

/* Room behind what is there, for some of the `size` bytes that are wanted in all: memory grows as
 * bytes come, not as a header promises. What is there moves only where at least a quarter as much
 * has gone before it, or memory grows by half. */
static bool make_room(sac_sdv_bytes *in, size_t size)
{
    const size_t has = sac_sdv_bytes_left(in);
    if (in->n < in->room)
        return true;
    if (in->at > 0 && in->at >= has / 4) {
        memmove(in->bytes, sac_sdv_bytes_next(in), has);
    } else {
        size_t most = size + SAC_SDV_READ_STEP, room = has + has / 2 + SAC_SDV_READ_STEP;
        room = room < most ? room : most;
        uint8_t *bytes = sac_alloc(room, 1);
        if (!bytes)
            return false;
        if (has)
            memcpy(bytes, sac_sdv_bytes_next(in), has);
        sac_free(in->bytes);
        in->bytes = bytes;
        in->room = room;
    }
    in->at = 0;
    in->n = has;
    return true;
}

sac_sdv_filled sac_sdv_bytes_fill(sac_sdv_bytes *in, size_t size)
{
    while (sac_sdv_bytes_left(in) < size) {
        if (!make_room(in, size))
            return SAC_SDV_NO_MEMORY;
        size_t some = in->room - in->n, want = size - sac_sdv_bytes_left(in);
        want = want > in->step ? want : in->step;
        ssize_t n =
            sac_stop_read(in->fd, in->bytes + in->n, some < want ? some : want, in->stop_fd);
        if (n <= 0)
            return n == 0 ? SAC_SDV_ENDED : SAC_SDV_FAILED;
        in->n += (size_t)n;
    }
    return SAC_SDV_THERE;
}

void sac_sdv_bytes_pass(sac_sdv_bytes *in, size_t n)
{
    in->at += n;
    in->offset += n;
    if (in->at == in->n)
        in->at = in->n = 0;
}

bool sac_sdv_bytes_go(sac_sdv_bytes *in, uint64_t offset)
{
    in->offset = offset;
    in->at = in->n = 0;
    return offset <= INT64_MAX && lseek(in->fd, (off_t)offset, SEEK_SET) >= 0;
}

bool sac_sdv_bytes_read_at(const sac_sdv_bytes *in, uint8_t *to, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t n = pread(in->fd, to, size, (off_t)offset);
        if (n <= 0)
            return false;
        to += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

sac_status sac_sdv_bytes_failed(const sac_sdv_bytes *in, sac_sdv_filled why, sac_error *err)
{
    if (why == SAC_SDV_NO_MEMORY)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for a packet", in->name);
    if (errno == ECANCELED && in->stop_fd >= 0)
        return sac_fail(err, SAC_CANCELLED, "%s: stopped", in->name);
    return sac_fail(err, SAC_E_IO, "%s: cannot be read: %s", in->name, strerror(errno));
}
