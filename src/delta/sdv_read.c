/*
 * Reading .sdv files: packet by packet, with or without their index. Whatever the bytes are, the
 * time is linear in their number, and memory is that of the packets whose headers are accepted.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stop.h"
#include "delta/sdv_index.h"

#define SCAN_STEP ((size_t)1 << 12)        /* where only headers are looked at */
#define MOST_GARBAGE (UINT64_C(256) << 20) /* bytes without a packet; docs/delta-format.md */

/* Where checksums are wrong, headers that overlap could make a reader look at the same bytes again
 * and again: so many bytes may be in wrong packets at first, and so many more for each that is
 * passed. With none left, bytes are passed until there are some again. */
#define FIRST_CREDIT ((int64_t)64 << 20)
#define CREDIT_A_BYTE 4

struct sac_sdv_reader {
    sac_sdv_bytes in;
    bool owns_fd;
    uint64_t max_pixels;
    uint64_t end; /* of a regular file; UINT64_MAX: not known */
    sac_sdv_index index;

    size_t done;      /* bytes that go with the next call */
    bool is_lost;     /* what is next is no packet: one must be looked for */
    bool is_over;     /* nothing more is looked for */
    uint64_t garbage; /* bytes since the last packet that was whole */
    int64_t credit;
};

/* Goes on behind n bytes that are there. */
static void pass(sac_sdv_reader *reader, size_t n)
{
    sac_sdv_bytes_pass(&reader->in, n);
    reader->garbage += n;
    if (reader->credit < INT64_MAX / 2)
        reader->credit += (int64_t)n * CREDIT_A_BYTE;
}

static bool go(sac_sdv_reader *reader, uint64_t offset)
{
    reader->done = 0;
    reader->is_lost = reader->is_over = false;
    reader->garbage = 0;
    return sac_sdv_bytes_go(&reader->in, offset);
}

static sac_status open_file(sac_sdv_reader *reader, const char *path, int stop_fd, sac_error *err)
{
    struct stat st;
    const bool is_stdin = strcmp(path, "-") == 0;
    snprintf(reader->in.name, sizeof reader->in.name, "%s", is_stdin ? "standard input" : path);
    reader->in.fd = is_stdin ? STDIN_FILENO : sac_stop_open(path, stop_fd);
    reader->owns_fd = !is_stdin && reader->in.fd >= 0;
    if (reader->in.fd < 0 || fstat(reader->in.fd, &st) != 0)
        return sac_fail(err, SAC_E_IO, "%.100s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return sac_fail(err, SAC_E_IO, "%.100s: is a folder, not a file", path);
    if (!S_ISREG(st.st_mode)) /* no read of a file waits for long */
        reader->in.stop_fd = stop_fd;
    if (is_stdin)
        return SAC_OK;
    if (S_ISREG(st.st_mode))
        reader->end = (uint64_t)st.st_size;
    const sac_status status = sac_sdv_index_find(&reader->index, &reader->in, err);
    (void)go(reader, 0); /* a pipe: nothing was read of it */
    return status;
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
    reader->max_pixels = SAC_DELTA_MAX_PIXELS;
    reader->in.stop_fd = SAC_NO_STOP;
    reader->end = UINT64_MAX;
    reader->credit = FIRST_CREDIT;
    reader->in.step = SAC_SDV_READ_STEP;
    status = open_file(reader, path, stop_fd, err);
    if (status)
        sac_sdv_reader_close(&reader);
    *out = reader;
    return status;
}

sac_status sac_sdv_reader_limit(sac_sdv_reader *reader, uint64_t max_pixels, sac_error *err)
{
    if (!reader || max_pixels < 1)
        return sac_fail(err, SAC_E_INVALID, "%s", reader ? "max_pixels: is 0" : "reader: is NULL");
    reader->max_pixels = max_pixels;
    return SAC_OK;
}

static bool is_index(const uint8_t *bytes)
{
    return sac_delta_get32(bytes) == SAC_SDV_MAGIC;
}

/* Whether a packet whose picture is not too large, or the index, may begin here. */
static bool may_begin(const sac_sdv_reader *reader, const uint8_t *bytes, size_t n)
{
    sac_delta_header header;
    if (n >= 8 && is_index(bytes))
        return sac_delta_get32(bytes + 4) == SAC_SDV_VERSION;
    return sac_delta_header_get(&header, bytes, n) == SAC_DELTA_SOUND &&
           sac_delta_pixels(&header) <= reader->max_pixels;
}

/* Passes what is there up to where something may begin; false: nothing does. */
static bool find(sac_sdv_reader *reader, bool is_end)
{
    const size_t has = sac_sdv_bytes_left(&reader->in),
                 most = is_end ? has : has - (SAC_SDV_LEAST_PACKET - 1);
    const size_t owed = reader->credit < 0 ? (size_t)(-reader->credit / CREDIT_A_BYTE) + 1 : 0;
    for (size_t i = owed; i < most;) {
        const uint8_t *at = memchr(sac_sdv_bytes_next(&reader->in) + i, 'S', most - i);
        if (!at)
            break;
        i = (size_t)(at - sac_sdv_bytes_next(&reader->in));
        if (may_begin(reader, at, has - i)) {
            pass(reader, i);
            return true;
        }
        i++;
    }
    pass(reader, most);
    return false;
}

/* Looks for the next packet, from the first byte on. SAC_END: there is none; SAC_E_FORMAT: there
 * was none in so many bytes that there may be no end. */
static sac_status search(sac_sdv_reader *reader, sac_error *err)
{
    for (bool is_end = false; !is_end && reader->garbage <= MOST_GARBAGE;) {
        sac_sdv_filled is = sac_sdv_bytes_fill(&reader->in, SAC_SDV_LEAST_PACKET);
        if (is > SAC_SDV_ENDED)
            return sac_sdv_bytes_failed(&reader->in, is, err);
        is_end = is == SAC_SDV_ENDED;
        if (find(reader, is_end)) {
            reader->is_lost = false;
            return SAC_OK;
        }
    }
    reader->is_over = true;
    return reader->garbage <= MOST_GARBAGE
               ? SAC_END
               : sac_fail(err, SAC_E_FORMAT, "%s: no packet in the %llu bytes up to byte %llu",
                          reader->in.name, (unsigned long long)reader->garbage,
                          (unsigned long long)reader->in.offset);
}

/* Whether a regular file, which may have grown, ends before the packet that begins here does. */
static bool is_beyond_end(sac_sdv_reader *reader, uint32_t size)
{
    struct stat st;
    if (reader->end == UINT64_MAX || reader->in.offset + size <= reader->end)
        return false;
    if (fstat(reader->in.fd, &st) == 0)
        reader->end = (uint64_t)st.st_size;
    return reader->in.offset + size > reader->end;
}

/* What is wrong with the packet that begins here, its content apart. */
typedef enum trouble { NONE, NO_PACKET, CUT_SHORT, TOO_LARGE } trouble;

/* Reads the packet that begins here. */
static sac_sdv_filled read_packet(sac_sdv_reader *reader, sac_delta_header *header, trouble *what)
{
    sac_sdv_filled is = sac_sdv_bytes_fill(&reader->in, SAC_SDV_LEAST_PACKET);
    *what = NO_PACKET;
    if (is > SAC_SDV_ENDED || sac_sdv_bytes_left(&reader->in) == 0)
        return is;
    sac_delta_fault fault = sac_delta_header_get(header, sac_sdv_bytes_next(&reader->in),
                                                 sac_sdv_bytes_left(&reader->in));
    if (fault == SAC_DELTA_TRUNCATED)
        *what = CUT_SHORT;
    if (fault != SAC_DELTA_SOUND || reader->credit < 0)
        return SAC_SDV_THERE;
    *what = sac_delta_pixels(header) > reader->max_pixels ? TOO_LARGE
            : is_beyond_end(reader, header->size)         ? CUT_SHORT
                                                          : NONE;
    if (*what == NONE && (is = sac_sdv_bytes_fill(&reader->in, header->size)) == SAC_SDV_ENDED) {
        *what = CUT_SHORT;
        is = SAC_SDV_THERE;
    }
    return *what == NONE ? is : SAC_SDV_THERE;
}

static sac_status no_packet(sac_sdv_reader *reader, trouble what, const sac_delta_header *header,
                            sac_error *err)
{
    const unsigned long long at = reader->in.offset;
    reader->is_lost = true;
    reader->done = 1;
    if (what == TOO_LARGE)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: the picture at byte %llu is too large: %d x %d, in whole cells more "
                        "than %llu pixels",
                        reader->in.name, at, header->w, header->h,
                        (unsigned long long)reader->max_pixels);
    return sac_fail(err, SAC_E_FORMAT,
                    what == CUT_SHORT ? "%s: the packet at byte %llu is cut short"
                                      : "%s: no packet of a delta stream at byte %llu",
                    reader->in.name, at);
}

/* Gives the packet that is there. Where its checksum is wrong, its size may be, too. */
static void give(sac_sdv_reader *reader, sac_delta_packet *packet, const sac_delta_header *header)
{
    const uint8_t *bytes = sac_sdv_bytes_next(&reader->in);
    const size_t sealed = header->size - SAC_DELTA_TAIL;
    reader->is_lost = sac_delta_get64(bytes + sealed) != sac_delta_checksum(bytes, sealed);
    reader->done = reader->is_lost ? 1 : header->size;
    if (reader->is_lost)
        reader->credit -= header->size;
    *packet = (sac_delta_packet){
        .data = bytes,
        .size = header->size,
        .frame = header->frame,
        .time_ns = header->time_ns,
        .is_key = header->is_key,
    };
}

sac_status sac_sdv_read(sac_sdv_reader *reader, sac_delta_packet *packet, sac_error *err)
{
    if (!reader || !packet)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", reader ? "packet" : "reader");
    *packet = (sac_delta_packet){0};
    const bool was_whole = reader->done > 1;
    pass(reader, reader->done);
    reader->done = 0;
    if (was_whole)
        reader->garbage = 0;
    if (reader->is_over)
        return SAC_END;
    sac_status status = reader->is_lost ? search(reader, err) : SAC_OK;
    if (status)
        return status;
    sac_delta_header header;
    trouble what = NONE;
    sac_sdv_filled is = read_packet(reader, &header, &what);
    if (is > SAC_SDV_ENDED)
        return sac_sdv_bytes_failed(&reader->in, is, err);
    if (sac_sdv_bytes_left(&reader->in) == 0 ||
        (sac_sdv_bytes_left(&reader->in) >= 4 && is_index(sac_sdv_bytes_next(&reader->in))))
        return SAC_END;
    if (what != NONE)
        return no_packet(reader, what, &header, err);
    give(reader, packet, &header);
    return SAC_OK;
}

/* Goes behind a packet of which the header is there. */
static bool skip(sac_sdv_reader *reader, uint32_t size)
{
    if (size <= sac_sdv_bytes_left(&reader->in)) {
        pass(reader, size);
        reader->garbage = 0;
        return true;
    }
    return go(reader, reader->in.offset + size);
}

/* The same without an index: from header to header, as far as there are packets. */
static sac_status scan(sac_sdv_reader *reader, uint64_t frame, uint64_t *offset, sac_error *err)
{
    sac_status status = SAC_OK;
    *offset = 0;
    for (bool ok = go(reader, 0); status == SAC_OK;) {
        sac_delta_header header;
        sac_sdv_filled is =
            ok ? sac_sdv_bytes_fill(&reader->in, SAC_SDV_LEAST_PACKET) : SAC_SDV_FAILED;
        if (is > SAC_SDV_ENDED)
            return sac_sdv_bytes_failed(&reader->in, is, err);
        if (is == SAC_SDV_ENDED || is_index(sac_sdv_bytes_next(&reader->in)))
            return SAC_OK;
        if (sac_delta_header_get(&header, sac_sdv_bytes_next(&reader->in),
                                 sac_sdv_bytes_left(&reader->in)) != SAC_DELTA_SOUND ||
            is_beyond_end(reader, header.size)) {
            pass(reader, 1);
            status = search(reader, NULL);
        } else {
            *offset = header.is_key && header.frame <= frame ? reader->in.offset : *offset;
            ok = skip(reader, header.size);
        }
    }
    return status == SAC_END || status == SAC_E_FORMAT
               ? SAC_OK
               : sac_sdv_bytes_failed(
                     &reader->in, status == SAC_E_NOMEM ? SAC_SDV_NO_MEMORY : SAC_SDV_FAILED, err);
}

sac_status sac_sdv_seek(sac_sdv_reader *reader, uint64_t frame, sac_error *err)
{
    if (!reader)
        return sac_fail(err, SAC_E_INVALID, "reader: is NULL");
    sac_status status = SAC_OK;
    uint64_t offset = 0;
    if (lseek(reader->in.fd, 0, SEEK_SET) < 0)
        return sac_fail(err, SAC_E_IO, "%s: cannot be sought in: %s", reader->in.name,
                        strerror(errno));
    if (!sac_sdv_index_key(&reader->index, &reader->in, frame, &offset)) {
        reader->in.step = SCAN_STEP;
        status = scan(reader, frame, &offset, err);
        reader->in.step = SAC_SDV_READ_STEP;
    }
    if (status == SAC_OK && !go(reader, offset))
        status = sac_fail(err, SAC_E_IO, "%s: cannot be sought in: %s", reader->in.name,
                          strerror(errno));
    return status;
}

uint64_t sac_sdv_reader_get_frames(const sac_sdv_reader *reader)
{
    return reader && reader->index.is_sound ? reader->index.n_frames : 0;
}

void sac_sdv_reader_close(sac_sdv_reader **reader)
{
    if (!reader || !*reader)
        return;
    if ((*reader)->owns_fd)
        close((*reader)->in.fd);
    sac_free((*reader)->in.bytes);
    sac_free(*reader);
    *reader = NULL;
}
