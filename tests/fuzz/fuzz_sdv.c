/*
 * libFuzzer on the reader of .sdv files: reading to the end, seeking with and without an index, and
 * the same through a pipe. The input is a file, with a byte before it: 1 sets the checksums of its
 * packets right, 2 makes what begins with SACX a sound index, 4 is a pipe; the rest is the limit.
 * Whatever it is, there is an end, and memory is bounded.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "delta/sdv.h"

static size_t allocated;

static bool count_bytes(size_t bytes)
{
    allocated += bytes;
    return true;
}

/* Sets checksums right from packet to packet, as far as there are some; returns where they end. */
static size_t seal_packets(uint8_t *file, size_t size)
{
    sac_delta_header h;
    size_t at = 0;
    while (at < size && sac_delta_header_get(&h, file + at, size - at) == SAC_DELTA_SOUND &&
           h.size <= size - at) {
        size_t sealed = h.size - SAC_DELTA_TAIL;
        sac_delta_put64(file + at + sealed, sac_delta_checksum(file + at, sealed));
        at += h.size;
    }
    return at;
}

static void seal_index(uint8_t *file, size_t size, size_t at)
{
    if (size - at < SAC_SDV_HEAD + SAC_SDV_TAIL || sac_delta_get32(file + at) != SAC_SDV_MAGIC ||
        (size - at - SAC_SDV_HEAD - SAC_SDV_TAIL) % SAC_SDV_ENTRY != 0)
        return;
    sac_delta_put64(file + at + 16, (size - at - SAC_SDV_HEAD - SAC_SDV_TAIL) / SAC_SDV_ENTRY);
    sac_delta_put64(file + size - 16, at);
    sac_delta_put64(file + size - 8, sac_delta_checksum(file + at, size - at - 8));
}

/* A file descriptor from which the bytes can be read: of a file, or of a pipe that has ended. */
static int open_bytes(const uint8_t *file, size_t size, bool is_pipe)
{
    int fds[2];
    fds[0] = fds[1] = -1;
    if (is_pipe ? pipe(fds) != 0 : (fds[1] = memfd_create("sdv", 0)) < 0)
        abort();
    if (write(fds[1], file, size) != (ssize_t)size) /* which a pipe has room for */
        abort();
    if (!is_pipe)
        return fds[1];
    close(fds[1]);
    return fds[0];
}

/* Reads on to the end, which must come. */
static void read_on(sac_sdv_reader *reader, size_t size)
{
    size_t calls = 0;
    for (sac_status st = SAC_OK; st != SAC_END; calls++) {
        sac_delta_packet packet;
        sac_error err = {0};
        st = sac_sdv_read(reader, &packet, &err);
        if ((st != SAC_OK && st != SAC_E_FORMAT && st != SAC_END) || calls > size + 2 ||
            (st == SAC_E_FORMAT && err.text[0] == '\0') ||
            (st == SAC_OK && (packet.size < 64 || packet.size > size)))
            abort();
        volatile uint64_t sum = st == SAC_OK ? sac_delta_checksum(packet.data, packet.size) : 0;
        (void)sum;
    }
}

static void read_and_seek(sac_sdv_reader *reader, size_t size, bool is_pipe)
{
    static const uint64_t frames[] = {0, 1, 5, UINT64_MAX};
    read_on(reader, size);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        if (sac_sdv_seek(reader, frames[i], NULL) != (is_pipe ? SAC_E_IO : SAC_OK))
            abort();
        read_on(reader, size);
    }
    if (allocated > 64 * size + ((size_t)1 << 20)) /* of the file, not of what headers say */
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const uint8_t how = data[0];
    const bool is_pipe = how & 4;
    uint8_t *file = malloc(--size);
    memcpy(file, data + 1, size);
    size_t end = how & 1 ? seal_packets(file, size) : 0;
    if (how & 2)
        seal_index(file, size, end);
    int fd = open_bytes(file, size, is_pipe);
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    sac_sdv_reader *reader = NULL;
    allocated = 0;
    sac_alloc_hook(count_bytes);
    if (sac_sdv_reader_open(&reader, path, NULL) != SAC_OK ||
        sac_sdv_reader_limit(reader, (uint64_t)1 << (how >> 3), NULL) != SAC_OK)
        abort();
    read_and_seek(reader, size, is_pipe);
    sac_sdv_reader_close(&reader);
    sac_alloc_hook(NULL);
    close(fd);
    free(file);
    return 0;
}
