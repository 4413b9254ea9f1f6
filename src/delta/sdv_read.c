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
#include "delta/sdv_bytes.h"

#define SCAN_STEP ((size_t)1 << 12)        /* where only headers are looked at */
#define MOST_GARBAGE (UINT64_C(256) << 20) /* bytes without a packet; docs/delta-format.md */
#define MOST_KEYS (UINT64_C(1) << 24)      /* of an index that is used: 384 MB of it */
#define LEAST_PACKET (SAC_DELTA_HEADER + SAC_DELTA_TAIL)

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

    bool is_indexed; /* by the file itself, at its `keys`, which are in order */
    uint64_t keys, n_keys, n_frames;

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

static sac_sdv_key key_of(const uint8_t *entry)
{
    return (sac_sdv_key){.offset = sac_delta_get64(entry), .frame = sac_delta_get64(entry + 8)};
}

/* Whether the index that begins at `start` is sound, and its keyframes are in order: each behind
 * the one before and in front of the index, with a higher number. */
static bool check_index(sac_sdv_reader *reader, uint64_t start, uint64_t size, sac_delta_sum *sum)
{
    enum { SOME = 512 };
    uint8_t some[SOME * SAC_SDV_ENTRY];
    if (!sac_sdv_bytes_read_at(&reader->in, some, SAC_SDV_HEAD, start) ||
        sac_delta_get32(some) != SAC_SDV_MAGIC || some[4] != SAC_SDV_VERSION)
        return false;
    const uint64_t n = sac_delta_get64(some + 16);
    if (n > MOST_KEYS || SAC_SDV_HEAD + n * SAC_SDV_ENTRY + SAC_SDV_TAIL != size ||
        n * LEAST_PACKET > start)
        return false;
    reader->n_frames = sac_delta_get64(some + 8);
    reader->n_keys = n;
    reader->keys = start + SAC_SDV_HEAD;
    sac_delta_sum_add(sum, some, SAC_SDV_HEAD);
    sac_sdv_key last = {0};
    for (uint64_t i = 0; i < n; i += SOME) {
        size_t count = n - i < SOME ? (size_t)(n - i) : SOME;
        if (!sac_sdv_bytes_read_at(&reader->in, some, count * SAC_SDV_ENTRY,
                                   reader->keys + i * SAC_SDV_ENTRY))
            return false;
        sac_delta_sum_add(sum, some, count * SAC_SDV_ENTRY);
        for (size_t k = 0; k < count; k++) {
            const sac_sdv_key key = key_of(some + k * SAC_SDV_ENTRY);
            if (key.offset >= start ||
                (i + k > 0 && (key.offset <= last.offset || key.frame <= last.frame)))
                return false;
            last = key;
        }
    }
    sac_delta_put64(some, start); /* as the tail has it, or the checksum is wrong */
    sac_delta_sum_add(sum, some, 8);
    return true;
}

/* Finds the index, where the file has a sound one. SAC_E_NOMEM. */
static sac_status find_index(sac_sdv_reader *reader, sac_error *err)
{
    uint8_t tail[SAC_SDV_TAIL];
    const off_t length = lseek(reader->in.fd, 0, SEEK_END);
    const uint64_t end = length > 0 ? (uint64_t)length : 0;
    if (end < SAC_SDV_HEAD + SAC_SDV_TAIL ||
        !sac_sdv_bytes_read_at(&reader->in, tail, sizeof tail, end - sizeof tail))
        return SAC_OK;
    const uint64_t start = sac_delta_get64(tail);
    if (start > end - SAC_SDV_HEAD - SAC_SDV_TAIL)
        return SAC_OK;
    sac_delta_sum *sum = sac_delta_sum_open();
    if (!sum)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory to read it", reader->in.name);
    bool is_sound = check_index(reader, start, end - start, sum);
    reader->is_indexed = sac_delta_sum_close(&sum) == sac_delta_get64(tail + 8) && is_sound;
    return SAC_OK;
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
    sac_status status = find_index(reader, err);
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
                 most = is_end ? has : has - (LEAST_PACKET - 1);
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
        sac_sdv_filled is = sac_sdv_bytes_fill(&reader->in, LEAST_PACKET);
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
    sac_sdv_filled is = sac_sdv_bytes_fill(&reader->in, LEAST_PACKET);
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

/* The last keyframe in the index that is not behind `frame`; false where the file says no more. */
static bool find_key(const sac_sdv_reader *reader, uint64_t frame, uint64_t *offset)
{
    uint8_t entry[SAC_SDV_ENTRY];
    uint64_t low = 0, high = reader->n_keys; /* those before `low` are not behind it */
    *offset = 0;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (!sac_sdv_bytes_read_at(&reader->in, entry, sizeof entry,
                                   reader->keys + middle * SAC_SDV_ENTRY))
            return false;
        const sac_sdv_key key = key_of(entry);
        if (key.frame <= frame) {
            *offset = key.offset;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return true;
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
        sac_sdv_filled is = ok ? sac_sdv_bytes_fill(&reader->in, LEAST_PACKET) : SAC_SDV_FAILED;
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
    if (!reader->is_indexed || !find_key(reader, frame, &offset)) {
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
    return reader && reader->is_indexed ? reader->n_frames : 0;
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
