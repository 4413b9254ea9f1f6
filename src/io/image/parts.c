/*
 * Images that are written in parts: the file's head first, then frames at their places, in any
 * order. `.NAME.done` begins with a text: where the frames begin, what they are of; then comes a
 * byte a part, '1' where it is written.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/struct.h"
#include "io/npy.h"

#define OFFSET_AT 28 /* of its 20 digits in the text */

struct sac_image_parts {
    sac_out out;
    int marks; /* `.NAME.done` */
    char marks_path[PATH_MAX];
    char *head; /* the text, of head_bytes */
    uint8_t *had;
    size_t head_bytes, frame_bytes;
    int64_t n_parts, n_part_frames, n_frames, n_had, offset;
    bool is_own;     /* it was begun, or gone on with, here */
    bool is_new;     /* `.NAME.done` was not there */
    sac_array frame; /* shape and dtype of a frame: axis 0 is 1 */
};

void sac_image_parts_desc_init(sac_image_parts_desc *desc)
{
    if (desc)
        *desc = (sac_image_parts_desc){.struct_size = sizeof *desc};
}

static sac_status fail(const sac_image_parts *p, sac_error *err)
{
    return sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", p->out.name, strerror(errno));
}

static bool write_at(int fd, const void *data, size_t size, int64_t at)
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
static size_t read_at(int fd, void *data, size_t size, int64_t at)
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

/* The text for this work; a second one that is equal but for the offset is of the same. */
static sac_status make_head(sac_image_parts *p, const sac_image_parts_desc *d, sac_error *err)
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
    p->head_bytes = (size_t)snprintf(
        p->head, size, "saccade image parts 1\noffset%020" PRId64 "\n%s%s by %" PRId64 "\n%s\n",
        p->offset, sac_dtype_name(a->dtype), shape, p->n_part_frames, d->work);
    return SAC_OK;
}

/* One program at a time; those that join it have asked the first. */
static sac_status lock(const sac_image_parts *p, sac_error *err)
{
    const struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(p->marks, F_SETLK, &all) == 0 || (errno != EACCES && errno != EAGAIN)
               ? SAC_OK
               : sac_fail(err, SAC_E_IO, "%s: another process is writing it", p->out.name);
}

/* Whether `.NAME.done` is still the file that is open: who had it may have taken it away. */
static bool is_current(const sac_image_parts *p)
{
    struct stat is, named;
    return fstat(p->marks, &is) == 0 && lstat(p->marks_path, &named) == 0 &&
           is.st_ino == named.st_ino && is.st_dev == named.st_dev;
}

/* All that follows is under the lock of this file, and it goes last. */
static sac_status open_marks(sac_image_parts *p, const sac_image_parts_desc *d, sac_error *err)
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
            st = lock(p, err);
            p->is_new = p->is_new && st == SAC_OK;
        }
        if (st != SAC_OK || is_current(p))
            return st;
        close(p->marks);
    }
}

/* What an earlier program has left: SAC_AGAIN where that is nothing. */
static sac_status go_on(sac_image_parts *p, sac_error *err)
{
    struct stat marks, data;
    char *text = sac_alloc(p->head_bytes + 1, 1);
    if (!text)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for its parts", p->out.name);
    const size_t n = read_at(p->marks, text, p->head_bytes, 0);
    const bool is_none = n == 0 || fstat(p->out.fd, &data) != 0;
    const bool is_head = n > OFFSET_AT + 20 && memcmp(text, p->head, OFFSET_AT) == 0;
    const bool is_same = n == p->head_bytes && is_head &&
                         strcmp(text + OFFSET_AT + 20, p->head + OFFSET_AT + 20) == 0;
    p->offset = is_same ? strtoll(text + OFFSET_AT, NULL, 10) : 0;
    sac_free(text);
    if (is_none)
        return SAC_AGAIN;
    if (is_head && !is_same)
        return sac_fail(err, SAC_E_INVALID,
                        "%s: what is left of it is of another input or command: to begin anew "
                        "remove %.100s",
                        p->out.name, p->marks_path);
    const int64_t bytes = p->n_frames * (int64_t)p->frame_bytes;
    if (!is_head || fstat(p->marks, &marks) != 0 ||
        marks.st_size != (off_t)p->head_bytes + p->n_parts || p->offset < 1 ||
        read_at(p->marks, p->had, (size_t)p->n_parts, (int64_t)p->head_bytes) != (size_t)p->n_parts)
        return sac_fail(err, SAC_E_FORMAT, "%s: %.100s is damaged: remove it to begin anew",
                        p->out.name, p->marks_path);
    for (int64_t i = 0; i < p->n_parts; i++) {
        p->had[i] = p->had[i] == '1';
        p->n_had += p->had[i];
    }
    if (data.st_size >= p->offset + bytes)
        return SAC_OK;
    /* The image has its name already, and the program was killed before it said so. */
    if (data.st_size == 0 && p->n_had == p->n_parts && access(p->out.target, F_OK) == 0)
        return SAC_END;
    memset(p->had, 0, (size_t)p->n_parts);
    p->n_had = 0;
    return SAC_AGAIN;
}

/* A file with its head, and no part. */
static sac_status begin(sac_image_parts *p, const sac_image_parts_desc *d,
                        const sac_image_info *info, sac_image_format format, sac_error *err)
{
    if (ftruncate(p->marks, 0) != 0 || ftruncate(p->out.fd, 0) != 0 ||
        lseek(p->out.fd, 0, SEEK_SET) != 0)
        return fail(p, err);
    sac_io_lock();
    sac_status st = format == IMAGE_NPY
                        ? sac_npy_write_header(&p->out, d->image, err)
                        : sac_hdf5_begin_image(&p->offset, &p->out, d->image, info, err);
    sac_io_unlock();
    if (st != SAC_OK)
        return st;
    if (format == IMAGE_NPY) {
        p->offset = (int64_t)lseek(p->out.fd, 0, SEEK_CUR);
        if (p->offset < 0 ||
            ftruncate(p->out.fd, (off_t)(p->offset + p->n_frames * (int64_t)p->frame_bytes)) != 0)
            return fail(p, err);
    }
    sac_free(p->head);
    st = make_head(p, d, err);
    uint8_t *none = st == SAC_OK ? sac_alloc((size_t)p->n_parts, 1) : NULL;
    if (st == SAC_OK && !none)
        st = sac_fail(err, SAC_E_NOMEM, "%s: no memory for its parts", p->out.name);
    if (st == SAC_OK) {
        memset(none, '0', (size_t)p->n_parts);
        if (!write_at(p->marks, none, (size_t)p->n_parts, (int64_t)p->head_bytes) ||
            !write_at(p->marks, p->head, p->head_bytes, 0))
            st = fail(p, err);
    }
    sac_free(none);
    return st;
}

static sac_status check(const sac_image_parts_desc *d, const sac_image_info *info,
                        sac_image_format *format, sac_error *err)
{
    if (!d->path || !d->image || !d->info || !d->work)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL",
                        !d->path    ? "path"
                        : !d->image ? "image"
                        : !d->info  ? "info"
                                    : "work");
    sac_status st = sac_image_check_info(info, err);
    st = st ? st : sac_image_find_format(format, d->path, err);
    if (st == SAC_OK && *format != IMAGE_HDF5 && *format != IMAGE_NPY)
        st = sac_fail(err, SAC_E_INVALID, "%s: parts are written into .h5, .hdf5 and .npy alone",
                      d->path);
    if (st == SAC_OK && d->n_part_frames < 1)
        st = sac_fail(err, SAC_E_INVALID, "n_part_frames: expected 1 or more, got %" PRId64,
                      d->n_part_frames);
    sac_array any = *d->image;
    if (!any.data)
        any.data = &any; /* nobody looks there */
    return st ? st : sac_image_check(&any, &info->grid, "image", err);
}

static void take_away(const sac_image_parts *p)
{
    if (p->out.fd >= 0)
        unlink(p->out.temp);
    unlink(p->marks_path);
}

static sac_status open_parts(sac_image_parts *p, const sac_image_parts_desc *d,
                             const sac_image_info *info, sac_image_format format, sac_error *err)
{
    p->frame = *d->image;
    p->frame.shape[0] = 1;
    p->n_frames = d->image->shape[0];
    p->n_part_frames = d->n_part_frames;
    p->n_parts = (p->n_frames - 1) / p->n_part_frames + 1;
    p->frame_bytes = (size_t)sac_array_count(&p->frame) * sac_dtype_size(p->frame.dtype);
    p->had = sac_alloc((size_t)p->n_parts, 1);
    if (!p->had)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for its parts", p->out.name);
    sac_status st = sac_out_find_kept(&p->out, d->path, err);
    st = st ? st : open_marks(p, d, err);
    st = st ? st : sac_out_open_kept(&p->out, d->join, err);
    p->out.is_recording = true;
    st = st ? st : make_head(p, d, err);
    if (st == SAC_OK)
        st = d->resume || d->join ? go_on(p, err) : SAC_AGAIN;
    if (d->join)
        return st == SAC_AGAIN || (st == SAC_OK && !is_current(p))
                   ? sac_fail(err, SAC_E_INVALID, "%s: nobody has begun it", p->out.name)
                   : st;
    bool is_left = st == SAC_END || (st != SAC_OK && p->is_new);
    if (st == SAC_AGAIN) {
        st = begin(p, d, info, format, err);
        is_left = st != SAC_OK;
    }
    p->is_own = st == SAC_OK;
    if (is_left)
        take_away(p);
    return st;
}

sac_status sac_image_parts_open(sac_image_parts **out, const sac_image_parts_desc *desc,
                                sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *out = NULL;
    sac_image_parts_desc d;
    sac_image_info info;
    sac_image_format format;
    sac_image_parts_desc_init(&d);
    sac_image_info_init(&info);
    sac_status st = sac_struct_take(&d, desc, "desc", err);
    if (st == SAC_OK && d.info)
        st = sac_struct_take(&info, d.info, "info", err);
    st = st ? st : check(&d, &info, &format, err);
    if (st != SAC_OK)
        return st;
    sac_image_parts *p = sac_alloc(1, sizeof *p);
    if (!p)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for its parts", d.path);
    p->out.fd = p->marks = -1;
    st = open_parts(p, &d, &info, format, err);
    *out = p;
    if (st != SAC_OK)
        sac_image_parts_close(out);
    return st;
}

bool sac_image_parts_has(const sac_image_parts *p, int64_t index)
{
    return p && index >= 0 && index < p->n_parts && p->had[index];
}

int64_t sac_image_parts_get_count(const sac_image_parts *p, int64_t *n_had)
{
    if (n_had)
        *n_had = p ? p->n_had : 0;
    return p ? p->n_parts : 0;
}

sac_status sac_image_parts_write(sac_image_parts *p, int64_t index, const sac_array *frames,
                                 sac_error *err)
{
    if (!p)
        return sac_fail(err, SAC_E_INVALID, "parts: is NULL");
    sac_status st = sac_array_check(frames, "frames", err);
    if (st != SAC_OK)
        return st;
    if (index < 0 || index >= p->n_parts)
        return sac_fail(err, SAC_E_INVALID, "index: expected a part of %" PRId64 ", got %" PRId64,
                        p->n_parts, index);
    const int64_t first = index * p->n_part_frames, left = p->n_frames - first;
    sac_array wanted = p->frame;
    wanted.shape[0] = left < p->n_part_frames ? left : p->n_part_frames;
    bool fits = frames->n_dims == wanted.n_dims && frames->dtype == wanted.dtype &&
                sac_array_is_contiguous(frames) && frames->device.kind == SAC_DEVICE_CPU;
    for (int32_t i = 0; i < wanted.n_dims && fits; i++)
        fits = frames->shape[i] == wanted.shape[i];
    if (!fits)
        return sac_fail(err, SAC_E_SHAPE,
                        "frames: expected %" PRId64 " of the image's, contiguous on the CPU",
                        wanted.shape[0]);
    const size_t bytes = p->frame_bytes * (size_t)wanted.shape[0];
    const bool ok =
        write_at(p->out.fd, frames->data, bytes, p->offset + first * (int64_t)p->frame_bytes) &&
        sac_out_force(&p->out) && write_at(p->marks, "1", 1, (int64_t)p->head_bytes + index);
    return ok ? SAC_OK : fail(p, err);
}

/* How many parts have no mark, and -1 where the marks cannot be read. */
static int64_t missing(const sac_image_parts *p)
{
    int64_t n = 0;
    if (read_at(p->marks, p->had, (size_t)p->n_parts, (int64_t)p->head_bytes) != (size_t)p->n_parts)
        return -1;
    for (int64_t i = 0; i < p->n_parts; i++)
        n += p->had[i] != '1';
    return n;
}

sac_status sac_image_parts_commit(sac_image_parts **parts, sac_error *err)
{
    sac_image_parts *p = parts ? *parts : NULL;
    if (!p)
        return sac_fail(err, SAC_E_INVALID, "parts: is NULL");
    const int64_t n = missing(p);
    sac_status st = n < 0 ? fail(p, err) : SAC_OK;
    if (n > 0)
        st = sac_fail(err, SAC_E_INVALID, "%s: %" PRId64 " of %" PRId64 " parts are missing",
                      p->out.name, n, p->n_parts);
    if (st == SAC_OK) {
        st = sac_out_commit(&p->out, err);
        if (st == SAC_OK)
            unlink(p->marks_path);
    }
    sac_image_parts_close(parts);
    return st;
}

void sac_image_parts_close(sac_image_parts **parts)
{
    sac_image_parts *p = parts ? *parts : NULL;
    if (!p)
        return;
    if (p->out.fd >= 0) {
        if (p->is_own && missing(p) == p->n_parts) /* nothing that could be gone on with */
            take_away(p);
        sac_out_keep(&p->out);
    }
    if (p->marks >= 0)
        close(p->marks);
    sac_free(p->head);
    sac_free(p->had);
    sac_free(p);
    *parts = NULL;
}
