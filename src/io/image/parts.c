/*
 * Images that are written in parts: the file's head first, then frames at their places, in any
 * order. `.NAME.done` begins with a text: where the frames begin, what they are of; then comes a
 * byte a part, '1' where it is written.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/image/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/struct.h"
#include "io/npy.h"

void sac_image_parts_desc_init(sac_image_parts_desc *desc)
{
    if (desc)
        *desc = (sac_image_parts_desc){.struct_size = sizeof *desc};
}

/* A file with its head, and no part. */
static sac_status begin(sac_image_parts *p, const sac_image_parts_desc *d,
                        const sac_image_info *info, sac_image_format format, sac_error *err)
{
    if (ftruncate(p->marks, 0) != 0 || ftruncate(p->out.fd, 0) != 0 ||
        lseek(p->out.fd, 0, SEEK_SET) != 0)
        return sac_parts_fail(p, err);
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
            return sac_parts_fail(p, err);
    }
    sac_free(p->head);
    st = sac_parts_make_head(p, d, err);
    uint8_t *none = st == SAC_OK ? sac_alloc((size_t)p->n_parts, 1) : NULL;
    if (st == SAC_OK && !none)
        st = sac_fail(err, SAC_E_NOMEM, "%s: no memory for its parts", p->out.name);
    if (st == SAC_OK) {
        memset(none, '0', (size_t)p->n_parts);
        if (!sac_parts_write_at(p->marks, none, (size_t)p->n_parts, (int64_t)p->head_bytes) ||
            !sac_parts_write_at(p->marks, p->head, p->head_bytes, 0))
            st = sac_parts_fail(p, err);
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

static bool is_empty(const sac_image_parts *p)
{
    struct stat data;
    return p->out.fd >= 0 && fstat(p->out.fd, &data) == 0 && data.st_size == 0;
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
    st = st ? st : sac_parts_open_marks(p, d, err);
    st = st ? st : sac_out_open_kept(&p->out, d->join, err);
    p->out.is_recording = true;
    st = st ? st : sac_parts_lock_image(p, d->join, err);
    st = st ? st : sac_parts_make_head(p, d, err);
    if (st == SAC_OK)
        st = d->resume || d->join ? sac_parts_go_on(p, err) : SAC_AGAIN;
    if (d->join)
        return st == SAC_AGAIN || (st == SAC_OK && !sac_parts_is_current(p))
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
    else if (st != SAC_OK && is_empty(p))
        unlink(p->out.temp);
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
    const bool ok = sac_parts_write_at(p->out.fd, frames->data, bytes,
                                       p->offset + first * (int64_t)p->frame_bytes) &&
                    sac_out_force(&p->out) &&
                    sac_parts_write_at(p->marks, "1", 1, (int64_t)p->head_bytes + index);
    return ok ? SAC_OK : sac_parts_fail(p, err);
}

/* How many parts have no mark, and -1 where the marks cannot be read. */
static int64_t missing(const sac_image_parts *p)
{
    int64_t n = 0;
    if (sac_parts_read_at(p->marks, p->had, (size_t)p->n_parts, (int64_t)p->head_bytes) !=
        (size_t)p->n_parts)
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
    sac_status st = n < 0 ? sac_parts_fail(p, err) : SAC_OK;
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
