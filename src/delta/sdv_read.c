/*
 * Reading .sdv files: packet by packet, with or without their index.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "delta/sdv.h"

#define READ_STEP ((size_t)1 << 20) /* memory grows as bytes come, not as a header promises */

struct sac_sdv_reader {
    FILE *file;
    uint64_t offset; /* of the next packet */
    bool is_indexed; /* by the file itself */
    sac_sdv_index index;
    uint8_t *packet;
    size_t room;
};

/* Room for `size` bytes in the buffer, which keeps the first `used`. */
static bool grow(sac_sdv_reader *reader, size_t size, size_t used)
{
    if (size <= reader->room)
        return true;
    size_t room = size > 2 * reader->room ? size : 2 * reader->room;
    uint8_t *packet = sac_alloc(room, 1);
    if (!packet)
        return false;
    if (used)
        memcpy(packet, reader->packet, used);
    sac_free(reader->packet);
    reader->packet = packet;
    reader->room = room;
    return true;
}

/* Reads up to `size` bytes in all into the buffer, which has `used` of them; returns how many there
 * are then. */
static size_t fill(sac_sdv_reader *reader, size_t used, size_t size)
{
    while (used < size) {
        size_t step = size - used < READ_STEP ? size - used : READ_STEP;
        if (!grow(reader, used + step, used))
            break;
        size_t n = fread(reader->packet + used, 1, step, reader->file);
        used += n;
        if (n < step)
            break;
    }
    return used;
}

static bool go(sac_sdv_reader *reader, uint64_t offset)
{
    reader->offset = offset;
    return offset <= INT64_MAX && fseeko(reader->file, (off_t)offset, SEEK_SET) == 0;
}

/* The index, where the file has a sound one. */
static bool read_index(sac_sdv_reader *reader)
{
    if (fseeko(reader->file, -(off_t)SAC_SDV_TAIL, SEEK_END) != 0)
        return false;
    uint64_t end = (uint64_t)ftello(reader->file) + SAC_SDV_TAIL;
    if (fill(reader, 0, SAC_SDV_TAIL) != SAC_SDV_TAIL)
        return false;
    uint64_t start = sac_delta_get64(reader->packet);
    uint64_t size = start < end ? end - start : 0;
    if (size < SAC_SDV_HEAD + SAC_SDV_TAIL || !go(reader, start) ||
        fill(reader, 0, (size_t)size) != size)
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

sac_status sac_sdv_reader_open(sac_sdv_reader **out, const char *path, sac_error *err)
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
    reader->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    if (!reader->file) {
        sac_free(reader);
        return sac_fail(err, SAC_E_IO, "%.100s: cannot be read: %s", path, strerror(errno));
    }
    if (reader->file != stdin) {
        reader->is_indexed = read_index(reader);
        if (!reader->is_indexed)
            reader->index.n_keys = reader->index.n_frames = 0;
        if (fseeko(reader->file, 0, SEEK_SET) != 0)
            clearerr(reader->file); /* a pipe: nothing was read of it */
        reader->offset = 0;
    }
    *out = reader;
    return SAC_OK;
}

sac_status sac_sdv_read(sac_sdv_reader *reader, sac_delta_packet *packet, sac_error *err)
{
    unsigned long long at = reader->offset;
    size_t n = fill(reader, 0, SAC_DELTA_HEADER + SAC_DELTA_TAIL);
    *packet = (sac_delta_packet){0};
    if (ferror(reader->file))
        return sac_fail(err, SAC_E_IO, "sdv: cannot be read: %s", strerror(errno));
    if (n == 0 || (n >= 4 && sac_delta_get32(reader->packet) == SAC_SDV_MAGIC))
        return SAC_AGAIN;
    sac_delta_header header;
    sac_delta_fault fault = sac_delta_header_get(&header, reader->packet, n);
    if (fault == SAC_DELTA_FOREIGN || fault == SAC_DELTA_DAMAGED)
        return sac_fail(err, SAC_E_FORMAT, "sdv: no packet at byte %llu", at);
    if (fault == SAC_DELTA_TRUNCATED || fill(reader, n, header.size) != header.size)
        return sac_fail(err, SAC_E_FORMAT, "sdv: the packet at byte %llu is cut short", at);
    reader->offset += header.size;
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
    while (go(reader, offset) && fill(reader, 0, SAC_DELTA_HEADER + SAC_DELTA_TAIL) ==
                                     SAC_DELTA_HEADER + SAC_DELTA_TAIL) {
        if (sac_delta_header_get(&header, reader->packet, reader->room) != SAC_DELTA_SOUND)
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
        return sac_fail(err, SAC_E_IO, "sdv: cannot be sought in: %s", strerror(errno));
    if (!reader->is_indexed && !make_index(reader))
        return sac_fail(err, SAC_E_NOMEM, "sdv: no memory for the index");
    uint64_t offset = 0;
    for (size_t i = 0; i < reader->index.n_keys; i++)
        if (reader->index.keys[i].frame <= frame)
            offset = reader->index.keys[i].offset;
    if (!go(reader, offset))
        return sac_fail(err, SAC_E_IO, "sdv: cannot be sought in: %s", strerror(errno));
    return SAC_OK;
}

uint64_t sac_sdv_frames(const sac_sdv_reader *reader)
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
