/*
 * Reading .sdv files: packet by packet, with or without their index.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stop.h"
#include "delta/sdv.h"

#define READ_STEP ((size_t)1 << 20) /* memory grows as bytes come, not as a header promises */

/* What is read through a FILE of our own where it can be stopped. */
typedef struct source {
    int fd, stop_fd;
} source;

struct sac_sdv_reader {
    FILE *file;
    source source;
    char name[SAC_SDV_NAME];
    bool is_indexed; /* by the file itself */
    sac_sdv_index index;
    uint8_t *packet; /* the one that was given out, and what was read behind it */
    size_t room, n;  /* n: bytes that are there */
    size_t done;     /* so many of them go with the next call */
    uint64_t offset; /* of the first in the file */
};

/* Room for `size` bytes in the buffer, which keeps what is there. */
static bool grow(sac_sdv_reader *reader, size_t size)
{
    if (size <= reader->room)
        return true;
    size_t room = size > 2 * reader->room ? size : 2 * reader->room;
    uint8_t *packet = sac_alloc(room, 1);
    if (!packet)
        return false;
    if (reader->n)
        memcpy(packet, reader->packet, reader->n);
    sac_free(reader->packet);
    reader->packet = packet;
    reader->room = room;
    return true;
}

/* Reads on until there are `size` bytes; false where there are not. */
static bool fill(sac_sdv_reader *reader, size_t size)
{
    while (reader->n < size) {
        size_t left = size - reader->n, step = left < READ_STEP ? left : READ_STEP;
        if (!grow(reader, reader->n + step))
            break;
        size_t n = fread(reader->packet + reader->n, 1, step, reader->file);
        reader->n += n;
        if (n < step)
            break;
    }
    return reader->n >= size;
}

/* Forgets what was given out. */
static void drop(sac_sdv_reader *reader)
{
    reader->n -= reader->done;
    if (reader->n && reader->done)
        memmove(reader->packet, reader->packet + reader->done, reader->n);
    reader->offset += reader->done;
    reader->done = 0;
}

static bool go(sac_sdv_reader *reader, uint64_t offset)
{
    reader->offset = offset;
    reader->n = reader->done = 0;
    return offset <= INT64_MAX && fseeko(reader->file, (off_t)offset, SEEK_SET) == 0;
}

/* The index, where the file has a sound one. */
static bool read_index(sac_sdv_reader *reader)
{
    if (fseeko(reader->file, 0, SEEK_END) != 0)
        return false;
    uint64_t end = (uint64_t)ftello(reader->file);
    if (end < SAC_SDV_TAIL || !go(reader, end - SAC_SDV_TAIL) || !fill(reader, SAC_SDV_TAIL))
        return false;
    uint64_t start = sac_delta_get64(reader->packet);
    uint64_t size = start < end ? end - start : 0;
    if (size < SAC_SDV_HEAD + SAC_SDV_TAIL || !go(reader, start) || !fill(reader, (size_t)size))
        return false;
    const uint8_t *at = reader->packet;
    uint64_t n = (size - SAC_SDV_HEAD - SAC_SDV_TAIL) / SAC_SDV_ENTRY;
    if (sac_delta_get32(at) != SAC_SDV_MAGIC || at[4] != SAC_SDV_VERSION ||
        sac_delta_get64(at + 16) != n || SAC_SDV_HEAD + n * SAC_SDV_ENTRY + SAC_SDV_TAIL != size ||
        sac_delta_get64(at + size - 8) != sac_delta_checksum(at, (size_t)size - 8))
        return false;
    const uint8_t *entry = at + SAC_SDV_HEAD;
    for (uint64_t i = 0; i < n; i++, entry += SAC_SDV_ENTRY) {
        sac_delta_header key = {.frame = sac_delta_get64(entry + 8),
                                .time_ns = sac_delta_get64(entry + 16),
                                .is_key = true};
        if (sac_sdv_index_add(&reader->index, sac_delta_get64(entry), &key) != SAC_OK)
            return false;
    }
    reader->index.n_frames = sac_delta_get64(at + 8);
    return true;
}

static ssize_t read_source(void *cookie, char *to, size_t size)
{
    const source *from = cookie;
    return sac_stop_read(from->fd, to, size, from->stop_fd);
}

static int close_source(void *cookie)
{
    const source *from = cookie;
    return from->fd != STDIN_FILENO ? close(from->fd) : 0;
}

/* A FILE whose reads wait for stop_fd too; of a regular file, which never waits for long, as ever.
 */
static FILE *open_source(source *from, const char *path, int stop_fd)
{
    static const cookie_io_functions_t functions = {.read = read_source, .close = close_source};
    const bool is_stdin = strcmp(path, "-") == 0;
    struct stat st;
    if (stop_fd < 0)
        return is_stdin ? stdin : fopen(path, "rbe");
    *from = (source){is_stdin ? STDIN_FILENO : sac_stop_open(path, stop_fd), stop_fd};
    if (from->fd < 0)
        return NULL;
    if (fstat(from->fd, &st) == 0 && S_ISREG(st.st_mode))
        return is_stdin ? stdin : fdopen(from->fd, "rb");
    return fopencookie(from, "rb", functions);
}

sac_status sac_sdv_reader_open(sac_sdv_reader **out, const char *path, sac_error *err)
{
    return sac_sdv_reader_open_stoppable(out, path, SAC_NO_STOP, err);
}

sac_status sac_sdv_reader_open_stoppable(sac_sdv_reader **out, const char *path, int stop_fd,
                                         sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "path" : "out");
    *out = NULL;
    sac_status status = sac_delta_codec_check(false, err);
    if (status)
        return status;
    sac_sdv_reader *reader = sac_alloc(1, sizeof *reader);
    if (!reader)
        return sac_fail(err, SAC_E_NOMEM, "%.100s: no memory to read it", path);
    reader->source.stop_fd = SAC_NO_STOP;
    const bool is_stdin = strcmp(path, "-") == 0;
    reader->file = open_source(&reader->source, path, stop_fd);
    if (!reader->file) {
        sac_free(reader);
        return sac_fail(err, SAC_E_IO, "%.100s: cannot be read: %s", path, strerror(errno));
    }
    snprintf(reader->name, sizeof reader->name, "%s", is_stdin ? "standard input" : path);
    if (!is_stdin) {
        reader->is_indexed = read_index(reader);
        if (!reader->is_indexed)
            reader->index.n_keys = reader->index.n_frames = 0;
        if (!go(reader, 0))
            clearerr(reader->file); /* a pipe: nothing was read of it */
    }
    *out = reader;
    return SAC_OK;
}

/* Where among the next `most` bytes, but not at their beginning, a packet or the index may begin;
 * else how many there are. */
static size_t find(sac_sdv_reader *reader, size_t most)
{
    for (size_t i = 1; i < most && fill(reader, i + 4); i++) {
        uint32_t magic = sac_delta_get32(reader->packet + i);
        if (magic == SAC_DELTA_MAGIC || magic == SAC_SDV_MAGIC)
            return i;
    }
    return most < reader->n ? most : reader->n;
}

static sac_status not_read(sac_sdv_reader *reader, sac_error *err)
{
    int error = errno;
    clearerr(reader->file);
    if (error == ECANCELED && reader->source.stop_fd >= 0)
        return sac_fail(err, SAC_CANCELLED, "%s: stopped", reader->name);
    return sac_fail(err, SAC_E_IO, "%s: cannot be read: %s", reader->name, strerror(error));
}

sac_status sac_sdv_read(sac_sdv_reader *reader, sac_delta_packet *packet, sac_error *err)
{
    *packet = (sac_delta_packet){0};
    drop(reader);
    unsigned long long at = reader->offset;
    bool some = fill(reader, SAC_DELTA_HEADER + SAC_DELTA_TAIL) || reader->n;
    if (ferror(reader->file))
        return not_read(reader, err);
    if (!some || (reader->n >= 4 && sac_delta_get32(reader->packet) == SAC_SDV_MAGIC))
        return SAC_END;
    sac_delta_header header;
    sac_delta_fault fault = sac_delta_header_get(&header, reader->packet, reader->n);
    if (fault == SAC_DELTA_SOUND && !fill(reader, header.size))
        fault = SAC_DELTA_TRUNCATED;
    if (ferror(reader->file))
        return not_read(reader, err);
    if (fault != SAC_DELTA_SOUND) {
        reader->done = find(reader, READ_STEP);
        return sac_fail(err, SAC_E_FORMAT,
                        fault == SAC_DELTA_TRUNCATED
                            ? "%s: the packet at byte %llu is cut short"
                            : "%s: no packet of a delta stream at byte %llu",
                        reader->name, at);
    }
    size_t sealed = header.size - SAC_DELTA_TAIL;
    bool whole =
        sac_delta_get64(reader->packet + sealed) == sac_delta_checksum(reader->packet, sealed);
    reader->done = whole ? header.size : find(reader, header.size); /* its size may be wrong */
    *packet = (sac_delta_packet){
        .data = reader->packet,
        .size = header.size,
        .frame = header.frame,
        .time_ns = header.time_ns,
        .is_key = header.is_key,
    };
    return SAC_OK;
}

/* An index made by looking through the file, as far as there are packets. */
static bool make_index(sac_sdv_reader *reader)
{
    sac_delta_header header;
    uint64_t offset = 0;
    reader->index.n_keys = 0;
    while (go(reader, offset) && fill(reader, SAC_DELTA_HEADER + SAC_DELTA_TAIL)) {
        if (sac_delta_header_get(&header, reader->packet, reader->n) != SAC_DELTA_SOUND)
            break;
        if (sac_sdv_index_add(&reader->index, offset, &header) != SAC_OK)
            return false;
        offset += header.size;
    }
    return true;
}

sac_status sac_sdv_seek(sac_sdv_reader *reader, uint64_t frame, sac_error *err)
{
    if (fseeko(reader->file, 0, SEEK_SET) != 0)
        return sac_fail(err, SAC_E_IO, "%s: cannot be sought in: %s", reader->name,
                        strerror(errno));
    if (!reader->is_indexed && !make_index(reader))
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for the index", reader->name);
    uint64_t offset = 0;
    for (size_t i = 0; i < reader->index.n_keys; i++)
        if (reader->index.keys[i].frame <= frame)
            offset = reader->index.keys[i].offset;
    if (!go(reader, offset))
        return sac_fail(err, SAC_E_IO, "%s: cannot be sought in: %s", reader->name,
                        strerror(errno));
    return SAC_OK;
}

uint64_t sac_sdv_reader_get_frames(const sac_sdv_reader *reader)
{
    return reader->is_indexed ? reader->index.n_frames : 0;
}

void sac_sdv_reader_close(sac_sdv_reader **reader)
{
    if (!reader || !*reader)
        return;
    if ((*reader)->file != stdin)
        fclose((*reader)->file);
    sac_free((*reader)->index.keys);
    sac_free((*reader)->packet);
    sac_free(*reader);
    *reader = NULL;
}
