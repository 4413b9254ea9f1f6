/*
 * `.NAME.done` of an image in parts: a text of what is written where, then a byte a part.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/image/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/crc32c.h"

#define OFFSET_AT 28 /* of its 20 digits in the text, */
#define INODE_AT 54  /* of those of `.NAME.part`'s inode, */
#define CRC_AT 81    /* of the 8 digits of the checksum of both and of the text behind them, */
#define WORK_AT 90   /* which says what is written */

sac_status sac_parts_fail(const sac_image_parts *p, sac_error *err)
{
    return sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", p->out.name, strerror(errno));
}

bool sac_parts_write_at(int fd, const void *data, size_t size, int64_t at)
{
    for (const uint8_t *from = data; size > 0;) {
        const ssize_t n = pwrite(fd, from, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return false;
        from += n, at += n, size -= (size_t)n;
    }
    return true;
}

/* Fewer bytes only where the file ends. */
size_t sac_parts_read_at(int fd, void *data, size_t size, int64_t at)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n = pread(fd, (uint8_t *)data + done, size - done, (off_t)at + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO; /* for who needs them all */
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

static uint32_t checksum(const char *text, size_t size)
{
    const uint32_t crc = sac_crc32c(0, (const uint8_t *)text, CRC_AT);
    return sac_crc32c(crc, (const uint8_t *)text + WORK_AT, size - WORK_AT);
}

/* The text for this work; a second one that is equal from WORK_AT on is of the same. */
sac_status sac_parts_make_head(sac_image_parts *p, const sac_image_parts_desc *d, sac_error *err)
{
    const sac_array *a = d->image;
    char shape[160];
    size_t n = 0;
    for (int32_t i = 0; i < a->n_dims; i++)
        n += (size_t)snprintf(shape + n, sizeof shape - n, " %" PRId64, a->shape[i]);
    const size_t size = strlen(d->work) + n + 256;
    p->head = sac_alloc(size, 1);
    if (!p->head)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for its parts", p->out.name);
    struct stat data = {0};
    if (fstat(p->out.fd, &data) != 0)
        return sac_parts_fail(p, err);
    p->head_bytes = (size_t)snprintf(p->head, size,
                                     "saccade image parts 1\noffset%020" PRId64 " inode%020" PRIu64
                                     " crc32c%08x\n%s%s by %" PRId64 "\n%s\n",
                                     p->offset, (uint64_t)data.st_ino, 0U, sac_dtype_name(a->dtype),
                                     shape, p->n_part_frames, d->work);
    char digits[9];
    snprintf(digits, sizeof digits, "%08x", checksum(p->head, p->head_bytes));
    memcpy(p->head + CRC_AT, digits, 8);
    return SAC_OK;
}

/* False: another has it. A lock of the open file, where there are such: others belong to the
 * process, which loses them with the first file it closes. */
static bool lock(int fd, int type)
{
    const struct flock all = {.l_type = (short)type, .l_whence = SEEK_SET};
    int result = -1;
    errno = EINVAL;
#ifdef F_OFD_SETLK
    result = fcntl(fd, F_OFD_SETLK, &all);
#endif
    if (result != 0 && errno == EINVAL)
        result = fcntl(fd, F_SETLK, &all);
    return result == 0 || (errno != EACCES && errno != EAGAIN);
}

static sac_status refuse(const sac_image_parts *p, sac_error *err)
{
    return sac_fail(err, SAC_E_IO, "%s: another process is writing it", p->out.name);
}

sac_status sac_parts_lock_image(const sac_image_parts *p, bool join, sac_error *err)
{
    if (!lock(p->out.fd, join ? F_RDLCK : F_WRLCK))
        return refuse(p, err);
    (void)!lock(p->out.fd, join ? F_RDLCK : F_UNLCK);
    return SAC_OK;
}

/* Whether `.NAME.done` is still the file that is open: who had it may have taken it away. */
bool sac_parts_is_current(const sac_image_parts *p)
{
    struct stat is, named;
    return fstat(p->marks, &is) == 0 && lstat(p->marks_path, &named) == 0 &&
           is.st_ino == named.st_ino && is.st_dev == named.st_dev;
}

/* All that follows is under the lock of this file, and it goes last. One writer at a time; those
 * that join it have asked the first. */
sac_status sac_parts_open_marks(sac_image_parts *p, const sac_image_parts_desc *d, sac_error *err)
{
    const size_t length = strlen(p->out.temp);
    if (length >= sizeof p->marks_path) /* "part" and "done" are equally long */
        return sac_fail(err, SAC_E_IO, "%s: its name is too long", p->out.name);
    memcpy(p->marks_path, p->out.temp, length + 1);
    memcpy(p->marks_path + length - 4, "done", 4);
    for (;;) {
        if (d->join && access(p->marks_path, F_OK) != 0)
            return sac_fail(err, SAC_E_INVALID, "%s: nobody has begun it", p->out.name);
        sac_status st = sac_out_open_beside(&p->marks, d->join ? NULL : &p->is_new, &p->out,
                                            p->marks_path, err);
        if (st == SAC_OK && !d->join) {
            st = lock(p->marks, F_WRLCK) ? SAC_OK : refuse(p, err);
            p->is_new = p->is_new && st == SAC_OK;
        }
        if (st != SAC_OK || sac_parts_is_current(p))
            return st;
        close(p->marks);
    }
}

/* Whether the image under its own name is the file of this inode, as a whole. */
static bool is_whole(const sac_image_parts *p, uint64_t inode)
{
    struct stat image;
    return stat(p->out.target, &image) == 0 && image.st_ino == inode &&
           image.st_size - p->n_frames * (int64_t)p->frame_bytes >= p->offset;
}

/* What an earlier program has left: SAC_AGAIN where that is nothing. */
sac_status sac_parts_go_on(sac_image_parts *p, sac_error *err)
{
    struct stat marks, data;
    char *text = sac_alloc(p->head_bytes + 1, 1);
    if (!text)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for its parts", p->out.name);
    const size_t n = sac_parts_read_at(p->marks, text, p->head_bytes, 0);
    const bool is_none = n == 0 || fstat(p->out.fd, &data) != 0;
    const bool is_head = n > WORK_AT && memcmp(text, p->head, OFFSET_AT) == 0;
    const bool is_same =
        n == p->head_bytes && is_head && strcmp(text + WORK_AT, p->head + WORK_AT) == 0;
    const bool is_sound =
        is_head && (!is_same || strtoul(text + CRC_AT, NULL, 16) == checksum(text, n));
    const uint64_t inode = is_same ? strtoull(text + INODE_AT, NULL, 10) : 0;
    p->offset = is_same ? strtoll(text + OFFSET_AT, NULL, 10) : 0;
    sac_free(text);
    if (is_none)
        return SAC_AGAIN;
    if (is_sound && !is_same)
        return sac_fail(err, SAC_E_INVALID,
                        "%s: what is left of it is of another input or command: to begin anew "
                        "remove %.100s",
                        p->out.name, p->marks_path);
    const int64_t bytes = p->n_frames * (int64_t)p->frame_bytes;
    if (!is_sound || fstat(p->marks, &marks) != 0 ||
        marks.st_size != (off_t)p->head_bytes + p->n_parts || p->offset < 1 ||
        sac_parts_read_at(p->marks, p->had, (size_t)p->n_parts, (int64_t)p->head_bytes) !=
            (size_t)p->n_parts)
        return sac_fail(err, SAC_E_FORMAT, "%s: %.100s is damaged: remove it to begin anew",
                        p->out.name, p->marks_path);
    for (int64_t i = 0; i < p->n_parts; i++) {
        p->had[i] = p->had[i] == '1';
        p->n_had += p->had[i];
    }
    if (data.st_size - bytes >= p->offset)
        return SAC_OK;
    /* The image has its name already, and the program was killed before it said so. */
    if (data.st_size == 0 && p->n_had == p->n_parts && is_whole(p, inode))
        return SAC_END;
    memset(p->had, 0, (size_t)p->n_parts);
    p->n_had = 0;
    return SAC_AGAIN;
}
