/*
 * What is left of a stream, in a place where it can be gone back in: memory, or a temporary file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stop.h"
#include "base/system.h"
#include "io/in.h"

#define SPOOL_MEMORY ((size_t)1 << 20) /* what is longer goes to a file */

/* The stream to its end into fd, through `block` of SPOOL_MEMORY bytes, which begins with `size`.
 */
static sac_status spool_to(sac_in *in, int fd, uint8_t *block, size_t size, uint64_t max_bytes,
                           sac_error *err)
{
    uint64_t all = 0;
    ssize_t n = (ssize_t)size;
    do {
        all += (uint64_t)n;
        if (all > max_bytes)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: more than %llu bytes, and no end yet; what is longer is read from "
                            "a file",
                            in->name, (unsigned long long)max_bytes);
        if (!sac_write_all(fd, block, (size_t)n))
            return sac_fail(err, SAC_E_IO, "%s: in a temporary file: %s", in->name,
                            strerror(errno));
        n = sac_in_read_some(in, in->fd, block, SPOOL_MEMORY);
    } while (n > 0);
    if (n < 0)
        return sac_fail(err, SAC_E_IO, "%s: %s", in->name, strerror(in->error));
    in->start = 0;
    in->left = all;
    return lseek(fd, 0, SEEK_SET) == 0
               ? SAC_OK
               : sac_fail(err, SAC_E_IO, "%s: in a temporary file: %s", in->name, strerror(errno));
}

/* The whole stream in `block`, or in a file that then stands for it. */
static sac_status spool(sac_in *in, uint8_t *block, uint64_t max_bytes, sac_error *err)
{
    size_t size = (size_t)(in->end - in->next);
    if (size)
        memcpy(block, in->next, size);
    for (ssize_t n = 1; size < SPOOL_MEMORY && n > 0; size += n > 0 ? (size_t)n : 0) {
        n = sac_in_read_some(in, in->fd, block + size, SPOOL_MEMORY - size);
        if (n < 0)
            return sac_fail(err, SAC_E_IO, "%s: %s", in->name, strerror(in->error));
    }
    if (size < SPOOL_MEMORY) {
        in->memory = block;
        in->next = block;
        in->end = block + size;
        in->left = 0;
        return SAC_OK;
    }
    int fd = sac_system_file_temporary();
    if (fd < 0)
        return sac_fail(err, SAC_E_IO, "%s: no temporary file to keep it in: %s", in->name,
                        strerror(errno));
    sac_status st = spool_to(in, fd, block, size, max_bytes, err);
    if (st != SAC_OK) {
        close(fd);
        return st;
    }
    if (in->owns_fd)
        close(in->fd);
    in->fd = fd;
    in->owns_fd = true;
    in->next = in->end = in->buffer;
    return SAC_OK;
}

sac_status sac_in_spool(sac_in *in, uint64_t max_bytes, sac_error *err)
{
    if (!in->is_stream)
        return SAC_OK;
    uint8_t *block = sac_alloc(SPOOL_MEMORY, 1);
    if (!block)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for %zu bytes", in->name, SPOOL_MEMORY);
    sac_status st = spool(in, block, max_bytes, err);
    const bool in_memory = st == SAC_OK && in->memory;
    if (!in_memory)
        sac_free(block);
    else if (in->owns_fd)
        close(in->fd);
    if (in_memory) {
        in->fd = -1;
        in->owns_fd = false;
    }
    in->is_stream = st != SAC_OK;
    return st;
}
